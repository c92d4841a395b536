"""Threes (three cards that belong together) and pairs (two cards that share no attribute).

The two cards of a pair are *partners*. In each of the four digits, a partner has one of the two
other values, so every card has 2^4 = 16 partners. There are 81 * 16 = 1296 ordered and 648
unordered pairs. Under either rule, two cards determine the third card of a three. Under
`Rule.TRIPLE`, the two cards must be a pair.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from quaternity.base.errors import InputError
from quaternity.base.validation import check_int
from quaternity.ternary.cards import CARDS, PLACES, all_digits, check_card, index_of
from quaternity.ternary.tables import Rule, bits_of, check_table

PARTNERS: Final = 16
"""Number of partners of each card. A partner is a card that shares no attribute with it."""


def is_pair(a: int, b: int) -> bool:
    """Return whether two cards share no attribute."""
    return bool(partner_bits()[check_card(a)] >> check_card(b) & 1)


def partner(card: int, k: int) -> int:
    """Return the k-th of the 16 cards that share no attribute with a card, where k is in 0..15.

    With the binary digits of k (k_3 for the shape, ..., k_0 for the amount), each digit of this
    partner is (digit + k_i + 1) mod 3. The partners number k and 15 - k form a correct triple with
    the card. So k in 0..7 gives the 8 triples of the card, and k in 0..15 gives its 16 ordered
    pairs.

    >>> partner(23, 0), partner(23, 15)
    (33, 64)
    """
    digits = all_digits()[check_card(card)]
    allowed = f"the number of one of the partners of a card (0..{PARTNERS - 1})"
    k = check_int(k, 0, PARTNERS - 1, allowed, "k")
    shape, colour, fill, amount = (
        (digit + (k >> 3 - i & 1) + 1) % 3 for i, digit in enumerate(digits)
    )
    return index_of((shape, colour, fill, amount))


def partners(card: int) -> tuple[int, ...]:
    """Return the 16 cards that share no attribute with a card, in order."""
    return tuple(sorted(pairs_table()[check_card(card)]))


@cache
def pairs_table() -> tuple[tuple[int, ...], ...]:
    """Return the 16 partners of each card as a grid: entry [card][k] is `partner(card, k)`."""
    return tuple(tuple(partner(card, k) for k in range(PARTNERS)) for card in range(CARDS))


@cache
def partner_bits() -> tuple[int, ...]:
    """Return, for each card, a bit set of the cards that share no attribute with it."""
    return tuple(map(bits_of, pairs_table()))


Triple = tuple[int, int, int]
"""Tuple of three cards."""


def third(a: int, b: int) -> int:
    """Return the only card that forms a SET with two different cards.

    If they share no attribute, it is also the only card that forms a correct triple with them.

    >>> third(0, 40), third(0, 1)
    (80, 2)
    """
    # Digit by digit, the third card is -(a + b) mod 3.
    a, b = check_card(a), check_card(b)
    if a == b:
        raise InputError(f"a and b must be two different cards, not {a} twice")
    return third_cards()[a][b]


@cache
def third_cards() -> tuple[tuple[int, ...], ...]:
    """Return a grid: entry [a][b] is the card that forms a SET with cards a and b (see `third`)."""
    return tuple(
        tuple(
            sum(-(x + y) % 3 * value for x, y, value in zip(first, second, PLACES, strict=True))
            for second in all_digits()
        )
        for first in all_digits()
    )


def is_triple(a: int, b: int, c: int, rule: Rule | str) -> bool:
    """Return whether three cards belong together under a rule.

    >>> is_triple(0, 1, 2, Rule.TRIPLE), is_triple(0, 1, 2, Rule.SET)
    (False, True)
    """
    rule = Rule(rule)
    first, second, last = check_table((a, b, c))
    return third_cards()[first][second] == last and (rule is Rule.SET or is_pair(first, second))


def triples(table: Iterable[int], rule: Rule | str) -> tuple[Triple, ...]:
    """Return all threes (three cards that belong together) of a table, in ascending order.

    The running time is quadratic in the number of cards.

    >>> triples([0, 1, 2, 40, 80], Rule.SET), triples([0, 1, 2, 40, 80], Rule.TRIPLE)
    (((0, 1, 2), (0, 40, 80)), ((0, 40, 80),))
    """
    cards, rule = check_table(table), Rule(rule)
    on_table, last_of, partners_of = set(cards), third_cards(), partner_bits()
    return tuple(
        (first, second, last)
        for place, first in enumerate(cards)
        for second in cards[place + 1 :]
        if (last := last_of[first][second]) > second
        and last in on_table
        and (rule is Rule.SET or partners_of[first] >> second & 1)
    )


def all_triples(rule: Rule | str) -> tuple[Triple, ...]:
    """Return all threes (three cards that belong together): 216 correct triples or 1080 SETs."""
    return _all_triples(Rule(rule))


@cache
def _all_triples(rule: Rule) -> tuple[Triple, ...]:
    return triples(range(CARDS), rule)


def triples_through(card: int, rule: Rule | str) -> tuple[Triple, ...]:
    """Return all threes (cards that belong together) with a given card: 8 triples or 40 SETs."""
    card = check_card(card)
    return tuple(three for three in all_triples(rule) if card in three)
