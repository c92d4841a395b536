"""PettingZoo's own tests, and properties that they do not check."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import pytest

pytest.importorskip("pettingzoo")
pytest.importorskip("matplotlib")

import numpy as np
from matplotlib import rc_context
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
    test_save_obs,
)

from quaternity.base.errors import IllegalMove, InputError
from quaternity.environments.episode import Episode, TableGame
from quaternity.environments.pettingzoo import (
    Version,
    kwartet_v0,
    picture,
    quarto_v0,
    quaternity_v0,
    set_v0,
)
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from tests.sizes import thorough

save_observations = test_save_obs
save_observations.__test__ = False  # not a test of this file
del test_save_obs

VERSIONS = [quaternity_v0, kwartet_v0, quarto_v0, set_v0]

pytestmark = [
    # PettingZoo warns about every observation with a mask that is not its own.
    pytest.mark.filterwarnings("ignore:Observation space for each agent"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
]

each_game = pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.game)


@each_game
def test_pettingzoos_api_tests(version: Version) -> None:
    api_test(version.env(), num_cycles=thorough(30, 1000))
    parallel_api_test(version.parallel_env(), num_cycles=thorough(30, 1000))
    max_cycles_test(version)
    save_observations(version.env())


@each_game
def test_pettingzoos_seed_tests(version: Version) -> None:
    seed_test(version.env, num_cycles=thorough(10, 500))
    parallel_seed_test(version.parallel_env, num_cycles=thorough(30, 500))


def test_images_do_not_depend_on_the_settings_of_matplotlib() -> None:
    env = quarto_v0.env(render_mode="rgb_array")
    env.reset(seed=1)
    expected = np.asarray(env.render())
    settings: Any = {"text.usetex": True, "figure.dpi": 30.0, "axes.facecolor": "red"}
    with rc_context(settings):
        assert np.array_equal(np.asarray(env.render()), expected)


@pytest.mark.parametrize("version", thorough([quarto_v0], VERSIONS), ids=lambda v: v.game)
def test_pettingzoos_render_test(version: Version, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(version.env)
    assert "is to act" in capsys.readouterr().out


def first_legal(env: Any) -> int:
    return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0])


def test_rewards_add_up() -> None:
    for reward, total in (("win", 0.0), ("points", 3.0)):
        env = quaternity_v0.env(reward=reward)
        env.reset(seed=2)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, reward_of_step, over, cut_off, _ = env.last()
            totals[agent] += reward_of_step
            legal = np.flatnonzero(observation["action_mask"])
            env.step(None if over or cut_off else int(legal[-1]))
        assert sum(totals.values()) == pytest.approx(total)
        assert list(totals.values()) == pytest.approx(env.unwrapped.episode.returns())


def test_an_illegal_action_loses_or_raises() -> None:
    env = quarto_v0.env()
    with pytest.raises(InputError, match="call reset first"):
        env.step(0)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="action 0 of player_0 is not legal"):
        env.step(0)
    assert env.rewards == {"player_0": -1.0, "player_1": 0.0}
    assert all(env.terminations.values())
    assert env.last()[1:3] == (-1.0, True)
    for agent in env.agent_iter():
        assert env.terminations[agent]
        env.step(None)
    env.reset(seed=1)
    with pytest.raises(InputError, match=r"action 288 is out of range 0\.\.287"):
        env.step(288)
    with pytest.raises(InputError, match="action: must be a whole number, not None"):
        env.step(None)
    raw = quarto_v0.raw_env()
    raw.reset(seed=1)
    with pytest.raises(IllegalMove, match="there is no piece in hand to place"):
        raw.step(0)
    raw.step(272)
    assert raw.agent_selection == "player_1"


def test_a_seed_gives_the_episode_and_those_after_it() -> None:
    starts = []
    for seed in (3, 3, 4):
        env = kwartet_v0.env()
        env.reset(seed=seed)
        first = env.unwrapped.episode.position
        env.reset()
        starts.append((first, env.unwrapped.episode.position))
    assert starts[0] == starts[1]
    assert len({position.dealt for start in starts for position in start}) == 4


def test_an_observation_depends_only_on_the_agents_knowledge() -> None:
    """Compare the environment with another one whose deal looks the same to the agent."""
    env = kwartet_v0.env(players=3, sets=4)
    env.reset(seed=5)
    rules = KwartetRules(KwartetSettings(3, 4))
    for number in range(thorough(4, 20)):
        agent, seat = env.agent_selection, env.unwrapped.episode.seat
        observation = env.observe(agent)
        other = pickle.loads(pickle.dumps(env))  # noqa: S301
        other.reset(seed=number)
        position = env.unwrapped.episode.position
        like = rules.like(rules.view(position, seat), env.unwrapped._random)
        other.unwrapped.episode = Episode.begin(env.unwrapped.game, like)
        other_observation = other.observe(agent)
        assert all((observation[key] == other_observation[key]).all() for key in observation)
        assert not env.observe(next(a for a in env.agents if a != agent))["action_mask"].any()
        env.step(first_legal(env))


def test_settings_and_starts_are_arguments() -> None:
    env = set_v0.env(seats=3, table=9, reward="points", max_moves=5)
    env.reset(seed=1)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert env.observe("player_1")["action_mask"].sum() in (0, 86)
    record = "quarto 1\n0 hand over A\n1 place it on H1V1, hand over B\n"
    env = quarto_v0.env(start=record, render_mode="ansi")
    env.reset()
    assert "in hand  B" in str(env.render())
    env = quaternity_v0.env(brisk=True, render_mode="ansi")
    assert env.unwrapped.game.rules.settings.brisk
    with pytest.raises(InputError, match="unknown setting 'sets'; choose from squares"):
        quarto_v0.env(sets=3)
    with pytest.raises(
        InputError, match="unknown render_mode 'text'; choose from human, ansi, rgb_array, None"
    ):
        quarto_v0.env(render_mode="text")


def test_numpy_integers_are_seeds_and_other_types_are_refused() -> None:
    env, other = kwartet_v0.env(), kwartet_v0.env()
    drawn: Any = np.int64(3)
    env.reset(seed=3)
    other.reset(seed=drawn)
    assert env.unwrapped.episode.position == other.unwrapped.episode.position
    wrong: Any
    for wrong in ("3", 3.0, True, [3]):
        with pytest.raises(InputError, match=r"seed: must be a whole number, not "):
            env.reset(seed=wrong)


def right_claim(env: Any) -> int:
    encoded, view = env.game.encoded, env.episode.view
    return next(action for action in range(220) if encoded.move(action, view).cards in view.threes)


def test_a_claim_of_a_card_that_is_gone_does_not_count() -> None:
    env = set_v0.parallel_env(reward="points", max_cycles=3)
    env.reset(seed=4)
    first, three = env.episode.first, right_claim(env)
    _, rewards, _, truncations, _ = env.step({"player_0": three, "player_1": three})
    assert rewards == {f"player_{first}": 1.0, f"player_{1 - first}": 0.0}
    assert not any(truncations.values())
    three = right_claim(env)  # the other player is first now
    _, rewards, _, _, _ = env.step({"player_0": three, "player_1": three})
    assert rewards == {f"player_{first}": 0.0, f"player_{1 - first}": 1.0}
    wait = env.game.encoded.actions - 1
    _, _, _, truncations, _ = env.step({"player_0": wait, "player_1": wait})
    assert all(truncations.values())
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_a_picture_has_the_size_of_its_lines() -> None:
    small, large = picture("a", 5), picture("a\nb", 10)
    assert small.shape[1:] == large.shape[1:] == (672, 3)
    assert (small.shape[0], large.shape[0]) == (85, 170)
    assert small.dtype == np.uint8
    assert (small < 255).any()


def test_pettingzoo_finds_environments_by_name() -> None:
    import pettingzoo

    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    env = pettingzoo.make("aec", "quaternity/quarto-v0", squares=True)
    assert env.unwrapped.game.rules.settings.squares
    assert pettingzoo.make("parallel", "quaternity/set-v0", max_cycles=3).max_cycles == 3


@pytest.mark.parametrize("action", [-1, 10**6, 1.5, None, "0", True, np.True_])
def test_invalid_actions_are_not_mistaken_for_others(action: Any) -> None:
    """-1 is not the last action, nor is 1.5 action 1."""
    parallel = quaternity_v0.parallel_env()
    parallel.reset(seed=1)
    before = parallel.episode
    with pytest.raises(
        InputError, match=r"is out of range 0\.\.25$|must be a whole number, not .*"
    ):
        parallel.step(dict.fromkeys(parallel.agents, action))
    with pytest.raises(InputError, match=r"action: must be a whole number, not None"):
        parallel.step({})
    assert parallel.episode is before
    env = quaternity_v0.env()
    env.reset(seed=1)
    with pytest.raises(
        InputError, match=r"is out of range 0\.\.25$|must be a whole number, not .*"
    ):
        env.step(action)


@pytest.mark.parametrize("reward", ["win", "points", "lead"])
@pytest.mark.parametrize("options", [{}, {"max_cycles": 9}], ids=str)
def test_the_cards_are_dealt_again_if_the_game_is_over_after_the_deal(
    reward: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """PettingZoo allows no agent to be terminated after `reset`."""
    settings: dict[str, Any] = {"players": 2, "sets": 3, "set_size": 3, "aside": 3}
    settings |= {"own_card_requests": False, "max_moves": 3, "reward": reward}
    env = kwartet_v0.env(**settings, **options)
    assert env.unwrapped.game.episode(Random(43)).seat is None
    reset = env.reset
    monkeypatch.setattr(env, "reset", lambda seed=43, options=None: reset(seed, options))
    api_test(env, num_cycles=20)
    both = kwartet_v0.parallel_env(**settings)
    for started in (env, both):
        started.reset(seed=43)
        assert set(started.terminations.values()) == {False}
        assert {*started.rewards.values()} == {0.0}
    over = env.unwrapped.game.episode(Random(43))
    monkeypatch.setattr(TableGame, "episode", lambda game, random: over)
    with pytest.raises(InputError, match="over before the first move, in each of 100 deals"):
        both.reset()
