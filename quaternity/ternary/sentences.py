"""Message templates for the events of SET."""

from __future__ import annotations

from functools import cache

from quaternity.base.sentences import Kind
from quaternity.ternary.cards import CARDS, SetCard

AGREES = Kind("agrees", "{who:player} agrees to three more cards")
RIGHT = Kind("claims", "{who:player} claims a {three}: {cards}")
WRONG = Kind("claims", "{who:player} claims a wrong three: {cards}")
MISSED = Kind("missed", "there was a {three} all the same: {missed:row}")
DEALT = Kind("dealt", "dealt: {dealt}")


class Pictured(tuple[int, ...]):
    """Cards by index, whose text describes the figures on them."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(map(_pictures().__getitem__, self))


@cache
def _pictures() -> tuple[str, ...]:
    return tuple(str(SetCard(card)) for card in range(CARDS))
