"""Threes of cards under either rule: the third card, and all threes on a table."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from quaternity.errors import InputError
from quaternity.ternary.cards import CARDS, PLACES, all_digits, check_card
from quaternity.ternary.pairs import is_pair, partner_bits
from quaternity.ternary.rule import Rule
from quaternity.ternary.tables import check_table

Triple = tuple[int, int, int]
"""Three cards in order."""


def third(a: int, b: int) -> int:
    """The only card that forms a SET with two different cards: digit by digit -(a + b) mod 3.

    When the two form a pair, it is also the only one that makes a correct triple of them. In both
    rules two cards determine the third.

    Raises:
        InputError: one is no card, or both are the same.

    >>> third(0, 40), third(0, 1)
    (80, 2)
    """
    a, b = check_card(a), check_card(b)
    if a == b:
        raise InputError(f"card {a} twice: the third card is determined by two different cards")
    return third_cards()[a][b]


@cache
def third_cards() -> tuple[tuple[int, ...], ...]:
    """`third` for all two cards, as rows of a table; a card with itself gives itself."""
    return tuple(
        tuple(
            sum(-(x + y) % 3 * value for x, y, value in zip(first, second, PLACES, strict=True))
            for second in all_digits()
        )
        for first in all_digits()
    )


def is_triple(a: int, b: int, c: int, rule: Rule | str) -> bool:
    """Whether three cards belong together under a rule.

    Raises:
        InputError: one is no card, or one is there twice; or there is no such rule.

    >>> is_triple(0, 40, 80, Rule.TRIPLE), is_triple(0, 1, 2, Rule.TRIPLE)
    (True, False)
    >>> is_triple(0, 1, 2, Rule.SET)
    True
    """
    rule = Rule(rule)
    first, second, last = check_table((a, b, c))
    return third_cards()[first][second] == last and (rule is Rule.SET or is_pair(first, second))


def triples(table: Iterable[int], rule: Rule | str) -> tuple[Triple, ...]:
    """All threes of a table that belong together, each in order, and in order among themselves.

    Quadratic in the size of the table: 3 ms for all 81 cards.

    Raises:
        InputError: see `check_table`; or there is no such rule.

    >>> triples([0, 1, 2, 40, 80], Rule.SET), triples([0, 1, 2, 40, 80], Rule.TRIPLE)
    (((0, 1, 2), (0, 40, 80)), ((0, 40, 80),))
    """
    cards, rule = check_table(table), Rule(rule)
    there, last_of, partners_of = set(cards), third_cards(), partner_bits()
    return tuple(
        (first, second, last)
        for place, first in enumerate(cards)
        for second in cards[place + 1 :]
        if (last := last_of[first][second]) > second
        and last in there
        and (rule is Rule.SET or partners_of[first] >> second & 1)
    )


def all_triples(rule: Rule | str) -> tuple[Triple, ...]:
    """All threes of the deck: 216 correct triples or 1080 SETs.

    Raises:
        InputError: there is no such rule.
    """
    return _all_triples(Rule(rule))


@cache
def _all_triples(rule: Rule) -> tuple[Triple, ...]:
    return triples(range(CARDS), rule)


def triples_through(card: int, rule: Rule | str) -> tuple[Triple, ...]:
    """All threes of the deck with a card: 8 correct triples or 40 SETs.

    Raises:
        InputError: no card, or there is no such rule.
    """
    card = check_card(card)
    return tuple(three for three in all_triples(rule) if card in three)


__all__ = [
    "Triple",
    "all_triples",
    "is_triple",
    "third",
    "third_cards",
    "triples",
    "triples_through",
]
