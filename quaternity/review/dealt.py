"""Games of hands that are dealt, imagined to their end in a millisecond or two.

Whoever is on turn asks for a card that they can know another to have, if there is one; else for any
card they lack, of a set they have a card of, and anybody who may have it. So every refusal tells
something, and every game ends, at the latest when nobody could get a card that they lack. They know
what can be concluded in the beginning, and from there on what follows within each set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from random import Random

from quaternity.base.deadline import Deadline
from quaternity.game.question import Question
from quaternity.review.played import Shares
from solvers.problem import SetConstraint, players_in

NextTurn = Callable[[int, int, bool, Sequence[int]], int]
"""From asker, asked, answer and hands after it to who is on turn, where somebody has cards."""

COST = 0.006
"""About how many milliseconds a question takes."""


class DealtGame:
    """A game in which every card has an owner. Changed by `played`, which ends it.

    Args:
        owners: per set the owner of each card; nothing for a set that is put down. An owner that
            is no player is the pile of cards aside.
        known: per set who may have its cards, and the fewest that each player has, as everybody can
            know. It has to be true of the owners.
        points: sets put down by each player.
        most: questions after which the game ends.
    """

    def __init__(
        self,
        owners: Sequence[Sequence[int]],
        known: Sequence[SetConstraint],
        points: Sequence[int],
        most: float = inf,
    ) -> None:
        self.points, self.questions, self._most = list(points), 0, most
        self._players = (1 << len(points)) - 1
        self._owners = list(map(list, owners))
        self._may = [list(each.owners) for each in known]
        self._least = [list(each.low) for each in known]
        self._held = [[row.count(player) for row in owners] for player in range(len(points))]
        self._hands = list(map(sum, self._held))
        self._live = [index for index, row in enumerate(owners) if row]
        for index, row in enumerate(owners):
            if row and len(set(row)) == 1 and row[0] < len(points):
                self._put_down(index, row[0])
            else:
                self._conclude(index)

    def played(
        self,
        turn: int,
        next_turn: NextTurn,
        random: Random,
        deadline: Deadline,
        first: Question | None = None,
    ) -> tuple[Shares, float]:
        """Play to the end, from a turn or a question that was asked.

        Returns who wins which part, and the usual milliseconds.
        """
        if self._live and not self._hands[turn]:
            turn = next_turn(turn, turn, False, self._hands)
        while self._live and self.questions < self._most:
            if not self.questions % 100:
                deadline.left()
            question = self._question(turn, random) if first is None else first[1:]
            if question is None:
                break
            self.questions += 1
            (asked, (index, number)), first = question, None
            yes = self._owners[index][number] == asked
            self._least[index][turn] = max(1, self._least[index][turn])  # as whoever asks states
            if yes:
                self._hand_over(turn, asked, index, number)
            else:
                self._may[index][number] &= ~(1 << asked | 1 << turn)
                self._conclude(index)
            if self._live:
                turn = next_turn(turn, asked, yes, self._hands)
        most = max(self.points)
        share = 1 / self.points.count(most)
        return tuple([share * (x == most) for x in self.points]), COST * (self.questions + 50)

    def _question(self, asker: int, random: Random) -> tuple[int, tuple[int, int]] | None:
        """Return whom to ask for which card; None if nobody could have any."""
        possible, others = [], ~(1 << asker)  # the cards aside are there too
        held, owners, may = self._held[asker], self._owners, self._may
        for index in self._live:
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
        self._owners[index][number], self._may[index][number] = asker, 1 << asker
        for player, change in ((asker, 1), (asked, -1)):
            self._held[player][index] += change
            self._hands[player] += change
            self._least[index][player] = max(0, self._least[index][player] + change)
        if self._held[asker][index] == len(self._owners[index]):
            self._put_down(index, asker)
        else:
            self._conclude(index)

    def _conclude(self, index: int) -> None:
        """Give the players who have to have so many cards of a set as they may have these."""
        may, least, concluded = self._may[index], self._least[index], True
        while concluded:
            concluded = False
            full = sum(least) == len(may)  # then nobody has more than the fewest
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
        self._live.remove(index)
