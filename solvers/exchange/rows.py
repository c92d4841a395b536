"""A deal problem as linear rows over named booleans: what rivals and all formats translate.

`card_3_1_of_player_2` is 1 where player 2 owns card 1 of set 3; there is such a boolean for every
player who may own a card. Every row bounds a plain sum of them:

    owner_of_card_3_1       one owner                                    = 1
    hand_of_player_2        the cards of a hand                          = the hand
    set_3_of_player_2       the cards of a set, where bounds matter      from low to high

That is the problem written down naively; its structure is not used.

A refutation by such rows is a weight for each (the multipliers of Farkas' lemma). Those of a
player's hand and of their shares of the sets are read as potentials: some level of the potentials
is a coalition with its witnesses. Weights that come in floating point are rounded, and what is read
from them is checked by adding up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from solvers.problem import DealProblem, mask_of, players_in
from solvers.shortage import Shortage
from solvers.verdict import Deal, Feasible, Infeasible

DECIMALS = 6
"""Decimals to which weights in floating point are rounded."""

NEVER = "never"
"""Stands in a row that would have no boolean, and must be 2: so there is no deal, rightly."""

_NAMES = {
    "card": "owner_of_card_{}_{}",
    "hand": "hand_of_player_{1}",
    "share": "set_{}_of_player_{}",
    "none": "no_cards",
}


class LinearRow(NamedTuple):
    """A plain sum of booleans between two bounds.

    Attributes:
        kind: the owner of a card, a player's hand, a player's share of a set; or none, in a
            problem without cards.
        set_index: of a card or share; -1 of a hand.
        member: the card in its set, else the player.
        terms: the numbers of the booleans, ascending.
        low, high: cut to at most one more than the number of terms, with the same meaning. 0 and
            the number of terms forbid nothing. `low` may be above `high`.
    """

    kind: Literal["card", "hand", "share", "none"]
    set_index: int
    member: int
    terms: tuple[int, ...]
    low: int
    high: int

    @property
    def name(self) -> str:
        """Return the name of the row, as in the module's table."""
        return _NAMES[self.kind].format(self.set_index, self.member)

    @property
    def sides(self) -> list[tuple[str, int]]:
        """Return the sides to write: `=`, or `>=` and `<=` where they forbid something."""
        if self.low == self.high:
            return [("=", self.low)]
        least = [(">=", self.low)] * (self.low > 0)
        return least + [("<=", self.high)] * (self.high < len(self.terms))


