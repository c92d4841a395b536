"""Estimates of the size of a game."""

from dataclasses import FrozenInstanceError
from pathlib import Path
from random import Random

import pytest

from quaternity.base.errors import LimitError
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect.keys.canonical import Rules, canonical
from quaternity.perfect.solved_game import SolvingTask, solve_game
from quaternity.perfect.solving.estimate import Estimate, estimate, is_larger
from quaternity.perfect.solving.solver import game_graph, solve
from tests.limits import limited
from tests.sizes import thorough


def estimate_of(start: State, sample: int) -> Estimate:
    return estimate(Rules.of(start), canonical(start).key, Random(1), sample)


@pytest.mark.parametrize(
    ("sizes", "states"),
    [((2, 1, 2), 2), ((4, 4, 2), 25), ((2, 3, 3), 15), ((3, 2, 3), 91), ((3, 3, 3), 2122)],
)
def test_small_games_are_counted(sizes: tuple[int, int, int], states: int) -> None:
    answer = estimate_of(State.start(Settings(*sizes)), 1000)
    assert answer.exact
    assert answer.states == states
    assert str(answer).startswith(f"{states:,} states")


def test_a_game_is_counted_if_samples_contain_its_largest_level() -> None:
    start = State.start(Settings(3, 3, 3))
    largest = max(game_graph(start).levels)
    assert estimate_of(start, largest).exact
    assert not estimate_of(start, largest - 1).exact


def test_an_estimate_includes_the_time_for_values() -> None:
    assert estimate_of(State.start(Settings(2, 3, 3)), 1000).seconds < 1000  # not the absolute time
    with limited("quaternity.perfect.solving.estimate", VALUE_SHARE=10**6):
        assert estimate_of(State.start(Settings(2, 3, 3)), 1000).seconds > 0


@pytest.mark.parametrize(
    ("settings", "states"),
    [
        (Settings(3, 3, 3), 2_122),
        (Settings(2, 4, 4), 2_746),
        *thorough([], [(Settings(3, 4, 3), 46_036), (Settings(2, 6, 4, TieBreak.MIN_SETS), 8_400)]),
    ],
)
def test_large_games_are_guessed_within_a_factor_of_three(settings: Settings, states: int) -> None:
    answer = estimate_of(State.start(settings), 200)
    assert not answer.exact
    assert states / 3 < answer.states < states * 3
    assert answer.seconds > 0
    assert answer.disk > 10 * states
    assert str(answer).startswith("about")


def test_an_estimate_that_runs_out_of_time_is_not_finished() -> None:
    start = State.start(Settings(4, 4, 4))
    answer = estimate(Rules.of(start), canonical(start).key, Random(1), 100, patience=0.05)
    assert not answer.finished
    assert not answer.exact
    assert "or many times more" in str(answer)


def test_an_unsteady_estimate_is_reported() -> None:
    start = State.start(Settings(3, 5, 3))
    rules, key = Rules.of(start), canonical(start).key
    with limited("quaternity.perfect.solving.estimate", MAX_TIME_GROWTH=10**9):
        size = estimate(rules, key, Random(1), 100, patience=600)
        assert size.finished
        assert not size.steady
        assert "or many times more" in str(size)
        assert size.states < 671_634 / 2
        steady = estimate_of(State.start(Settings(3, 4, 3)), 200)
        assert steady.steady
        assert "many times" not in str(steady)


@pytest.mark.parametrize("sizes", thorough([(2, 4, 4)], [(3, 4, 3), (2, 6, 4)]))
def test_the_disk_space_is_that_of_a_run(tmp_path: Path, sizes: tuple[int, int, int]) -> None:
    start = State.start(Settings(*sizes))
    work, peak = tmp_path / "work", 0

    def look(what: str, done: int, total: int | None) -> None:
        nonlocal peak
        peak = max(peak, sum(file.stat().st_size for file in work.iterdir()))

    states = len(solve(start, directory=work, report=look).graph)
    answer = estimate_of(start, 10**6)
    assert answer.exact
    assert answer.states == states
    assert 0.8 * peak < answer.disk < 1.5 * peak


def test_an_estimate_is_in_seconds_or_minutes() -> None:
    for answer, words in (
        (Estimate(25, True, 119.4, 4_600_000), "25 states, 119 s, 5 MB on disk"),
        (Estimate(12_345, False, 120.0, 0), "about 12,345 states, 2 min, 0 MB on disk"),
        (Estimate(10**6, False, 6e5, 10**10), "about 1,000,000 states, 10,000 min, 10,000 MB"),
    ):
        assert str(answer).startswith(words)
        with pytest.raises(FrozenInstanceError):
            answer.states = 1  # type: ignore[misc]


def test_estimates_are_repeatable() -> None:
    """They equal earlier estimates: a change must state how much closer the new ones are."""
    for sizes, sample, states, disk in (
        ((3, 4, 3), 100, 60_815, 5_483_465),
        ((2, 4, 4), 50, 3_598, 345_271),
        ((3, 3, 3), 100, 2_517, 183_143),
    ):
        answer = estimate_of(State.start(Settings(*sizes)), sample)
        assert (answer.states, answer.disk) == (states, disk)


@pytest.mark.parametrize(
    ("sizes", "states"), [((3, 2, 3), 91), ((3, 3, 3), 2_122), ((2, 4, 4), 2_746), ((5, 4, 2), 33)]
)
def test_no_game_is_reported_as_larger_than_it_is(sizes: tuple[int, int, int], states: int) -> None:
    start = State.start(Settings(*sizes))
    for seed in range(thorough(5, 50)):
        assert not is_larger(start, states, Random(seed))


def test_a_far_larger_game_is_recognised() -> None:
    start = State.start(Settings(4, 13, 4))
    assert is_larger(start, 500, Random(0))


@limited("quaternity.perfect.solving.estimate", PATIENCE=0.0)
def test_a_slow_machine_refuses_no_game() -> None:
    start = State.start(Settings(3, 2, 3))
    assert solve_game(SolvingTask(start, max_states=91)).facts.states == 91
    with pytest.raises(LimitError):
        solve_game(SolvingTask(start, max_states=90))


def test_recognising_a_larger_game_does_not_list_all_questions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(State, "questions_by_set")
    assert is_larger(State.start(Settings(4, 26, 4)), 500, Random(0))
