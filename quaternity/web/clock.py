"""Settings of the clock of a game, and functions that read them from requests and the store."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NamedTuple

from quaternity.base.text_format import quote_short
from quaternity.web.http_errors import HttpError

DAY = 86_400
"""Number of seconds in a day."""

MIN_MOVE_SECONDS, MAX_MOVE_SECONDS = 5, 14 * DAY
"""Smallest and largest number of seconds that a clock may give a player for each move."""

MAX_INCREMENT_SECONDS = 3_600
"""Maximum number of seconds that a clock may add to a player's saved time for each move."""

MAX_MISSED_MOVES = 3
"""Number of moves that a player misses in a row before a computer player takes over the seat."""


class Clock(NamedTuple):
    """The settings of a game's clock, which limits the time for each move.

    A player has `seconds` for each move, and may also use the time saved by earlier moves. Each
    move adds `increment` to the saved time and subtracts the time that it took. The saved time is
    at least 0 and at most nine times `seconds`.
    """

    seconds: int
    increment: int = 0

    def saved_after(self, saved: float, left: float) -> float:
        """Return the seconds that a player has saved after a move.

        `saved` is the number of seconds saved before the move. `left` is the number of seconds that
        remained on the clock when the player moved.
        """
        spent = self.seconds + saved - left
        return min(max(0.0, saved - spent + self.increment), 9.0 * self.seconds)


def read_clock(document: dict[str, Any] | None) -> Clock | None:
    """Return the clock that a request for a new table describes, or None for no clock.

    `document` is None, or a JSON object with either `days`, or `seconds` and perhaps `increment`.

    Raises `HttpError` if an entry is missing, unknown, of the wrong type, too small or too large.
    """
    if document is None:
        return None
    bounds = {
        "days": (1, MAX_MOVE_SECONDS // DAY),
        "seconds": (MIN_MOVE_SECONDS, MAX_MOVE_SECONDS),
        "increment": (0, MAX_INCREMENT_SECONDS),
    }
    for name, value in document.items():
        if name not in bounds:
            raise HttpError(
                422, f"clock: unknown entry {quote_short(name)}; choose from {', '.join(bounds)}"
            )
        lowest, highest = bounds[name]
        if type(value) is not int or not lowest <= value <= highest:
            raise HttpError(
                422, f"clock: {name}: must be a whole number from {lowest} to {highest}"
            )
    if ("days" in document) == ("seconds" in document):
        raise HttpError(422, "clock: expected either seconds or days")
    seconds = document["days"] * DAY if "days" in document else document["seconds"]
    return Clock(seconds, document.get("increment", 0))


@lru_cache(maxsize=256)
def stored_clock(text: str | None) -> Clock | None:
    """Return the clock of a table from its stored JSON text, or None if the table has no clock."""
    return None if text is None else Clock(*json.loads(text))
