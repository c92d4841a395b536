"""Coalitions: one inequality per set of players, all of them tested at once.

See `solvers.coalition_tables` for the theorem and the packing. Tables are cached by the multiset of
owner masks and the bounds, so that a check of a state whose sets were seen before costs one
addition per set, one subtraction and one mask; a deal is then read off set by set, each time with
a count vector that leaves the inequalities of the remaining sets intact.
"""

from __future__ import annotations

from collections.abc import Callable

from quaternity.base.deadline import NEVER, Deadline
from quaternity.base.memo import Memo, bytes_of
from solvers.coalition_tables import IMPOSSIBLE, MAX_PLAYERS, Lanes, lanes_of, tightest_witness
from solvers.problem import DealProblem, SetConstraint
from solvers.set_ways import count_vectors, hand_out, vector_bound
from solvers.shortage import Certificate, Shortage, plain_shortage
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

MAX_LISTED_VECTORS = 500
"""Maximum number of count vectors of a set that are listed and kept; larger sets are searched."""


class DealtSet:
    """One set with its cards in their order, prepared for reading off deals.

    Attributes:
        choices: all count vectors as (packed, vector), or None when there are too many.
        dealt: the cards handed out, by the count vectors in `choices` that were needed so far.
    """

    __slots__ = ("choices", "constraint", "dealt", "table")

    def __init__(self, layout: Lanes, constraint: SetConstraint) -> None:
        self.constraint = constraint
        self.table = layout.table_of(constraint)
        self.choices: list[tuple[int, tuple[int, ...]]] | None = None
        if self.table >= 0 and vector_bound(constraint) <= MAX_LISTED_VECTORS:
            self.choices = [
                (layout.packed_hands(vector), vector) for vector in count_vectors(constraint)
            ]
        self.dealt: dict[tuple[int, ...], tuple[int, ...]] = {}

    def handed_out(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        """Return the owners of the cards in one deal of the set with these counts."""
        owners = hand_out(self.constraint.owners, counts)
        if self.choices is not None:
            self.dealt[counts] = owners
        return owners


@Memo
def _prepared(layout: Lanes, constraint: SetConstraint) -> tuple[DealtSet, int]:
    row = DealtSet(layout, constraint)
    # A choice: the packed vector, the vector, and in time a deal.
    choice = bytes_of(3, 2 * (layout.players + constraint.size), bits=layout.bits)
    size = bytes_of(8, constraint.size, layout.everybody, layout.bits)
    return row, size + len(row.choices or ()) * choice


def refuses(problem: DealProblem) -> str | None:
    """Return why this solver cannot take a problem, or None."""
    if problem.players > MAX_PLAYERS:
        return f"{problem.players} players need 2^{problem.players} lanes: at most {MAX_PLAYERS}"
    return None


def prepare_within(problem: DealProblem, seconds: float) -> Callable[[], Verdict]:
    """Prepare with a time limit in seconds for both steps together."""
    return prepare(problem, Deadline(seconds))


def prepare(problem: DealProblem, deadline: Deadline = NEVER) -> Callable[[], Verdict]:
    """Look up or make the tables; the result tests the inequalities and reads off a deal.

    Either step raises `SolverTimeout` at the deadline.
    """
    layout = lanes_of(problem)
    rows = [_prepared[layout, constraint] for constraint in deadline.over(problem.sets)]

    def solve() -> Verdict:
        tables = [row.table for row in rows]
        slack = layout.feasible_slack(tables, problem.hands, problem.cards)
        if slack is None:
            return Infeasible(_proof(problem, layout, tables))
        return Feasible(_deal(layout, rows, slack, deadline))

    return solve


def is_feasible(problem: DealProblem) -> bool:
    """Decide without a deal or a proof. The problem must not be refused."""
    layout = lanes_of(problem)
    tables = [layout.table_of(constraint) for constraint in problem.sets]
    return layout.feasible_slack(tables, problem.hands, problem.cards) is not None


def _proof(problem: DealProblem, layout: Lanes, tables: list[int]) -> Certificate:
    """Return the plainest proof that an infeasible problem is infeasible."""
    plain = plain_shortage(problem)
    if plain is not None:
        return plain
    if IMPOSSIBLE in tables:
        return _set_shortage(problem, tables.index(IMPOSSIBLE), layout.everybody)
    coalition = layout.first_violated(layout.slack(tables, problem.hands))
    assert coalition is not None, f"tables say infeasible, but no inequality fails: {problem}"
    witnesses = tuple(tightest_witness(constraint, coalition) for constraint in problem.sets)
    return Shortage(coalition, witnesses)


def _set_shortage(problem: DealProblem, index: int, everybody: int) -> Shortage:
    """Prove one set impossible on its own: its minimums, or cards that cannot be placed."""
    constraint = problem.sets[index]
    for coalition in (0, everybody):
        witnesses = [coalition] * len(problem.sets)
        witnesses[index] = tightest_witness(constraint, coalition)
        shortage = Shortage(coalition, tuple(witnesses))
        if shortage.holds(problem):
            return shortage
    raise AssertionError(f"set {index} has no table but no shortage either: {constraint}")


def _deal(layout: Lanes, rows: list[DealtSet], slack: int, deadline: Deadline) -> Deal:
    """Build a deal, set by set.

    Fixing the count vector k of a set replaces its table by the packed k. The remaining sets stay
    feasible iff every guard survives; by the theorem some k always keeps the guards.
    """
    guard = layout.guard
    owner = []
    for row in deadline.over(rows):
        others = slack - row.table
        if row.choices is None:
            counts = _searched_vector(layout, row.constraint, others)
            slack = others + layout.packed_hands(counts)
        else:
            for packed, vector in row.choices:
                if (others + packed) & guard == guard:
                    counts, slack = vector, others + packed
                    break
        owner.append(row.dealt.get(counts) or row.handed_out(counts))
    return Deal(tuple(owner))


def _searched_vector(layout: Lanes, constraint: SetConstraint, others: int) -> tuple[int, ...]:
    """Find a count vector that keeps every guard, player by player, by bisection."""
    guard, owners = layout.guard, tuple(sorted(constraint.owners))
    low, high = list(constraint.low), [min(most, constraint.size) for most in constraint.high]
    for player in range(constraint.players):
        least, most = low[player], high[player]
        while least < most:
            middle = (least + most) // 2
            high[player] = middle
            table = layout.table(owners, tuple(low), tuple(high))
            if table >= 0 and (others + table) & guard == guard:
                most = middle
            else:
                least = middle + 1
        low[player] = high[player] = least
    return tuple(low)
