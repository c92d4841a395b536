"""970 recorded game states on whose verdicts two independent implementations agree."""

from collections import Counter

from solvers import SOLVERS, certify, count_deals, verify
from tests.sizes import thorough
from tests.solvers.problems import oracle_problems


def test_every_solver_gives_the_recorded_verdicts() -> None:
    seen: Counter[tuple[str, bool]] = Counter()
    for number, (problem, valid) in enumerate(oracle_problems()):
        for solver in SOLVERS.values():
            left_out = solver.name == "cp-sat" and number % thorough(80, 1)
            if not left_out and solver.refuses(problem) is None:
                verdict = solver(problem)
                assert bool(verdict) == valid, (solver.name, problem)
                assert verify(problem, certify(problem, verdict)), (solver.name, problem)
                seen[solver.name, valid] += 1
    assert all(
        seen[name, valid] == (667 if valid else 303)
        for name in ("max-flow", "matching", "coalitions", *thorough((), ("cp-sat",)))
        for valid in (False, True)
    ), seen
    assert seen["cp-sat", True]
    assert seen["cp-sat", False]


def test_a_deal_exists_exactly_if_the_state_is_valid() -> None:
    for problem, valid in oracle_problems():
        assert bool(count_deals(problem)) == valid
