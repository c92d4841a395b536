"""Speed of the solvers as ratios between rivals in one run; sizes in seconds only with room."""

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter

import pytest

from solvers import SOLVERS, DealProblem, chances, closed, count_deals, cp_sat
from solvers.filtering import FILTERS
from tests.solvers.plain_counting import count_by_remaining_hands
from tests.solvers.problems import bound_everywhere, free_start, oracle_games, start_seen_by_one

pytestmark = pytest.mark.bench


def game_states() -> list[DealProblem]:
    """The valid recorded states of the 52-card game."""
    return [problem for problem, valid, game in oracle_games() if valid and game == (4, 13, 4)]


def seconds(function: Callable[[DealProblem], object], problems: Sequence[DealProblem]) -> float:
    """Median over problems of the quickest of three calls."""
    quickest = []
    for problem in problems:
        times = []
        for _ in range(3):
            start = perf_counter()
            function(problem)
            times.append(perf_counter() - start)
        quickest.append(min(times))
    return median(quickest)


def test_coalitions_with_warm_tables_are_three_times_as_fast_as_flow() -> None:
    states = game_states()
    coalitions = seconds(SOLVERS["coalitions"], states)
    flow = seconds(SOLVERS["max-flow"], states)
    assert flow > 3 * coalitions, (flow, coalitions)


def test_flow_is_five_times_as_fast_as_cp_sat() -> None:
    states = game_states()[::5]
    assert seconds(SOLVERS["cp-sat"], states) > 5 * seconds(SOLVERS["max-flow"], states)


def test_building_a_cp_sat_model_costs_less_than_solving_it() -> None:
    for problems in ([free_start(4, 13, 4)], [bound_everywhere(4, 13, 4)], game_states()[::5]):
        building = seconds(cp_sat.prepare, problems)
        both = seconds(SOLVERS["cp-sat"], problems)
        assert building < both - building, (building, both)


def test_the_packed_count_is_fifty_times_as_fast_as_the_plain_one() -> None:
    problems = [bound_everywhere(4, 13, 4)]
    count_deals(problems[0])
    assert seconds(count_by_remaining_hands, problems) > 50 * seconds(count_deals, problems)


def test_all_chances_cost_less_than_twenty_counts() -> None:
    """208 of them."""
    for problems in ([bound_everywhere(4, 13, 4)], game_states()):
        assert seconds(chances, problems) < 20 * seconds(count_deals, problems)


def test_what_counting_costs_at_most() -> None:
    """Stated limits, with room for a slow machine: about ten times what it takes."""
    for problem, most in (
        (free_start(4, 13, 4), 0.02),
        (bound_everywhere(4, 13, 4), 0.05),
        (free_start(4, 20, 4), 0.2),
        (bound_everywhere(4, 20, 4), 0.4),
        (start_seen_by_one(4, 13, 4), 0.01),
    ):
        assert seconds(count_deals, [problem]) < most
    assert seconds(chances, [free_start(4, 13, 4)]) < 0.02
    assert seconds(chances, [start_seen_by_one(4, 13, 4)]) < 0.01
    assert seconds(chances, game_states()) < 0.005


def test_closing_by_tables_is_ten_times_as_fast_as_by_flow() -> None:
    states = game_states()
    assert seconds(FILTERS["flow"], states) > 10 * seconds(closed, states)
