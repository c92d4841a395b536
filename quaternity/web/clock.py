"""Clocks of games that do not wait for ever."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from quaternity.web.refusal import Refusal, quoted

DAY = 86_400

MIN_MOVE_SECONDS, MAX_MOVE_SECONDS = 5, 14 * DAY
MAX_INCREMENT_SECONDS = 3_600

MAX_MISSED_MOVES = 3
"""Number of consecutive moves not made in time after which a program takes over the seat."""


class Clock(NamedTuple):
    """The time for a move.

    Each move has `seconds`, and what was saved: who moves within `increment` seconds saves the rest
    of them for later moves, up to nine times `seconds`.
    """

    seconds: int
    increment: int = 0

    def saved_after(self, saved: float, left: float) -> float:
        """Return what is saved after a move at which so much of the time was left."""
        spent = self.seconds + saved - left
        return min(max(0.0, saved - spent + self.increment), 9.0 * self.seconds)


def read_clock(document: dict[str, Any] | None) -> Clock | None:
    """Return the clock that a request asks for: seconds and an increment, or days.

    Raises `Refusal` for a value that is unknown, of another type, or too small or large.
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
            raise Refusal(422, f"clock: {quoted(name)} is unknown; known are {', '.join(bounds)}")
        least, most = bounds[name]
        if type(value) is not int or not least <= value <= most:
            raise Refusal(422, f"clock: {name}: a whole number from {least} to {most} is expected")
    if ("days" in document) == ("seconds" in document):
        raise Refusal(422, "clock: seconds or days are expected")
    seconds = document["days"] * DAY if "days" in document else document["seconds"]
    return Clock(seconds, document.get("increment", 0))


def kept_clock(text: str | None) -> Clock | None:
    """Return a clock as the store has it."""
    return None if text is None else Clock(*json.loads(text))
