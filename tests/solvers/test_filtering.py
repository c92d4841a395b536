"""Closed problems: tables, flow and enumeration agree, and no bound can be tightened."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings

from solvers import (
    DealProblem,
    LimitError,
    NoDeal,
    SetConstraint,
    filter_problem,
    mask_of,
    players_in,
    solve,
)
from solvers.filtering import FILTERS
from solvers.problem import with_entry
from solvers.strategies import deal_problems, feasible_problems
from tests.agreement import agree
from tests.limits import limited
from tests.sizes import examples, thorough
from tests.solvers.problems import bound_everywhere, free_start


def filtered_by_solving(problem: DealProblem) -> DealProblem:
    """Call `solve` once for each card and player, and for each number of cards of each share."""
    players = range(problem.players)

    def is_possible(index: int, owners: Sequence[int], low: Sequence[int], high: Any) -> bool:
        return bool(solve(problem.with_set(index, SetConstraint(owners, low, high))))

    sets = []
    for index, (owners, low, high) in enumerate(problem.sets):
        masks = [
            mask_of(
                player
                for player in players_in(mask)
                if is_possible(index, with_entry(owners, card, 1 << player), low, high)
            )
            for card, mask in enumerate(owners)
        ]
        numbers = [
            [
                number
                for number in range(low[player], min(high[player], len(owners)) + 1)
                if is_possible(
                    index,
                    owners,
                    with_entry(low, player, number),
                    with_entry(high, player, number),
                )
            ]
            for player in players
        ]
        sets.append(SetConstraint(masks, list(map(min, numbers)), list(map(max, numbers))))
    return DealProblem(problem.hands, sets)


@given(deal_problems())
@settings(max_examples=thorough(60, 400))
def test_filtering_is_solving_for_each_card_and_player(problem: DealProblem) -> None:
    if solve(problem):
        tight = agree(FILTERS | {"solve": filtered_by_solving}, problem)
        assert filter_problem(problem) == filter_problem(tight) == tight
    else:
        for filter_ in FILTERS.values():
            with pytest.raises(NoDeal, match="no deal satisfies the problem"):
                filter_(problem)


def doubled(problem: DealProblem) -> DealProblem:
    """Return a problem with two copies of each player and of each set."""
    players = problem.players
    sets = [
        SetConstraint((*masks, *(mask << players for mask in masks)), (*low, *low), (*high, *high))
        for masks, low, high in problem.sets
    ]
    return DealProblem([2 * hand for hand in problem.hands] * 2, sets * 2)


@given(
    feasible_problems(max_players=6, max_sets=6, max_set_size=6) | feasible_problems().map(doubled)
)
@settings(max_examples=examples(300))
def test_filters_agree_on_larger_problems(problem: DealProblem) -> None:
    tight = agree(FILTERS, problem)
    assert filter_problem(problem) == agree(FILTERS, tight) == tight


def test_many_players_are_filtered_by_flow() -> None:
    problem = bound_everywhere(15, 4, 20)
    assert filter_problem(tight := filter_problem(problem)) == tight
    with pytest.raises(LimitError):
        FILTERS["tables"](problem)


@pytest.mark.parametrize(("size", "most"), [((20, 40, 40), 5_000_000), ((4, 200, 20), 20_000)])
def test_few_arcs_are_searched(size: tuple[int, int, int], most: int) -> None:
    """Cycles are searched from both ends, and equal sets and players are filtered once.

    The search from one end takes 13 million steps here, and 500 million for 10,000 cards.
    """
    start = free_start(*size)
    with limited("solvers.flow_filtering", MAX_STEPS=most):
        assert filter_problem(start) == start