@dataclass(frozen=True)
class LinearModel:
    """Booleans by number, and rows over them: feasible iff the problem is.

    Attributes:
        pairs: per boolean (set, card, player): that player owns that card. A last boolean that is
            in no pair is `NEVER`.
        rows: for every card and hand, and for every share with a bound that forbids something.
    """

    problem: DealProblem
    pairs: tuple[tuple[int, int, int], ...]
    rows: tuple[LinearRow, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the name of every boolean."""
        names = [f"card_{index}_{card}_of_player_{player}" for index, card, player in self.pairs]
        never = len(names)
        used = any(row.terms == (never,) for row in self.rows)
        return (*names, NEVER) if used else tuple(names)

    @property
    def hopeless(self) -> Infeasible | None:
        """Refute by the first row that has too few booleans; the `plain_shortage` must be None."""
        short = [row.low > len(row.terms) for row in self.rows]
        if not any(short):
            return None
        first = short.index(True)
        return Infeasible(self.shortage([index == first for index in range(len(short))]))

    def deal(self, values: Iterable[Any]) -> Feasible:
        """Return the deal of the pairs' values, which may be floats.

        A card of which none is true has the owner -1, which `verify` refuses.
        """
        owned = (pair for pair, value in zip(self.pairs, values, strict=True) if value > 0.5)
        return Feasible(_deal(self.problem, owned))

    def shortage(self, weights: Sequence[float]) -> Shortage | None:
        """Return the shortage that a weight for every row stands for, or None without one.

        Weights are those of Farkas' lemma, by any factor above 0: above 0 where the low of a row is
        used, below 0 where its high is.
        """
        problem = self.problem
        largest = max(map(abs, weights)) or 1
        hand = [0.0] * problem.players
        shares = [[0.0] * problem.players for _ in problem.sets]
        # Per set, the players whose upper bound forbids something.
        capped = [0] * len(shares)
        for row, weight in zip(self.rows, weights, strict=True):
            if row.kind == "hand":
                hand[row.member] = round(weight / largest, DECIMALS)
            elif row.kind == "share":
                shares[row.set_index][row.member] = round(weight / largest, DECIMALS)
                capped[row.set_index] |= (row.high < len(row.terms)) << row.member
        for share in shares:
            for player, potential in enumerate(hand):
                share[player] = round(share[player] + potential, DECIMALS)

        def above(potentials: list[float], level: float) -> int:
            return mask_of(p for p, potential in enumerate(potentials) if potential >= level)

        for level in sorted({*hand, *(potential for share in shares for potential in share)}):
            coalition = above(hand, level)
            # A player without a cap adds no more in the witness than outside.
            witnesses = tuple(
                above(share, level) | coalition & ~caps
                for share, caps in zip(shares, capped, strict=True)
            )
            shortage = Shortage(coalition, witnesses)
            if shortage.holds(problem):
                return shortage
        return None


def linear_model(problem: DealProblem) -> LinearModel:
    """Write down a problem: a row for every card, every hand, and bounds that matter.

    Cost: cards x players + players x sets.
    """
    pairs: list[tuple[int, int, int]] = []
    rows: list[LinearRow] = []
    hands: list[list[int]] = [[] for _ in problem.hands]
    for index, constraint in enumerate(problem.sets):
        shares: list[list[int]] = [[] for _ in problem.hands]
        for card, mask in enumerate(constraint.owners):
            start = len(pairs)
            for player in players_in(mask):
                shares[player].append(len(pairs))
                pairs.append((index, card, player))
            rows.append(LinearRow("card", index, card, tuple(range(start, len(pairs))), 1, 1))
        for player, share in enumerate(shares):
            hands[player] += share
            count, low, high = len(share), constraint.low[player], constraint.high[player]
            if low > 0 or high < count:
                cut = min(low, count + 1), min(high, count)
                rows.append(LinearRow("share", index, player, tuple(share), *cut))
    for player, (terms, hand) in enumerate(zip(hands, problem.hands, strict=True)):
        if terms or hand:
            count = len(terms)
            cut = min(hand, count + 1), min(hand, count)
            rows.append(LinearRow("hand", -1, player, tuple(terms), *cut))
    never = (len(pairs),)
    if not rows:  # which not all formats can say
        rows = [LinearRow("none", -1, -1, never, 0, 0)]
    rows = [row if row.terms else row._replace(terms=never, low=2, high=1) for row in rows]
    return LinearModel(problem, tuple(pairs), tuple(rows))


def deal_of(problem: DealProblem, names: Iterable[str]) -> Deal:
    """Return the deal that a solver's answer says: the names of the booleans that are 1.

    Cards that the answer leaves out get player -1, which `verify` refuses.

    >>> from solvers.problem import SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0, 1], [0, 1]], players=2)])
    >>> deal_of(problem, ["card_0_0_of_player_1", "card_0_1_of_player_0"])
    Deal(owner=((1, 0),))
    """
    matches = (re.fullmatch(r"card_(\d+)_(\d+)_of_player_(\d+)", name) for name in names)
    return _deal(problem, [tuple(map(int, match.groups())) for match in matches if match])


def _deal(problem: DealProblem, owned: Iterable[tuple[int, ...]]) -> Deal:
    owner = [[-1] * constraint.size for constraint in problem.sets]
    for index, card, player in owned:
        owner[index][card] = player
    return Deal(tuple(map(tuple, owner)))
