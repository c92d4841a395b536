"""Earlier positions of a game, computed from its moves when a visitor requests them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quaternity.table.history import History
from quaternity.web.background import BackgroundWork
from quaternity.web.core import TableState

MAX_REPLAYED = 150
"""Maximum number of moves that are replayed in the event loop. Longer games are replayed in another
process, so that other requests do not have to wait."""

MAX_MOMENTS = 8
"""Number of cached positions of a game that are kept when another position is added to them."""


class Replays:
    """Returns earlier positions of one table's game. The latest results are cached."""

    def __init__(self, thinking: BackgroundWork) -> None:
        self._thinking = thinking
        self._kept: dict[tuple[int, int], Any] = {}
        """Recently replayed positions. A key is a pair (number of log entries, number of moves)."""

    async def position(self, state: TableState, number: int) -> tuple[int, Any]:
        """Return the position after a number of moves, as a pair of the number and the position.

        A number out of range is replaced by the nearest possible number of moves.

        Raises `HttpError` if the replay of many moves takes too long.
        """
        history, game = state.history, state.history.game
        last = len(game.moves)
        number = min(max(number, 0), last)
        if number == last:
            return last, history.position
        key = history.version, number
        if key not in self._kept:
            position = await self._thinking.draw(
                number > MAX_REPLAYED, _replay, game.rules, game.start, game.moves[:number]
            )
            self._kept = {**dict([*self._kept.items()][-MAX_MOMENTS:]), key: position}
        return number, self._kept[key]


def _replay(rules: Any, start: Any, moves: Sequence[tuple[int, Any]]) -> Any:
    return History(rules, start, moves).position
