"""Many games at once follow the rules of a single one, to the byte."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.environments.batch import batch as made
from quaternity.environments.episode import Episode, TableGame
from quaternity.quarto.batch import MOST_GAMES, QuartoBatch
from tests.sizes import examples


def episodes_of(batch: QuartoBatch) -> list[Episode]:
    game = TableGame("quarto", {"squares": batch.squares}, reward="points")
    return [game.episode(Random(0)) for _ in range(batch.games)]


def assert_same(batch: QuartoBatch, episodes: list[Episode]) -> None:
    masks, seen, points = batch.masks(), batch.observations(), batch.points()
    for number, episode in enumerate(episodes):
        assert masks[number].tobytes() == episode.mask
        turn = episode.position.turn
        assert seen[number].tobytes() == bytes(episode.numbers(turn))
        assert batch.over[number] == (episode.seat is None)
        assert points[number].tolist() == list(episode.returns())


@given(st.integers(1, 12), st.booleans(), st.integers(0, 1 << 32))
@settings(max_examples=examples(150), deadline=None)
def test_a_batch_is_so_many_single_games(games: int, squares: bool, seed: int) -> None:
    random = Random(seed)
    batch = QuartoBatch(games, squares)
    episodes = episodes_of(batch)
    while True:
        assert_same(batch, episodes)
        if batch.over.all():
            break
        masks = batch.masks()
        actions = [
            random.choice(np.nonzero(mask)[0].tolist()) if mask.any() else random.randrange(-5, 400)
            for mask in masks
        ]
        batch.step(actions)
        episodes = [
            episode if episode.seat is None else episode.after(action)
            for episode, action in zip(episodes, actions, strict=True)
        ]
        if random.random() < 0.1:
            which = random.randrange(games)
            batch.reset([which])
            episodes[which] = episodes_of(batch)[0]


@given(st.booleans(), st.integers(0, 1 << 32))
@settings(max_examples=examples(60), deadline=None)
def test_what_is_not_legal_is_refused_and_nothing_is_played(squares: bool, seed: int) -> None:
    random = Random(seed)
    batch = QuartoBatch(3, squares)
    for _ in range(random.randrange(16)):
        masks = batch.masks()
        batch.step([
            random.choice(np.nonzero(mask)[0].tolist()) if mask.any() else 0 for mask in masks
        ])  # fmt: skip
    for game in np.nonzero(~batch.over)[0].tolist():
        masks = batch.masks()
        legal = [int(mask.argmax()) for mask in masks]
        before = batch.observations()
        for wrong in [-1, batch.actions, 10**9, *np.nonzero(masks[game] == 0)[0].tolist()]:
            legal[game] = wrong
            with pytest.raises(InputError, match=f"action {wrong} of game {game} is not legal"):
                batch.step(legal)
        assert (batch.observations() == before).all()


@pytest.mark.parametrize("games", [0, -1, 1.5, "x", MOST_GAMES + 1])
def test_bad_sizes_are_refused(games: int) -> None:
    with pytest.raises(InputError, match="games"):
        QuartoBatch(games)


def test_batches_are_made_by_the_name_of_a_game() -> None:
    games = made("quarto", 3, squares=True)
    assert isinstance(games, QuartoBatch)
    assert (games.games, games.squares) == (3, True)
    with pytest.raises(InputError, match="game 'set' has no batches; quarto has"):
        made("set", 3)
    with pytest.raises(InputError, match="chess"):
        made("chess", 3)


def test_bad_actions_are_refused() -> None:
    batch = QuartoBatch(2)
    for actions in ([272], [272, 272, 272], [0.5, 272.0], ["a", "b"], 272, [True, False]):
        with pytest.raises(InputError, match="actions: 2 whole numbers"):
            batch.step(actions)
    with pytest.raises(InputError, match="squares"):
        QuartoBatch(1, squares=1)  # type: ignore[arg-type]


def test_games_that_are_over_begin_anew() -> None:
    """By the array of the batch itself, too, which changes meanwhile."""
    batch, fresh = QuartoBatch(50), QuartoBatch(1)
    for _ in range(40):
        masks = batch.masks()
        batch.step([int(np.nonzero(mask)[0][-1]) for mask in masks])
        ended = batch.over.copy()
        batch.reset(batch.over)
        assert not batch.over.any()
        for game in np.nonzero(ended)[0].tolist():
            assert (batch.observations()[game] == fresh.observations()[0]).all()
            assert (batch.masks()[game] == fresh.masks()[0]).all()


def test_players_who_choose_by_chance_win_as_often_in_both() -> None:
    """The share of draws in many random games is that of single ones, as `quarto` knows it."""
    batch, random = QuartoBatch(4000), np.random.default_rng(1)
    while not batch.over.all():
        masks = batch.masks()
        batch.step(np.where(masks, random.random(masks.shape), -1.0).argmax(1))
    points = batch.points()
    assert (points.sum(1) == 1).all()
    assert 0.0 < (points == 0.5).all(1).mean() < 0.05
