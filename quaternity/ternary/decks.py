"""Decks: shuffled, and safe ones, with which no play can get stuck before the deck is empty.

A safe deck is a random partition of the cards into 27 threes, dealt three by three. Whatever
threes the players take, the table is filled up with the next three of the deck, and these belong
together: so there is always a three on the table until the deck is empty. The price: whoever
remembers which three cards came last knows one. Therefore the deck names no places on the table;
`quaternity.ternary.play.Table` shuffles them at every deal.
"""

from __future__ import annotations

from random import Random

from quaternity.errors import SolverFault
from quaternity.ternary.packing import partition
from quaternity.ternary.rule import Rule
from quaternity.ternary.tables import WHOLE_DECK
from solvers.plain_values import generator

Deck = tuple[int, ...]
"""All 81 cards in the order in which they are dealt."""


def shuffled_deck(random: Random) -> Deck:
    """All orders of the cards with the same chance.

    Raises:
        InputError: `random` is not a `random.Random`.
    """
    return tuple(generator(random).sample(WHOLE_DECK, len(WHOLE_DECK)))


def safe_deck(random: Random, rule: Rule | str, method: str = "search") -> Deck:
    """A deck in which cards 3 i, 3 i + 1 and 3 i + 2 belong together, for each i.

    With it no play that deals a multiple of three cards first (such as 12) and then always three
    can get stuck before the deck is empty. The order of the threes, and of the cards in each, is
    random; see `partition` for how random the threes are. Some hundredths of a second.

    Raises:
        InputError: there is no such rule or method; `random` is not a `random.Random`.

    >>> from quaternity.ternary.triples import is_triple
    >>> deck = safe_deck(Random(4), Rule.TRIPLE)
    >>> sorted(deck) == list(range(81)), is_triple(*deck[:3], Rule.TRIPLE)
    (True, True)
    """
    threes = partition(WHOLE_DECK, rule, generator(random), method)
    if threes is None:
        raise SolverFault(f"{method}: no partition of the deck into threes")
    cards: list[int] = []
    for three in random.sample(threes, len(threes)):
        cards += random.sample(three, len(three))
    return tuple(cards)


__all__ = ["Deck", "safe_deck", "shuffled_deck"]
