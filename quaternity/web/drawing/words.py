"""Names of seats, and what happened told with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quaternity.web.sight import SeatSight

_PLAYER = re.compile(
    r"\bplayer (\d{1,3})\b|^(\d{1,3})(?= (?:asks|puts|claims)\b)|(?<=\basks )(\d{1,3})\b"
)
_SET = re.compile(r"(?<=puts down )(\d+)")


def seat_names(seats: Sequence[SeatSight]) -> list[str]:
    """A name per seat; equal ones are told apart by the number of the seat."""
    names = [one.name or f"Seat {number}" for number, one in enumerate(seats)]
    return [
        f"{name} ({number})" if names.count(name) > 1 else name for number, name in enumerate(names)
    ]


def told(text: str, names: Sequence[str]) -> str:
    """What happened, seats called by their names.

    >>> told("0 asks 1 for 0/2: no", ["Ann", "Bo"])
    'Ann asks Bo for 0/2: no'
    >>> told("player 1 completes set 0", ["Ann", "Bo"])
    'Bo completes set 0'
    """

    def name(match: re.Match[str]) -> str:
        number = int(match[match.lastindex or 1])
        return names[number] if number < len(names) else match[0]

    return _PLAYER.sub(name, _SET.sub(r"set \1", text))


__all__ = ["seat_names", "told"]
