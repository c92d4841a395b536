"""All solvers answer alike, and every verdict stands on evidence."""

from collections import Counter

from hypothesis import given, settings

from solvers import (
    DealProblem,
    Feasible,
    Verdict,
    all_solvers,
    certify,
    coalitions,
    solve,
    solvers_for,
    verify,
)
from solvers.strategies import deal_problems, feasible_problems
from tests.agreement import agree
from tests.sizes import examples


def decide(problem: DealProblem) -> Verdict:
    """The verdict of all solvers that take the problem, checked."""
    takers = solvers_for(problem, all_solvers().values())
    methods = {solver.name: solver for solver in takers}
    for solver in takers:
        verdict = solver(problem)
        if solver.certifies:
            assert verify(problem, verdict), (solver.name, verdict)
    return agree(
        methods, problem, check=lambda one: verify(problem, certify(problem, one)), answer=bool
    )


@given(deal_problems())
@settings(max_examples=examples(300))
def test_solvers_agree(problem: DealProblem) -> None:
    assert bool(decide(problem)) == coalitions.is_feasible(problem)


@given(deal_problems(max_players=6, max_sets=6, max_set_size=6, upper_bounds=False))
@settings(max_examples=examples(100))
def test_solvers_agree_on_larger_problems(problem: DealProblem) -> None:
    decide(problem)


@given(feasible_problems())
@settings(deadline=None)
def test_problems_made_from_a_deal_are_feasible(problem: DealProblem) -> None:
    assert isinstance(solve(problem), Feasible)


def test_both_kinds_occur_often() -> None:
    seen: Counter[bool] = Counter()

    @given(deal_problems())
    @settings(max_examples=300, derandomize=True, database=None)
    def count(problem: DealProblem) -> None:
        seen[bool(solve(problem))] += 1

    count()
    assert min(seen[True], seen[False]) >= sum(seen.values()) * 0.2, seen
