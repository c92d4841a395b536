"""Features that all deals of a problem share: who may own what, fewest and most cards per set.

A problem is *closed* when nothing in it can be tightened: every owner of a card owns it in some
deal, and every minimum and maximum of a player and a set is reached by some deal. Flows find that
(`solvers.flow_filtering`), or coalition tables:

let f be the table of a set (`solvers.coalition_tables`), and slack(A) the sum of all tables for A
less the hands of A: the cards that a coalition could have beyond its hands. The problem is feasible
iff no slack is negative. A player's cards of the set are limited by minimum cuts that separate the
player from their share of it:

    most   = min over A without p of  f(A + p) - f(A) + slack(A)
    fewest = max over A without p of  f(A + p) - f(A) - slack(A + p)

and both are attained (the maximum and minimum of one arc's flow). Cutting one card down to owner p
lowers f by at most 1 per coalition, so p may own the card iff every lowered coalition has slack:
one "and" with the lanes whose slack is 0.

Cost, with the set seen before: 2 P small passes over 2^(P-1) numbers per set, and one "and" per
distinct owner mask and owner.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from operator import add, itemgetter, sub
from typing import Any

from quaternity.base.deadline import NEVER, Deadline
from quaternity.base.errors import LimitError, NoDeal
from quaternity.base.memo import Memo, bytes_of
from quaternity.base.plain_values import takes
from solvers.coalition_tables import (
    IMPOSSIBLE,
    MAX_PLAYERS,
    Kind,
    Lanes,
    Looks,
    lanes_of,
    looks_of,
)
from solvers.flow_filtering import closed_by_flow
from solvers.problem import DealProblem, SetConstraint

_CODES = {8: "B", 16: "H", 32: "I", 64: "Q"}

Picker = Callable[[Any], tuple[int, ...]]


@lru_cache(maxsize=16)
def _pickers(layout: Lanes) -> tuple[tuple[Picker, Picker], ...]:
    pickers = []
    for player in range(layout.players):
        lanes = [lane for lane in range(layout.everybody + 1) if not lane >> player & 1]
        # An itemgetter of one index gives no tuple; the one lane twice does no harm.
        lanes = lanes if len(lanes) > 1 else lanes * 2
        pickers.append((itemgetter(*lanes), itemgetter(*[lane | 1 << player for lane in lanes])))
    return tuple(pickers)


def _numbers(layout: Lanes, packed: int) -> Any:
    lanes = packed.to_bytes(layout.bits // 8, "little")
    return lanes if layout.width == 8 else memoryview(lanes).cast(_CODES[layout.width])  # type: ignore[call-overload]  # one of the codes above


SlackParts = tuple[int, list[tuple[tuple[int, ...], tuple[int, ...]]]]


@Memo
def _slack_parts(layout: Lanes, slack: int) -> tuple[SlackParts, int]:
    """Return the guards of lanes without slack; per player the slacks without and with them."""
    tight = ~(slack - layout.ones) & layout.guard
    lanes = _numbers(layout, slack ^ layout.guard)
    sides = [(without(lanes), having(lanes)) for without, having in _pickers(layout)]
    numbers = layout.players << layout.players
    size = bytes_of(5 + 3 * layout.players, numbers, (1 << layout.width) - 1, 2 * layout.bits)
    return (tight, sides), size


class _ClosingKind(Kind):
    """Sets that look alike, prepared for filtering.

    Attributes:
        differences: per player, f(A + p) - f(A) for every A without p.
        lowered: per distinct owner mask and owner, the guards of the lanes that become lower when
            the owner gets one such card; -1 when the set itself rules that out.
    """

    __slots__ = ("differences", "lowered")

    def __init__(self, layout: Lanes, looks: Looks, deadline: Deadline) -> None:
        super().__init__(layout, looks)
        self.differences: list[tuple[int, ...]] = []
        self.lowered: list[tuple[int, list[tuple[int, int]]]] = []
        table = self.table
        if table == IMPOSSIBLE:
            return
        numbers = _numbers(layout, table)
        for without, having in _pickers(layout):
            self.differences.append(tuple(map(sub, having(numbers), without(numbers))))
        shift = layout.width - 1
        for mask, cuts in deadline.over(self.cuts()):
            lowered = [
                (player, -1 if cut == IMPOSSIBLE else (table - cut) << shift)
                for player, cut in cuts
            ]
            self.lowered.append((mask, lowered))


_KINDS: Memo[Lanes, Looks, _ClosingKind] = Memo()


def _kind(layout: Lanes, constraint: SetConstraint, deadline: Deadline) -> _ClosingKind:
    key = layout, looks_of(constraint)
    kind = _KINDS.get(key)
    if kind is None:
        kind = _ClosingKind(*key, deadline)
        lowered = sum(len(by_owner) for _, by_owner in kind.lowered)
        size = bytes_of(10 + lowered, constraint.size, layout.everybody, lowered * layout.bits)
        _KINDS.keep(key, kind, size + bytes_of(numbers=layout.players << layout.players - 1))
    return kind


_CLOSED: Memo[Lanes, int, SetConstraint, SetConstraint] = Memo()


def closed_set(
    layout: Lanes, slack: int, constraint: SetConstraint, deadline: Deadline = NEVER
) -> SetConstraint:
    """Tighten one set of a feasible problem, whose slack is `slack`, as far as possible."""
    key = (layout, slack, constraint)
    tightened = _CLOSED.get(key)
    if tightened is None:
        # The slack, the set and the result; either has three tuples.
        numbers = 2 * constraint.size + 8 * layout.players
        size = bytes_of(8, numbers, layout.everybody, layout.bits)
        tightened = _CLOSED.keep(key, _closed(layout, slack, constraint, deadline), size)
    return tightened


def _closed(
    layout: Lanes, slack: int, constraint: SetConstraint, deadline: Deadline
) -> SetConstraint:
    kind = _kind(layout, constraint, deadline)
    tight, sides = _slack_parts[layout, slack]
    possible = {}
    for mask, lowered in kind.lowered:
        owners = 0
        for player, lanes in lowered:
            if lanes >= 0 and not lanes & tight:
                owners |= 1 << player
        possible[mask] = owners
    fewest, most = [], []
    for differences, (without, having) in zip(kind.differences, sides, strict=True):
        most.append(min(map(add, differences, without)))
        fewest.append(max(map(sub, differences, having)))
    return SetConstraint.trusted(
        tuple([possible[mask] for mask in constraint.owners]), tuple(fewest), tuple(most)
    )


def closed_by_tables(problem: DealProblem, deadline: Deadline = NEVER) -> DealProblem:
    """Tighten every owner, minimum and maximum as far as possible; keep the same deals.

    For up to `solvers.coalition_tables.MAX_PLAYERS` players. Raises as `closed`.
    """
    if problem.players > MAX_PLAYERS:
        raise LimitError(
            f"{problem.players} players need 2^{problem.players} lanes: at most {MAX_PLAYERS}"
        )
    layout = lanes_of(problem)
    tables = [layout.table_of(constraint) for constraint in deadline.over(problem.sets)]
    slack = layout.feasible_slack(tables, problem.hands, problem.cards)
    if slack is None:
        raise NoDeal("no deal satisfies the problem, so nothing can be said about its deals")
    closed = [
        closed_set(layout, slack, constraint, deadline)
        for constraint in deadline.over(problem.sets)
    ]
    return DealProblem.trusted(problem.hands, tuple(closed))


FILTERS: dict[str, Callable[..., DealProblem]] = {
    "tables": closed_by_tables,
    "flow": closed_by_flow,
}
"""Two ways from a problem (and a deadline) to the same answer; "tables" serves up to
`coalition_tables.MAX_PLAYERS` players."""

FEW_PLAYERS, FEW_CARDS = 8, 1000
"""Up to this number of both, tables take milliseconds, and nothing is estimated."""

LOADING = 500_000_000
"""Nanoseconds that OR-Tools and SciPy take to load, for flow."""


@takes(problem=DealProblem)
def closed(problem: DealProblem, seconds: float | None = None) -> DealProblem:
    """State the same deals with the fewest owners, largest minimums and smallest maximums.

    In the result a card's owners are exactly the players who own it in some deal. A player's `low`
    and `high` for a set are the fewest and the most cards of it that the player holds in some deal.

    Raises:
        NoDeal: the problem is infeasible.
        LimitError: many players, and too much to search (see `solvers.flow_filtering`).
        SolverTimeout: the time limit was reached.

    >>> from solvers import SetConstraint
    >>> three = SetConstraint.of([[0, 1], [0, 1], [0, 1]], players=2, low=[0, 2])
    >>> single = SetConstraint.of([[0, 1]], players=2)
    >>> for constraint in closed(DealProblem([2, 2], [three, single])).sets:
    ...     print(constraint)
    SetConstraint.of([[0, 1], [0, 1], [0, 1]], players=2, low=[1, 2], high=[1, 2])
    SetConstraint.of([[0]], players=2, low=[1, 0], high=[1, 0])
    """
    deadline = NEVER if seconds is None else Deadline(seconds)
    return FILTERS["tables" if _by_tables(problem) else "flow"](problem, deadline)


def _by_tables(problem: DealProblem) -> bool:
    """Return whether tables are likely quicker than flow, by measurements of both."""
    players, sets = problem.players, len(problem.sets)
    if players > MAX_PLAYERS:
        return False
    if players <= FEW_PLAYERS and problem.cards <= FEW_CARDS:
        return True
    # Nanoseconds, as measured.
    tables, flow = 0, 0 if "ortools.graph.python.max_flow" in sys.modules else LOADING
    for owners, _, high in set(map(looks_of, problem.sets)):
        masks = set(owners)
        # Upper bounds make a table longer work, and a path shorter.
        lane, path = (30, 10_000) if min(high) >= len(owners) else (100, 5_000)
        # A table per owner of a mask, each of all cards, and passes over all lanes:
        cuts = sum(mask.bit_count() for mask in masks)
        tables += cuts * 55 * len(owners) + (lane * cuts + 60 * players << players)
        # Per player a path by each mask, through a player's shares of all sets:
        flow += players * (path * min(sets, 10) * (len(masks) + 1) + 2_000 * sets)
    return tables < flow
