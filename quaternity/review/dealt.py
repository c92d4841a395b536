"""Games of hands that are dealt, imagined to their end in a millisecond or two.

Whoever is on turn asks for a card that everybody can know another to have, if there is one; else
for any card they lack, of a set they have a card of, and anybody who may have it. So every refusal
tells something, and every game ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from quaternity.base.deadline import Deadline
from quaternity.game.question import Question
from quaternity.review.played import Shares
from solvers.problem import players_in

NextTurn = Callable[[int, int, bool, Sequence[int]], int]
"""From asker, asked, answer and hands after it to who is on turn, where somebody has cards."""

COST = 0.006
"""About how many milliseconds a question takes."""


class DealtGame:
    """A game in which every card has an owner. Changed by `played`, which ends it.

    Args:
        owners: per set the owner of each card; nothing for a set that is put down.
        may: per set and card the players who may have it, as everybody can know; with its owner.
        points: sets put down by each player.
    """

    def __init__(
        self, owners: Sequence[Sequence[int]], may: Sequence[Sequence[int]], points: Sequence[int]
    ) -> None:
        self.points, self.questions = list(points), 0
        self._owners, self._may = list(map(list, owners)), list(map(list, may))
        self._held = [[row.count(player) for row in owners] for player in range(len(points))]
        self._hands = list(map(sum, self._held))
        self._live = [index for index, row in enumerate(owners) if row]
        for index, row in enumerate(owners):
            if row and len(set(row)) == 1:
                self._put_down(index, row[0])

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
        while self._live:
            if not self.questions % 100:
                deadline.left()
            self.questions += 1
            asked, index, number = self._question(turn, random)
            if first is not None:
                (_, asked, (index, number)), first = first, None
            yes = self._owners[index][number] == asked
            if yes:
                self._hand_over(turn, asked, index, number)
            else:
                self._may[index][number] &= ~(1 << asked | 1 << turn)
            if self._live:
                turn = next_turn(turn, asked, yes, self._hands)
        most = max(self.points)
        share = 1 / self.points.count(most)
        return tuple([share * (x == most) for x in self.points]), COST * (self.questions + 50)

    def _question(self, asker: int, random: Random) -> tuple[int, int, int]:
        """Return whom to ask for which card."""
        possible, others = [], ~(1 << asker)
        held, owners, may = self._held[asker], self._owners, self._may
        for index in self._live:
            if held[index]:
                for number, owner in enumerate(owners[index]):
                    if owner != asker:
                        if may[index][number] & others == 1 << owner:
                            return owner, index, number
                        possible.append((index, number))
        index, number = possible[int(random.random() * len(possible))]
        mask = may[index][number] & others
        able = [player for player in players_in(mask) if self._hands[player]]
        return able[int(random.random() * len(able))], index, number

    def _hand_over(self, asker: int, asked: int, index: int, number: int) -> None:
        self._owners[index][number], self._may[index][number] = asker, 1 << asker
        for player, change in ((asker, 1), (asked, -1)):
            self._held[player][index] += change
            self._hands[player] += change
        if self._held[asker][index] == len(self._owners[index]):
            self._put_down(index, asker)

    def _put_down(self, index: int, player: int) -> None:
        self.points[player] += 1
        self._hands[player] -= len(self._owners[index])
        self._held[player][index] = 0
        self._live.remove(index)
