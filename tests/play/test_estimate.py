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
def test_large_games_are_guessed_within_a_factor_of_two(settings: Settings, states: int) -> None:
    found = of(State.start(settings), 200)
    assert not found.exact
    assert states / 2 < found.states < states * 2
    assert found.seconds > 0
    assert found.disk > 10 * states
    assert str(found).startswith("about")
