"""All solvers give the same verdict, with evidence and a minimal explanation."""

from operator import itemgetter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solvers import (
    SOLVERS,
    DealProblem,
    SetConstraint,
    certify,
    count_deals,
    find_solver,
    solve,
    verify,
)
from solvers.explanation import AtLeast, AtMost, Explanation, Hand, explain
from solvers.registry import VARIANTS
from solvers.strategies import boundary_pairs, deal_problems, game_problems
from tests.sizes import examples, thorough
from tests.solvers.deciding import check_explanations, decide
from tests.solvers.problems import bound_everywhere, free_start, oracle_games

small_problems = st.booleans().flatmap(lambda bounds: deal_problems(upper_bounds=bounds))
small_pairs = st.booleans().flatmap(lambda bounds: boundary_pairs(upper_bounds=bounds))


@given(small_pairs)
@settings(max_examples=thorough(60, 300))
def test_one_unit_decides_for_every_solver(pair: tuple[DealProblem, DealProblem]) -> None:
    """The first problem is made around a deal, and a coalition lacks one card in the second."""
    assert [bool(decide(problem)) for problem in pair] == [True, False]


CERTAIN_AND_BOUND = DealProblem(
    [6, 5, 3],
    [
        SetConstraint([0b1] * 2 + [0b10] * 5 + [0b11] * 3, [3, 0, 0], [7, 10, 10]),
        SetConstraint([0b110] * 4, [0] * 3, [4] * 3),
    ],
)
"""An impossible problem. Player 0 owns two cards of a set, and may own more of it than are left."""


larger_problems = deal_problems(max_players=6, max_sets=6, max_set_size=6)


@given(small_problems | small_pairs.map(itemgetter(1)) | larger_problems | game_problems((4, 4, 4)))
@example(CERTAIN_AND_BOUND)
@example(DealProblem([1, 1], [SetConstraint([3, 3], [2, 0], [2, 2])]))
@settings(max_examples=thorough(50, 600))
def test_solvers_agree_and_explain(problem: DealProblem) -> None:
    check_explanations(problem)


PAIR = [[0, 1], [0]]
NONE_OR_ONE = [DealProblem([1, 1], [SetConstraint.of(PAIR, 2, high=[most, 1])]) for most in (1, 0)]


@pytest.mark.parametrize("name", VARIANTS)
@example(pair=(NONE_OR_ONE[0], NONE_OR_ONE[1]))
@given(pair=boundary_pairs())
@settings(max_examples=thorough(20, 300))
def test_variants_give_the_same_verdicts(name: str, pair: tuple[DealProblem, DealProblem]) -> None:
    for problem, feasible in zip(pair, (True, False), strict=True):
        verdict = find_solver(name)(problem)
        assert bool(verdict) == feasible
        assert verify(problem, certify(problem, verdict))


@given(deal_problems())
@settings(max_examples=examples(1000))
def test_constraints_outside_an_explanation_may_change(problem: DealProblem) -> None:
    reason = explain(problem)
    if reason is None:
        return
    kept, most = set(reason.constraints), problem.cards
    sets = [
        SetConstraint(
            owners,
            [low * (AtLeast(player, index) in kept) for player, low in enumerate(lows)],
            [high if AtMost(player, index) in kept else most for player, high in enumerate(highs)],
        )
        for index, (owners, lows, highs) in enumerate(problem.sets)
    ]
    hands = [hand if Hand(player) in kept else most for player, hand in enumerate(problem.hands)]
    loosened = DealProblem(hands, sets)
    assert Explanation(loosened, reason.constraints).is_impossible()
    assert not solve(loosened)


def test_every_solver_gives_the_recorded_verdicts() -> None:
    """Two other implementations agree on the recorded states. CP-SAT is tried on some of them."""
    for number, (problem, valid, _) in enumerate(oracle_games()):
        assert bool(count_deals(problem)) == valid
        for solver in SOLVERS.values():
            left_out = solver.name == "cp-sat" and number % thorough(80, 1)
            if not left_out and solver.refuses(problem) is None:
                verdict = solver(problem)
                assert bool(verdict) == valid, (solver.name, problem)
                assert verify(problem, certify(problem, verdict)), (solver.name, problem)


@pytest.mark.parametrize(("size", "sets"), thorough([(100, 10)], [(400, 10), (40, 100), (8, 500)]))
def test_thousands_of_cards_and_a_hundred_players(size: int, sets: int) -> None:
    assert decide(free_start(size, sets, 8))
    assert decide(free_start(1, 100, 100))
    assert decide(bound_everywhere(4, 12, 12))


@pytest.mark.parametrize("players", [1, 100])
def test_many_players_without_cards(players: int) -> None:
    """Coalitions have tables of 2^players numbers even if there is no set."""
    nothing = [0] * (players - 1)
    for hand, feasible in ((0, True), (1, False)):
        problem = DealProblem([hand, *nothing], [])
        assert bool(solve(problem)) == bool(check_explanations(problem)) == feasible
