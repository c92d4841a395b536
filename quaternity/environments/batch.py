"""Many games at once, in NumPy: all games of a batch make a move in one step.

    games = batch("quarto", 4096)
    random = np.random.default_rng(1)
    while not games.over.all():
        masks = games.masks()
        games.step(np.where(masks, random.random(masks.shape), -1).argmax(1))

Actions, masks and observations are those of a single game, number by number. A game has batches
where its registration has a `batch`: Quarto (`quaternity.quarto.batch`) so far.
"""

from __future__ import annotations

from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.wording import listed, shown
from quaternity.table.games import game_names, registration


def batch(game: str, count: int, **settings: Any) -> Any:
    """Return so many games, begun, with settings by name.

    Raises:
        InputError: there is no such game, it has no batches, or a value is wrong.
    """
    made: Any = registration(game).part("batch")
    if made is None:
        known = [name for name in game_names() if registration(name).part("batch")]
        raise InputError(f"game {shown(game)} has no batches; {listed(known)} has")
    return made(count, **settings)
