"""The problems that single solvers refuse, and how they give up."""

import re

import pytest
from hypothesis import given, settings

from solvers import (
    SOLVERS,
    DealProblem,
    InputError,
    LimitError,
    Names,
    SetConstraint,
    SolverFault,
    SolverTimeout,
    UnsupportedProblem,
    all_solvers,
    brute_force,
    cp_sat,
    find_solver,
    matching,
    max_flow,
)
from solvers.registry import VARIANTS
from solvers.strategies import deal_problems
from tests.sizes import examples
from tests.solvers.problems import bound_everywhere, free_start

WORDS = r"a matching cannot express the upper bound of player \d+ in set \d+"


@given(deal_problems())
@settings(max_examples=examples(200))
def test_matching_refuses_exactly_when_an_upper_bound_matters(problem: DealProblem) -> None:
    matters = any(
        constraint.high[player] < sum(mask >> player & 1 for mask in constraint.owners)
        for constraint in problem.sets
        for player in range(problem.players)
    )
    reason = matching.refuses(problem)
    assert (reason is not None) == matters
    assert reason is None or re.fullmatch(WORDS, reason)
    named = problem.named(Names(tuple(f"P{player}" for player in range(problem.players))))
    assert (reason or "").replace("player ", "P") == (matching.refuses(named) or "")


def test_matching_refuses_a_graph_that_is_too_large() -> None:
    problem = DealProblem([5_000, 5_000], [SetConstraint.of([[0, 1]] * 10_000, players=2)])
    assert matching.refuses(problem) == "the graph has about 100000000 edges: the limit is 20000000"


def test_coalitions_take_up_to_twelve_players() -> None:
    with pytest.raises(UnsupportedProblem) as caught:
        SOLVERS["coalitions"](free_start(4, 13, 13))
    assert (
        str(caught.value)
        == "coalitions: 13 players have 2^13 coalitions: at most 12 players are allowed"
    )


@pytest.mark.parametrize("seconds", [0, 1e-9])
def test_a_time_limit_of_cp_sat_is_no_verdict(seconds: float) -> None:
    for problem in (bound_everywhere(4, 13, 4), free_start(4, 13, 4)):
        run = cp_sat.prepare(problem, seconds=seconds)
        with pytest.raises(SolverTimeout, match=f"time limit of {seconds:g} s without an answer"):
            run()
    assert issubclass(SolverTimeout, LimitError)


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_an_invalid_time_limit_is_refused(seconds: float) -> None:
    with pytest.raises(InputError, match=f"^seconds: must be a number >= 0, not {seconds}$"):
        cp_sat.prepare(free_start(4, 3, 3), seconds=seconds)


def test_variants_are_found_only_by_name() -> None:
    assert {*VARIANTS} == {*cp_sat.VARIANTS}
    assert VARIANTS.keys().isdisjoint(all_solvers())
    many = free_start(4, 13, 4)
    with pytest.raises(SolverTimeout):
        find_solver("cp-sat-plain").with_time_limit(1e-9)(many)
    assert find_solver("cp-sat-bundled-counts").with_time_limit(600)(many)


def test_brute_force_takes_up_to_its_limit() -> None:
    cards = SetConstraint.of([[0, 1]] * 17, players=2)
    assert 2**17 <= brute_force.MAX_ASSIGNMENTS < 2**18
    assert brute_force.refuses(DealProblem([9, 8], [cards])) is None
    one_more = DealProblem([9, 9], [SetConstraint.of([[0, 1]] * 18, players=2)])
    assert brute_force.refuses(one_more) == (
        "there are more than 200000 assignments, which is the limit"
    )
    with pytest.raises(UnsupportedProblem, match="brute force: there are more than 200000"):
        next(brute_force.deals(one_more))


def test_a_flow_solver_that_gives_up_is_a_fault_of_the_solver() -> None:
    class GivesUp:
        OPTIMAL = 0

        def solve(self, source: int, sink: int) -> int:
            return -1

    with pytest.raises(SolverFault, match="the flow solver ended with status -1"):
        max_flow.run(GivesUp())
