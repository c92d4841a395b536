"""Comparison of all solvers on one problem."""

from collections.abc import Callable

from solvers import DealProblem, Verdict, all_solvers, certify, solvers_for, verify
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
    return agree(
        {solver.name: with_own_evidence(solver) for solver in accepting},
        problem,
        check=lambda verdict: verify(problem, certify(problem, verdict)),
        answer=bool,
    )


__all__ = ["decide"]
