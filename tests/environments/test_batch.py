"""Batches of games follow the rules of single games, to the byte."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.environments.batch import batch, draw_actions
from quaternity.environments.episode import Episode, TableGame
from quaternity.kwartet.settings import ASIDE
from quaternity.quarto.batch import QuartoBatch
from quaternity.ternary.rules import SetMove
from tests.sizes import examples

Setup = tuple[Any, Callable[[list[int]], list[Episode]]]
"""A batch, and a function that restarts games of it and returns the same games as episodes."""


def quarto(games: int, random: Random) -> Setup:
    squares = random.random() < 0.5
    env, game = batch("quarto", games, squares=squares), TableGame("quarto", {"squares": squares})

    def begin(numbers: list[int]) -> list[Episode]:
        env.reset(numbers)
        return [game.episode(random) for _ in numbers]

    return env, begin


def ternary(games: int, random: Random) -> Setup:
    """Set up SET, often near the end of the deck and cut off early."""
    seats = random.randrange(1, 5)
    rule = "triple" if games < 3 else "set"  # one of 85,322 actions
    settings = {"seats": seats, "rule": rule, "table": random.choice([9, 12, 18])}
    max_moves = random.choice([0, 0, 30, 200])
    env = batch("set", games, max_moves=max_moves, **settings)
    game = TableGame("set", settings, max_moves=max_moves, reward="points")

    def begin(numbers: list[int]) -> list[Episode]:
        decks = [random.sample(range(81), 81) for _ in numbers]
        first = [random.randrange(seats) for _ in numbers]
        env.reset(numbers, decks=decks, first=first)
        starts = [game.encoded.initial_position(deck) for deck in decks]
        return [Episode.begin(game, *start) for start in zip(starts, first, strict=True)]

    return env, begin


def kwartet(games: int, random: Random) -> Setup:
    """Set up Kwartet with all its settings; often a player is dealt a full set."""
    players, size = random.randrange(2, 9), random.choice([2, 3, 4, 5, 6, 10])
    sets = random.randrange(max(2, -(-players // size)), 8)
    max_aside = sets * size - players
    settings: dict[str, Any] = {
        "players": players,
        "sets": sets,
        "set_size": size,
        "aside": random.choice([0, 0, random.randint(0, min(max_aside, ASIDE[-1]))]),
        "announce": random.choice(["at-once", "after-own-request"]),
        "own_card_requests": random.random() < 0.5,
    }
    limit = random.choice([None, None, 0, random.randrange(1, 60)])
    env = batch("kwartet", games, max_moves=limit, **settings)
    game = TableGame("kwartet", settings, reward="points", max_moves=limit)
    if limit and random.random() < 0.5:
        game = TableGame("kwartet", settings | {"max_moves": limit}, reward="points")

    def begin(numbers: list[int]) -> list[Episode]:
        episodes = [game.episode(random) for _ in numbers]
        dealt = [
            [
                next(hand for hand, held in enumerate(episode.position.dealt) if held[s] >> n & 1)
                for s in range(sets)
                for n in range(size)
            ]
            for episode in episodes
        ]
        env.reset(numbers, dealt=dealt)
        return episodes

    return env, begin


BATCHES = {"quarto": quarto, "set": ternary, "kwartet": kwartet}


def assert_same(env: Any, episodes: list[Episode], seats: list[int]) -> None:
    masks, seen, points = env.masks(), env.observations(), env.points()
    for number, episode in enumerate(episodes):
        assert masks[number].tobytes() == episode.mask
        assert seen[number].tobytes() == bytes(episode.numbers(seats[number]))
        assert env.over[number] == (episode.seat is None)
        assert points[number].tolist() == list(episode.game.rules.points(episode.position))


def likely_action(episode: Episode, random: Random) -> int:
    """Return a legal action: in SET mostly a right claim, or a call for more cards.

    In Kwartet, it is mostly a request that is answered by yes.
    """
    legal = np.flatnonzero(np.frombuffer(episode.mask, np.uint8)).tolist()
    if episode.game.name == "set" and random.random() < 0.9:
        threes, encoded = episode.view.threes, episode.game.encoded
        if threes and random.random() < 0.8:
            return encoded.action(SetMove(random.choice(threes)), episode.view)
        return legal[-2] if len(legal) > 1 else legal[-1]
    if episode.game.name == "kwartet" and random.random() < 0.7:
        legal = [action for action in legal if is_answered_by_yes(episode, action)] or legal
    return random.choice(legal)


def is_answered_by_yes(episode: Episode, action: int) -> bool:
    request: Any = episode.game.encoded.move(action, episode.view)
    held = episode.position.position.hands[request.asked][request.card.set_index]
    return bool(held >> request.card.number & 1)


@pytest.mark.parametrize("name", BATCHES)
@given(st.integers(1, 8), st.integers(0, 1 << 32))
@settings(max_examples=examples(100), deadline=None)
def test_a_batch_equals_single_games(name: str, games: int, seed: int) -> None:
    random = Random(seed)
    env, begin = BATCHES[name](games, random)
    episodes = begin(list(range(games)))
    seats = [episode.seat or 0 for episode in episodes]
    for _ in range(150):
        assert_same(env, episodes, seats)
        if env.over.all():
            break
        actions = [
            random.randrange(-5, 400) if episode.seat is None else likely_action(episode, random)
            for episode in episodes
        ]
        env.step(actions)
        for number, (episode, action) in enumerate(zip(episodes, actions, strict=True)):
            if episode.seat is not None:
                episodes[number] = after = episode.after(action)
                seats[number] = last_seat(after)
        if random.random() < 0.1:
            restarted = random.randrange(games)
            (episodes[restarted],) = begin([restarted])
            seats[restarted] = episodes[restarted].seat or 0


def test_endless_games_of_kwartet_are_cut_off_like_single_games() -> None:
    env, game = (
        batch("kwartet", 1, players=3, sets=2),
        TableGame("kwartet", {"players": 3, "sets": 2}),
    )
    env.reset(dealt=[[0, 0, 1, 1, 0, 0, 2, 2]])
    episode = Episode.begin(game, game.encoded.initial_position([0, 0, 0, 1, 1, 0, 0, 2, 2]))
    while episode.seat is not None:
        assert not env.over
        (action,) = env.masks().argmax(1)
        env.step([action])
        episode = episode.after(int(action))
    assert episode.is_cut_off
    assert env.over
    assert_same(env, [episode], [last_seat(episode)])


def last_seat(episode: Episode) -> int:
    """Return the seat to act, or the seat that moved last if the game is over."""
    if episode.seat is not None:
        return episode.seat
    return episode.history.moves[-1][0]


@pytest.mark.parametrize("name", BATCHES)
@given(st.integers(0, 1 << 32))
@settings(max_examples=examples(60), deadline=None)
def test_an_illegal_action_is_refused_and_no_game_moves(name: str, seed: int) -> None:
    random = Random(seed)
    env, _ = BATCHES[name](3, random)
    for _ in range(random.randrange(16)):
        env.step(draw_actions(env.masks(), np.random.default_rng(random.randrange(1 << 30))))
    for game in np.nonzero(~env.over)[0].tolist():
        masks, before = env.masks(), env.observations()
        illegal = np.nonzero(masks[game] == 0)[0].tolist()
        for wrong in [-1, env.actions, 10**9, *random.sample(illegal, min(len(illegal), 60))]:
            legal = [int(mask.argmax()) for mask in masks]
            legal[game] = wrong
            with pytest.raises(InputError, match=rf"actions\[{game}\]: {wrong} is not legal"):
                env.step(legal)
        assert (env.observations() == before).all()
        assert (env.masks() == masks).all()


@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.parametrize("games", [0, -1, 1.5, "x", 1 << 21])
def test_bad_sizes_are_refused(name: str, games: Any) -> None:
    with pytest.raises(InputError, match="games"):
        batch(name, games)


def test_batches_are_made_by_the_name_of_a_game() -> None:
    games = batch("quarto", 3, squares=True)
    assert isinstance(games, QuartoBatch)
    assert (games.games, games.squares) == (3, True)
    with pytest.raises(
        InputError, match=r"game 'quaternity' cannot be played in batches; choose from .*quarto"
    ):
        batch("quaternity", 3)
    with pytest.raises(InputError, match="chess"):
        batch("chess", 3)
    with pytest.raises(InputError, match="unknown setting 'colour'; choose from seats, rule"):
        batch("set", 3, colour=1)
    with pytest.raises(InputError, match="max_moves: quarto does not have this setting"):
        batch("quarto", 3, max_moves=5)
    assert batch("kwartet", 3, max_moves=5).games == 3


def test_bad_actions_are_refused() -> None:
    env = batch("quarto", 2)
    for actions in ([272], [272, 272, 272], [0.5, 272.0], ["a", "b"], 272, [True, False]):
        with pytest.raises(InputError, match="actions: expected 2 whole numbers"):
            env.step(actions)
    with pytest.raises(InputError, match="squares"):
        batch("quarto", 1, squares=1)


def test_finished_games_restart() -> None:
    """The argument is the array of the batch itself, which changes during the call."""
    env, fresh = batch("quarto", 50), batch("quarto", 1)
    for _ in range(40):
        env.step([int(np.nonzero(mask)[0][-1]) for mask in env.masks()])
        ended = env.over.copy()
        env.reset(env.over)
        assert not env.over.any()
        for game in np.nonzero(ended)[0].tolist():
            assert (env.observations()[game] == fresh.observations()[0]).all()
            assert (env.masks()[game] == fresh.masks()[0]).all()


@given(st.integers(1, 40), st.integers(1, 300), st.integers(0, 1 << 32))
@settings(max_examples=examples(100), deadline=None)
def test_any_legal_action_is_chosen_and_no_other(games: int, actions: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    masks = (random.random((games, actions)) < random.choice([0.01, 0.5])).astype(np.uint8)
    choice = draw_actions(masks, random)
    assert (masks[np.arange(games), choice] == masks.max(1)).all()


def test_all_legal_actions_are_equally_likely() -> None:
    mask = np.array([0, 1, 0, 1, 1, *[0] * 50], np.uint8)
    counts = np.bincount(
        draw_actions(np.tile(mask, (30_000, 1)), np.random.default_rng(1)), minlength=5
    )
    assert (abs(counts[[1, 3, 4]] / 10_000 - 1) < 0.05).all()


def test_equal_seeds_deal_equal_decks() -> None:
    seen = [batch("set", 5, seed=seed).observations().tobytes() for seed in (1, 1, 2)]
    assert seen[0] == seen[1] != seen[2]


def test_random_games_of_a_batch_are_seldom_drawn() -> None:
    """The share of draws in many random games is that of single games of `quarto`."""
    env, random = batch("quarto", 4000), np.random.default_rng(1)
    while not env.over.all():
        env.step(draw_actions(env.masks(), random))
    points = env.points()
    assert (points.sum(1) == 1).all()
    assert 0.0 < (points == 0.5).all(1).mean() < 0.06


@pytest.mark.parametrize(
    "limit", [{}, {"max_moves": 0}, {"max_moves": 1}, {"max_moves": 40}], ids=str
)
@pytest.mark.parametrize(
    ("name", "settings"),
    [("kwartet", {}), ("kwartet", {"aside": 4, "sets": 3}), ("set", {"seats": 2}), ("quarto", {})],
)
def test_observations_have_one_size_in_all_environments(
    name: str, settings: dict[str, Any], limit: dict[str, int]
) -> None:
    pettingzoo = pytest.importorskip("quaternity.environments.pettingzoo")
    gymnasium = pytest.importorskip("quaternity.environments.gymnasium")
    games = batch(name, 1, **settings, **({} if name == "quarto" else limit))
    env = getattr(pettingzoo, f"{name}_v0").env(**settings, **limit)
    spaces = env.observation_space("player_0")["observation"], env.action_space("player_0")
    learner = gymnasium.LearnerEnv(name, **settings, **limit)
    sizes = [
        (seen.shape, action.n)
        for seen, action in (spaces, (learner.observation_space, learner.action_space))
    ]
    assert sizes == [((games.observations().shape[1],), games.masks().shape[1])] * 2
