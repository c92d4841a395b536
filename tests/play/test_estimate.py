"""Estimates of how large a game is."""

from random import Random

import pytest

from quaternity.play.canonical import canonical
from quaternity.play.coding import Rules
from quaternity.play.estimate import Estimate, estimate
from quaternity.settings import Settings, TieBreak
from quaternity.state import State


def of(start: State, sample: int) -> Estimate:
    return estimate(Rules.of(start), canonical(start).key, Random(1), sample)


@pytest.mark.parametrize(
    ("sizes", "states"),
    [((2, 1, 2), 2), ((4, 4, 2), 25), ((2, 3, 3), 15), ((3, 2, 3), 91), ((3, 3, 3), 2122)],
)
def test_small_games_are_counted(sizes: tuple[int, int, int], states: int) -> None:
    found = of(State.start(Settings(*sizes)), 1000)
    assert found.exact
    assert found.states == states
    assert str(found).startswith(f"{states:,} states")


@pytest.mark.parametrize(
    ("settings", "states"),
    [
        (Settings(3, 3, 3), 2_122),
        (Settings(3, 4, 3), 46_036),
        (Settings(2, 4, 4), 2_746),
        (Settings(2, 6, 4, TieBreak.FEWEST_SETS), 8_400),
    ],
)
def test_large_games_are_guessed_within_a_factor_of_three(settings: Settings, states: int) -> None:
    found = of(State.start(settings), 200)
    assert not found.exact
    assert states / 3 < found.states < states * 3
    assert found.seconds > 0
    assert found.disk > 10 * states
    assert str(found).startswith("about")


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "states"), [((3, 5, 3), 671_634), ((2, 5, 5), 489_870)])
def test_larger_games_too(sizes: tuple[int, int, int], states: int) -> None:
    found = of(State.start(Settings(*sizes)), 750)
    assert states / 3 < found.states < states * 3


def test_what_cannot_be_sampled_in_time_is_not_finished() -> None:
    start = State.start(Settings(4, 4, 4))
    found = estimate(Rules.of(start), canonical(start).key, Random(1), 100, patience=0.05)
    assert not found.finished
    assert not found.exact
    assert str(found).startswith("far more than")


def test_estimates_are_repeatable() -> None:
    start = State.start(Settings(3, 4, 3))
    one, two = of(start, 100), of(start, 100)
    assert (one.states, one.disk) == (two.states, two.disk)
