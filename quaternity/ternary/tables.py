"""Tables, and the two meanings of a good three of cards.

Cards of a table lie face up: they are different, and are held as a sorted tuple of indexes or as a
set of bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from string import ascii_letters

from quaternity.base.errors import InputError
from quaternity.base.names import code_name
from quaternity.base.plain_values import iterated
from quaternity.ternary.cards import CARDS, check_card

WHOLE_DECK = tuple(range(CARDS))
"""All cards, in order."""
_DECK = frozenset(WHOLE_DECK)

LETTERS = ascii_letters
"""The places of a table in a game, in order. Where there are more (54 cards may have no triple),
the last ones are claimed by number."""


def check_table(cards: Iterable[int]) -> tuple[int, ...]:
    """Return the cards of a table in order; refuse a wrong card, and one that comes twice."""
    listed = tuple(iterated(cards, "table"))
    if set(map(type, listed)) == {int} and len(_DECK.intersection(listed)) == len(listed):
        return tuple(sorted(listed))  # nearly always, and quick
    places: dict[int, int] = {}
    for place, given in enumerate(listed):
        card = check_card(given, f"table[{place}]")
        if card in places:
            raise InputError(
                f"table[{place}]: card {card} is already there (table[{places[card]}])"
            )
        places[card] = place
    return tuple(sorted(places))


def bits_of(cards: Iterable[int]) -> int:
    """Return a set of cards as an integer with bit i for card i."""
    bits = 0
    for card in cards:
        bits |= 1 << card
    return bits


def cards_in(bits: int) -> Iterator[int]:
    """Yield the cards of a set of bits, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


class Rule(StrEnum):
    """When three different cards belong together.

    `TRIPLE`: any two of the three differ in **all four** attributes (a *correct triple*). There
    are 216, and 8 through each card.

    `SET`: in each attribute the three are all alike or all different (the game's SET). There are
    1080, and 40 through each card. Every correct triple is a SET.
    """

    __repr__ = code_name

    TRIPLE = "triple"
    SET = "set"

    @classmethod
    def _missing_(cls, value: object) -> Rule:
        raise InputError(f"no rule {value!r}; there are {', '.join(cls)}")

    @property
    def three(self) -> str:
        """What one three of cards is called under this rule."""
        return "triple" if self is Rule.TRIPLE else "SET"
