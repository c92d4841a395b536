"""Endless chains of threes: each begins with the last card of the one before."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from quaternity.ternary.cards import CARDS, check_card
from quaternity.ternary.pairs import PARTNERS, partner
from quaternity.ternary.rule import Rule
from quaternity.ternary.triples import Triple, third
from solvers.plain_values import generator


def chain(random: Random, rule: Rule | str, start: int | None = None) -> Iterator[Triple]:
    """An endless chain of threes (a, b, c), (c, d, e), (e, f, g), ..., each in the order of play.

    Every three through the card at hand has the same chance, except that none is the one before
    over again: with that three the chain would go back and forth on the spot.

    Args:
        start: the first card; drawn when it is None.

    Raises:
        InputError: `start` is no card, there is no such rule, or `random` is no `random.Random`.

    >>> from itertools import islice
    >>> links = list(islice(chain(Random(1), Rule.TRIPLE, start=23), 3))
    >>> links[0][0], links[0][2] == links[1][0], links[1][2] == links[2][0]
    (23, True, True)
    """
    card = generator(random).randrange(CARDS) if start is None else check_card(start)
    return _links(generator(random), Rule(rule), card)


def _links(random: Random, rule: Rule, card: int) -> Iterator[Triple]:
    before: frozenset[int] = frozenset()
    while True:
        second = _companion(random, rule, card)
        three = (card, second, third(card, second))
        if before != frozenset(three):
            yield three
            before, card = frozenset(three), three[2]


def _companion(random: Random, rule: Rule, card: int) -> int:
    """A random card that is in some three with a card."""
    if rule is Rule.TRIPLE:
        return partner(card, random.randrange(PARTNERS))
    return (card + random.randrange(1, CARDS)) % CARDS


__all__ = ["chain"]
