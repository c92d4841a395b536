"""Filtering: remove owners that occur in no deal, and tighten all bounds as far as possible.

A problem is *filtered* if nothing in it can be tightened. Then each possible owner of a card owns
it in some deal, and each minimum and maximum of a player in a set is reached by some deal.
Filtering uses flows (`solvers.flow_filtering`) or coalition tables:

Let f be the table of a set (`solvers.coalition_tables`). Let slack(A) be the sum of all tables for
A minus the hands of A: the number of cards that a coalition could hold beyond its hands. The
problem is feasible iff no slack is negative. The number of cards of the set that player p holds is
limited by minimum cuts between the player and the player's share of the set:

    maximum = min over A without p of  f(A + p) - f(A) + slack(A)
    minimum = max over A without p of  f(A + p) - f(A) - slack(A + p)

Both bounds are attained, as the maximum and minimum flow through one arc. Making p the only owner
of a card lowers f by at most 1 for each coalition. So p owns the card in some deal iff each
coalition whose f is lowered has a positive slack. One bitwise "and" with the lanes of slack 0 tests
this.

Cost, if the set is in the cache: 2 P passes over 2^(P-1) small numbers for each set, and one "and"
for each distinct owner mask and each of its players.
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
        # An itemgetter with a single index returns no tuple, so repeat a single lane.
        lanes = lanes if len(lanes) > 1 else lanes * 2
        pickers.append((itemgetter(*lanes), itemgetter(*[lane | 1 << player for lane in lanes])))
    return tuple(pickers)


def _numbers(layout: Lanes, packed: int) -> Any:
    lanes = packed.to_bytes(layout.bits // 8, "little")
    return lanes if layout.width == 8 else memoryview(lanes).cast(_CODES[layout.width])  # type: ignore[call-overload]  # one of the codes above


SlackParts = tuple[int, list[tuple[tuple[int, ...], tuple[int, ...]]]]


@Memo
def _slack_parts(layout: Lanes, slack: int) -> tuple[SlackParts, int]:
    """Return the guard bits of lanes with slack 0, and the slacks by player.

    For each player, these are the slacks of the coalitions without and with the player.
    """
    tight = ~(slack - layout.ones) & layout.guard
    lanes = _numbers(layout, slack ^ layout.guard)
    sides = [(without(lanes), having(lanes)) for without, having in _pickers(layout)]
    numbers = layout.players << layout.players
    size = bytes_of(5 + 3 * layout.players, numbers, (1 << layout.width) - 1, 2 * layout.bits)
    return (tight, sides), size


class _ClosingKind(Kind):
    """The shape of a set, prepared for filtering.

    Attributes:
        differences: for each player p, f(A + p) - f(A) for each coalition A without p.
        lowered: for each distinct owner mask, pairs of a player and the guard bits of the lanes
            whose value decreases if the player gets one such card. The bits are -1 if the set alone
            makes that impossible.
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
    """Return one set of a feasible problem, tightened as far as possible; `slack` is packed."""
    key = (layout, slack, constraint)
    tightened = _CLOSED.get(key)
    if tightened is None:
        # Memory for the slack, the set and the result; the latter two have three tuples each.
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
    low, high = [], []
    for differences, (without, having) in zip(kind.differences, sides, strict=True):
        high.append(min(map(add, differences, without)))
        low.append(max(map(sub, differences, having)))
    return SetConstraint.trusted(
        tuple([possible[mask] for mask in constraint.owners]), tuple(low), tuple(high)
    )


def closed_by_tables(problem: DealProblem, deadline: Deadline = NEVER) -> DealProblem:
    """Filter a problem by coalition tables; see `closed` for the result and the errors.

    Raise `LimitError` above `solvers.coalition_tables.MAX_PLAYERS` players.
    """
    if problem.players > MAX_PLAYERS:
        raise LimitError(
            f"{problem.players} players need 2^{problem.players} lanes: the limit is {MAX_PLAYERS}"
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
"""The filtering methods by name. All return the same result for a problem and a deadline.

"tables" takes up to `coalition_tables.MAX_PLAYERS` players.
"""

FEW_PLAYERS, FEW_CARDS = 8, 1000
"""Numbers of players and cards up to which tables are used without an estimate.

Tables of this size take only milliseconds.
"""

LOADING = 500_000_000
"""Time for loading OR-Tools and SciPy, which the flow method needs, in nanoseconds."""


@takes(problem=DealProblem)
def closed(problem: DealProblem, seconds: float | None = None) -> DealProblem:
    """Return the problem with the same deals in which nothing can be tightened.

    In the result, the owner mask of a card contains exactly the players who own it in some deal. A
    player's `low` and `high` for a set are the minimum and maximum number of its cards that the
    player holds in any deal.

    Raises:
        NoDeal: If the problem is infeasible.
        LimitError: If the problem is filtered by flows and the search is too large (see
            `solvers.flow_filtering`).
        SolverTimeout: If the time limit is reached.

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
    """Return whether tables are likely to be faster than flows, by an estimate of both."""
    players, sets = problem.players, len(problem.sets)
    if players > MAX_PLAYERS:
        return False
    if players <= FEW_PLAYERS and problem.cards <= FEW_CARDS:
        return True
    # Estimates in nanoseconds; all factors are measured.
    tables, flow = 0, 0 if "ortools.graph.python.max_flow" in sys.modules else LOADING
    for owners, _, high in set(map(looks_of, problem.sets)):
        masks = set(owners)
        # Upper bounds make tables slower and paths faster.
        lane, path = (30, 10_000) if min(high) >= len(owners) else (100, 5_000)
        # A table of all cards for each player of each mask, and passes over all lanes:
        cuts = sum(mask.bit_count() for mask in masks)
        tables += cuts * 55 * len(owners) + (lane * cuts + 60 * players << players)
        # For each player, a path through each mask and through a player's shares of all sets:
        flow += players * (path * min(sets, 10) * (len(masks) + 1) + 2_000 * sets)
    return tables < flow
