"""Explanations: contradictory, minimal, and found exactly if there is no deal."""

import pytest

from quaternity.base.errors import InputError, SolverTimeout
from solvers import DealProblem, Names, SetConstraint
from solvers.explanation import METHODS, explain
from solvers.instances import make_pair

every_method = pytest.mark.parametrize("method", METHODS)


@every_method
@pytest.mark.parametrize(
    ("hands", "sets", "clauses", "words"),
    [
        (
            [2, 2],
            [
                SetConstraint.of([[0, 1], [0, 1]], players=2, low=[2, 0], high=[1, 2]),
                SetConstraint.of([[0, 1], [0, 1]], players=2),
            ],
            ("player 0 holds at least 2 cards of set 0", "player 0 holds at most 1 card of set 0"),
            "2 cards must be dealt (player 0 holds at least 2 cards of set 0), but at most 1 can "
            "be (player 0 holds at most 1 card of set 0)",
        ),
        ([1, 0], [SetConstraint.of([[]], players=2)], (),
         "1 card must be dealt (1 card of set 0 for nobody), but at most 0 can be (none)"),
        ([10**50, 1], [SetConstraint.of([[0], [1]], players=2, low=[0, 1], high=[1, 10**50])],
         (f"player 0 holds {10**50} cards",), None),
    ],
)  # fmt: skip
def test_the_words_of_an_explanation(
    method: str, hands: list[int], sets: list[SetConstraint], clauses: tuple[str, ...], words: str
) -> None:
    """The names of the problem replace the numbers."""
    problem = DealProblem(hands, sets)
    names = Names(("Ann", "Bob"), ("hearts", "spades")[: len(sets)])
    for names_of in ({}, {"player 0": "Ann", "player 1": "Bob", "set 0": "hearts"}):
        reason = explain(problem.named(names) if names_of else problem, method)
        assert reason is not None
        expected = [words or str(reason), *clauses]
        for number, name in names_of.items():
            expected = [text.replace(number, name) for text in expected]
        assert [str(reason), *reason.clauses()] == expected


@every_method
def test_pigeonholes_are_explained_quickly(method: str) -> None:
    reason = explain(make_pair("php", 120, 0).impossible, method, seconds=60)
    assert reason is not None
    assert reason.is_minimal()


def test_an_unknown_method_and_a_reached_limit_are_errors() -> None:
    problem = DealProblem([1], [SetConstraint.of([[0], [0]], players=1)])
    with pytest.raises(InputError, match="method: 'flow' must be one of min-cut and cp-sat"):
        explain(problem, "flow")
    for method in METHODS:
        with pytest.raises(SolverTimeout):
            explain(problem, method, seconds=0)
