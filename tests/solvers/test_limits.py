"""Limits of time and size are kept and reported, before the work begins if possible."""

import tracemalloc
from collections.abc import Callable
from itertools import count
from math import inf, nan
from random import Random

import numpy
import pytest
from hypothesis import given, settings

from quaternity.base.deadline import Deadline
from quaternity.game.state import State
from quaternity.insight.analysis import analyse
from solvers import (
    SOLVERS,
    DealProblem,
    Infeasible,
    InputError,
    LimitError,
    NumberedDeals,
    SetConstraint,
    SolverTimeout,
    chances,
    count_deals,
    count_deals_given,
    count_distribution,
    count_vector_distribution,
    exact_chances,
    factor_product,
    filter_problem,
    filtering,
    sample_deals,
    solve,
    verify,
)
from solvers.factor_product import Product
from solvers.filtering import FILTERS
from solvers.instances import make_pair
from solvers.reduced_problem import min_lanes, reduce_problem
from solvers.strategies import deal_problems
from tests.limits import limited
from tests.sizes import examples
from tests.solvers.problems import bound_everywhere

PROBLEM = bound_everywhere(4, 6, 4)
CALLS: dict[str, Callable[[float], object]] = {
    "solve": lambda seconds: solve(PROBLEM, seconds=seconds),
    "filter_problem": lambda seconds: filter_problem(PROBLEM, seconds),
    "closed by flow": lambda seconds: filter_problem(bound_everywhere(2, 13, 13), seconds),
    "count_deals": lambda seconds: count_deals(PROBLEM, seconds=seconds),
    "exact_chances": lambda seconds: exact_chances(PROBLEM, seconds=seconds),
    "chances": lambda seconds: chances(PROBLEM, seconds=seconds),
    "count_distribution": lambda seconds: count_distribution(PROBLEM, 0, 0, seconds=seconds),
    "count_vectors": lambda seconds: count_vector_distribution(PROBLEM, 0, seconds=seconds),
    "given": lambda seconds: count_deals_given(PROBLEM, 0, [PROBLEM.sets[0]], seconds=seconds),
    "numbered": lambda seconds: NumberedDeals(PROBLEM, seconds=seconds),
    "sample_deals": lambda seconds: sample_deals(PROBLEM, Random(1), 2, seconds=seconds),
    "state": lambda seconds: State.start().filtered_problem(seconds),
    "analyse": lambda seconds: analyse(State.start(), seconds),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_short_time_limit_stops_a_call_and_a_long_one_changes_nothing(name: str) -> None:
    call = CALLS[name]
    with pytest.raises(SolverTimeout, match="the time limit of 0 s was reached without an answer"):
        call(0)
    for wrong in (-1.0, nan, True, "1"):
        with pytest.raises(InputError, match=r"^seconds: must be a number >= 0, not .*$"):
            call(wrong)  # type: ignore[arg-type]
    for long in (1e6, inf, 10**400, numpy.float32(9e9), numpy.int64(9)):
        assert call(long)  # type: ignore[arg-type]


@pytest.mark.parametrize("way", [count_deals, exact_chances, NumberedDeals, filter_problem])
def test_a_limit_holds_within_one_set(way: Callable[..., object]) -> None:
    """The listing of this set takes longer than all the work between sets."""
    owners = [(card % 8, *Random(card).sample(range(8), 3)) for card in range(16)]
    constraint = SetConstraint.of(owners, 8, [1] * 8, [9] * 8)
    calls = count(1)

    class Soon(Deadline):
        """A deadline that is reached at its third check."""

        def remaining(self) -> float:
            return 1.0 if next(calls) < 3 else self.raise_timeout()

    with pytest.MonkeyPatch.context() as patch:
        for module in (factor_product, filtering):
            patch.setattr(module, "Deadline", Soon)
        with pytest.raises(SolverTimeout):
            way(DealProblem([2] * 8, [constraint]), seconds=1000)
    assert next(calls) == 4


def test_a_count_too_large_is_refused_and_an_impossible_one_is_not() -> None:
    possible, impossible = make_pair("game", 2_000, 1)
    for method in (count_deals, exact_chances, NumberedDeals):
        with pytest.raises(LimitError, match=r"at least [\d,]+ MB: the limit is 32 MB"):
            method(possible)
    assert count_deals(impossible) == 0
    # The same holds if upper bounds matter in every set.
    kinds = [[range(12)] * 60 + [range(half)] * 40 for half in (6, 7)]
    most = [SetConstraint.of(owners, 12, None, [50] * 12) for owners in kinds]
    with pytest.raises(LimitError, match=r"at least [\d,]+ MB: the limit is 32 MB"):
        count_deals(DealProblem([167] * 8 + [166] * 4, most * 10))


@given(deal_problems())
@settings(max_examples=examples(100))
def test_the_estimate_is_never_too_large(problem: DealProblem) -> None:
    rest = reduce_problem(problem)
    if solve(problem) and rest is not None:
        product = Product(rest)
        lanes, size = min_lanes(problem)
        assert lanes <= product.lanes.lanes
        assert size <= product.size
        assert not size or len(product.nonconstant) > 1


@limited("solvers.flow_filtering", MAX_STEPS=40_000)
def test_filtering_is_refused_if_its_estimate_is_too_large() -> None:
    with pytest.raises(LimitError, match=r"would search about [\d,]+ arcs: the limit is 40,000"):
        FILTERS["flow"](bound_everywhere(4, 39, 13))


def test_a_shortage_is_read_from_a_matching_without_a_list_of_all_edges() -> None:
    problem = DealProblem([1001, 999], [SetConstraint.of([[0, 1]] * 1000 + [[1]] * 1000, 2)])
    run = SOLVERS["matching"].prepare(problem)
    tracemalloc.start()
    verdict = run()
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(verdict, Infeasible)
    assert verify(problem, verdict)
    assert used < 3_000_000


def test_matching_takes_many_equal_slots() -> None:
    """SciPy takes minutes if the slots are listed hand by hand."""
    random = Random(1)
    owners = [random.sample(range(4), random.randint(1, 3)) for _ in range(3_000)]
    deal = [random.choice(row) for row in owners]
    hands = [deal.count(player) for player in range(4)]
    assert SOLVERS["matching"](DealProblem(hands, [SetConstraint.of(owners, 4)]))
