"""Explanations: contradictory, minimal, and found exactly if there is no deal."""

import pytest
from hypothesis import given, settings

from quaternity.base.errors import InputError, SolverTimeout
from solvers import DealProblem, Names, SetConstraint, solve
from solvers.explanation import METHODS, AtLeast, AtMost, Explanation, Hand, constraints_of, explain
from solvers.strategies import deal_problems, game_problems
from tests.sizes import examples

every_method = pytest.mark.parametrize("method", METHODS)


def check(problem: DealProblem, method: str) -> None:
    """Check the explanation of a problem against the verdict, and whether it is minimal."""
    reason = explain(problem, method)
    assert (reason is None) == bool(solve(problem))
    if reason is not None:
        assert reason.is_impossible()
        assert reason.is_minimal()
        assert set(reason.constraints) <= set(constraints_of(problem))


@every_method
@given(problem=deal_problems())
@settings(max_examples=examples(2000))
def test_an_explanation_is_minimal_and_exists_iff_no_deal_does(
    method: str, problem: DealProblem
) -> None:
    check(problem, method)


@every_method
@given(problem=game_problems())
@settings(max_examples=examples(100))
def test_games_are_explained(method: str, problem: DealProblem) -> None:
    check(problem, method)


@given(problem=deal_problems())
@settings(max_examples=examples(1000))
def test_constraints_outside_an_explanation_may_change(problem: DealProblem) -> None:
    reason = explain(problem)
    if reason is None:
        return
    kept = set(reason.constraints)
    hands = [
        hand if Hand(player) in kept else problem.cards for player, hand in enumerate(problem.hands)
    ]
    sets = [
        SetConstraint(
            owners,
            [low * (AtLeast(player, index) in kept) for player, low in enumerate(lows)],
            [
                high if AtMost(player, index) in kept else problem.cards
                for player, high in enumerate(highs)
            ],
        )
        for index, (owners, lows, highs) in enumerate(problem.sets)
    ]
    loosened = DealProblem(hands, sets)
    assert Explanation(loosened, reason.constraints).is_impossible()
    assert not solve(loosened)


@every_method
@pytest.mark.parametrize(
    ("hands", "constraint", "clauses", "words"),
    [
        (
            [1, 1],
            SetConstraint.of([[0, 1], [0, 1]], players=2, low=[2, 1], high=[1, 2]),
            ("player 0 holds at least 2 cards of set 0", "player 0 holds at most 1 card of set 0"),
            "2 cards must be dealt (player 0 holds at least 2 cards of set 0), but at most 1 can "
            "be (player 0 holds at most 1 card of set 0)",
        ),
        (
            [1, 0],
            SetConstraint.of([[]], players=2),
            (),
            "1 card must be dealt (1 card of set 0 for nobody), but at most 0 can be (none)",
        ),
        (
            [10**50, 1],
            SetConstraint.of([[0], [1]], players=2),
            (f"player 0 holds {10**50} cards",),
            None,
        ),
    ],
)
def test_the_words_of_an_explanation(
    method: str, hands: list[int], constraint: SetConstraint, clauses: tuple[str, ...], words: str
) -> None:
    reason = explain(DealProblem(hands, [constraint]), method)
    assert reason is not None
    assert reason.clauses() == clauses
    assert words is None or str(reason) == words


def test_an_explanation_uses_the_names_of_the_problem() -> None:
    hearts = SetConstraint.of([[0], [0]], players=2, low=[0, 1])
    problem = DealProblem([2, 0], [hearts]).named(Names(("Ann", "Bob"), ("hearts",)))
    reason = explain(problem)
    assert reason is not None
    assert reason.clauses() == ("Bob holds at least 1 card of hearts",)
    assert "(Bob holds at least 1 card of hearts)" in str(reason)


def test_an_unknown_method_and_a_reached_limit_are_errors() -> None:
    problem = DealProblem([1], [SetConstraint.of([[0], [0]], players=1)])
    with pytest.raises(InputError, match="method: 'flow' must be one of min-cut and cp-sat"):
        explain(problem, "flow")
    for method in METHODS:
        with pytest.raises(SolverTimeout):
            explain(problem, method, seconds=0)
