"""What batches of games share: checks of sizes and actions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quaternity.base.errors import InputError
from quaternity.base.plain_values import whole

MAX_BATCH_BYTES = 1 << 30
"""Maximum size of the masks and observations of one batch together, in bytes."""


def checked_games(games: Any, actions: int, numbers: int) -> int:
    """Return how many games a batch has, if masks and observations fit into `MAX_BATCH_BYTES`.

    Args:
        actions: of one game.
        numbers: of one observation, 4 bytes each.

    Raises:
        InputError: it is no whole number above 0, or too large.
    """
    count, most = whole(games, "games", 1), MAX_BATCH_BYTES // (actions + 4 * numbers)
    if count > most:
        raise InputError(f"games: {games} is above the limit of {most}")
    return count


def checked_actions(actions: ArrayLike, games: int, most: int) -> tuple[Any, NDArray[np.int32]]:
    """Return actions, one a game, as given and clipped to -1..most.

    Raises:
        InputError: they are not so many whole numbers.
    """
    given = np.asarray(actions)
    if given.shape != (games,) or given.dtype.kind not in "iu":
        raise InputError(f"actions: {games} whole numbers are expected")
    return given, given.clip(-1, most).astype(np.int32)


def refuse_illegal(given: Any, legal: NDArray[np.bool_]) -> None:
    """Name the first game whose action is not legal.

    Raises:
        InputError: there is one.
    """
    if wrong := np.nonzero(~legal)[0][:1].tolist():
        raise InputError(f"action {given[wrong[0]]} of game {wrong[0]} is not legal")
