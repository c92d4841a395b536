"""Gymnasium's own test, and properties that it does not check."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import count
from random import Random
from textwrap import dedent
from typing import Any

import pytest

pytest.importorskip("gymnasium")

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

from quaternity import guide
from quaternity.base.errors import InputError
from quaternity.environments import gymnasium as environments
from quaternity.environments.episode import REWARDS
from quaternity.environments.gymnasium import LearnerEnv, register
from quaternity.table.games import GAMES, registration
from tests.sizes import thorough

pytestmark = pytest.mark.filterwarnings("ignore:.*is not legal")

each_game = pytest.mark.parametrize("name", GAMES)


def play_episode(env: LearnerEnv, seed: int) -> list[Any]:
    """Return everything that a learner observes in an episode of random actions."""
    random, (numbers, info) = Random(seed), env.reset(seed=seed)
    seen: list[Any] = [(numbers.tobytes(), info["action_mask"].tobytes())]
    over = False
    while not over:
        action = random.choice(np.flatnonzero(info["action_mask"]).tolist())
        numbers, reward, terminated, truncated, info = env.step(action)
        seen.append((numbers.tobytes(), info["action_mask"].tobytes(), reward))
        over = terminated or truncated
    assert not info["action_mask"].any()
    return seen


@each_game
def test_gymnasiums_environment_checker(name: str) -> None:
    register()
    env = gymnasium.make(f"quaternity/{name.capitalize()}-v0")
    check_env(env.unwrapped)


@each_game
def test_equal_seeds_give_equal_episodes(name: str) -> None:
    env, other = (
        LearnerEnv(name, seat=None, max_moves=60),
        LearnerEnv(name, seat=None, max_moves=60),
    )
    episodes = [play_episode(env, seed) for seed in range(thorough(3, 30))]
    assert episodes == [play_episode(other, seed) for seed in range(len(episodes))]
    assert len({repr(episode) for episode in episodes}) == len(episodes)


def returns(env: LearnerEnv, is_last: bool) -> float:
    """Return the learner's return so far, computed from the position alone."""
    rules, position, reward = env.game.rules, env.match.position, env.game.reward
    if reward.at_end and not is_last:
        return 0.0
    return reward.returns(rules.points(position), rules.places(position))[env.seat]


@each_game
@pytest.mark.parametrize("reward", ["win", "points", "points at the end"])
def test_a_step_is_rewarded_for_its_moves_and_the_last_one_at_the_end(
    name: str, reward: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REWARDS, "points at the end", REWARDS["points"]._replace(at_end=True))
    for max_moves in (1, 2, 9, 60):
        env = LearnerEnv(name, seat=None, reward=reward, max_moves=max_moves)
        random, (_, info) = Random(max_moves), env.reset(seed=max_moves)
        before = returns(env, False)
        for steps in count(1):
            action = random.choice(np.flatnonzero(info["action_mask"]).tolist())
            seen, reward_of_step, terminated, truncated, info = env.step(action)
            assert terminated == (not env.game.rules.to_act(env.match.position))
            moves = max(steps, len(env.match.moves))
            assert truncated == (not terminated and moves >= max_moves)
            now = returns(env, terminated or truncated)
            assert reward_of_step == now - before
            before = now
            if terminated or truncated:
                assert not info["action_mask"].any()
                numbers = env.game.encoded.numbers(env.match.view(env.seat))
                assert seen.tobytes() == np.array(numbers, np.float32).tobytes()
                break


@pytest.mark.parametrize(("max_moves", "fits"), [(1, False), (2, True)])
def test_an_episode_begins_where_the_learner_acts(max_moves: int, fits: bool) -> None:
    env = LearnerEnv("quarto", seat=1, max_moves=max_moves)
    for seed in range(5):
        if fits:
            assert env.reset(seed=seed)[1]["action_mask"].any()
        else:
            with pytest.raises(
                InputError, match="max_moves: 1 is too small, because the learner never gets a turn"
            ):
                env.reset(seed=seed)


def test_waiting_counts_as_a_move() -> None:
    env = LearnerEnv("set", seats=1, max_moves=5)
    _, info = env.reset(seed=1)
    wait = env.game.encoded.action(None, env.match.view(0))
    assert info["action_mask"][wait]
    assert [env.step(wait)[3] for _ in range(5)] == [False] * 4 + [True]
    assert not env.match.moves


@each_game
def test_an_illegal_action_loses_and_ends_the_game(name: str) -> None:
    env = LearnerEnv(name)
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    with pytest.raises(InputError, match="over"):
        env.step(illegal)


@pytest.mark.parametrize("name", ["kwartet", "set"])
def test_every_seed_gives_a_different_deal(name: str) -> None:
    env = LearnerEnv(name)
    deals = []
    for seed in range(130):
        env.reset(seed=seed)
        deals.append(env.match.history.start)
    assert len({*deals}) == len(deals)


@each_game
def test_opponents_are_one_per_other_seat_or_a_single_name(name: str) -> None:
    own = registration(name).levels[0].player
    seats = LearnerEnv(name).game.seats
    for number in range(seats + 3):
        if number in (1, seats - 1):
            env = LearnerEnv(name, opponents=[own] * number)
            env.reset(seed=1)
            assert len(env.match.names) == seats
        else:
            with pytest.raises(InputError, match=rf"expected a list of 1 or {seats - 1}"):
                LearnerEnv(name, opponents=[own] * number)
    space = LearnerEnv(name).observation_space
    assert isinstance(space, gymnasium.spaces.Box)
    assert (space.low == 0).all()
    assert (space.high == 1).all()


def test_every_game_has_a_level() -> None:
    assert all(registration(name).levels for name in GAMES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponents": "easy"}, "opponents 'easy': expected a list of 1 or 3"),
        ({"opponents": ["you"]}, "opponent 'you' is unknown"),
        ({"opponents": ["random", "random"]}, "expected a list of 1 or 3"),
        ({"seat": 4}, "seat: must be from 0 to 3, not 4"),
        ({"seat": -1}, "seat"),
        ({"render_mode": "human"}, "unknown render_mode 'human'"),
        ({"players": 40}, "players"),
        ({"cards": 4}, "unknown setting 'cards'"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LearnerEnv("kwartet", **arguments)


def test_steps_before_a_reset_and_invalid_actions_are_refused() -> None:
    env = LearnerEnv("quarto", render_mode="ansi")
    with pytest.raises(InputError, match="reset"):
        env.step(0)
    env.reset(seed=1)
    for action in (-1, 10**6):
        last = env.game.encoded.actions - 1
        with pytest.raises(InputError, match=rf"out of range 0\.\.{last}$"):
            env.step(action)
    for nothing in (True, np.True_, 1.0, "1", None):
        with pytest.raises(InputError, match=r"^action: must be a whole number, not "):
            env.step(nothing)
    assert "left" in str(env.render())


@pytest.mark.parametrize("text", [guide.page("learning").text, environments.__doc__])
def test_the_example_runs_in_a_separate_process(text: str) -> None:
    """The new process has not yet imported the module that registers the environments."""
    (block,) = re.findall(r"^ *import gymnasium$.*?terminated or truncated$", text, re.M | re.S)
    subprocess.run([sys.executable, "-c", dedent(block)], check=True, capture_output=True)
