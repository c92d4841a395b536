"""Exact solvers for deal problems: can these cards be dealt, and how do we know?

>>> from solvers import DealProblem, SetConstraint, solve, verify
>>> problem = DealProblem(
...     hands=[2, 1],
...     sets=[SetConstraint.of([[0, 1], [0, 1], [0]], players=2, low=[0, 1])],
... )
>>> verdict = solve(problem)
>>> verdict
Feasible(deal=<Deal 0: 0/0 0/2; 1: 0/1>)
>>> verify(problem, verdict)
True
"""

from solvers.counting import (
    Chances,
    chances,
    count_deals,
    count_distribution,
    count_vector_distribution,
    exact_chances,
)
from solvers.errors import (
    InputError,
    LimitError,
    NoDeal,
    QuaternityError,
    SolverFault,
    SolverTimeout,
    UnsupportedProblem,
)
from solvers.filtering import closed
from solvers.problem import DealProblem, SetConstraint, mask_of, players_in
from solvers.registry import (
    SOLVERS,
    Solver,
    all_solvers,
    certify,
    default_solver,
    find_solver,
    solve,
    solvers_for,
)
from solvers.sampling import NumberedDeals, sample_deals
from solvers.shortage import Certificate, CrossedBounds, CrowdedHand, Shortage, TooFewPlaces
from solvers.verdict import Deal, Feasible, Infeasible, Verdict, deal_faults, verify

__all__ = [
    "SOLVERS",
    "Certificate",
    "Chances",
    "CrossedBounds",
    "CrowdedHand",
    "Deal",
    "DealProblem",
    "Feasible",
    "Infeasible",
    "InputError",
    "LimitError",
    "NoDeal",
    "NumberedDeals",
    "QuaternityError",
    "SetConstraint",
    "Shortage",
    "Solver",
    "SolverFault",
    "SolverTimeout",
    "TooFewPlaces",
    "UnsupportedProblem",
    "Verdict",
    "all_solvers",
    "certify",
    "chances",
    "closed",
    "count_deals",
    "count_distribution",
    "count_vector_distribution",
    "deal_faults",
    "default_solver",
    "exact_chances",
    "find_solver",
    "mask_of",
    "players_in",
    "sample_deals",
    "solve",
    "solvers_for",
    "verify",
]
