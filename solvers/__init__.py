"""Exact solvers for deal problems: decide whether cards can be dealt under given constraints.

`solve` returns a deal if there is one, and otherwise a short proof that there is none. `verify`
checks the deal or the proof without a solver. Other functions count deals, draw random deals,
compute the probability that a player owns a card, and tighten the constraints of a problem.
`export` and `prove` write problems and proofs for other programs.

Three modules help you to test and compare solvers: `solvers.strategies` has random problems for
Hypothesis, `solvers.testing` has `check_solver`, and `solvers.instances` has hard problems and a
fixed benchmark.

>>> from solvers import DealProblem, SetConstraint, solve, verify
>>> problem = DealProblem(
...     hands=[2, 1],
...     sets=[SetConstraint.of([[0, 1], [0, 1], [0]], players=2, low=[0, 1])],
... )
>>> verdict = solve(problem)
>>> verdict
Feasible(deal=Deal(owner=((0, 1, 0),)))
>>> verify(problem, verdict)
True
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

try:
    from quaternity.base.lazy_names import lazy_names
except ModuleNotFoundError as error:
    hiding = getattr(sys.modules.get("quaternity"), "__file__", None)
    if error.name != "quaternity.base" or hiding is None:
        raise
    raise ImportError(
        f"{hiding} hides the package quaternity, which solvers needs: rename that module, or start "
        "Python in another folder",
        name=__name__,
    ) from None

if TYPE_CHECKING:
    from quaternity.base.errors import InputError as InputError
    from quaternity.base.errors import LimitError as LimitError
    from quaternity.base.errors import NoDeal as NoDeal
    from quaternity.base.errors import QuaternityError as QuaternityError
    from quaternity.base.errors import SolverFault as SolverFault
    from quaternity.base.errors import SolverTimeout as SolverTimeout
    from quaternity.base.errors import UnsupportedProblem as UnsupportedProblem
    from solvers import instances as instances
    from solvers import strategies as strategies
    from solvers import testing as testing
    from solvers.builder import ProblemBuilder as ProblemBuilder
    from solvers.counting import Chances as Chances
    from solvers.counting import chances as chances
    from solvers.counting import count_deals as count_deals
    from solvers.counting import count_deals_given as count_deals_given
    from solvers.counting import count_distribution as count_distribution
    from solvers.counting import count_vector_distribution as count_vector_distribution
    from solvers.counting import exact_chances as exact_chances
    from solvers.exchange.formats import export as export
    from solvers.explanation import AtLeast as AtLeast
    from solvers.explanation import AtMost as AtMost
    from solvers.explanation import Explanation as Explanation
    from solvers.explanation import Hand as Hand
    from solvers.explanation import explain as explain
    from solvers.filtering import filter_problem as filter_problem
    from solvers.flow_graph import draw_flow_network as draw_flow_network
    from solvers.flow_graph import flow_network as flow_network
    from solvers.named_model import CpSatModel as CpSatModel
    from solvers.named_model import cp_sat_model as cp_sat_model
    from solvers.names import Names as Names
    from solvers.problem import DealProblem as DealProblem
    from solvers.problem import SetConstraint as SetConstraint
    from solvers.problem import mask_of as mask_of
    from solvers.problem import players_in as players_in
    from solvers.proving import Refutation as Refutation
    from solvers.proving import prove as prove
    from solvers.registry import SOLVERS as SOLVERS
    from solvers.registry import all_solvers as all_solvers
    from solvers.registry import certify as certify
    from solvers.registry import default_solver as default_solver
    from solvers.registry import find_solver as find_solver
    from solvers.registry import solve as solve
    from solvers.registry import solvers_for as solvers_for
    from solvers.sampling import NumberedDeals as NumberedDeals
    from solvers.sampling import sample_deals as sample_deals
    from solvers.shortage import Certificate as Certificate
    from solvers.shortage import CrossedBounds as CrossedBounds
    from solvers.shortage import CrowdedHand as CrowdedHand
    from solvers.shortage import Shortage as Shortage
    from solvers.shortage import TooManyCards as TooManyCards
    from solvers.solver import Solver as Solver
    from solvers.verdict import Deal as Deal
    from solvers.verdict import Feasible as Feasible
    from solvers.verdict import Infeasible as Infeasible
    from solvers.verdict import Verdict as Verdict
    from solvers.verdict import deal_faults as deal_faults
    from solvers.verdict import verify as verify

if not TYPE_CHECKING:  # with `__getattr__`, a type checker would accept names that do not exist
    __all__, __getattr__, __dir__ = lazy_names(
        globals(),
        {
            "solvers.counting": (
                "Chances chances count_deals count_deals_given count_distribution "
                "count_vector_distribution exact_chances"
            ),
            "quaternity.base.errors": (
                "InputError LimitError NoDeal QuaternityError SolverFault SolverTimeout "
                "UnsupportedProblem"
            ),
            "solvers.builder": "ProblemBuilder",
            "solvers.named_model": "CpSatModel cp_sat_model",
            "solvers.exchange.formats": "export",
            "solvers.explanation": "AtLeast AtMost Explanation Hand explain",
            "solvers.filtering": "filter_problem",
            "solvers.flow_graph": "draw_flow_network flow_network",
            "solvers.names": "Names",
            "solvers.problem": "DealProblem SetConstraint mask_of players_in",
            "solvers.proving": "Refutation prove",
            "solvers.registry": (
                "SOLVERS Solver all_solvers certify default_solver find_solver solve solvers_for"
            ),
            "solvers.sampling": "NumberedDeals sample_deals",
            "solvers.shortage": "Certificate CrossedBounds CrowdedHand Shortage TooManyCards",
            "solvers.verdict": "Deal Feasible Infeasible Verdict deal_faults verify",
        },
        modules=("instances", "strategies", "testing"),
    )
