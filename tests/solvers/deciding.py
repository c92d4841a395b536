"""Comparison of all solvers on one problem."""

from collections.abc import Callable

from solvers import DealProblem, Verdict, all_solvers, certify, coalitions, solvers_for, verify
from solvers.coalition_tables import MAX_PLAYERS
from solvers.explanation import METHODS, constraints_of, explain
from solvers.solver import Solver
from tests.agreement import agree


def decide(problem: DealProblem) -> Verdict:
    """Return the common verdict of all solvers that accept the problem; check their evidence."""

    def with_own_evidence(solver: Solver) -> Callable[[DealProblem], Verdict]:
        def run(problem: DealProblem) -> Verdict:
            verdict = solver(problem)
            assert not solver.certifies or verify(problem, verdict), (solver.name, verdict)
            return verdict

        return run

    accepting = solvers_for(problem, all_solvers().values())
    verdict = agree(
        {solver.name: with_own_evidence(solver) for solver in accepting},
        problem,
        check=lambda verdict: verify(problem, certify(problem, verdict)),
        answer=bool,
    )
    if problem.players <= MAX_PLAYERS:
        assert coalitions.is_feasible(problem) == bool(verdict)
    return verdict


def check_explanations(problem: DealProblem) -> Verdict:
    """Return the verdict; check that both methods explain an infeasible one by a minimal subset."""
    verdict = decide(problem)
    for method in METHODS:
        reason = explain(problem, method)
        assert (reason is None) == bool(verdict), method
        if reason is not None:
            assert reason.is_impossible(), method
            assert reason.is_minimal(), method
            assert set(reason.constraints) <= set(constraints_of(problem)), method
    return verdict
