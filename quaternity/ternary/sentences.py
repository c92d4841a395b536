"""Message templates for the events of SET."""

from __future__ import annotations

from functools import cache

from quaternity.base.sentences import MessageTemplate
from quaternity.ternary.cards import CARDS, SetCard

AGREES = MessageTemplate("agrees", "{who:player} agrees to three more cards")
RIGHT = MessageTemplate("claims", "{who:player} claims a {three}: {cards}")
WRONG = MessageTemplate("claims", "{who:player} makes a wrong claim: {cards}")
MISSED = MessageTemplate("missed", "but there was a {three}: {missed}")
DEALT = MessageTemplate("dealt", "dealt: {dealt}")


class DescribedCards(tuple[int, ...]):
    """Cards in a message, given by index. Their text describes the figures on them."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(map(_descriptions().__getitem__, self))


@cache
def _descriptions() -> tuple[str, ...]:
    return tuple(str(SetCard(card)) for card in range(CARDS))
