"""Simulation of many games at once with NumPy. Each step makes one move in every game.

    games, random = batch("quarto", 4096), np.random.default_rng(1)
    while not games.over.all():
        games.step(draw_actions(games.masks(), random))

Kwartet, Quarto and SET support batches (`quaternity.kwartet.batch`, `quaternity.quarto.batch` and
`quaternity.ternary.batch`). Actions, masks and observations have the same encoding as in a single
game.
"""

from __future__ import annotations

from dataclasses import fields
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaternity.base.errors import InputError
from quaternity.base.text_format import join_words, quote_value
from quaternity.table.games import game_names, registration, rules_class

MAX_DRAWS = 32
"""Maximum number of random actions that `draw_actions` tries for each game. If none of them is
legal, it chooses from the list of legal actions."""


def batch(game: str, count: int, **settings: Any) -> Any:
    """Return a batch of `count` new games, with the settings of the game as keyword arguments.

    Raise `InputError` if the game is unknown or does not support batches, or a value is invalid.
    """
    made: Any = registration(game).part("batch")
    if made is None:
        known = [name for name in game_names() if registration(name).part("batch")]
        raise InputError(
            f"game {quote_value(game)} cannot be played in batches; choose from {join_words(known)}"
        )
    names = [field.name for field in fields(rules_class(game)().settings)]
    own = signature(made).parameters.values()
    names += [argument.name for argument in own if argument.kind is argument.KEYWORD_ONLY]
    for setting in settings:
        if setting == "max_moves" not in names:
            raise InputError(
                f"max_moves: {game} does not have this setting; to stop a game early, call "
                "`step` fewer times"
            )
        if setting not in names:
            raise InputError(
                f"unknown setting {quote_value(setting)}; choose from {', '.join(names)}"
            )
    return made(count, **settings)


def draw_actions(masks: NDArray[np.uint8], random: np.random.Generator) -> NDArray[np.int64]:
    """Return a uniformly random legal action for each game, or 0 if a game has none."""
    games, actions = masks.shape
    choice = np.zeros(games, np.int64)
    waiting = np.arange(games)
    for _ in range(MAX_DRAWS):
        drawn = random.integers(actions, size=len(waiting))
        legal = masks[waiting, drawn] == 1
        choice[waiting[legal]] = drawn[legal]
        waiting = waiting[~legal]
    for game in waiting.tolist():
        options = np.flatnonzero(masks[game])
        choice[game] = random.choice(options) if len(options) else 0
    return choice
