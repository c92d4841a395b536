"""Coalitions: one inequality per set of players, all of them tested at once.

See `solvers.coalition_tables` for the theorem and the packing. Tables are cached by the multiset of
owner masks and the bounds, so that a check of a state whose sets were seen before costs one
addition per set, one subtraction and one mask; a deal is then read off set by set, each time with
a count vector that leaves the inequalities of the remaining sets intact.
"""

from __future__ import annotations

from collections.abc import Callable

from solvers.coalition_tables import MAX_PLAYERS, Lanes, lanes_for, tightest_witness
from solvers.deadline import NEVER, Deadline
from solvers.memo import Memo, bytes_of_numbers
from solvers.problem import DealProblem, SetConstraint
from solvers.set_counts import count_vectors, hand_out, vector_bound
from solvers.shortage import Certificate, Shortage, plain_shortage
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

MOST_VECTORS = 500
"""Sets with at most so many count vectors have them listed (and kept); others are searched."""

MEMO_BYTES = 64 * 2**20
"""About how much memory the prepared sets may take."""


class Row:
    """One set, prepared.

    Attributes:
        constraint: the set.
        table: its packed coalition table, or -1 when it is impossible on its own.
        choices: all count vectors as (packed, vector), or None when there are too many.
        dealt: the cards handed out, by the count vectors in `choices` that were needed so far.
    """

    __slots__ = ("choices", "constraint", "dealt", "table")

    def __init__(self, layout: Lanes, constraint: SetConstraint) -> None:
        self.constraint = constraint
        self.table = layout.table_of(constraint)
        self.choices: list[tuple[int, tuple[int, ...]]] | None = None
        if self.table >= 0 and vector_bound(constraint) <= MOST_VECTORS:
            self.choices = [
                (layout.packed_hands(vector), vector) for vector in count_vectors(constraint)
            ]
        self.dealt: dict[tuple[int, ...], tuple[int, ...]] = {}

    def handed_out(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        """The owners of the cards in one deal of the set with these counts."""
        owners = hand_out(self.constraint.owners, counts)
        if self.choices is not None:
            self.dealt[counts] = owners
        return owners


_ROWS: Memo[tuple[Lanes, SetConstraint], Row] = Memo(MEMO_BYTES)


def _row(layout: Lanes, constraint: SetConstraint) -> Row:
    row = _ROWS.entries.get((layout, constraint))
    if row is None:
        row = Row(layout, constraint)
        lane_bytes = (layout.width << layout.players) // 8
        # A choice: the packed vector, the vector, and in time a deal.
        choice_bytes = lane_bytes + 250 + 16 * (layout.players + constraint.size)
        size = 700 + lane_bytes + bytes_of_numbers(constraint.size, layout.everybody)
        size += len(row.choices or ()) * choice_bytes
        _ROWS.keep((layout, constraint), row, size)
    return row


def refuses(problem: DealProblem) -> str | None:
    """Why this solver cannot take a problem, or None."""
    if problem.players > MAX_PLAYERS:
        return f"{problem.players} players need 2^{problem.players} lanes: at most {MAX_PLAYERS}"
    return None


def prepare_within(problem: DealProblem, seconds: float) -> Callable[[], Verdict]:
    """`prepare` with a time limit in seconds for both steps together."""
    return prepare(problem, Deadline(seconds))


def prepare(problem: DealProblem, deadline: Deadline = NEVER) -> Callable[[], Verdict]:
    """Look up or make the tables; the result tests the inequalities and reads off a deal.

    Either step raises `SolverTimeout` at the deadline.
    """
    hands, sets = problem
    cards = largest = 0
    for constraint in sets:
        size = len(constraint.owners)
        cards += size
        if size > largest:
            largest = size
    layout = lanes_for(len(hands), cards, largest)
    rows = [_row(layout, constraint) for constraint in deadline.over(sets)]

    def solve() -> Verdict:
        total = 0
        for row in rows:
            if row.table < 0:
                break
            total += row.table
        else:
            if sum(hands) == cards:
                slack = (total | layout.guard) - layout.packed_hands(hands)
                if slack & layout.guard == layout.guard:
                    return Feasible(_deal(layout, rows, slack, deadline))
        return Infeasible(_proof(problem, layout, [row.table for row in rows]))

    return solve


def is_feasible(problem: DealProblem) -> bool:
    """The verdict alone, without a deal or a proof. The problem must not be refused."""
    if sum(problem.hands) != problem.cards:
        return False
    largest = max((one.size for one in problem.sets), default=0)
    layout = lanes_for(problem.players, problem.cards, largest)
    total = 0
    for constraint in problem.sets:
        table = layout.table_of(constraint)
        if table < 0:
            return False
        total += table
    slack = (total | layout.guard) - layout.packed_hands(problem.hands)
    return slack & layout.guard == layout.guard


def _proof(problem: DealProblem, layout: Lanes, tables: list[int]) -> Certificate:
    """Why an infeasible problem is; the plainest reason there is."""
    plain = plain_shortage(problem)
    if plain is not None:
        return plain
    if -1 in tables:
        return _set_shortage(problem, tables.index(-1), layout.everybody)
    slack = (sum(tables) | layout.guard) - layout.packed_hands(problem.hands)
    coalition = layout.first_violated(slack)
    assert coalition is not None, f"tables say infeasible, but no inequality fails: {problem}"
    return Shortage(coalition, tuple(tightest_witness(one, coalition) for one in problem.sets))


def _set_shortage(problem: DealProblem, index: int, everybody: int) -> Shortage:
    """Why one set is impossible on its own: its minimums, or cards that cannot be placed."""
    constraint = problem.sets[index]
    for coalition in (0, everybody):
        witnesses = [coalition] * len(problem.sets)
        witnesses[index] = tightest_witness(constraint, coalition)
        shortage = Shortage(coalition, tuple(witnesses))
        if shortage.holds(problem):
            return shortage
    raise AssertionError(f"set {index} has no table but no shortage either: {constraint}")


def _deal(layout: Lanes, rows: list[Row], slack: int, deadline: Deadline) -> Deal:
    """A deal, set by set. `slack` is (sum of tables, guards set) minus the packed hands.

    Fixing the count vector k of a set replaces its table by the packed k; what remains is feasible
    iff every guard survives, and by the theorem some k always does.
    """
    guard = layout.guard
    owner = []
    for row in deadline.over(rows):
        rest = slack - row.table
        if row.choices is None:
            counts = _searched_vector(layout, row.constraint, rest)
            slack = rest + layout.packed_hands(counts)
        else:
            for packed, vector in row.choices:
                if (rest + packed) & guard == guard:
                    counts, slack = vector, rest + packed
                    break
        owner.append(row.dealt.get(counts) or row.handed_out(counts))
    return Deal(tuple(owner))


def _searched_vector(layout: Lanes, constraint: SetConstraint, rest: int) -> tuple[int, ...]:
    """A count vector that keeps every guard of `rest` + vector, player by player by bisection."""
    guard, owners = layout.guard, tuple(sorted(constraint.owners))
    low, high = list(constraint.low), [min(most, constraint.size) for most in constraint.high]
    for player in range(constraint.players):
        least, most = low[player], high[player]
        while least < most:
            middle = (least + most) // 2
            high[player] = middle
            table = layout.table(owners, tuple(low), tuple(high))
            if table >= 0 and (rest + table) & guard == guard:
                most = middle
            else:
                least = middle + 1
        low[player] = high[player] = least
    return tuple(low)


__all__ = [
    "MEMO_BYTES", "MOST_VECTORS", "Row", "is_feasible", "prepare", "prepare_within", "refuses",
]  # fmt: skip
