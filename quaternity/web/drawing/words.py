"""Names of seats, and what happened told with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quaternity.base.sentences import Sentence, Words, facts

if TYPE_CHECKING:
    from quaternity.web.sight import SeatSight, Sight

_PLAYERS = re.compile(
    r"\bplayers (\d{1,3}(?:(?:, | and )\d{1,3})+)\b"
    r"|\bplayer (\d{1,3})\b|\b(\d{1,3})(?= (?:asks|puts down)\b)|(?<=\basks )(\d{1,3})\b"
)
_SET = re.compile(r"(?<=puts down )(\d+)")


def plain_names(seats: Sequence[SeatSight]) -> list[str]:
    """A name per seat, for places where its number stands beside it."""
    return [one.name or f"Seat {number}" for number, one in enumerate(seats)]


def seat_names(seats: Sequence[SeatSight]) -> list[str]:
    """A name per seat; equal ones are told apart by the number of the seat."""
    names = plain_names(seats)
    numbered = [f"{name} ({number})" for number, name in enumerate(names)]
    apart = [
        more if names.count(name) > 1 else name for name, more in zip(names, numbered, strict=True)
    ]
    return apart if len(set(apart)) == len(apart) else numbered


def last_asked(sight: Sight) -> tuple[int, int, int] | None:
    """Whom the last question was to, and for which card: (player, set, number)."""
    about = facts(sight.moves[-1].events[0]) if sight.moves else {}
    return (about["asked"], *about["card"]) if "asked" in about else None


def told(text: str, names: Sequence[str]) -> str:
    """Call seats by their names in a sentence; names are put in once and not looked at again.

    A text that is no `Sentence` must be of this house: nobody's name may be in it.

    >>> told("0 asks 1 for 0/2: no", ["Ann", "Bo"])
    'Ann asks Bo for 0/2: no'
    >>> told("player 1 completes set 0", ["Ann", "Bo"])
    'Bo completes set 0'
    >>> told("then players 0 and 1 must hold 5 cards", ["Ann", "Bo"])
    'then Ann and Bo must hold 5 cards'
    """
    if isinstance(text, Sentence):
        return Words(names).say(text)

    def named(match: re.Match[str]) -> str:
        numbers = match[match.lastindex or 0]
        if any(int(number) >= len(names) for number in re.findall(r"\d+", numbers)):
            return match[0]
        return re.sub(r"\d+", lambda number: names[int(number[0])], numbers)

    return _PLAYERS.sub(named, _SET.sub(r"set \1", text))
