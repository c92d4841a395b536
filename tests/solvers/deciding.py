"""All solvers on one problem, held together."""

from collections.abc import Callable

from solvers import DealProblem, Verdict, all_solvers, certify, solvers_for, verify
from solvers.solver import Solver
from tests.agreement import agree


def decide(problem: DealProblem) -> Verdict:
    """The verdict of all solvers that take the problem, each with the evidence that it promises."""

    def with_own_evidence(solver: Solver) -> Callable[[DealProblem], Verdict]:
        def run(problem: DealProblem) -> Verdict:
            verdict = solver(problem)
            assert not solver.certifies or verify(problem, verdict), (solver.name, verdict)
            return verdict

        return run

    takers = solvers_for(problem, all_solvers().values())
    return agree(
        {solver.name: with_own_evidence(solver) for solver in takers},
        problem,
        check=lambda one: verify(problem, certify(problem, one)),
        answer=bool,
    )


__all__ = ["decide"]
