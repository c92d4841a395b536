"""Numbered deals are a bijection, so draws are exactly uniform."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from solvers import (
    DealProblem,
    Feasible,
    InputError,
    LimitError,
    NoDeal,
    NumberedDeals,
    SetConstraint,
    count_deals,
    sample_deals,
    verify,
)
from solvers.brute_force import deals
from tests.sizes import thorough
from tests.solvers.problems import (
    bound_everywhere,
    free_start,
    listable_problems,
    start_seen_by_one,
)


@given(listable_problems())
@settings(max_examples=thorough(40, 300))
def test_numbers_and_deals_correspond(problem: DealProblem) -> None:
    """A draw is the deal of a random number, so draws are exactly uniform."""
    numbered = NumberedDeals(problem)
    listed = sorted(numbered.deal(number).owner for number in range(numbered.number))
    assert listed == [deal.owner for deal in deals(problem)]

    class FixedRandom(Random):
        def randrange(self, *bounds: int) -> int:  # type: ignore[override]  # with one bound
            assert bounds == (numbered.number,)
            return numbered.number // 2

    for outside in (-1, len(listed)):
        with pytest.raises(
            InputError, match=rf"deal {outside} is out of range: there are {len(listed)} "
        ):
            numbered.deal(outside)
    if not listed:
        with pytest.raises(NoDeal, match="no deal satisfies the problem"):
            sample_deals(problem, Random(0), 1)
    else:
        wrong: Any = 5
        with pytest.raises(InputError, match="5"):
            numbered.draw(wrong)
        middle = numbered.deal(numbered.number // 2)
        assert sample_deals(problem, FixedRandom(), 2) == [middle] * 2


def test_drawn_deals_satisfy_a_large_problem() -> None:
    for problem in (free_start(40, 25, 8), start_seen_by_one(4, 13, 4), bound_everywhere(4, 13, 4)):
        drawn = sample_deals(problem, Random(3), 20)
        assert len({*drawn}) == 20
        assert all(verify(problem, Feasible(deal)) for deal in drawn)
        assert drawn == sample_deals(problem, Random(3), 20)
        assert NumberedDeals(problem).number == count_deals(problem)


def test_tables_above_the_limit_are_refused() -> None:
    bound = SetConstraint.of([[0, 1]] * 4, players=2, low=[1, 0])
    with pytest.raises(LimitError, match=r"tables of up to [\d,]+ MB: the limit is 512 MB"):
        NumberedDeals(DealProblem([2_400, 2_400], [bound] * 1_200))
