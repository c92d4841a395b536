"""The largest and the smallest problems, decided by every solver that accepts them."""

import pytest

from solvers import (
    DealProblem,
    SetConstraint,
    count_deals,
    filter_problem,
)
from tests.sizes import thorough
from tests.solvers.deciding import decide
from tests.solvers.problems import free_start


def crowd(size: int, sets: int, players: int, too_many: int) -> DealProblem:
    """Return a problem: players 0 and 1 hold half of every set and `too_many` further cards."""
    half = size // 2
    owners = [range(players)] * half + [range(2, players)] * (size - half)
    low = [0, 0, 1, *[0] * (players - 3)]
    theirs = half * sets + too_many
    rest, more = divmod(size * sets - theirs, players - 2)
    hands = [theirs // 2, theirs - theirs // 2]
    hands += [rest + (number < more) for number in range(players - 2)]
    first, other = (SetConstraint.of(owners, players, bound) for bound in (low, None))
    return DealProblem(hands, [first, *[other] * (sets - 1)])


@pytest.mark.parametrize(("size", "sets"), thorough([(100, 10)], [(400, 10), (40, 100), (8, 500)]))
def test_thousands_of_cards_and_eight_players(size: int, sets: int) -> None:
    assert decide(crowd(size, sets, 8, too_many=0))
    assert not decide(crowd(size, sets, 8, too_many=1))
    assert decide(free_start(size, sets, 8))


def test_no_sets() -> None:
    assert decide(DealProblem([0, 0], []))
    assert not decide(DealProblem([1, 0], []))


def test_empty_sets() -> None:
    nothing = SetConstraint.of([], players=2)
    pair = SetConstraint.of([[0, 1], [0, 1]], players=2)
    assert decide(DealProblem([0, 0], [nothing, nothing]))
    assert decide(DealProblem([1, 1], [nothing, pair, nothing]))
    assert not decide(DealProblem([0, 0], [SetConstraint([], [1, 0], [1, 1])]))
    assert not decide(DealProblem([0, 0], [SetConstraint([], [1, 0], [0, 0])]))


def test_one_player() -> None:
    assert decide(DealProblem([2], [SetConstraint.of([[0], [0]], players=1)]))
    assert not decide(DealProblem([2], [SetConstraint.of([[0], []], players=1)]))
    assert not decide(DealProblem([2], [SetConstraint.of([[0], [0]], players=1, high=[1])]))


def test_empty_hands() -> None:
    pair = SetConstraint.of([[0, 1], [0, 1]], players=2)
    assert decide(DealProblem([2, 0], [pair]))
    assert not decide(DealProblem([0, 0], [pair]))
    constraint = SetConstraint.of([[0, 1], [1]], players=2)
    assert not decide(DealProblem([2, 0], [constraint]))


def test_cards_that_nobody_may_own() -> None:
    assert not decide(DealProblem([1, 1], [SetConstraint.of([[0, 1], []], players=2)]))
    # Even if the other cards fit the hands.
    assert not decide(DealProblem([1, 0], [SetConstraint.of([[0, 1], []], players=2)]))


def test_hands_that_do_not_add_up() -> None:
    for hands in ([1, 2, 1], [1, 1, 0], [10_000, 0, 0]):
        assert not decide(DealProblem(hands, [SetConstraint.of([range(3)] * 3, players=3)]))


def test_bounds_far_above_the_cards() -> None:
    constraint = SetConstraint.of([[0, 1]] * 3, players=2, low=[1, 1], high=[10**12, 10**9])
    problem = DealProblem([1, 2], [constraint])
    assert decide(problem)
    assert count_deals(problem) == 3
    assert filter_problem(problem).sets[0].high == (1, 2)
    # The proof must not use the bound above the size of the set.
    beyond = SetConstraint(constraint.owners, [0, 0], [10**12, 5])
    other = SetConstraint.of([[1]] * 4, players=2, high=[9, 9])
    assert not decide(DealProblem([4, 3], [beyond, other]))
    never = SetConstraint.of([[0, 1]] * 3, players=2, low=[10**12, 0], high=[10**15, 3])
    assert not decide(DealProblem([1, 2], [never]))


def test_many_players() -> None:
    assert decide(free_start(1, 100, 100))
    assert decide(free_start(5, 20, 50))
