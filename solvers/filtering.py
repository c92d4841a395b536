"""What every deal of a problem has in common: who may own what, fewest and most cards per set.

A problem is *closed* when nothing in it can be tightened: every owner of a card owns it in some
deal, and every minimum and maximum of a player and a set is reached by some deal.
"""

from __future__ import annotations

from collections.abc import Callable

from solvers.coalition_tables import MAX_PLAYERS
from solvers.flow_filtering import closed_by_flow
from solvers.problem import DealProblem
from solvers.table_filtering import closed_by_tables

FILTERS: dict[str, Callable[[DealProblem], DealProblem]] = {
    "tables": closed_by_tables,
    "flow": closed_by_flow,
}
"""Two ways to the same answer; "tables" serves up to `coalition_tables.MAX_PLAYERS` players."""


def closed(problem: DealProblem) -> DealProblem:
    """The same deals, said with the fewest owners, the largest minimums and smallest maximums.

    In the result a card's owners are exactly the players who own it in some deal, and a player's
    `low` and `high` for a set are the fewest and the most cards of it that he holds in some deal.

    Raises:
        NoDeal: the problem is infeasible.
        LimitError: many players, and too much to search (see `solvers.flow_filtering`).

    >>> from solvers import SetConstraint
    >>> three = SetConstraint.of([[0, 1], [0, 1], [0, 1]], players=2, low=[0, 2])
    >>> one = SetConstraint.of([[0, 1]], players=2)
    >>> for constraint in closed(DealProblem([2, 2], [three, one])).sets:
    ...     print(constraint)
    SetConstraint(owners=[[0, 1], [0, 1], [0, 1]], low=[1, 2], high=[1, 2])
    SetConstraint(owners=[[0]], low=[1, 0], high=[1, 0])
    """
    return FILTERS["tables" if problem.players <= MAX_PLAYERS else "flow"](problem)


__all__ = ["FILTERS", "closed"]
