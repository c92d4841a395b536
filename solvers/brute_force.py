"""The solver `brute-force`: try all deals of a tiny problem, as an independent check in tests.

The solver shares no code with the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from quaternity.base.errors import UnsupportedProblem
from solvers.problem import DealProblem
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

MAX_ASSIGNMENTS = 200_000
"""Maximum number of ways to choose a possible owner for each card, whether or not the hand sizes
are met."""


def refuses(problem: DealProblem) -> str | None:
    """Return the reason why this solver refuses a problem, or None if it accepts the problem."""
    ways = 1
    for constraint in problem.sets:
        for mask in constraint.owners:
            ways *= mask.bit_count()
            if ways > MAX_ASSIGNMENTS:
                return f"there are too many assignments (the limit is {MAX_ASSIGNMENTS})"
    return None


def deals(problem: DealProblem) -> Iterator[Deal]:
    """Yield all deals of a problem, in lexicographic order of the owners of the cards.

    Raises:
        UnsupportedProblem: If the problem has too many combinations of owners (see `refuses`).
    """
    # First, list all ways to deal each set by itself. Then combine them set by set, as long as they
    # fit into the hands.
    reason = refuses(problem)
    if reason:
        raise UnsupportedProblem(f"brute force: {reason}")
    players = range(len(problem.hands))
    ways: list[list[tuple[tuple[int, ...], list[int]]]] = []
    for constraint in problem.sets:
        choices = [[p for p in players if mask >> p & 1] for mask in constraint.owners]
        with_counts = ((part, [part.count(p) for p in players]) for part in product(*choices))
        ways.append(
            [
                (part, counts)
                for part, counts in with_counts
                if all(constraint.low[p] <= counts[p] <= constraint.high[p] for p in players)
            ]
        )

    def combine(index: int, hands: list[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
        if index == len(ways):
            if not any(hands):
                yield ()
            return
        for part, counts in ways[index]:
            remaining = [hands[p] - counts[p] for p in players]
            if min(remaining) >= 0:
                for others in combine(index + 1, remaining):
                    yield part, *others

    for owners in combine(0, list(problem.hands)):
        yield Deal(owners)


def prepare(problem: DealProblem) -> Callable[[], Verdict]:
    """Return a function that tries all deals of a problem until one fits, and returns a verdict."""

    def solve() -> Verdict:
        deal = next(deals(problem), None)
        return Infeasible() if deal is None else Feasible(deal)

    return solve
