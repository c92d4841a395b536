"""Fast simulation of games in which players ask each other for cards, with all hands known.

If the player to move can infer the owner of a card that they need, they ask this owner for it.
Otherwise, they ask for a random card that they lack in one of their sets, and ask a random player
who may have it. All players draw conclusions from the answers, within each set. A game takes a
millisecond or two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from random import Random

from quaternity.base.deadline import Deadline
from quaternity.game.question import Question
from quaternity.review.recorded_game import Shares
from solvers.problem import SetConstraint, players_in

NextTurn = Callable[[int, int, bool, Sequence[int]], int]
"""Function that returns the player to move next. It takes the asker, the asked player, whether the
answer is yes, and the sizes of all hands after the answer."""

COST = 0.006
"""Approximate time that a simulated game takes for each question, in milliseconds."""


class Playout:
    """A simulated game in which the owner of every card is known. `play` changes the object.

    Args:
        owners: For each set, the owner of each card, or nothing if the set is completed. A number
            that does not belong to a player stands for the cards out of play.
        known: For each set, the publicly known possible owners of each card, and the known minimum
            number of cards of each player. `owners` must satisfy these constraints.
        points: The number of completed sets of each player.
        max_questions: Maximum number of questions, after which the game ends.
    """

    def __init__(
        self,
        owners: Sequence[Sequence[int]],
        known: Sequence[SetConstraint],
        points: Sequence[int],
        max_questions: float = inf,
    ) -> None:
        self.points, self.questions, self._max_questions = list(points), 0, max_questions
        self._players = (1 << len(points)) - 1
        self._owners = list(map(list, owners))
        self._possible_owners = [list(constraint.owners) for constraint in known]
        self._minimum = [list(constraint.low) for constraint in known]
        self._held = [[row.count(player) for row in owners] for player in range(len(points))]
        self._hands = list(map(sum, self._held))
        self._open_sets = [index for index, row in enumerate(owners) if row]
        for index, row in enumerate(owners):
            if row and len(set(row)) == 1 and row[0] < len(points):
                self._put_down(index, row[0])
            else:
                self._conclude(index)

    def play(
        self,
        turn: int,
        next_turn: NextTurn,
        random: Random,
        deadline: Deadline,
        first: Question | None = None,
    ) -> tuple[Shares, float]:
        """Play the game to its end. `first` is a question that was asked, but not yet answered.

        Return each player's share of the win (0 to 1), and the cost of the simulation: its
        estimated time in milliseconds.
        """
        if self._open_sets and not self._hands[turn]:
            turn = next_turn(turn, turn, False, self._hands)
        while self._open_sets and self.questions < self._max_questions:
            if not self.questions % 100:
                deadline.remaining()
            question = self._question(turn, random) if first is None else first[1:]
            if question is None:
                break
            self.questions += 1
            (asked, (index, number)), first = question, None
            yes = self._owners[index][number] == asked
            # By asking, the player states that they hold a card of the set.
            self._minimum[index][turn] = max(1, self._minimum[index][turn])
            if yes:
                self._hand_over(turn, asked, index, number)
            else:
                self._possible_owners[index][number] &= ~(1 << asked | 1 << turn)
                self._conclude(index)
            if self._open_sets:
                turn = next_turn(turn, asked, yes, self._hands)
        best = max(self.points)
        share = 1 / self.points.count(best)
        return tuple([share * (x == best) for x in self.points]), COST * (self.questions + 50)

    def _question(self, asker: int, random: Random) -> tuple[int, tuple[int, int]] | None:
        possible, others = [], ~(1 << asker)  # The mask also contains the cards out of play.
        held, owners, may = self._held[asker], self._owners, self._possible_owners
        for index in self._open_sets:
            if held[index]:
                for number, owner in enumerate(owners[index]):
                    if owner != asker:
                        if may[index][number] & others == 1 << owner & self._players:
                            return owner, (index, number)
                        possible.append((index, number))
        while possible:
            index, number = card = possible[int(random.random() * len(possible))]
            mask = may[index][number] & others & self._players
            able = [player for player in players_in(mask) if self._hands[player]]
            if able:
                return able[int(random.random() * len(able))], card
            possible.remove(card)
        return None

    def _hand_over(self, asker: int, asked: int, index: int, number: int) -> None:
        self._owners[index][number], self._possible_owners[index][number] = asker, 1 << asker
        for player, change in ((asker, 1), (asked, -1)):
            self._held[player][index] += change
            self._hands[player] += change
            self._minimum[index][player] = max(0, self._minimum[index][player] + change)
        if self._held[asker][index] == len(self._owners[index]):
            self._put_down(index, asker)
        else:
            self._conclude(index)

    def _conclude(self, index: int) -> None:
        may, least, concluded = self._possible_owners[index], self._minimum[index], True
        while concluded:
            concluded = False
            full = sum(least) == len(may)  # If so, every player has exactly the minimum.
            for player, cards in enumerate(least):
                bit = 1 << player
                if not cards and not full:
                    continue
                able = [number for number, mask in enumerate(may) if mask & bit]
                if len(able) == cards:
                    keep = bit
                elif full and sum(may[number] == bit for number in able) == cards:
                    keep = ~bit
                else:
                    continue
                for number in able:
                    if may[number] != bit:
                        may[number] &= keep
                        concluded = True

    def _put_down(self, index: int, player: int) -> None:
        self.points[player] += 1
        self._hands[player] -= len(self._owners[index])
        self._held[player][index] = 0
        self._open_sets.remove(index)
