"""The solver `coalitions`: test for each group of players whether its hands can be filled.

A coalition is a group of players. The test succeeds iff there is a deal (see
`solvers.coalition_tables`). A few operations on long integers test all coalitions at once. For each
set, a cached table has the maximum number of cards that each coalition can hold. If the test
succeeds, the solver builds a deal set by set: it chooses how many cards of the set each player
gets, such that the test still succeeds for the other sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from quaternity.base.deadline import NO_DEADLINE, Deadline
from quaternity.base.memo import Memo, bytes_of
from solvers.coalition_tables import (
    IMPOSSIBLE,
    MAX_PLAYERS,
    LaneLayout,
    layout_for,
    layout_of,
    tightest_witness,
)
from solvers.problem import DealProblem, SetConstraint
from solvers.set_counts import assign_owners, count_vectors, vector_bound
from solvers.shortage import Certificate, Shortage, simple_certificate
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

MAX_LISTED_VECTORS = 500
"""Maximum number of ways to split a set between the players for which all ways are listed and
cached. A split (count vector) says how many cards each player gets."""


class SetDealer:
    """A set of cards, with cached results that speed up dealing it.

    Attributes:
        choices: all ways to split the set between the players, or None if there are too many. Each
            way is a pair: the players' numbers of cards packed into one integer, and the same
            numbers as a tuple.
        deal_cache: a deal (the owner of each card) for some of the tuples in `choices`.
    """

    __slots__ = ("choices", "constraint", "deal_cache", "table")

    def __init__(self, layout: LaneLayout, constraint: SetConstraint) -> None:
        self.constraint = constraint
        self.table = layout.table_of(constraint)
        self.choices: list[tuple[int, tuple[int, ...]]] | None = None
        if self.table >= 0 and vector_bound(constraint) <= MAX_LISTED_VECTORS:
            self.choices = [
                (layout.packed_hands(vector), vector) for vector in count_vectors(constraint)
            ]
        self.deal_cache: dict[tuple[int, ...], tuple[int, ...]] = {}

    def assign_cards(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        """Deal this set and return the owner of each card.

        `counts` is the number of cards of the set that each player must get.
        """
        owners = assign_owners(self.constraint.owners, counts)
        if self.choices is not None:
            self.deal_cache[counts] = owners
        return owners


@Memo
def _prepare_set(layout: LaneLayout, constraint: SetConstraint) -> tuple[SetDealer, int]:
    row = SetDealer(layout, constraint)
    # A choice takes memory for the packed vector, for the vector, and later for a cached deal.
    choice = bytes_of(3, 2 * (layout.players + constraint.size), bits=layout.bits)
    size = bytes_of(8, constraint.size, layout.everybody, layout.bits)
    return row, size + len(row.choices or ()) * choice


def refuses(problem: DealProblem) -> str | None:
    """Return the reason why this solver refuses a problem, or None if it accepts the problem."""
    if problem.players > MAX_PLAYERS:
        return (
            f"{problem.players} players have 2^{problem.players} coalitions: "
            f"at most {MAX_PLAYERS} players are allowed"
        )
    return None


def prepare_within(problem: DealProblem, seconds: float) -> Callable[[], Verdict]:
    """Prepare a problem as `prepare` does, with a time limit in seconds.

    Preparing and solving raise `SolverTimeout` when `seconds` have passed since this call.
    """
    return prepare(problem, Deadline(seconds))


def prepare(problem: DealProblem, deadline: Deadline = NO_DEADLINE) -> Callable[[], Verdict]:
    """Prepare a problem, and return a function that solves it.

    The function returns a verdict with a deal, or with a proof that there is none. Preparing and
    solving raise `SolverTimeout` at the deadline.
    """
    layout = layout_of(problem)
    rows = [_prepare_set[layout, constraint] for constraint in deadline.iterate(problem.sets)]

    def solve() -> Verdict:
        tables = [row.table for row in rows]
        slack = layout.feasible_slack(tables, problem.hands, problem.cards)
        if slack is None:
            return Infeasible(_proof(problem, layout, tables))
        return Feasible(_deal(layout, deadline.iterate(rows), slack))

    return solve


def decide(problem: DealProblem, max_lanes: int, max_masks: int) -> Verdict | None:
    """Prepare and solve a problem in one step, or return None if the problem is too large.

    Args:
        max_lanes: the maximum of (number of sets) x 2^(number of players).
        max_masks: the maximum number of cards in a set.
    """
    hands, sets = problem
    players = len(hands)
    if (len(sets) or 1) << players > max_lanes:  # without sets, there are tables, too
        return None
    largest = cards = 0
    for owners, _, _ in sets:
        size = len(owners)
        cards += size
        if size > largest:
            largest = size
    if largest > max_masks:
        return None
    layout = layout_for(players, cards, largest)
    rows = [_prepare_set[layout, constraint] for constraint in sets]
    tables = [row.table for row in rows]
    slack = layout.feasible_slack(tables, hands, cards)
    if slack is None:
        return Infeasible(_proof(problem, layout, tables), problem)
    return Feasible(_deal(layout, rows, slack), problem)


def is_feasible(problem: DealProblem) -> bool:
    """Return whether a problem has a deal, without building a deal or a proof.

    Call this only if `refuses` returns None for the problem.
    """
    layout = layout_of(problem)
    tables = [layout.table_of(constraint) for constraint in problem.sets]
    return layout.feasible_slack(tables, problem.hands, problem.cards) is not None


def _proof(problem: DealProblem, layout: LaneLayout, tables: list[int]) -> Certificate:
    simple = simple_certificate(problem)
    if simple is not None:
        return simple
    if IMPOSSIBLE in tables:
        return _set_shortage(problem, tables.index(IMPOSSIBLE), layout.everybody)
    coalition = layout.first_violated(layout.slack(tables, problem.hands))
    assert coalition is not None, f"no deal fits, but no inequality fails: {problem}"
    witnesses = tuple(tightest_witness(constraint, coalition) for constraint in problem.sets)
    return Shortage(coalition, witnesses)


def _set_shortage(problem: DealProblem, index: int, everybody: int) -> Shortage:
    # Either the minimums of the set are too large, or some of its cards cannot have an owner.
    constraint = problem.sets[index]
    for coalition in (0, everybody):
        witnesses = [coalition] * len(problem.sets)
        witnesses[index] = tightest_witness(constraint, coalition)
        shortage = Shortage(coalition, tuple(witnesses))
        if shortage.holds(problem):
            return shortage
    raise AssertionError(f"set {index} cannot be dealt, but no shortage proves it: {constraint}")


def _deal(layout: LaneLayout, rows: Iterable[SetDealer], slack: int) -> Deal:
    # Choosing a count vector for a set replaces the table of the set by the packed vector. The
    # other sets stay feasible if and only if all guard bits stay set. By the theorem in
    # `solvers.coalition_tables`, there is always a count vector for which this is the case.
    guard = layout.guard
    owner = []
    for row in rows:
        others = slack - row.table
        if row.choices is None:
            counts = _find_vector(layout, row.constraint, others)
            slack = others + layout.packed_hands(counts)
        else:
            for packed, vector in row.choices:
                slack = others + packed
                if slack & guard == guard:
                    counts = vector
                    break
        cards = row.deal_cache.get(counts)
        owner.append(row.assign_cards(counts) if cards is None else cards)
    return Deal(tuple(owner))


def _find_vector(layout: LaneLayout, constraint: SetConstraint, others: int) -> tuple[int, ...]:
    """Choose how many cards of a set each player gets, so that the other sets can be dealt."""
    # For each player, bisection finds the smallest number with which all guard bits stay set.
    guard, owners = layout.guard, tuple(sorted(constraint.owners))
    low, high = list(constraint.low), [min(bound, constraint.size) for bound in constraint.high]
    for player in range(constraint.players):
        lower, upper = low[player], high[player]
        while lower < upper:
            middle = (lower + upper) // 2
            high[player] = middle
            table = layout.table(owners, tuple(low), tuple(high))
            if table >= 0 and (others + table) & guard == guard:
                upper = middle
            else:
                lower = middle + 1
        low[player] = high[player] = lower
    return tuple(low)
