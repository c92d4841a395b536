"""Names of seats, and what happened told with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quaternity.web.sight import SeatSight, Sight

_PLAYER = re.compile(
    r"\bplayer (\d{1,3})\b|\b(\d{1,3})(?= (?:asks|puts down|claims)\b)|(?<=\basks )(\d{1,3})\b"
)
_PLAYERS = re.compile(r"\bplayers (\d{1,3}(?:(?:, | and )\d{1,3})+)\b")
_ASKED = re.compile(r"\d+ asks (\d+) for (\d+)/(\d+)")
_SET = re.compile(r"(?<=puts down )(\d+)")


def plain_names(seats: Sequence[SeatSight]) -> list[str]:
    """A name per seat, for places where its number stands beside it."""
    return [one.name or f"Seat {number}" for number, one in enumerate(seats)]


def seat_names(seats: Sequence[SeatSight]) -> list[str]:
    """A name per seat; equal ones are told apart by the number of the seat."""
    names = plain_names(seats)
    return [
        f"{name} ({number})" if names.count(name) > 1 else name for number, name in enumerate(names)
    ]


def last_asked(sight: Sight) -> tuple[int, int, int] | None:
    """Whom the last question was to, and for which card: (player, set, number)."""
    text = sight.moves[-1].events[0] if sight.moves else ""
    found = _ASKED.match(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def told(text: str, names: Sequence[str]) -> str:
    """What happened, seats called by their names.

    >>> told("0 asks 1 for 0/2: no", ["Ann", "Bo"])
    'Ann asks Bo for 0/2: no'
    >>> told("player 1 completes set 0", ["Ann", "Bo"])
    'Bo completes set 0'
    >>> told("then players 0 and 1 must hold 5 cards", ["Ann", "Bo"])
    'then Ann and Bo must hold 5 cards'
    """

    def name(match: re.Match[str]) -> str:
        number = int(match[match.lastindex or 0])
        return names[number] if number < len(names) else match[0]

    text = _PLAYERS.sub(lambda match: re.sub(r"(\d+)", name, match[1]), text)
    return _PLAYER.sub(name, _SET.sub(r"set \1", text))


__all__ = ["last_asked", "plain_names", "seat_names", "told"]
