"""Filtering: remove owners that occur in no deal, and tighten all bounds as far as possible.

A problem is *filtered* if nothing in it can be tightened without losing a deal. Then every possible
owner of a card owns the card in some deal, and every minimum and maximum is reached in some deal.
Filtering uses flows (`solvers.flow_filtering`) or coalition tables, as described here.

Let f(A) be the maximum number of cards of one set that a group A of players can hold
(`solvers.coalition_tables`). Let slack(A) be the sum of these numbers over all sets, minus the
number of cards in the hands of A. The problem is feasible if and only if no slack is negative. A
player p can then hold these numbers of cards of the set:

    maximum = min over A without p of  f(A + p) - f(A) + slack(A)
    minimum = max over A without p of  f(A + p) - f(A) - slack(A + p)

If p becomes the only possible owner of a card, f(A) decreases by at most 1 for each group A. So p
owns the card in some deal if and only if each group A for which f(A) decreases has a positive
slack. One bitwise "and" tests this for all groups.

Cost for P players, if the set is in the cache: 2 P passes over 2^(P-1) small numbers for each set,
and one "and" for each player of each distinct owner mask.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from operator import add, itemgetter, sub
from typing import Any

from quaternity.base.deadline import NO_DEADLINE, Deadline
from quaternity.base.errors import LimitError, NoDeal
from quaternity.base.memo import Memo, bytes_of
from quaternity.base.validation import validate_arguments
from solvers.coalition_tables import (
    IMPOSSIBLE,
    MAX_PLAYERS,
    LaneLayout,
    SetShape,
    ShapeKey,
    layout_of,
    shape_key,
)
from solvers.flow_filtering import filter_by_flow
from solvers.problem import DealProblem, SetConstraint

_CODES = {8: "B", 16: "H", 32: "I", 64: "Q"}

Picker = Callable[[Any], tuple[int, ...]]
"""Function that picks elements of a sequence at fixed indices."""


@lru_cache(maxsize=16)
def _pickers(layout: LaneLayout) -> tuple[tuple[Picker, Picker], ...]:
    pickers = []
    for player in range(layout.players):
        lanes = [lane for lane in range(layout.everybody + 1) if not lane >> player & 1]
        # An itemgetter with a single index returns no tuple, so repeat a single lane.
        lanes = lanes if len(lanes) > 1 else lanes * 2
        pickers.append((itemgetter(*lanes), itemgetter(*[lane | 1 << player for lane in lanes])))
    return tuple(pickers)


def _numbers(layout: LaneLayout, packed: int) -> Any:
    lanes = packed.to_bytes(layout.bits // 8, "little")
    return lanes if layout.width == 8 else memoryview(lanes).cast(_CODES[layout.width])  # type: ignore[call-overload]  # one of the codes above


SlackParts = tuple[int, list[tuple[tuple[int, ...], tuple[int, ...]]]]


@Memo
def _slack_parts(layout: LaneLayout, slack: int) -> tuple[SlackParts, int]:
    # The first part has the guard bits of the lanes with slack 0. The second part has, for each
    # player, the slacks of the coalitions without the player, and of the same coalitions with the
    # player.
    tight = ~(slack - layout.ones) & layout.guard
    lanes = _numbers(layout, slack ^ layout.guard)
    sides = [(without(lanes), having(lanes)) for without, having in _pickers(layout)]
    numbers = layout.players << layout.players
    size = bytes_of(5 + 3 * layout.players, numbers, (1 << layout.width) - 1, 2 * layout.bits)
    return (tight, sides), size


class _FilterShape(SetShape):
    """A set without the order of its cards, with prepared tables that make `filter_set` fast."""

    __slots__ = ("differences", "lowered")

    def __init__(self, layout: LaneLayout, looks: ShapeKey, deadline: Deadline) -> None:
        super().__init__(layout, looks)
        # For each player p, f(A + p) - f(A) for each coalition A without p (see the module).
        self.differences: list[tuple[int, ...]] = []
        # For each distinct owner mask, pairs of a player and an integer with the guard bits of the
        # lanes whose value decreases if the player gets a card with this mask. The integer is -1 if
        # the set cannot be dealt in this way.
        self.lowered: list[tuple[int, list[tuple[int, int]]]] = []
        table = self.table
        if table == IMPOSSIBLE:
            return
        numbers = _numbers(layout, table)
        for without, having in _pickers(layout):
            self.differences.append(tuple(map(sub, having(numbers), without(numbers))))
        shift = layout.width - 1
        for mask, cuts in deadline.iterate(self.single_owner_tables()):
            lowered = [
                (player, -1 if cut == IMPOSSIBLE else (table - cut) << shift)
                for player, cut in cuts
            ]
            self.lowered.append((mask, lowered))


_SHAPES: Memo[LaneLayout, ShapeKey, _FilterShape] = Memo()


def _shape(layout: LaneLayout, constraint: SetConstraint, deadline: Deadline) -> _FilterShape:
    key = layout, shape_key(constraint)
    kind = _SHAPES.get(key)
    if kind is None:
        kind = _FilterShape(*key, deadline)
        lowered = sum(len(by_owner) for _, by_owner in kind.lowered)
        size = bytes_of(10 + lowered, constraint.size, layout.everybody, lowered * layout.bits)
        _SHAPES.store(key, kind, size + bytes_of(numbers=layout.players << layout.players - 1))
    return kind


_FILTERED: Memo[LaneLayout, int, SetConstraint, SetConstraint] = Memo()


def filter_set(
    layout: LaneLayout, slack: int, constraint: SetConstraint, deadline: Deadline = NO_DEADLINE
) -> SetConstraint:
    """Remove the possible owners of a set that occur in no deal, and tighten its bounds.

    `slack` says how many more cards each group of players could hold in the whole problem (see
    `LaneLayout.slack`).
    """
    key = (layout, slack, constraint)
    tightened = _FILTERED.get(key)
    if tightened is None:
        # The cache entry consists of the slack, the set and the result. The set and the result have
        # three tuples each.
        numbers = 2 * constraint.size + 8 * layout.players
        size = bytes_of(8, numbers, layout.everybody, layout.bits)
        tightened = _FILTERED.store(key, _filter_set(layout, slack, constraint, deadline), size)
    return tightened


def _filter_set(
    layout: LaneLayout, slack: int, constraint: SetConstraint, deadline: Deadline
) -> SetConstraint:
    kind = _shape(layout, constraint, deadline)
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
    return SetConstraint.unchecked(
        tuple([possible[mask] for mask in constraint.owners]), tuple(low), tuple(high)
    )


def filter_by_tables(problem: DealProblem, deadline: Deadline = NO_DEADLINE) -> DealProblem:
    """Return the tightest problem with the same deals, found by coalition tables.

    Raises:
        NoDeal: If the problem is infeasible.
        LimitError: If there are more than `solvers.coalition_tables.MAX_PLAYERS` players.
        SolverTimeout: If the deadline has passed.
    """
    if problem.players > MAX_PLAYERS:
        raise LimitError(
            f"{problem.players} players have 2^{problem.players} coalitions: "
            f"at most {MAX_PLAYERS} players are allowed"
        )
    layout = layout_of(problem)
    tables = [layout.table_of(constraint) for constraint in deadline.iterate(problem.sets)]
    slack = layout.feasible_slack(tables, problem.hands, problem.cards)
    if slack is None:
        raise NoDeal("no deal satisfies the problem, so nothing can be said about its deals")
    closed = [
        filter_set(layout, slack, constraint, deadline)
        for constraint in deadline.iterate(problem.sets)
    ]
    return DealProblem.unchecked(problem.hands, tuple(closed))


FILTERS: dict[str, Callable[..., DealProblem]] = {
    "tables": filter_by_tables,
    "flow": filter_by_flow,
}
"""Methods of filtering, by name: functions that take a problem and a deadline. They all give the
same result. "tables" supports at most `coalition_tables.MAX_PLAYERS` players."""

MAX_FAST_PLAYERS, MAX_FAST_CARDS = 8, 1000
"""Maximum numbers of players and of cards for which a problem is always filtered by tables, because
this takes only milliseconds."""

LOADING_NANOSECONDS = 500_000_000
"""Time for importing OR-Tools and SciPy, which the flow method needs, in nanoseconds."""


@validate_arguments(problem=DealProblem)
def filter_problem(problem: DealProblem, seconds: float | None = None) -> DealProblem:
    """Tighten a problem as far as possible without losing a deal.

    In the result, the possible owners of a card are exactly the players who own it in some deal.
    For each player and set, `low` and `high` are the minimum and maximum number of cards of the set
    that the player holds in any deal.

    Raises:
        NoDeal: If the problem is infeasible.
        LimitError: If flows are used and the search is too large (see `solvers.flow_filtering`).
        SolverTimeout: If the time limit is reached.

    >>> from solvers import SetConstraint
    >>> three = SetConstraint.of([[0, 1], [0, 1], [0, 1]], players=2, low=[0, 2])
    >>> single = SetConstraint.of([[0, 1]], players=2)
    >>> for constraint in filter_problem(DealProblem([2, 2], [three, single])).sets:
    ...     print(constraint)
    SetConstraint.of([[0, 1], [0, 1], [0, 1]], players=2, low=[1, 2], high=[1, 2])
    SetConstraint.of([[0]], players=2, low=[1, 0], high=[1, 0])
    """
    deadline = NO_DEADLINE if seconds is None else Deadline(seconds)
    filtered = FILTERS["tables" if _prefers_tables(problem) else "flow"](problem, deadline)
    return filtered.named(problem.names) if problem.names is not None else filtered


def _prefers_tables(problem: DealProblem) -> bool:
    players, sets = problem.players, len(problem.sets)
    if players > MAX_PLAYERS:
        return False
    if players <= MAX_FAST_PLAYERS and problem.cards <= MAX_FAST_CARDS:
        return True
    # Estimate both times in nanoseconds. All factors were measured.
    tables, flow = 0, 0 if "ortools.graph.python.max_flow" in sys.modules else LOADING_NANOSECONDS
    for owners, _, high in set(map(shape_key, problem.sets)):
        masks = set(owners)
        # Upper bounds make tables slower and flow paths faster.
        lane, path = (30, 10_000) if min(high) >= len(owners) else (100, 5_000)
        # Tables need a table of the set for each player of each mask, and passes over all lanes.
        cuts = sum(mask.bit_count() for mask in masks)
        tables += cuts * 55 * len(owners) + (lane * cuts + 60 * players << players)
        # Flows need, for each player, a path through each mask and through shares of all sets.
        flow += players * (path * min(sets, 10) * (len(masks) + 1) + 2_000 * sets)
    return tables < flow
