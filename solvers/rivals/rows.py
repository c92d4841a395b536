"""A deal problem as sums of booleans: the one model that most rivals translate.

One boolean per allowed (card, player). Every constraint bounds the number of true ones among some
of them: one owner per card, the hand of a player, the least and the most of a set in a hand. That
is the problem written down naively, without a word about what its structure is good for.

A refutation by such rows is a weight for each: those of a player's hand and of his shares of the
sets read as potentials, and some level of the potentials is a coalition with its witnesses (the
multipliers of Farkas' lemma, taken apart into cuts). So weights that come in floating point are
rounded, and what is read from them is checked by adding up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from solvers.problem import DealProblem, mask_of, players_in
from solvers.shortage import Shortage
from solvers.verdict import Deal, Feasible, Infeasible

DECIMALS = 6
"""To so many decimals weights in floating point are rounded."""


class Sum(NamedTuple):
    """At least `least` and at most `most` of some booleans are true.

    Attributes:
        kind: one owner for a card, a player's hand, or a player's share of a set.
        place: the set of a card or share; -1 of a hand.
        player: of a hand or share; -1 of a card.
        variables: numbers of the booleans, from 0.
        least, most: `most` is at most the number of the booleans.
    """

    kind: Literal["card", "hand", "share"]
    place: int
    player: int
    variables: tuple[int, ...]
    least: int
    most: int


class Rows:
    """The booleans of a problem whose `plain_shortage` is None, and the sums that bound them.

    Attributes:
        pairs: per boolean (set, card, player): that player holds that card.
        sums: one for every card and hand, and for every share of which a bound forbids something.
        hopeless: the refutation of the first sum that no booleans satisfy, or None; otherwise no
            sum is without booleans.

    Cost: cards x players.
    """

    __slots__ = ("_loose", "hopeless", "pairs", "problem", "sums")

    def __init__(self, problem: DealProblem) -> None:
        self.problem = problem
        self.pairs: list[tuple[int, int, int]] = []
        self.sums: list[Sum] = []
        # Per set, the players whose upper bound forbids nothing.
        self._loose: list[int] = []
        held: list[list[int]] = [[] for _ in problem.hands]
        for index, one in enumerate(problem.sets):
            shares: list[list[int]] = [[] for _ in problem.hands]
            for card, mask in enumerate(one.owners):
                start = len(self.pairs)
                for player in players_in(mask):
                    shares[player].append(len(self.pairs))
                    self.pairs.append((index, card, player))
                variables = tuple(range(start, len(self.pairs)))
                self.sums.append(Sum("card", index, -1, variables, 1, 1))
            loose = (
                player for player, share in enumerate(shares) if one.high[player] >= len(share)
            )
            self._loose.append(mask_of(loose))
            for player, share in enumerate(shares):
                held[player] += share
                least, most = one.low[player], min(one.high[player], len(share))
                if least > 0 or most < len(share):
                    self.sums.append(Sum("share", index, player, tuple(share), least, most))
        for player, (hand, variables_held) in enumerate(zip(problem.hands, held, strict=True)):
            self.sums.append(Sum("hand", -1, player, tuple(variables_held), hand, hand))
        short = [one.least > len(one.variables) for one in self.sums]
        self.hopeless = None
        if any(short):
            first = short.index(True)
            weights = [index == first for index in range(len(short))]
            self.hopeless = Infeasible(self.shortage(weights))
        self.sums = [one for one in self.sums if one.variables]

    def deal(self, values: Iterable[Any]) -> Feasible:
        """The deal of the booleans' values, which may be floats.

        A card of which none is true has the owner -1, which nobody takes for a deal.
        """
        owner = [[-1] * one.size for one in self.problem.sets]
        for (index, card, player), value in zip(self.pairs, values, strict=True):
            if value > 0.5:
                owner[index][card] = player
        return Feasible(Deal(tuple(map(tuple, owner))))

    def shortage(self, weights: Sequence[float]) -> Shortage | None:
        """The shortage that a weight for every sum stands for, or None where it stands for none.

        Args:
            weights: of Farkas' lemma, by any factor above 0: above 0 where the least of a sum is
                used, below 0 where its most is.
        """
        problem = self.problem
        largest = max(map(abs, weights), default=0) or 1
        hand = [0.0] * problem.players
        shares = [[0.0] * problem.players for _ in problem.sets]
        for one, weight in zip(self.sums, weights, strict=True):
            if one.kind == "hand":
                hand[one.player] = round(weight / largest, DECIMALS)
            elif one.kind == "share":
                shares[one.place][one.player] = round(weight / largest, DECIMALS)
        for share in shares:
            for player, potential in enumerate(hand):
                share[player] = round(share[player] + potential, DECIMALS)

        def above(potentials: list[float], level: float) -> int:
            return mask_of(p for p, potential in enumerate(potentials) if potential >= level)

        for level in sorted({*hand, *(potential for share in shares for potential in share)}):
            coalition = above(hand, level)
            # Whose bound forbids nothing adds no more in the witness than outside.
            witnesses = tuple(
                above(share, level) | coalition & loose
                for share, loose in zip(shares, self._loose, strict=True)
            )
            found = Shortage(coalition, witnesses)
            if found.holds(problem):
                return found
        return None


__all__ = ["Rows", "Sum"]
