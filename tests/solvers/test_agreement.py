"""All solvers give the same answer, and every verdict has evidence."""

from collections import Counter

from hypothesis import given, settings

from solvers import DealProblem, Feasible, coalitions, solve
from solvers.strategies import deal_problems, feasible_problems
from tests.sizes import examples
from tests.solvers.deciding import decide


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


def test_feasible_and_infeasible_problems_are_both_common() -> None:
    seen: Counter[bool] = Counter()

    @given(deal_problems())
    @settings(max_examples=300, derandomize=True, database=None)
    def count(problem: DealProblem) -> None:
        seen[bool(solve(problem))] += 1

    count()
    assert min(seen[True], seen[False]) >= sum(seen.values()) * 0.2, seen
