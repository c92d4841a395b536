"""A hand of cards: per set a bit mask of its four cards.

A `Hand` is a tuple with one number 0..15 per set; bit c of number s says that card s/c is held.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import TypeAlias

from quaternity.base.errors import InputError
from quaternity.game.cards import Card
from quaternity.kwartet.settings import SET_SIZE, KwartetSettings

Hand: TypeAlias = tuple[int, ...]

FULL = (1 << SET_SIZE) - 1
"""All cards of a set."""

NUMBERS: tuple[tuple[int, ...], ...] = tuple(
    tuple(number for number in range(SET_SIZE) if mask >> number & 1) for mask in range(FULL + 1)
)
"""Per mask the numbers of its cards."""

LACKING: tuple[tuple[int, ...], ...] = tuple(NUMBERS[FULL ^ mask] for mask in range(FULL + 1))
"""Per mask the numbers of the other cards."""


def cards_in(hand: Hand) -> tuple[Card, ...]:
    """Return the cards of a hand, ascending."""
    return tuple(
        Card.trusted(index, number) for index, mask in enumerate(hand) for number in NUMBERS[mask]
    )


def hand_of(cards: Iterable[Card], sets: int) -> Hand:
    """Return the hand with some cards, of a game with that many sets."""
    masks = [0] * sets
    for card in cards:
        index, number = Card(*card)
        if not (0 <= index < sets and 0 <= number < SET_SIZE):
            raise InputError(f"card {index}/{number}: there are {sets} sets of {SET_SIZE} cards")
        masks[index] |= 1 << number
    return tuple(masks)


def dealt_hands(
    settings: KwartetSettings, random: Random, first_extra: int = 0
) -> tuple[Hand, ...]:
    """Hands from a well shuffled deck; see `KwartetSettings.hand_sizes` for `first_extra`."""
    deck = list(range(settings.cards))
    random.shuffle(deck)
    hands = []
    start = 0
    for size in settings.hand_sizes(first_extra):
        masks = [0] * settings.sets
        for card in deck[start : start + size]:
            masks[card // SET_SIZE] |= 1 << card % SET_SIZE
        hands.append(tuple(masks))
        start += size
    return tuple(hands)
