"""Validation for batches of games of any kind: the number of games, and the action in each game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quaternity.base.errors import InputError
from quaternity.base.validation import as_int

MAX_BATCH_BYTES = 1 << 30
"""Maximum total size of the action masks and observations of one batch, in bytes."""


def check_games(games: Any, actions: int, numbers: int) -> int:
    """Check the number of games in a batch, and return it as an `int`.

    The action masks and observations of all games must fit into `MAX_BATCH_BYTES`.

    Args:
        actions: number of actions of a game. In a mask, each action takes one byte.
        numbers: number of entries of an observation. Each entry takes 4 bytes.

    Raises:
        InputError: If `games` is not a whole number >= 1, or is too large.
    """
    count, limit = as_int(games, "games", 1), MAX_BATCH_BYTES // (actions + 4 * numbers)
    if count > limit:
        raise InputError(f"games: {games} is above the limit of {limit}")
    return count


def check_actions(actions: ArrayLike, games: int, max_action: int) -> tuple[Any, NDArray[np.int32]]:
    """Check the actions of a batch of games. Return them as given, and as 32-bit integers.

    Both results are arrays. In the second one, values are limited to -1..`max_action`. Raise
    `InputError` if `actions` does not have one whole number for each game.
    """
    array = np.asarray(actions)
    if array.shape != (games,) or array.dtype.kind not in "iu":
        raise InputError(f"actions: expected {games} whole numbers, one for each game")
    return array, array.clip(-1, max_action).astype(np.int32)


def check_legal(actions: Any, legal: NDArray[np.bool_]) -> None:
    """Check that the action of every game is legal. `legal` has a truth value for each game.

    Raises:
        InputError: If an action is not legal. The message names the first game with such an action.
    """
    if wrong := np.nonzero(~legal)[0][:1].tolist():
        game = wrong[0]
        raise InputError(f"actions[{game}]: {actions[game]} is not legal in game {game}")
