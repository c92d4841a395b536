"""Many games at once follow the rules of a single one, to the byte."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.environments.batch import batch, chosen
from quaternity.environments.episode import Episode, TableGame
from quaternity.kwartet.settings import ASIDE
from quaternity.quarto.batch import QuartoBatch
from quaternity.ternary.rules import SetMove
from tests.sizes import examples

Begun = tuple[Any, Callable[[list[int]], list[Episode]]]
"""A batch, and what begins games of it anew and returns the same as episodes."""


def quarto(games: int, random: Random) -> Begun:
    squares = random.random() < 0.5
    made, game = batch("quarto", games, squares=squares), TableGame("quarto", {"squares": squares})

    def begin(which: list[int]) -> list[Episode]:
        made.reset(which)
        return [game.episode(random) for _ in which]

    return made, begin


def ternary(games: int, random: Random) -> Begun:
    """SET, often near the end of the deck, and cut off early."""
    seats = random.randrange(1, 5)
    rule = "triple" if games < 3 else "set"  # one of 85,322 actions
    settings = {"seats": seats, "rule": rule, "table": random.choice([9, 12, 18])}
    most = random.choice([0, 0, 30, 200])
    made = batch("set", games, max_moves=most, **settings)
    game = TableGame("set", settings, max_moves=most, reward="points")

    def begin(which: list[int]) -> list[Episode]:
        decks = [random.sample(range(81), 81) for _ in which]
        first = [random.randrange(seats) for _ in which]
        made.reset(which, decks=decks, first=first)
        starts = [game.encoded.dealt(deck) for deck in decks]
        return [Episode(game, *start) for start in zip(starts, first, strict=True)]

    return made, begin


def kwartet(games: int, random: Random) -> Begun:
    """Kwartet with all its settings; often somebody is dealt a full set."""
    players, size = random.randrange(2, 9), random.choice([2, 3, 4, 5, 6, 10])
    sets = random.randrange(max(2, -(-players // size)), 8)
    most = sets * size - players
    settings: dict[str, Any] = {
        "players": players,
        "sets": sets,
        "set_size": size,
        "aside": random.choice([0, 0, random.randint(0, min(most, ASIDE[-1]))]),
        "announce": random.choice(["at-once", "after-own-request"]),
        "own_card_requests": random.random() < 0.5,
    }
    limit = random.choice([None, None, 0, random.randrange(1, 60)])
    made = batch("kwartet", games, max_moves=limit, **settings)
    game = TableGame("kwartet", settings, reward="points", max_moves=limit)
    if limit and random.random() < 0.5:
        game = TableGame("kwartet", settings | {"max_moves": limit}, reward="points")

    def begin(which: list[int]) -> list[Episode]:
        episodes = [game.episode(random) for _ in which]
        dealt = [
            [
                next(hand for hand, held in enumerate(episode.position.dealt) if held[s] >> n & 1)
                for s in range(sets)
                for n in range(size)
            ]
            for episode in episodes
        ]
        made.reset(which, dealt=dealt)
        return episodes

    return made, begin


BATCHES = {"quarto": quarto, "set": ternary, "kwartet": kwartet}


def assert_same(made: Any, episodes: list[Episode], seats: list[int]) -> None:
    masks, seen, points = made.masks(), made.observations(), made.points()
    for number, episode in enumerate(episodes):
        assert masks[number].tobytes() == episode.mask
        assert seen[number].tobytes() == bytes(episode.numbers(seats[number]))
        assert made.over[number] == (episode.seat is None)
        assert points[number].tolist() == list(episode.game.rules.points(episode.position))


def likely_action(episode: Episode, random: Random) -> int:
    """Any legal action; of a game with threes mostly a right claim, else more cards.

    Of Kwartet mostly a request that is answered by yes.
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
def test_a_batch_is_so_many_single_games(name: str, games: int, seed: int) -> None:
    random = Random(seed)
    made, begin = BATCHES[name](games, random)
    episodes = begin(list(range(games)))
    seats = [episode.seat or 0 for episode in episodes]
    for _ in range(150):
        assert_same(made, episodes, seats)
        if made.over.all():
            break
        actions = [
            random.randrange(-5, 400) if episode.seat is None else likely_action(episode, random)
            for episode in episodes
        ]
        made.step(actions)
        for number, (episode, action) in enumerate(zip(episodes, actions, strict=True)):
            if episode.seat is not None:
                episodes[number] = after = episode.after(action)
                seats[number] = last_seat(after)
        if random.random() < 0.1:
            which = random.randrange(games)
            (episodes[which],) = begin([which])
            seats[which] = episodes[which].seat or 0


def test_games_of_kwartet_without_end_are_cut_off_as_single_ones() -> None:
    made, game = (
        batch("kwartet", 1, players=3, sets=2),
        TableGame("kwartet", {"players": 3, "sets": 2}),
    )
    made.reset(dealt=[[0, 0, 1, 1, 0, 0, 2, 2]])
    episode = Episode(game, game.encoded.dealt([0, 0, 0, 1, 1, 0, 0, 2, 2]))
    while episode.seat is not None:
        assert not made.over
        (action,) = made.masks().argmax(1)
        made.step([action])
        episode = episode.after(int(action))
    assert episode.is_cut_off
    assert made.over
    assert_same(made, [episode], [last_seat(episode)])


