"""Decks of SET: shuffled decks, chains of threes, and safe decks, with which no game can get stuck.

A *three* is three cards that belong together. In a chain, each three begins with the last card of
the previous three. A safe deck is a random partition of the cards into 27 threes, which are dealt
one after another. Whichever cards the players take, the cards dealt next form a three, so the table
contains a three until the deck is empty. But a player who remembers which cards were dealt last
could claim them. Therefore, `quaternity.ternary.play.Table` shuffles the places at every deal.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from quaternity.base.errors import SolverFault
from quaternity.base.validation import check_random
from quaternity.ternary.cards import CARDS, check_card
from quaternity.ternary.packing import partition
from quaternity.ternary.tables import WHOLE_DECK, Rule
from quaternity.ternary.triples import PARTNERS, Triple, partner, third

Deck = tuple[int, ...]
"""A deck: all 81 cards in the order in which they are dealt."""


def shuffled_deck(random: Random) -> Deck:
    """Return all cards in random order."""
    return tuple(check_random(random).sample(WHOLE_DECK, len(WHOLE_DECK)))


def safe_deck(random: Random, rule: Rule | str, method: str = "search") -> Deck:
    """Return a deck in which cards 3 i, 3 i + 1 and 3 i + 2 belong together, for each i.

    If the first deal is a multiple of three cards, and every other deal is three cards, the game
    cannot get stuck before the deck is empty. The order of the threes, and of the cards in each of
    them, is random. See `partition` for how random the threes are.
    """
    threes = partition(WHOLE_DECK, rule, check_random(random), method)
    if threes is None:
        raise SolverFault(f"{method} found no partition of the deck into threes")
    cards: list[int] = []
    for three in random.sample(threes, len(threes)):
        cards += random.sample(three, len(three))
    return tuple(cards)


def chain(random: Random, rule: Rule | str, start: int | None = None) -> Iterator[Triple]:
    """Yield an endless chain of threes (a, b, c), (c, d, e), ..., in the order of play.

    A three is three cards that belong together. Every three that contains the current card is
    equally likely, except the three that was yielded last.

    >>> from itertools import islice
    >>> links = list(islice(chain(Random(1), Rule.TRIPLE, start=23), 3))
    >>> links[0][0], links[0][2] == links[1][0], links[1][2] == links[2][0]
    (23, True, True)
    """
    card = check_random(random).randrange(CARDS) if start is None else check_card(start)
    return _links(check_random(random), Rule(rule), card)


def _links(random: Random, rule: Rule, card: int) -> Iterator[Triple]:
    before: frozenset[int] = frozenset()
    while True:
        second = _companion(random, rule, card)
        three = (card, second, third(card, second))
        if before != frozenset(three):
            yield three
            before, card = frozenset(three), three[2]


def _companion(random: Random, rule: Rule, card: int) -> int:
    if rule is Rule.TRIPLE:
        return partner(card, random.randrange(PARTNERS))
    return (card + random.randrange(1, CARDS)) % CARDS
