"""Counts, chances and draws: all deals, known numbers, other ways to compute them, limits."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import factorial, nextafter, prod
from random import Random
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from solvers import (
    DealProblem,
    Feasible,
    InputError,
    LimitError,
    NoDeal,
    NumberedDeals,
    SetConstraint,
    chances,
    count_deals,
    count_deals_given,
    count_distribution,
    count_vector_distribution,
    exact_chances,
    sample_deals,
    solve,
    verify,
)
from solvers.brute_force import deals
from solvers.counting import Chances
from solvers.problem import with_entry
from solvers.random_problems import GameSize, game_like
from solvers.set_counts import assign_owners, count_vectors
from solvers.strategies import deal_problems, tightened_problems
from tests.agreement import agree
from tests.sizes import examples, thorough
from tests.solvers.plain_counting import count_by_remaining_hands
from tests.solvers.problems import (
    bound_everywhere,
    free_start,
    listable_problems,
    start_seen_by_one,
)

ONE_EACH = SetConstraint.of([[0, 1]] * 2, 2, low=[1, 1])


@given(listable_problems())
@example(DealProblem([3, 2], [SetConstraint.of([[0, 1]] * 3, 2), ONE_EACH]))
@settings(max_examples=thorough(60, 400))
def test_counts_and_chances_are_those_of_all_deals(problem: DealProblem) -> None:
    listed = [deal.owner for deal in deals(problem)]
    assert count_deals(problem) == count_by_remaining_hands(problem) == len(listed)
    exact = exact_chances(problem)
    assert exact.deals == len(listed)
    players = range(problem.players)
    for index, set_ in enumerate(problem.sets):
        for card in range(set_.size):
            owners = [owner[index][card] for owner in listed]
            assert exact.owned[index][card] == tuple(map(owners.count, players))
            for player in players:
                if not listed:
                    with pytest.raises(NoDeal, match="no deal satisfies the problem"):
                        exact.chance(index, card, player)
                    break
                chance = Fraction(owners.count(player), len(listed))
                assert exact.chance(index, card, player) == chance
                assert chances(problem)[index][card][player] == float(chance)
        vectors = Counter(tuple(map(owner[index].count, players)) for owner in listed)
        assert count_vector_distribution(problem, index) == vectors
        for player in players:
            numbers = count_distribution(problem, player, index)
            assert list(numbers) == sorted(numbers)
            assert numbers == Counter(owner[index].count(player) for owner in listed)


class Middle(Random):
    """A source of chance that draws the middle of the numbers below a bound."""

    def randrange(self, *bounds: int) -> int:  # type: ignore[override]  # with one bound
        (number,) = bounds
        return number // 2


@given(listable_problems())
@settings(max_examples=thorough(40, 300))
def test_numbers_and_deals_correspond(problem: DealProblem) -> None:
    """A draw is the deal of a random number, so draws are exactly uniform."""
    numbered, listed = NumberedDeals(problem), [*deals(problem)]
    drawn = [numbered.deal(number) for number in range(numbered.number)]
    assert sorted(drawn, key=lambda deal: deal.owner) == listed
    for outside in (-1, len(listed)):
        with pytest.raises(
            InputError, match=rf"deal {outside} is out of range: there are {len(listed)} "
        ):
            numbered.deal(outside)
    if listed:
        wrong: Any = 5
        with pytest.raises(InputError, match="5"):
            numbered.draw(wrong)
        assert sample_deals(problem, Middle(), 2) == [drawn[len(listed) // 2]] * 2
        return
    for refuse in (chances, lambda problem: sample_deals(problem, Random(0), 1)):
        with pytest.raises(NoDeal, match="no deal satisfies the problem"):
            refuse(problem)


def test_drawn_deals_satisfy_a_large_problem() -> None:
    for problem in (free_start(40, 25, 8), start_seen_by_one(4, 13, 4), bound_everywhere(4, 13, 4)):
        drawn = sample_deals(problem, Random(3), 20)
        assert len({*drawn}) == 20
        assert all(verify(problem, Feasible(deal)) for deal in drawn)
        assert drawn == sample_deals(problem, Random(3), 20)
        assert NumberedDeals(problem).number == count_deals(problem)


def test_cards_of_very_many_kinds_are_handed_out() -> None:
    """4,083 kinds of cards, each of which at least two players may have, in reverse order."""
    owners = [mask for mask in range(4095, 0, -1) if mask & (mask - 1)]
    counts = [len(owners) // 12 + (player < len(owners) % 12) for player in range(12)]
    deal = assign_owners(owners, counts)
    assert [deal.count(player) for player in range(12)] == counts
    assert all(mask >> player & 1 for mask, player in zip(owners, deal, strict=True))


@given(st.lists(st.integers(1, 7), min_size=1, max_size=5))
@settings(max_examples=thorough(15, 200))
def test_cards_are_handed_out_by_all_possible_counts_and_no_others(owners: list[int]) -> None:
    vectors = count_vectors(SetConstraint(owners, [0] * 3, [len(owners)] * 3))
    for counts in product(range(4), repeat=3):
        if counts in vectors:
            deal = assign_owners(owners, counts)
            assert tuple(map(deal.count, range(3))) == counts
            assert all(mask >> player & 1 for mask, player in zip(owners, deal, strict=True))
        elif sum(counts) <= len(owners):
            with pytest.raises(ValueError, match=r"no deal gives the players \["):
                assign_owners(owners, counts)


@given(deal_problems(max_players=4, max_sets=6, max_set_size=5))
@settings(max_examples=examples(200))
def test_larger_problems_by_two_ways(problem: DealProblem) -> None:
    number = agree({"fast": count_deals, "remaining hands": count_by_remaining_hands}, problem)
    assert bool(number) == bool(solve(problem))
    exact = exact_chances(problem)
    assert exact.deals == number
    assert all(sum(row) == number for cards in exact.owned for row in cards)
    for player, hand in enumerate(problem.hands):
        # The expected number of cards is the hand.
        assert sum(row[player] for cards in exact.owned for row in cards) == hand * number


@given(tightened_problems(), st.data())
@settings(max_examples=examples(400))
def test_deals_given_a_narrower_set_are_those_of_the_narrower_problem(
    problem: DealProblem, data: st.DataObject
) -> None:
    assume(problem.sets)
    index = data.draw(st.integers(0, len(problem.sets) - 1))
    owners, low, high = problem.sets[index]
    masks = data.draw(st.lists(st.integers(0, 15), min_size=len(owners), max_size=len(owners)))
    player = data.draw(st.integers(0, problem.players - 1))
    narrow = [mask & some for mask, some in zip(owners, masks, strict=True)]
    more, less = (
        with_entry(bounds, player, max(0, bounds[player] + step))
        for bounds, step in ((low, 1), (high, -1))
    )
    narrower = [
        SetConstraint(narrow, low, high),
        SetConstraint(narrow, more, high),
        SetConstraint(narrow, low, less),
        SetConstraint(owners, more, less),
    ]
    expected = [count_deals(problem.with_set(index, row)) for row in narrower]
    assert count_deals_given(problem, index, narrower) == expected
    for row in narrower:
        if row != problem.sets[index]:
            with pytest.raises(InputError, match=r"allows more than"):
                count_deals_given(problem.with_set(index, row), index, [problem.sets[index]])


def test_golden_numbers() -> None:
    for sets, size, players in ((13, 4, 4), (12, 5, 5), (18, 4, 6), (40, 40, 40)):
        start = free_start(size, sets, players)
        assert count_deals(start) == factorial(size * sets) // prod(map(factorial, start.hands))
        assert set(chances(start)[0][0]) == {1 / players}
    assert count_deals(free_start(4, 13, 4)) == 53_644_737_765_488_792_839_237_440_000
    assert count_deals(start_seen_by_one(4, 13, 4)) == 84_478_098_072_866_400
    # Decision diagrams of another project gave the same number.
    game = game_like(Random(1), GameSize(4, 13, 4))
    ways = {"polynomial": count_deals, "remaining hands": count_by_remaining_hands}
    assert agree(ways, game) == 182_070_934_730_308


def test_chances_too_small_for_a_float_are_not_0() -> None:
    odds = Chances(10**26 + 1, (((1, 10**26, 0),),))
    assert odds.chance(0, 0, 0) == Fraction(1, 10**26 + 1)
    assert odds.floats() == [[[1 / (10**26 + 1), nextafter(1.0, 0.0), 0.0]]]
    floats = Chances(10**400, (((1, 10**400 - 1, 0), (0, 0, 10**400)),)).floats()
    assert floats == [[[nextafter(0.0, 1.0), nextafter(1.0, 0.0), 0.0], [0.0, 0.0, 1.0]]]


def test_players_and_sets_out_of_range_are_refused() -> None:
    exact = exact_chances(free_start(4, 3, 3))
    for place, words in (((0, 0, 3), "player 3"), ((0, 4, 0), "card 4"), ((-1, 0, 0), "set -1")):
        with pytest.raises(InputError, match=rf"{words} is out of range 0\.\."):
            exact.chance(*place)


def test_a_large_count_is_refused_with_its_cost() -> None:
    with pytest.raises(LimitError, match=r"of at least [\d,]+ MB: the limit is 32 MB"):
        count_deals(bound_everywhere(4, 40, 8))
    with pytest.raises(LimitError, match=r"additions of [\d.]+ MB: the limit is 20 GB in all"):
        exact_chances(bound_everywhere(4, 45, 5))
    big = SetConstraint.of([range(5)] * 400, players=5, low=[1] * 5)
    start = DealProblem([13] * 4, [SetConstraint.of([range(4)] * 4, players=4, high=[3] * 4)] * 13)
    with pytest.raises(LimitError, match=r"additions of [\d.]+ MB: the limit is 0 GB in all"):
        count_deals(start, max_work=1000)
    assert count_deals(start, max_work=10**9) == count_deals(start)
    with pytest.raises(LimitError, match=r"in up to \d+ ways: the limit for counting is"):
        count_deals(DealProblem([80] * 5, [big]))
    owners = [range(4)] * 60 + [range(1, 4)] * 60
    with pytest.raises(LimitError, match=r"counting a set needs \d+ x \d+ steps: the limit is"):
        count_deals(DealProblem([30] * 4, [SetConstraint.of(owners, players=4, low=[1] * 4)]))
    bound = SetConstraint.of([[0, 1]] * 4, players=2, low=[1, 0])
    with pytest.raises(LimitError, match=r"tables of up to [\d,]+ MB: the limit is 512 MB"):
        NumberedDeals(DealProblem([2_400, 2_400], [bound] * 1_200))
