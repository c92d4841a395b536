"""970 recorded game states, whose verdicts two unrelated implementations agree on."""

from collections import Counter

from solvers import SOLVERS, certify, count_deals, verify
from tests.solvers.problems import oracle_problems


def test_every_solver_knows_the_recorded_verdicts() -> None:
    seen: Counter[tuple[str, bool]] = Counter()
    for problem, valid in oracle_problems():
        for solver in SOLVERS.values():
            if solver.refuses(problem) is None:
                verdict = solver(problem)
                assert bool(verdict) == valid, (solver.name, problem)
                assert verify(problem, certify(problem, verdict)), (solver.name, problem)
                seen[solver.name, valid] += 1
    assert all(
        seen[name, valid] == (667 if valid else 303)
        for name in ("cp-sat", "max-flow", "matching", "coalitions")
        for valid in (False, True)
    ), seen


def test_there_is_a_deal_exactly_where_the_state_is_valid() -> None:
    for problem, valid in oracle_problems():
        assert bool(count_deals(problem)) == valid