def last_seat(episode: Episode) -> int:
    """Who is to act, or moved last."""
    if episode.seat is not None:
        return episode.seat
    assert episode.made is not None
    return int(episode.made[0])


@pytest.mark.parametrize("name", BATCHES)
@given(st.integers(0, 1 << 32))
@settings(max_examples=examples(60), deadline=None)
def test_what_is_not_legal_is_refused_and_nothing_is_played(name: str, seed: int) -> None:
    random = Random(seed)
    made, _ = BATCHES[name](3, random)
    for _ in range(random.randrange(16)):
        made.step(chosen(made.masks(), np.random.default_rng(random.randrange(1 << 30))))
    for game in np.nonzero(~made.over)[0].tolist():
        masks, before = made.masks(), made.observations()
        illegal = np.nonzero(masks[game] == 0)[0].tolist()
        for wrong in [-1, made.actions, 10**9, *random.sample(illegal, min(len(illegal), 60))]:
            legal = [int(mask.argmax()) for mask in masks]
            legal[game] = wrong
            with pytest.raises(InputError, match=f"action {wrong} of game {game} is not legal"):
                made.step(legal)
        assert (made.observations() == before).all()
        assert (made.masks() == masks).all()


@pytest.mark.parametrize("name", BATCHES)
@pytest.mark.parametrize("games", [0, -1, 1.5, "x", 1 << 21])
def test_bad_sizes_are_refused(name: str, games: Any) -> None:
    with pytest.raises(InputError, match="games"):
        batch(name, games)


def test_batches_are_made_by_the_name_of_a_game() -> None:
    games = batch("quarto", 3, squares=True)
    assert isinstance(games, QuartoBatch)
    assert (games.games, games.squares) == (3, True)
    with pytest.raises(InputError, match=r"game 'quaternity' has no batches; choose from .*quarto"):
        batch("quaternity", 3)
    with pytest.raises(InputError, match="chess"):
        batch("chess", 3)
    with pytest.raises(InputError, match="unknown setting 'colour'; choose from seats, rule"):
        batch("set", 3, colour=1)


def test_bad_actions_are_refused() -> None:
    made = batch("quarto", 2)
    for actions in ([272], [272, 272, 272], [0.5, 272.0], ["a", "b"], 272, [True, False]):
        with pytest.raises(InputError, match="actions: 2 whole numbers"):
            made.step(actions)
    with pytest.raises(InputError, match="squares"):
        batch("quarto", 1, squares=1)


def test_games_that_are_over_begin_anew() -> None:
    """By the array of the batch itself, too, which changes meanwhile."""
    made, fresh = batch("quarto", 50), batch("quarto", 1)
    for _ in range(40):
        made.step([int(np.nonzero(mask)[0][-1]) for mask in made.masks()])
        ended = made.over.copy()
        made.reset(made.over)
        assert not made.over.any()
        for game in np.nonzero(ended)[0].tolist():
            assert (made.observations()[game] == fresh.observations()[0]).all()
            assert (made.masks()[game] == fresh.masks()[0]).all()


@given(st.integers(1, 40), st.integers(1, 300), st.integers(0, 1 << 32))
@settings(max_examples=examples(100), deadline=None)
def test_any_legal_action_is_chosen_and_no_other(games: int, actions: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    masks = (random.random((games, actions)) < random.choice([0.01, 0.5])).astype(np.uint8)
    choice = chosen(masks, random)
    assert (masks[np.arange(games), choice] == masks.max(1)).all()


def test_all_legal_actions_are_as_likely() -> None:
    mask = np.array([0, 1, 0, 1, 1, *[0] * 50], np.uint8)
    counts = np.bincount(chosen(np.tile(mask, (30_000, 1)), np.random.default_rng(1)), minlength=5)
    assert (abs(counts[[1, 3, 4]] / 10_000 - 1) < 0.05).all()


def test_equal_seeds_deal_equal_decks() -> None:
    seen = [batch("set", 5, seed=seed).observations().tobytes() for seed in (1, 1, 2)]
    assert seen[0] == seen[1] != seen[2]


def test_players_who_choose_by_chance_win_as_often_in_both() -> None:
    """The share of draws in many random games is that of single ones, as `quarto` knows it."""
    made, random = batch("quarto", 4000), np.random.default_rng(1)
    while not made.over.all():
        made.step(chosen(made.masks(), random))
    points = made.points()
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
    made = batch(name, 1, **settings, **({} if name == "quarto" else limit))
    env = getattr(pettingzoo, f"{name}_v0").env(**settings, **limit)
    spaces = env.observation_space("player_0")["observation"], env.action_space("player_0")
    learner = gymnasium.LearnerEnv(name, **settings, **limit)
    sizes = [
        (seen.shape, action.n)
        for seen, action in (spaces, (learner.observation_space, learner.action_space))
    ]
    assert sizes == [((made.observations().shape[1],), made.masks().shape[1])] * 2
