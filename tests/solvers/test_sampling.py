"""Numbered deals are a bijection, so draws are exactly uniform."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from scipy.special import chdtrc

from solvers import (
    DealProblem,
    Feasible,
    InputError,
    LimitError,
    NoDeal,
    NumberedDeals,
    SetConstraint,
    count_deals,
    exact_chances,
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

MIXED = DealProblem(
    [4, 3, 3],
    [
        SetConstraint.of([[0, 1], [0, 1, 2], [0, 1, 2]], players=3, low=[1, 0, 1]),
        SetConstraint.of([[1, 2], [0, 1, 2], [0], [0, 2]], players=3, high=[2, 2, 2]),
        SetConstraint.of([[0, 1, 2], [0, 1, 2], [1, 2]], players=3),
    ],
)


@given(listable_problems())
@settings(max_examples=thorough(40, 300))
def test_numbers_and_deals_correspond(problem: DealProblem) -> None:
    numbered = NumberedDeals(problem)
    listed = sorted(numbered.deal(number).owner for number in range(numbered.number))
    assert listed == [deal.owner for deal in deals(problem)]


def test_drawn_deals_satisfy_a_large_problem() -> None:
    for problem in (free_start(40, 25, 8), start_seen_by_one(4, 13, 4), bound_everywhere(4, 13, 4)):
        drawn = sample_deals(problem, Random(3), 20)
        assert len({*drawn}) == 20
        assert all(verify(problem, Feasible(deal)) for deal in drawn)
        assert drawn == sample_deals(problem, Random(3), 20)
        assert NumberedDeals(problem).number == count_deals(problem)


def p_value(observed: Sequence[int], expected: Sequence[float]) -> float:
    """Return the p-value of Pearson's test; importing `scipy.stats` for it takes half a second."""
    distance = sum((n - mean) ** 2 / mean for n, mean in zip(observed, expected, strict=True))
    return float(chdtrc(len(observed) - 1, distance))


def test_every_deal_is_drawn_equally_often() -> None:
    number = count_deals(MIXED)
    index = {deal: place for place, deal in enumerate(deals(MIXED))}
    assert len(index) == number
    tally = [0] * number
    for deal in sample_deals(MIXED, Random(2024), 40 * number):
        tally[index[deal]] += 1
    # The seed is fixed, so this is one number; a sampler that prefers some deals gives about 0.
    assert p_value(tally, [40.0] * number) > 0.01


def test_drawn_cards_have_their_chances() -> None:
    problem = bound_everywhere(4, 13, 4)
    exact = exact_chances(problem)
    draws = thorough(500, 2_000)
    tally = [[[0] * 4 for _ in range(4)] for _ in range(13)]
    for deal in sample_deals(problem, Random(7), draws):
        for index, owners in enumerate(deal.owner):
            for card, owner in enumerate(owners):
                tally[index][card][owner] += 1
    values = []
    for index, cards in enumerate(exact.owned):
        for card, row in enumerate(cards):
            seen = tally[index][card]
            expected = [draws * owned / exact.deals for owned in row]
            possible = [player for player in range(4) if row[player]]
            assert all(player in possible for player in range(4) if seen[player])
            values.append(
                p_value(
                    [seen[player] for player in possible],
                    [expected[player] for player in possible],
                )
            )
    # 52 tests: the smallest of 52 fair p-values is below 0.0002 in one case of a hundred.
    assert min(values) > 0.0002


def test_a_draw_is_the_deal_of_a_random_number() -> None:
    """The number is one of all numbers. With the bijection above, draws are exactly uniform."""
    numbered = NumberedDeals(MIXED)

    class FixedRandom(Random):
        def randrange(self, *bounds: int) -> int:  # type: ignore[override]  # with one bound
            assert bounds == (numbered.number,)
            return number

    for number in (0, 1, numbered.number // 2, numbered.number - 1):
        assert numbered.draw(FixedRandom()) == numbered.deal(number)
        assert sample_deals(MIXED, FixedRandom(), 2) == [numbered.deal(number)] * 2


def test_a_draw_requires_a_generator() -> None:
    with pytest.raises(InputError, match="5"):
        NumberedDeals(DealProblem([1, 0], [SetConstraint.of([[0]], players=2)])).draw(5)  # type: ignore[arg-type]


def test_numbers_without_a_deal_are_refused() -> None:
    impossible = DealProblem([1, 1], [SetConstraint.of([[0], [0]], players=2)])
    assert NumberedDeals(impossible).number == 0
    with pytest.raises(NoDeal, match="no deal satisfies the problem"):
        sample_deals(impossible, Random(0), 1)
    with pytest.raises(InputError, match="deal 0 is out of range: there are 0 deals"):
        NumberedDeals(impossible).deal(0)
    empty = NumberedDeals(DealProblem([0], []))
    assert (empty.number, empty.deal(0).owner) == (1, ())
    for number in (-1, 1):
        with pytest.raises(InputError, match=f"deal {number} is out of range: there are 1 deals"):
            empty.deal(number)


def test_tables_above_the_limit_are_refused() -> None:
    bound = SetConstraint.of([[0, 1]] * 4, players=2, low=[1, 0])
    with pytest.raises(LimitError, match=r"tables of up to [\d,]+ MB: the limit is 512 MB"):
        NumberedDeals(DealProblem([2_400, 2_400], [bound] * 1_200))
