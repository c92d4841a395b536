"""Tables: different cards lying face up, as a sorted tuple of indexes and as a set of bits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quaternity.errors import InputError
from quaternity.ternary.cards import CARDS, check_card
from solvers.plain_values import iterated

WHOLE_DECK = tuple(range(CARDS))
"""All cards, in order."""
_DECK = frozenset(WHOLE_DECK)


def check_table(cards: Iterable[int]) -> tuple[int, ...]:
    """The cards of a table in order.

    Raises:
        InputError: one is not a card 0..80, or lies there twice; its place is named. Or `cards` is
            no collection.

    >>> check_table([4, 0, 9])
    (0, 4, 9)
    >>> check_table([4, 0, 4])
    Traceback (most recent call last):
        ...
    solvers.errors.InputError: table[2]: card 4 is already there (table[0])
    """
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
    """A set of cards as an integer with bit i for card i."""
    bits = 0
    for card in cards:
        bits |= 1 << card
    return bits


def cards_in(bits: int) -> Iterator[int]:
    """The cards of a set of bits, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


__all__ = ["WHOLE_DECK", "bits_of", "cards_in", "check_table"]
