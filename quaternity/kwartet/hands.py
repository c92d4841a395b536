"""Hands of cards, stored as a bit mask for each set.

A `Hand` is a tuple with a number for each set. Bit c of number s is 1 if the hand contains card
s/c. The cards set aside are an additional hand after the hands of the players.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import TypeAlias

from quaternity.base.errors import InputError
from quaternity.game.cards import Card
from quaternity.kwartet.settings import SET_SIZE, SET_SIZES, KwartetSettings

Hand: TypeAlias = tuple[int, ...]

NUMBERS_IN_MASK: list[tuple[int, ...]] = [()]
"""List of tuples, indexed by a bit mask of cards of one set. Each tuple contains the numbers of
these cards. All allowed set sizes are covered."""

for _number in range(SET_SIZES[-1]):
    NUMBERS_IN_MASK += [(*numbers, _number) for numbers in NUMBERS_IN_MASK]


def cards_in(hand: Hand) -> tuple[Card, ...]:
    """Return the cards of a hand in ascending order."""
    return tuple(
        Card.unchecked(index, number)
        for index, mask in enumerate(hand)
        for number in NUMBERS_IN_MASK[mask]
    )


def hand_of(cards: Iterable[Card], sets: int, size: int = SET_SIZE) -> Hand:
    """Return a hand with the given cards, for a game with `sets` sets of `size` cards."""
    masks = [0] * sets
    for card in cards:
        index, number = Card(*card)
        if not (0 <= index < sets and 0 <= number < size):
            raise InputError(
                f"card {index}/{number} does not exist: there are {sets} sets of {size} cards"
            )
        masks[index] |= 1 << number
    return tuple(masks)


def deal_hands(settings: KwartetSettings, random: Random, first_extra: int = 0) -> tuple[Hand, ...]:
    """Shuffle the cards, deal them to the players, and set aside the others. Return all hands.

    `first_extra` is the first seat that gets an extra card (see `KwartetSettings.hand_sizes`).
    """
    deck = list(range(settings.cards))
    random.shuffle(deck)
    hands = []
    start = 0
    for size in settings.hand_sizes(first_extra):
        masks = [0] * settings.sets
        for card in deck[start : start + size]:
            index, number = divmod(card, settings.set_size)
            masks[index] |= 1 << number
        hands.append(tuple(masks))
        start += size
    return tuple(hands)
