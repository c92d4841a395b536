"""Simulated games with known hands, played to their end in a millisecond or two.

The player to move asks for a card whose owner they can infer, if there is one. Otherwise they
choose a random card that they lack in one of their sets, and a random player who may have it. So
every refusal gives information, and every game ends, at the latest when no player can get a missing
card. The players start from given conclusions, and later infer what follows within each set.
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
"""Function that returns the player to move, given the asker, the asked player, the answer, and the
hand sizes after the answer."""

COST = 0.006
"""Approximate time for one question, in milliseconds."""


class Playout:
    """A game in which every card has a known owner. The method `play` changes it.

    Args:
        owners: The owner of each card, for each set; empty for a completed set. A number that is
            not a player's stands for the pile of cards aside.
        known: The possible owners of each set's cards and each player's minimum number of them, as
            far as they are public. The owners must satisfy them.
        points: The number of completed sets of each player.
        max_questions: Number of questions after which the game ends.
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
        """Play to the end, starting with a player's turn or with a question already asked.

        Return each player's share of the win, and the usual time in milliseconds.
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
            self._minimum[index][turn] = max(1, self._minimum[index][turn])  # stated by asking
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
        """Return the player to ask and the card to ask for, or None if no card is obtainable."""
        possible, others = [], ~(1 << asker)  # including the cards aside
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
        """Infer owners in a set from the minimum number of cards that each player must have."""
        may, least, concluded = self._possible_owners[index], self._minimum[index], True
        while concluded:
            concluded = False
            full = sum(least) == len(may)  # then no player has more than the minimum
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
