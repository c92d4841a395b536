"""Earlier positions of a game at a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quaternity.table.history import History
from quaternity.web.background import BackgroundWork
from quaternity.web.core import TableState

MAX_REPLAYED = 150
"""Maximum number of moves that are replayed in the event loop. Longer games are replayed in another
process."""

MAX_MOMENTS = 8
"""Number of replayed positions of a long game that are kept in memory."""


class Replays:
    """Earlier positions of a table's game. The last positions requested are kept in memory."""

    def __init__(self, thinking: BackgroundWork) -> None:
        self._thinking = thinking
        self._kept: dict[tuple[int, int], Any] = {}
        """Recently replayed positions, by version and number of moves."""

    async def position(self, state: TableState, number: int) -> tuple[int, Any]:
        """Return the position after `number` moves, and the number, limited to the moves made."""
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
