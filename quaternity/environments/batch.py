"""Many games at once, in NumPy: all games of a batch make a move in one step.

    games, random = batch("quarto", 4096), np.random.default_rng(1)
    while not games.over.all():
        games.step(chosen(games.masks(), random))

Actions, masks and observations are those of a single game, number by number. A game has batches
where its registration has a `batch`: Kwartet (`quaternity.kwartet.batch`), Quarto
(`quaternity.quarto.batch`) and SET (`quaternity.ternary.batch`) so far.
"""

from __future__ import annotations

from dataclasses import fields
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaternity.base.errors import InputError
from quaternity.base.wording import listed, shown
from quaternity.table.games import game_names, registration, rules_class

ROUNDS = 32
"""Maximum number of times that actions are drawn until they are legal; then the legal ones are
counted."""


def batch(game: str, count: int, **settings: Any) -> Any:
    """Return so many games, begun, with settings by name.

    Raises:
        InputError: there is no such game, it has no batches, or a value is wrong.
    """
    made: Any = registration(game).part("batch")
    if made is None:
        known = [name for name in game_names() if registration(name).part("batch")]
        raise InputError(f"game {shown(game)} has no batches; {listed(known)} have")
    names = [field.name for field in fields(rules_class(game)().settings)]
    own = signature(made).parameters.values()
    names += [given.name for given in own if given.kind is given.KEYWORD_ONLY]
    for setting in settings:
        if setting not in names:
            raise InputError(f"setting {shown(setting)} is unknown; known are {', '.join(names)}")
    return made(count, **settings)


def chosen(masks: NDArray[np.uint8], random: np.random.Generator) -> NDArray[np.int64]:
    """Return a random legal action of each game, any as likely; 0 where none is legal."""
    games, actions = masks.shape
    choice = np.zeros(games, np.int64)
    waiting = np.arange(games)
    for _ in range(ROUNDS):
        drawn = random.integers(actions, size=len(waiting))
        legal = masks[waiting, drawn] == 1
        choice[waiting[legal]] = drawn[legal]
        waiting = waiting[~legal]
    for game in waiting.tolist():
        legal_here = np.flatnonzero(masks[game])
        choice[game] = random.choice(legal_here) if len(legal_here) else 0
    return choice
