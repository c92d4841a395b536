"""Brute force: every deal, one after another. The oracle for tiny problems.

Shares no code with the other solvers. Cost: the product over cards of the number of owners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from solvers.errors import UnsupportedProblem
from solvers.problem import DealProblem
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

MAX_ASSIGNMENTS = 200_000
"""Most ways of giving each card one of its owners, hands and bounds not yet looked at."""


def refuses(problem: DealProblem) -> str | None:
    """Why this solver cannot take a problem, or None."""
    ways = 1
    for constraint in problem.sets:
        for mask in constraint.owners:
            ways *= mask.bit_count()
            if ways > MAX_ASSIGNMENTS:
                return f"more than {MAX_ASSIGNMENTS} assignments to try"
    return None


def deals(problem: DealProblem) -> Iterator[Deal]:
    """All deals that satisfy a problem, in lexicographic order of the owners.

    Raises:
        UnsupportedProblem: above `MAX_ASSIGNMENTS`.
    """
    reason = refuses(problem)
    if reason:
        raise UnsupportedProblem(f"brute force: {reason}")
    everyone = range(len(problem.hands))
    choices = [
        [p for p in everyone if mask >> p & 1] for one in problem.sets for mask in one.owners
    ]
    for owners in product(*choices):
        if all(owners.count(p) == hand for p, hand in enumerate(problem.hands)):
            deal, start = [], 0
            for one in problem.sets:
                part = owners[start : start + len(one.owners)]
                start += len(one.owners)
                if any(not one.low[p] <= part.count(p) <= one.high[p] for p in everyone):
                    break
                deal.append(part)
            else:
                yield Deal(tuple(deal))


def prepare(problem: DealProblem) -> Callable[[], Verdict]:
    """Nothing is built; the result enumerates until the first deal."""

    def solve() -> Verdict:
        deal = next(deals(problem), None)
        return Infeasible() if deal is None else Feasible(deal)

    return solve


__all__ = ["MAX_ASSIGNMENTS", "deals", "prepare", "refuses"]
