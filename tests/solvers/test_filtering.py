"""Closed problems: tables, flow and enumeration agree, and no bound can be tightened."""

import pytest
from hypothesis import given, settings

from solvers import (
    DealProblem,
    LimitError,
    NoDeal,
    SetConstraint,
    filter_problem,
    mask_of,
    solve,
)
from solvers.brute_force import deals
from solvers.filtering import FILTERS
from solvers.strategies import feasible_problems
from tests.agreement import agree
from tests.limits import limited
from tests.sizes import examples
from tests.solvers.problems import (
    bound_everywhere,
    free_start,
    listable_problems,
    oracle_problems,
)


def closed_by_enumeration(problem: DealProblem) -> DealProblem:
    all_owners = [deal.owner for deal in deals(problem)]
    players = range(problem.players)
    return DealProblem(
        problem.hands,
        [
            SetConstraint(
                [
                    mask_of({owner[index][card] for owner in all_owners})
                    for card in range(constraint.size)
                ],
                [min(owner[index].count(player) for owner in all_owners) for player in players],
                [max(owner[index].count(player) for owner in all_owners) for player in players],
            )
            for index, constraint in enumerate(problem.sets)
        ],
    )


@given(listable_problems())
@settings(max_examples=examples(400))
def test_three_ways_to_close(problem: DealProblem) -> None:
    if solve(problem):
        agree(FILTERS | {"enumeration": closed_by_enumeration}, problem)
    else:
        for filter_ in FILTERS.values():
            with pytest.raises(NoDeal, match="no deal satisfies the problem"):
                filter_(problem)


@given(feasible_problems(max_players=6, max_sets=6, max_set_size=6))
@settings(max_examples=examples(150))
def test_tables_and_flow_agree_on_larger_problems(problem: DealProblem) -> None:
    assert filter_problem(problem) == agree(FILTERS, problem)


def test_tables_and_flow_agree_on_game_states() -> None:
    for problem, valid in oracle_problems()[::4]:
        if valid:
            agree(FILTERS, problem)
        else:
            with pytest.raises(NoDeal):
                filter_problem(problem)


@given(feasible_problems(max_players=5, max_sets=4, max_set_size=5))
@settings(max_examples=examples(100))
def test_nothing_in_a_closed_problem_can_be_tightened(problem: DealProblem) -> None:
    tight = filter_problem(problem)
    assert filter_problem(tight) == tight
    for index, constraint in enumerate(tight.sets):
        for player in range(tight.players):
            low, high = list(constraint.low), list(constraint.high)
            low[player] = constraint.high[player]
            assert solve(tight.with_set(index, SetConstraint(constraint.owners, low, high)))
            low[player] = constraint.low[player]
            high[player] = constraint.low[player]
            assert solve(tight.with_set(index, SetConstraint(constraint.owners, low, high)))


def test_a_start_is_closed_already() -> None:
    start = free_start(4, 13, 4)
    assert filter_problem(start) == start


def test_problems_without_cards_are_closed() -> None:
    nothing = SetConstraint.of([], players=2, high=[3, 0])
    for problem in (DealProblem([0, 0], []), DealProblem([0, 0], [nothing])):
        tight = agree(FILTERS, problem)
        assert all(constraint.high == (0, 0) for constraint in tight.sets)


def test_one_player_owns_everything() -> None:
    problem = DealProblem([3], [SetConstraint.of([[0], [0]], 1), SetConstraint.of([[0]], 1)])
    assert [constraint.low for constraint in agree(FILTERS, problem).sets] == [(2,), (1,)]


def test_many_players_are_closed_by_flow() -> None:
    problem = bound_everywhere(15, 4, 20)
    tight = filter_problem(problem)
    assert filter_problem(tight) == tight
    with pytest.raises(LimitError):
        FILTERS["tables"](problem)


@limited("solvers.flow_filtering", MAX_STEPS=10)
def test_a_search_that_takes_too_long_is_refused() -> None:
    with pytest.raises(LimitError, match="searched more arcs than the limit of 10"):
        FILTERS["flow"](bound_everywhere(4, 13, 4))


@limited("solvers.flow_filtering", MAX_STEPS=5_000_000)
def test_cycles_are_searched_from_both_ends() -> None:
    """The search from one end takes 13 million steps here, and 500 million for 10,000 cards."""
    start = free_start(20, 40, 40)
    assert filter_problem(start) == start
