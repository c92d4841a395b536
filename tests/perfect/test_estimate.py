"""Estimates of how large a game is."""

from dataclasses import FrozenInstanceError
from pathlib import Path
from random import Random

import pytest

from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect.keys.canonical import Rules, canonical
from quaternity.perfect.solving.estimate import Estimate, estimate, is_larger
from quaternity.perfect.solving.solver import game_graph, solve
from tests.limits import limited
from tests.sizes import thorough


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


def test_a_game_is_counted_where_samples_hold_its_largest_level() -> None:
    start = State.start(Settings(3, 3, 3))
    most = max(game_graph(start).levels)
    assert of(start, most).exact
    assert not of(start, most - 1).exact


def test_values_take_a_share_of_time_too() -> None:
    assert of(State.start(Settings(2, 3, 3)), 1000).seconds < 1000  # not the time of the clock
    with limited("quaternity.perfect.solving.estimate", VALUE_SHARE=10**6):
        assert of(State.start(Settings(2, 3, 3)), 1000).seconds > 0


@pytest.mark.parametrize(
    ("settings", "states"),
    [
        (Settings(3, 3, 3), 2_122),
        (Settings(2, 4, 4), 2_746),
        *thorough(
            [],
            [(Settings(3, 4, 3), 46_036), (Settings(2, 6, 4, TieBreak.MIN_SETS), 8_400)],
        ),
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
    assert "or many times that" in str(found)


def test_time_that_ran_out_is_said() -> None:
    start = State.start(Settings(3, 5, 3))
    rules, key = Rules.of(start), canonical(start).key
    with limited("quaternity.perfect.solving.estimate", DEARER=10**9):
        size = estimate(rules, key, Random(1), 100, patience=600)
        assert size.finished
        assert not size.steady
        assert "or many times that" in str(size)
        assert size.states < 671_634 / 2
        steady = of(State.start(Settings(3, 4, 3)), 200)
        assert steady.steady
        assert "many times" not in str(steady)


@pytest.mark.parametrize("sizes", thorough([(2, 4, 4)], [(3, 4, 3), (2, 6, 4)]))
def test_the_disk_is_what_a_run_takes(tmp_path: Path, sizes: tuple[int, int, int]) -> None:
    start = State.start(Settings(*sizes))
    work, most = tmp_path / "work", 0

    def look(what: str, done: int, total: int | None) -> None:
        nonlocal most
        most = max(most, sum(file.stat().st_size for file in work.iterdir()))

    states = len(solve(start, directory=work, report=look).graph)
    found = of(start, 10**6)
    assert found.exact
    assert found.states == states
    assert 0.8 * most < found.disk < 1.5 * most


def test_an_estimate_says_seconds_or_minutes() -> None:
    for found, words in (
        (Estimate(25, True, 119.4, 4_600_000), "25 states, 119 s, 5 MB on disk"),
        (Estimate(12_345, False, 120.0, 0), "about 12,345 states, 2 min, 0 MB on disk"),
        (Estimate(10**6, False, 6e5, 10**10), "about 1,000,000 states, 10,000 min, 10,000 MB"),
    ):
        assert str(found).startswith(words)
        with pytest.raises(FrozenInstanceError):
            found.states = 1  # type: ignore[misc]


def test_estimates_are_repeatable() -> None:
    """And those of before: who changes one says how much nearer to the true number it comes."""
    for sizes, sample, states, disk in (
        ((3, 4, 3), 100, 60_815, 5_483_465),
        ((2, 4, 4), 50, 3_598, 345_271),
        ((3, 3, 3), 100, 2_517, 183_143),
    ):
        found = of(State.start(Settings(*sizes)), sample)
        assert (found.states, found.disk) == (states, disk)


@pytest.mark.parametrize(
    ("sizes", "states"), [((3, 2, 3), 91), ((3, 3, 3), 2_122), ((2, 4, 4), 2_746), ((5, 4, 2), 33)]
)
def test_no_game_is_said_to_be_larger_than_it_is(sizes: tuple[int, int, int], states: int) -> None:
    start = State.start(Settings(*sizes))
    for seed in range(thorough(5, 50)):
        assert not is_larger(start, states, Random(seed))


def test_a_game_that_is_far_larger_is_said_to_be() -> None:
    start = State.start(Settings(4, 13, 4))
    assert is_larger(start, 500, Random(0))


def test_no_list_of_all_questions_is_made_to_show_that_a_game_is_larger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(State, "listed")
    assert is_larger(State.start(Settings(4, 26, 4)), 500, Random(0))
