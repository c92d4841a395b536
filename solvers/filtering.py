"""What every deal of a problem has in common: who may own what, fewest and most cards per set.

A problem is *closed* when nothing in it can be tightened: every owner of a card owns it in some
deal, and every minimum and maximum of a player and a set is reached by some deal.
"""

from __future__ import annotations

from collections.abc import Callable

from solvers.coalition_tables import MAX_PLAYERS
from solvers.deadline import NEVER, Deadline
from solvers.flow_filtering import closed_by_flow
from solvers.problem import DealProblem
from solvers.table_filtering import closed_by_tables

FILTERS: dict[str, Callable[..., DealProblem]] = {
    "tables": closed_by_tables,
    "flow": closed_by_flow,
}
"""Two ways from a problem (and a deadline) to the same answer; "tables" serves up to
`coalition_tables.MAX_PLAYERS` players."""

FEW_PLAYERS = 8
"""Up to so many, tables are so short that they are always the quicker way."""


def closed(problem: DealProblem, seconds: float | None = None) -> DealProblem:
    """The same deals, said with the fewest owners, the largest minimums and smallest maximums.

    In the result a card's owners are exactly the players who own it in some deal, and a player's
    `low` and `high` for a set are the fewest and the most cards of it that he holds in some deal.

    Args:
        seconds: a time limit; None for none.

    Raises:
        NoDeal: the problem is infeasible.
        LimitError: many players, and too much to search (see `solvers.flow_filtering`).
        SolverTimeout: the time limit was reached.

    >>> from solvers import SetConstraint
    >>> three = SetConstraint.of([[0, 1], [0, 1], [0, 1]], players=2, low=[0, 2])
    >>> one = SetConstraint.of([[0, 1]], players=2)
    >>> for constraint in closed(DealProblem([2, 2], [three, one])).sets:
    ...     print(constraint)
    SetConstraint(owners=[[0, 1], [0, 1], [0, 1]], low=[1, 2], high=[1, 2])
    SetConstraint(owners=[[0]], low=[1, 0], high=[1, 0])
    """
    deadline = NEVER if seconds is None else Deadline(seconds)
    return FILTERS["tables" if _by_tables(problem) else "flow"](problem, deadline)


def _by_tables(problem: DealProblem) -> bool:
    """Whether tables are likely the quicker way, by what was measured of both."""
    players = problem.players
    if players <= FEW_PLAYERS or players > MAX_PLAYERS:
        return players <= MAX_PLAYERS
    # Nanoseconds, as measured; flow starts with the loading of OR-Tools and SciPy.
    tables, flow = 0, 500_000_000
    for owners, _, high in {(tuple(sorted(one.owners)), one.low, one.high) for one in problem.sets}:
        masks = set(owners)
        # Upper bounds make a table longer work, and a path shorter.
        lane, path = (30, 100_000) if min(high) >= len(owners) else (100, 50_000)
        # A table per owner of a mask, and passes over all lanes:
        tables += (lane * sum(mask.bit_count() for mask in masks) + 60 * players) << players
        # Per player a path by each mask, through a player's shares of all sets:
        flow += players * (path * (len(masks) + 1) + 2_000 * len(problem.sets))
    return tables < flow


__all__ = ["FILTERS", "closed"]
