"""Brute force: every deal, one after another. The oracle for tiny problems.

Shares no code with the other solvers. Cost: the product over cards of the number of owners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from quaternity.base.errors import UnsupportedProblem
from solvers.problem import DealProblem
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

MAX_ASSIGNMENTS = 200_000
"""Maximum number of ways of giving each card one of its owners, before hands and bounds are
checked."""


def refuses(problem: DealProblem) -> str | None:
    """Return why this solver cannot take a problem, or None."""
    ways = 1
    for constraint in problem.sets:
        for mask in constraint.owners:
            ways *= mask.bit_count()
            if ways > MAX_ASSIGNMENTS:
                return f"more than {MAX_ASSIGNMENTS} assignments to try"
    return None


def deals(problem: DealProblem) -> Iterator[Deal]:
    """Give all deals that satisfy a problem, in lexicographic order of the owners.

    List every way to deal each set by itself, then combine these, set after set, while the hands
    have room. Raises `UnsupportedProblem` above `MAX_ASSIGNMENTS`.
    """
    reason = refuses(problem)
    if reason:
        raise UnsupportedProblem(f"brute force: {reason}")
    everyone = range(len(problem.hands))
    ways: list[list[tuple[tuple[int, ...], list[int]]]] = []
    for constraint in problem.sets:
        choices = [[p for p in everyone if mask >> p & 1] for mask in constraint.owners]
        counted = ((part, [part.count(p) for p in everyone]) for part in product(*choices))
        ways.append(
            [
                (part, counts)
                for part, counts in counted
                if all(constraint.low[p] <= counts[p] <= constraint.high[p] for p in everyone)
            ]
        )

    def together(index: int, hands: list[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
        if index == len(ways):
            if not any(hands):
                yield ()
            return
        for part, counts in ways[index]:
            remaining = [hands[p] - counts[p] for p in everyone]
            if min(remaining) >= 0:
                for others in together(index + 1, remaining):
                    yield part, *others

    for owners in together(0, list(problem.hands)):
        yield Deal(owners)


def prepare(problem: DealProblem) -> Callable[[], Verdict]:
    """Return a function that enumerates deals until the first; nothing is built here."""

    def solve() -> Verdict:
        deal = next(deals(problem), None)
        return Infeasible() if deal is None else Feasible(deal)

    return solve
