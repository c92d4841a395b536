"""Filtering by coalition tables: who may own what, fewest and most, from slack and differences.

Let f be the table of a set (`solvers.coalition_tables`), and slack(A) the sum of all tables for A
less the hands of A: the cards that a coalition could have beyond its hands. The problem is feasible
iff no slack is negative. A player's cards of the set are limited by minimum cuts that separate the
player from his share of it:

    most   = min over A without p of  f(A + p) - f(A) + slack(A)
    fewest = max over A without p of  f(A + p) - f(A) - slack(A + p)

and both are attained (the maximum and minimum of one arc's flow). Cutting one card down to owner p
lowers f by at most 1 per coalition, so p may own the card iff every lowered coalition has slack:
one "and" with the lanes whose slack is 0.

Cost, with the set seen before: 2 P small passes over 2^(P-1) numbers per set, and one "and" per
distinct owner mask and owner.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import add, itemgetter, sub
from typing import Any

from solvers.coalition_tables import MAX_PLAYERS, Lanes, lanes_for
from solvers.deadline import NEVER, Deadline
from solvers.errors import LimitError, NoDeal
from solvers.memo import Memo, bytes_of_numbers
from solvers.problem import DealProblem, SetConstraint, players_in

_CODES = {8: "B", 16: "H", 32: "I", 64: "Q"}

MEMO_BYTES = 64 * 2**20
"""About how much memory each may take: the prepared sets, their results, the slacks."""

Picker = Callable[[Any], tuple[int, ...]]


@lru_cache(maxsize=16)
def _pickers(layout: Lanes) -> tuple[tuple[Picker, Picker], ...]:
    """Per player, how to pick the lanes without and with the player, in the same order."""
    pickers = []
    for player in range(layout.players):
        lanes = [lane for lane in range(layout.everybody + 1) if not lane >> player & 1]
        # An itemgetter of one index gives no tuple; the one lane twice does no harm.
        lanes = lanes if len(lanes) > 1 else lanes * 2
        pickers.append((itemgetter(*lanes), itemgetter(*[lane | 1 << player for lane in lanes])))
    return tuple(pickers)


def _numbers(layout: Lanes, packed: int) -> Any:
    """The lanes of a packed table as a sequence of numbers."""
    lanes = packed.to_bytes((layout.width << layout.players) // 8, "little")
    return lanes if layout.width == 8 else memoryview(lanes).cast(_CODES[layout.width])  # type: ignore[call-overload]  # one of the codes above


SlackParts = tuple[int, list[tuple[tuple[int, ...], ...]]]

_SLACKS: Memo[tuple[Lanes, int], SlackParts] = Memo(MEMO_BYTES)


def _slack_parts(layout: Lanes, slack: int) -> SlackParts:
    """The guards of the lanes without slack; per player the slacks without and with the player."""
    key = (layout, slack)
    parts = _SLACKS.entries.get(key)
    if parts is None:
        tight = ~(slack - layout.ones) & layout.guard
        numbers = _numbers(layout, slack ^ layout.guard)
        parts = (
            tight,
            [(without(numbers), having(numbers)) for without, having in _pickers(layout)],
        )
        bits = layout.width << layout.players
        each = bytes_of_numbers(layout.everybody + 1, (1 << layout.width) - 1)
        _SLACKS.keep(key, parts, 500 + bits // 4 + layout.players * (200 + each))
    return parts


class _Kind:
    """Sets that look alike up to the order of their cards, prepared for filtering.

    Attributes:
        table: the packed coalition table, or -1.
        differences: per player, f(A + p) - f(A) for every A without p.
        lowered: per distinct owner mask, per owner, the guards of the lanes that are lower when
            one such card is his; -1 when it cannot be his whatever the other sets are.
    """

    __slots__ = ("differences", "lowered", "table")

    def __init__(
        self,
        layout: Lanes,
        owners: tuple[int, ...],
        low: tuple[int, ...],
        high: tuple[int, ...],
        deadline: Deadline,
    ) -> None:
        table = self.table = layout.table(owners, low, high)
        self.differences: list[tuple[int, ...]] = []
        self.lowered: list[tuple[int, list[tuple[int, int]]]] = []
        if table < 0:
            return
        numbers = _numbers(layout, table)
        for without, having in _pickers(layout):
            self.differences.append(tuple(map(sub, having(numbers), without(numbers))))
        for mask in deadline.over(sorted(set(owners))):
            others = list(owners)
            others.remove(mask)
            lowered = []
            for player in players_in(mask):
                cut = layout.table(tuple(sorted([*others, 1 << player])), low, high)
                lowered.append((player, -1 if cut < 0 else (table - cut) << layout.width - 1))
            self.lowered.append((mask, lowered))


_KINDS: Memo[tuple[Lanes, tuple[int, ...], tuple[int, ...], tuple[int, ...]], _Kind]
_KINDS = Memo(MEMO_BYTES)


def _kind(layout: Lanes, constraint: SetConstraint, deadline: Deadline) -> _Kind:
    owners = tuple(sorted(constraint.owners))
    key = (layout, owners, constraint.low, constraint.high)
    kind = _KINDS.entries.get(key)
    if kind is None:
        kind = _Kind(*key, deadline)
        lanes = layout.everybody + 1
        lowered = sum(len(by_owner) for _, by_owner in kind.lowered)
        size = 1_000 + layout.players * 4 * lanes + lowered * (100 + layout.width * lanes // 8)
        size += bytes_of_numbers(len(owners), layout.everybody)
        _KINDS.keep(key, kind, size)
    return kind


_CLOSED: Memo[tuple[Lanes, int, SetConstraint], SetConstraint] = Memo(MEMO_BYTES)


def closed_set(
    layout: Lanes, slack: int, constraint: SetConstraint, deadline: Deadline = NEVER
) -> SetConstraint:
    """One set of a feasible problem with its owners and bounds as tight as they can be.

    Args:
        slack: (sum of all sets' tables, guards set) minus the packed hands; every guard is set.
    """
    key = (layout, slack, constraint)
    found = _CLOSED.entries.get(key)
    if found is None:
        # The slack, the set and the result; either has three tuples.
        size = 700 + (layout.width << layout.players) // 8 + 64 * layout.players
        size += 2 * bytes_of_numbers(constraint.size, layout.everybody)
        found = _CLOSED.keep(key, _closed(layout, slack, constraint, deadline), size)
    return found


def _closed(
    layout: Lanes, slack: int, constraint: SetConstraint, deadline: Deadline
) -> SetConstraint:
    """As `closed_set`, made anew."""
    kind = _kind(layout, constraint, deadline)
    tight, sides = _slack_parts(layout, slack)
    possible = {}
    for mask, lowered in kind.lowered:
        left = 0
        for player, lanes in lowered:
            if lanes >= 0 and not lanes & tight:
                left |= 1 << player
        possible[mask] = left
    fewest, most = [], []
    for differences, (without, having) in zip(kind.differences, sides, strict=True):
        most.append(min(map(add, differences, without)))
        fewest.append(max(map(sub, differences, having)))
    return SetConstraint.trusted(
        tuple([possible[mask] for mask in constraint.owners]), tuple(fewest), tuple(most)
    )


def closed_by_tables(problem: DealProblem, deadline: Deadline = NEVER) -> DealProblem:
    """The same deals with every owner, minimum and maximum as tight as it can be.

    For up to `solvers.coalition_tables.MAX_PLAYERS` players.

    Raises:
        NoDeal: the problem is infeasible.
        LimitError: there are more players.
        SolverTimeout: the deadline has passed.
    """
    if problem.players > MAX_PLAYERS:
        raise LimitError(
            f"{problem.players} players need 2^{problem.players} lanes: at most {MAX_PLAYERS}"
        )
    sets = problem.sets
    largest = max([len(one.owners) for one in sets], default=0)
    layout = lanes_for(problem.players, problem.cards, largest)
    tables = [layout.table_of(one) for one in deadline.over(sets)]
    if -1 not in tables and sum(problem.hands) == problem.cards:
        guard = layout.guard
        slack = (sum(tables) | guard) - layout.packed_hands(problem.hands)
        if slack & guard == guard:
            closed = [closed_set(layout, slack, one, deadline) for one in deadline.over(sets)]
            return DealProblem.trusted(problem.hands, tuple(closed))
    raise NoDeal("no deal satisfies the problem, so nothing can be said about its deals")


__all__ = ["MEMO_BYTES", "closed_by_tables", "closed_set"]
