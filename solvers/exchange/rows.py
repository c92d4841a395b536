"""Deal problems as linear constraints over named booleans, for external solvers and file formats.

The boolean `card_3_1_of_player_2` is 1 if player 2 owns card 1 of set 3. There is a boolean for
each card and each player who may own it. A constraint is called a *row* and bounds a sum of
booleans:

    owner_of_card_3_1       the owners of a card                         = 1
    hand_of_player_2        the cards of a player                        = the hand size
    set_3_of_player_2       a player's cards of a set (a *share*)        from low to high

There is a row for a share only if one of its bounds is not redundant.

If the rows have no solution, a solver may return a weight for each row, such that the weighted sum
of the rows is impossible (Farkas' lemma). The module turns these weights into a shortage (see
`solvers.shortage`). It compares the weights of hands and shares with a threshold: the players at or
above it form the coalition and the witnesses. Weights may be rounded, because the shortage is
checked with integer arithmetic.
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
"""Number of decimals to which floating-point weights are rounded."""

IMPOSSIBLE_NAME = "never"
"""Name of an extra boolean for formats that cannot express a constraint without variables. An
impossible constraint of this kind requires the boolean to be 2. A problem without constraints gets
one that requires it to be 0."""

_NAMES = {
    "card": "owner_of_card_{}_{}",
    "hand": "hand_of_player_{1}",
    "share": "set_{}_of_player_{}",
    "none": "no_cards",
}


class LinearRow(NamedTuple):
    """Linear constraint of a deal problem: a lower and an upper bound on a sum of booleans.

    Attributes:
        kind: "card" (a card has one owner), "hand" (the size of a hand), "share" (the bounds on a
            player's cards of a set), or "none" (the redundant row of a model without others).
        set_index: the number of the set for "card" and "share", and -1 for other kinds.
        member: the number of the card in its set for "card", or of the player for "hand" and
            "share".
        terms: the numbers of the booleans, in ascending order.
        low: the lower bound, but at most the number of terms plus 1. It may exceed `high`.
        high: the upper bound, but at most the number of terms.
    """

    kind: Literal["card", "hand", "share", "none"]
    set_index: int
    member: int
    terms: tuple[int, ...]
    low: int
    high: int

    @property
    def name(self) -> str:
        """Return a readable name of the constraint, such as "hand_of_player_2"."""
        return _NAMES[self.kind].format(self.set_index, self.member)

    @property
    def sides(self) -> list[tuple[str, int]]:
        """Return the bounds that are not redundant, e.g. [(">=", 1), ("<=", 3)] or [("=", 2)]."""
        if self.low == self.high:
            return [("=", self.low)]
        lower_side = [(">=", self.low)] * (self.low > 0)
        return lower_side + [("<=", self.high)] * (self.high < len(self.terms))


@dataclass(frozen=True)
class LinearModel:
    """Deal problem as linear constraints (rows) over numbered booleans.

    The rows have a solution if and only if the problem is feasible.

    Attributes:
        pairs: the (set, card, player) of each boolean, which is 1 if the player owns the card. The
            last boolean, `IMPOSSIBLE_NAME`, has no entry.
        rows: a row for each card, each hand, and each share (a player's cards of a set) with a
            bound that is not redundant.
    """

    problem: DealProblem
    pairs: tuple[tuple[int, int, int], ...]
    rows: tuple[LinearRow, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of all booleans, such as "card_3_1_of_player_2"."""
        names = [f"card_{index}_{card}_of_player_{player}" for index, card, player in self.pairs]
        never = len(names)
        used = any(row.terms == (never,) for row in self.rows)
        return (*names, IMPOSSIBLE_NAME) if used else tuple(names)

    @property
    def trivial_refutation(self) -> Infeasible | None:
        """Return an infeasible verdict if a sum has fewer booleans than its lower bound, else None.

        Call this only if `solvers.shortage.simple_certificate` finds no contradiction in the
        problem.
        """
        is_short = [row.low > len(row.terms) for row in self.rows]
        if not any(is_short):
            return None
        first = is_short.index(True)
        return Infeasible(self.shortage([index == first for index in range(len(is_short))]))

    def deal(self, values: Iterable[Any]) -> Feasible:
        """Return a feasible verdict with the deal that the values of the booleans describe.

        The values may be floats. A card without a true boolean gets the owner -1, which `verify`
        rejects.
        """
        owned = (pair for pair, value in zip(self.pairs, values, strict=True) if value > 0.5)
        return Feasible(_deal(self.problem, owned))

    def shortage(self, weights: Sequence[float]) -> Shortage | None:
        """Convert weights of the rows (constraints) to a proof that no deal exists.

        A positive weight stands for the lower bound of the row, and a negative weight for the upper
        bound. In a proof, the weighted sum of these bounds is impossible (Farkas' lemma). Return
        None if the weights do not give a proof. They may have any scale.
        """
        problem = self.problem
        largest = max(map(abs, weights)) or 1
        hand = [0.0] * problem.players
        shares = [[0.0] * problem.players for _ in problem.sets]
        # For each set, the bit mask of the players whose upper bound is not redundant.
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
            # Members of the coalition whose upper bound is redundant can join the witness, because
            # this does not increase the bound of the inequality.
            witnesses = tuple(
                above(share, level) | coalition & ~caps
                for share, caps in zip(shares, capped, strict=True)
            )
            shortage = Shortage(coalition, witnesses)
            if shortage.holds(problem):
                return shortage
        return None


def linear_model(problem: DealProblem) -> LinearModel:
    """Return a deal problem as linear constraints over booleans."""
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
    if not rows:  # some formats cannot express a problem without rows
        rows = [LinearRow("none", -1, -1, never, 0, 0)]
    rows = [row if row.terms else row._replace(terms=never, low=2, high=1) for row in rows]
    return LinearModel(problem, tuple(pairs), tuple(rows))


def deal_of(problem: DealProblem, names: Iterable[str]) -> Deal:
    """Return the deal that the names of the booleans with value 1 describe.

    If no boolean of a card is 1, the card gets the owner -1, which `verify` rejects.

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
