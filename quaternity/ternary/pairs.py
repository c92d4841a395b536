"""Pairs: two cards that share no attribute.

Each of the four digits of a partner takes one of two other values, so every card has 2^4 = 16
partners; there are 6^4 = 81 * 16 = 1296 ordered and 648 unordered pairs.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from quaternity.ternary.cards import CARDS, all_digits, check_card, index_of
from quaternity.ternary.tables import bits_of
from solvers.plain_values import whole_number

PARTNERS: Final = 16
"""Partners of each card."""


def is_pair(a: int, b: int) -> bool:
    """Whether two cards share no attribute.

    Raises:
        InputError: one is no card.

    >>> is_pair(0, 40), is_pair(0, 41), is_pair(0, 1)
    (True, True, False)
    """
    return bool(partner_bits()[check_card(a)] >> check_card(b) & 1)


def partner(card: int, k: int) -> int:
    """The partner number k of a card, k in 0..15.

    With the binary digits of k (k_3 for the shape, ..., k_0 for the amount), each digit of the
    partner is (digit + k_i + 1) mod 3. The numbers k and 15 - k give the two partners b and c that
    form a correct triple with the card: digit_i + 2 - k_i = digit_i + (1 - k_i) + 1. So k in 0..7
    gives the 8 triples through the card, and k in 0..15 its 16 ordered pairs.

    Raises:
        InputError: no card, or k is not in 0..15.

    >>> partner(23, 0), partner(23, 15)
    (33, 64)
    """
    digits = all_digits()[check_card(card)]
    what = f"a number of a partner; they are 0..{PARTNERS - 1}"
    k = whole_number(k, 0, PARTNERS - 1, what, "k")
    shape, colour, fill, amount = (
        (digit + (k >> 3 - i & 1) + 1) % 3 for i, digit in enumerate(digits)
    )
    return index_of((shape, colour, fill, amount))


def partners(card: int) -> tuple[int, ...]:
    """The 16 cards that share no attribute with a card, in order.

    Raises:
        InputError: no card.

    >>> partners(0)[:4]
    (40, 41, 43, 44)
    """
    return tuple(sorted(pairs_table()[check_card(card)]))


@cache
def pairs_table() -> tuple[tuple[int, ...], ...]:
    """All pairs: row `card`, column k is `partner(card, k)`; 81 rows of 16, 1296 cells."""
    return tuple(tuple(partner(card, k) for k in range(PARTNERS)) for card in range(CARDS))


@cache
def partner_bits() -> tuple[int, ...]:
    """The partners of each card as a set of bits."""
    return tuple(map(bits_of, pairs_table()))


__all__ = ["PARTNERS", "is_pair", "pairs_table", "partner", "partner_bits", "partners"]
