"""Problems that cannot be built, and what is said about them."""

from collections.abc import Callable
from typing import Any

import pytest

from solvers import DealProblem, InputError, SetConstraint, mask_of, players_in
from solvers.problem import MAX_CARDS, MAX_PLAYERS, MAX_ROWS, every_card

PAIR = SetConstraint.of([[0, 1], [1]], players=2)


def unchecked(function: Callable[..., Any], *arguments: object) -> Any:
    """Call with arguments that the type checker would refuse."""
    return function(*arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1], [0, 0], [1]), "high: 1 bounds for 2 players"),
        (([4], [0, 0], [1, 1]), "owners[0]: (2,) names a player out of range 0..1"),
        (([1, -1], [0, 0], [1, 1]), "owners[1]: -1 is not a whole number of at least 0"),
        (([1, True], [0, 0], [1, 1]), "owners[1]: True is not a whole number of at least 0"),
        ((["1"], [0, 0], [1, 1]), "owners[0]: '1' is not a whole number of at least 0"),
        (([1], [0, -2], [1, 1]), "low[1]: -2 is not a whole number of at least 0"),
        (([1], [0.5, 0], [1, 1]), "low[0]: 0.5 is not a whole number of at least 0"),
        (([1], [0, 0], [1, None]), "high[1]: None is not a whole number of at least 0"),
    ],
)
def test_constraints_that_cannot_be(arguments: tuple[object, ...], words: str) -> None:
    with pytest.raises(InputError) as caught:
        unchecked(SetConstraint, *arguments)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("owners", "words"),
    [
        ([[0, 2]], "owners[0]: player 2 is out of range 0..1"),
        ([[0], [-1]], "owners[1]: player -1 is out of range 0..1"),
        ([["x"]], "owners[0]: player 'x' is out of range 0..1"),
        ([[True]], "owners[0]: player True is out of range 0..1"),
    ],
)
def test_owners_by_number_that_cannot_be(owners: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        unchecked(SetConstraint.of, owners, 2)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("hands", "sets", "words"),
    [
        ([], [], "hands: at least one player is needed"),
        ([1, -1], [PAIR], "hands[1]: -1 is not a whole number of at least 0"),
        ([1, "1"], [PAIR], "hands[1]: '1' is not a whole number of at least 0"),
        ([1, 1, 0], [PAIR], "sets[0]: bounds for 2 players, hands for 3"),
        ([0] * 101, [], "101 players: the limit is 100"),
        (
            [10_001],
            [SetConstraint([1] * 10_001, [0], [10_001])],
            "10001 cards: the limit is 10000",
        ),
        (
            [0] * 100,
            [SetConstraint([], [0] * 100, [0] * 100)] * 1001,
            "100100 (player, set) pairs: the limit is 100000",
        ),
    ],
)
def test_problems_that_cannot_be(hands: object, sets: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        unchecked(DealProblem, hands, sets)
    assert str(caught.value) == words


def test_problems_at_the_limits_can_be() -> None:
    assert (MAX_PLAYERS, MAX_CARDS, MAX_ROWS) == (100, 10_000, 100_000)
    assert DealProblem([0] * 100, [SetConstraint([], [0] * 100, [0] * 100)] * 1000).cards == 0
    assert DealProblem([10_000], [SetConstraint([1] * 10_000, [0], [10_000])]).cards == 10_000


def test_values_are_immutable_and_hashable() -> None:
    problem = DealProblem([1, 1], [PAIR])
    for value, name in ((problem, "hands"), (PAIR, "low")):
        with pytest.raises(AttributeError):
            setattr(value, name, ())
    assert len({problem, DealProblem([1, 1], [PAIR])}) == 1
    assert repr(problem) == (
        "DealProblem(hands=[1, 1], "
        "sets=[SetConstraint(owners=[[0, 1], [1]], low=[0, 0], high=[2, 2])])"
    )


def test_views_of_a_problem() -> None:
    problem = DealProblem([1, 1], [SetConstraint.of([], players=2), PAIR])
    assert (problem.players, problem.cards) == (2, 2)
    assert problem.may_own(1, 0) == (0, 1)
    assert list(every_card(problem)) == [(1, 0, 0b11), (1, 1, 0b10)]
    assert (PAIR.size, PAIR.players) == (2, 2)
    other = SetConstraint.of([[0], [1]], players=2)
    assert problem.with_set(1, other).sets == (problem.sets[0], other)
    assert problem.sets[1] == PAIR


def test_when_an_upper_bound_is_loose() -> None:
    bounded = SetConstraint.of([[0, 1], [1]], players=2, high=[1, 1])
    assert bounded.bound_is_loose(0)
    assert not bounded.bound_is_loose(1)


def test_masks_and_players() -> None:
    assert players_in(0) == ()
    assert all(mask_of(players_in(mask)) == mask for mask in range(64))
