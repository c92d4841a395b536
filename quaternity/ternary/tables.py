"""Tables of SET cards, and the two rules that say which three cards belong together.

A table contains each card at most once. It is stored as a sorted tuple of card indexes, or as a
*bit set*: an integer in which bit i stands for card i.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from string import ascii_letters

from quaternity.base.errors import InputError
from quaternity.base.names import code_name
from quaternity.base.validation import as_iterator
from quaternity.ternary.cards import CARDS, check_card

WHOLE_DECK = tuple(range(CARDS))
"""The 81 cards of the deck, in the order of their numbers."""
_DECK = frozenset(WHOLE_DECK)

LETTERS = ascii_letters
"""Letters that players type to claim the cards on the table, in the order of their places. A table
of 54 cards may have no triple, so a table may have more cards than there are letters. The last
cards are then claimed by number."""


def check_table(cards: Iterable[int]) -> tuple[int, ...]:
    """Return the cards of a table in order. Raise InputError for invalid or repeated cards."""
    indexes = tuple(as_iterator(cards, "table"))
    if set(map(type, indexes)) == {int} and len(_DECK.intersection(indexes)) == len(indexes):
        return tuple(sorted(indexes))  # the usual case comes first
    places: dict[int, int] = {}
    for place, index in enumerate(indexes):
        card = check_card(index, f"table[{place}]")
        if card in places:
            raise InputError(
                f"table[{place}]: card {card} is already on the table (table[{places[card]}])"
            )
        places[card] = place
    return tuple(sorted(places))


def bits_of(cards: Iterable[int]) -> int:
    """Return a set of cards as a bit set: an integer with bit i for card i."""
    bits = 0
    for card in cards:
        bits |= 1 << card
    return bits


def cards_in(bits: int) -> Iterator[int]:
    """Yield the cards of a bit set in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


class Rule(StrEnum):
    """The rule that says when three different cards belong together.

    `TRIPLE`: any two of the three cards differ in **all four** attributes (a *correct triple*).
    There are 216 correct triples, and each card is in 8 of them.

    `SET`: in each attribute, the three cards are all alike or all different (the game's SET). There
    are 1080 SETs, and each card is in 40 of them. Every correct triple is a SET.
    """

    __repr__ = code_name

    TRIPLE = "triple"
    SET = "set"

    @classmethod
    def _missing_(cls, value: object) -> Rule:
        raise InputError(f"unknown rule {value!r}: choose from {', '.join(cls)}")

    @property
    def three(self) -> str:
        """The name of three cards that belong together under this rule."""
        return "triple" if self is Rule.TRIPLE else "SET"
