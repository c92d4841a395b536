"""A policy on numbers can play every game."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from quaternity.base.errors import InputError, PlayerFault
from quaternity.environments import PolicyPlayer
from quaternity.environments.episode import TableGame
from quaternity.table.games import GAMES, rules_class
from quaternity.table.match import Match


def choose_randomly(numbers: memoryview, mask: bytes, random: Random) -> int:
    assert all(0 <= number <= 1 for number in numbers)
    return random.choice([action for action, legal in enumerate(mask) if legal])


random_player = PolicyPlayer(choose_randomly)
illegal_player = PolicyPlayer(lambda numbers, mask, random: mask.index(0))
MODULE = "tests.environments.test_policy_player"


@pytest.mark.parametrize("game", GAMES)
def test_a_policy_plays_by_the_numbers_of_the_environments(game: str) -> None:
    rules: Any = rules_class(game)()
    match: Any = Match(rules, [f"{MODULE}:random_player"] * rules.seats, "3")
    for _ in range(8):
        if match.program_move() is None:
            break
    assert match.moves
    episode = TableGame(game).episode(Random(5))
    calls = []

    def choose(numbers: memoryview, mask: bytes, random: Random) -> int:
        calls.append((bytes(numbers), mask))
        return mask.index(1)

    PolicyPlayer(choose)(rules).choose(episode.view, Random(0))
    assert calls == [(bytes(episode.numbers(episode.seat or 0)), episode.mask)]


def test_a_policy_must_be_a_function() -> None:
    with pytest.raises(InputError, match=r"choose: must be a function .*, not 3"):
        PolicyPlayer(3)  # type: ignore[arg-type]  # on purpose


def test_actions_beyond_the_mask_and_without_a_1_in_it_are_refused() -> None:
    episode = TableGame("quarto").episode(Random(5))
    rules, mask = episode.game.rules, episode.mask
    for action in range(-2, len(mask) + 2):
        player = PolicyPlayer(lambda *_, action=action: action)(rules)
        if 0 <= action < len(mask) and mask[action]:
            assert player.choose(episode.view, Random(0)) is not None
        else:
            with pytest.raises(
                InputError, match=rf"action {action}( is not legal| is out of range)"
            ):
                player.choose(episode.view, Random(0))


def test_an_action_that_is_not_legal_is_a_fault() -> None:
    rules = rules_class("quarto")()
    match: Any = Match(rules, [f"{MODULE}:illegal_player"] * 2, "3")
    with pytest.raises(PlayerFault, match="action 0 is not legal: its mask is 0"):
        match.program_move()
