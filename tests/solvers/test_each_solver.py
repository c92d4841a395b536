"""The problems that single solvers refuse, and how they give up."""

import re

import pytest
from hypothesis import given, settings

from solvers import (
    SOLVERS,
    DealProblem,
    LimitError,
    Names,
    SetConstraint,
    SolverFault,
    SolverTimeout,
    UnsupportedProblem,
    all_solvers,
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


OWNED_BY_TWO = {size: SetConstraint.of([[0, 1]] * size, players=2) for size in (17, 18, 10_000)}


@pytest.mark.parametrize(
    ("name", "problem", "reason"),
    [
        (
            "matching", DealProblem([5_000] * 2, [OWNED_BY_TWO[10_000]]),
            "the graph has about 100000000 edges: the limit is 20000000",
        ),
        (
            "coalitions", free_start(4, 13, 13),
            "13 players have 2^13 coalitions: at most 12 players are allowed",
        ),
        (
            "brute-force", DealProblem([9, 9], [OWNED_BY_TWO[18]]),
            "there are too many assignments (the limit is 200000)",
        ),
    ],
)  # fmt: skip
def test_a_problem_that_is_too_large_is_refused(
    name: str, problem: DealProblem, reason: str
) -> None:
    assert SOLVERS[name].refuses(problem) == reason
    with pytest.raises(UnsupportedProblem, match=re.escape(f"{name}: {reason}")):
        SOLVERS[name](problem)
    assert SOLVERS["brute-force"].refuses(DealProblem([9, 8], [OWNED_BY_TWO[17]])) is None


@pytest.mark.parametrize("seconds", [0, 1e-9])
def test_a_time_limit_of_cp_sat_is_no_verdict(seconds: float) -> None:
    for problem in (bound_everywhere(4, 13, 4), free_start(4, 13, 4)):
        run = cp_sat.prepare(problem, seconds=seconds)
        with pytest.raises(SolverTimeout, match=f"time limit of {seconds:g} s without an answer"):
            run()
    assert issubclass(SolverTimeout, LimitError)


def test_variants_are_found_only_by_name() -> None:
    assert {*VARIANTS} == {*cp_sat.VARIANTS}
    assert VARIANTS.keys().isdisjoint(all_solvers())
    many = free_start(4, 13, 4)
    with pytest.raises(SolverTimeout):
        find_solver("cp-sat-plain").with_time_limit(1e-9)(many)
    assert find_solver("cp-sat-bundled-counts").with_time_limit(600)(many)


def test_a_flow_solver_that_gives_up_is_a_fault_of_the_solver() -> None:
    class GivesUp:
        OPTIMAL = 0

        def solve(self, source: int, sink: int) -> int:
            return -1

    with pytest.raises(SolverFault, match="the flow solver ended with status -1"):
        max_flow.run(GivesUp())
