"""Counting and closing, compared with plain methods, and with goals in seconds."""

from collections.abc import Callable

import pytest

from solvers import DealProblem, NumberedDeals, chances, count_deals, filter_problem
from solvers.filtering import FILTERS
from tests.solvers.plain_counting import count_by_remaining_hands
from tests.solvers.problems import bound_everywhere, free_start, oracle_games, start_seen_by_one

pytestmark = pytest.mark.bench


def game_states() -> list[DealProblem]:
    """Return the valid recorded states of the 52-card game."""
    return [problem for problem, valid, game in oracle_games() if valid and game == (4, 13, 4)]


@pytest.mark.parametrize(
    ("what", "problem", "counting", "all_chances"),
    [
        ("start, 4-13-4", free_start(4, 13, 4), "20 ms", "20 ms"),
        ("start with a known hand, 4-13-4", start_seen_by_one(4, 13, 4), "", "10 ms"),
        ("bounds in every set, 4-13-4", bound_everywhere(4, 13, 4), "20 ms", "20 ms"),
        ("start, 4-20-4", free_start(4, 20, 4), "200 ms", ""),
        ("bounds in every set, 4-20-4", bound_everywhere(4, 20, 4), "200 ms", ""),
    ],
)
def test_counting(
    pace: Callable[..., float], what: str, problem: DealProblem, counting: str, all_chances: str
) -> None:
    pace(f"exact number of deals: {what}", lambda: count_deals(problem), goal=counting)
    pace(f"chances of all cards: {what}", lambda: chances(problem), goal=all_chances)


def test_counting_on_the_recorded_states(pace: Callable[..., float]) -> None:
    states = game_states()
    pace("exact number of deals: recorded 4-13-4 state", lambda: [*map(count_deals, states)],
         per=len(states))  # fmt: skip
    pace("chances of all cards: recorded 4-13-4 state", lambda: [*map(chances, states)],
         per=len(states), goal="10 ms")  # fmt: skip


def test_packing_against_plain_counting(race: Callable[..., float]) -> None:
    problem = bound_everywhere(4, 13, 4)
    assert race(
        "exact count, bounds in every set: packed against a dictionary of hands",
        lambda: count_deals(problem),
        lambda: count_by_remaining_hands(problem),
        rounds=3,
        goal=50,
    )


def test_all_chances_against_one_count(race: Callable[..., float]) -> None:
    problem = bound_everywhere(4, 13, 4)
    assert race(
        "one exact count against the chances of all 208 (card, player)",
        lambda: count_deals(problem),
        lambda: chances(problem),
    )


def test_drawing_deals(pace: Callable[..., float]) -> None:
    deals = NumberedDeals(bound_everywhere(4, 13, 4))
    number = deals.number // 3
    pace("one deal by its number, bounds in every set", lambda: deals.deal(number))


def test_closing(race: Callable[..., float]) -> None:
    for game in ((4, 13, 4), (4, 3, 3)):
        states = [problem for problem, valid, size in oracle_games() if valid and size == game]
        assert race(
            f"owners, fewest and most, {'-'.join(map(str, game))}: tables against flow",
            lambda states=states: [*map(filter_problem, states)],
            lambda states=states: [*map(FILTERS["flow"], states)],
            per=len(states),
            rounds=3,
            goal=10,
        )
