"""Coalitions: one inequality per set of players, all of them tested at once.

See `solvers.coalition_tables` for the theorem and the packing. Tables are cached by the multiset of
owner masks and the bounds, so that a check of a state whose sets were seen before costs one
addition per set, one subtraction and one mask; a deal is then read off set by set, each time with
a count vector that leaves the inequalities of the remaining sets intact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from solvers.coalition_tables import MAX_PLAYERS, Lanes, lanes_for, tightest_witness
from solvers.problem import DealProblem, SetConstraint
from solvers.set_counts import count_vectors, hand_out, vector_bound
from solvers.shortage import Shortage, plain_shortage
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

MOST_VECTORS = 500
"""Sets with at most so many count vectors have them listed (and cached); others are searched."""


def refuses(problem: DealProblem) -> str | None:
    """Why this solver cannot take a problem, or None."""
    if problem.players > MAX_PLAYERS:
        return f"{problem.players} players need 2^{problem.players} lanes: at most {MAX_PLAYERS}"
    return None


def prepare(problem: DealProblem) -> Callable[[], Verdict]:
    """Look up or make the tables; the result tests the inequalities and reads off a deal."""
    plain = plain_shortage(problem)
    if plain is not None:
        return lambda: Infeasible(plain)
    largest = max((constraint.size for constraint in problem.sets), default=0)
    layout = lanes_for(problem.players, problem.cards, largest)
    tables = [layout.table_of(constraint) for constraint in problem.sets]

    def solve() -> Verdict:
        if -1 in tables:
            return Infeasible(_set_shortage(problem, tables.index(-1), layout.everybody))
        slack = (sum(tables) | layout.guard) - layout.packed_hands(problem.hands)
        coalition = layout.first_violated(slack)
        if coalition is not None:
            witnesses = (tightest_witness(one, coalition) for one in problem.sets)
            return Infeasible(Shortage(coalition, tuple(witnesses)))
        return Feasible(_deal(problem, layout, tables, slack))

    return solve


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


def _deal(problem: DealProblem, layout: Lanes, tables: list[int], slack: int) -> Deal:
    """A deal, set by set. `slack` is (sum of tables, guards set) minus the packed hands.

    Fixing the count vector k of a set replaces its table by the packed k; what remains is feasible
    iff every guard survives, and by the theorem some k always does.
    """
    guard = layout.guard
    owner = []
    for constraint, table in zip(problem.sets, tables, strict=True):
        rest = slack - table
        if vector_bound(constraint) <= MOST_VECTORS:
            counts, slack = next(
                (vector, rest + packed)
                for vector, packed in _vectors(layout, constraint)
                if (rest + packed) & guard == guard
            )
        else:
            counts = _searched_vector(layout, constraint, rest)
            slack = rest + layout.packed_hands(counts)
        owner.append(_handed_out(constraint.owners, counts))
    return Deal(tuple(owner))


@lru_cache(maxsize=1 << 14)
def _vectors(layout: Lanes, constraint: SetConstraint) -> list[tuple[tuple[int, ...], int]]:
    return [(vector, layout.packed_hands(vector)) for vector in count_vectors(constraint)]


@lru_cache(maxsize=1 << 15)
def _handed_out(owners: tuple[int, ...], counts: tuple[int, ...]) -> tuple[int, ...]:
    return hand_out(owners, counts)


def _searched_vector(layout: Lanes, constraint: SetConstraint, rest: int) -> tuple[int, ...]:
    """A count vector that keeps every guard of `rest` + vector, player by player by bisection."""
    guard = layout.guard
    low, high = list(constraint.low), [min(most, constraint.size) for most in constraint.high]
    for player in range(constraint.players):
        least, most = low[player], high[player]
        while least < most:
            middle = (least + most) // 2
            high[player] = middle
            table = layout.table_of(
                SetConstraint.trusted(constraint.owners, tuple(low), tuple(high))
            )
            if table >= 0 and (rest + table) & guard == guard:
                most = middle
            else:
                least = middle + 1
        low[player] = high[player] = least
    return tuple(low)


__all__ = ["MOST_VECTORS", "prepare", "refuses"]
