"""The checksum of a collection of cards, which does not change when a SET is removed.

The checksum is the sum of the cards modulo 3, digit by digit. In each digit, the cards of a SET
have the same value, or the values 0, 1 and 2. Both add up to 0 modulo 3. The cards of a triple
(`Rule.TRIPLE`) have all three values in each digit. So the checksum of a table does not change if
disjoint SETs or triples are removed.
"""

from __future__ import annotations

from collections.abc import Iterable

from quaternity.base.validation import as_iterator
from quaternity.ternary.cards import CARDS, PLACES, all_digits, check_card
from quaternity.ternary.tables import Rule, bits_of

NOTHING = 0
"""The checksum of no cards, and of every SET."""

CARDS_WITH_VALUE = tuple(
    bits_of(card for card in range(CARDS) if all_digits()[card][place] == value)
    for place in range(len(PLACES))
    for value in range(3)
)
"""Bit set of the 27 cards with a given value of a digit, for each digit and value."""


def checksum(cards: Iterable[int]) -> int:
    """Return the index of the card whose digits are the sums of the cards' digits modulo 3."""
    sums = [0] * len(PLACES)
    digits = all_digits()
    for card in as_iterator(cards, "cards"):
        for place, digit in enumerate(digits[check_card(card)]):
            sums[place] += digit
    return sum(total % 3 * value for total, value in zip(sums, PLACES, strict=True))


def excludes(cards: int, count: int, total: int, rule: Rule) -> bool:
    """Return whether simple counts prove that cards do not contain `count` disjoint threes.

    A three is three cards that belong together. `cards` is a bit set, and `total` is its checksum.
    The result False proves nothing.
    """
    # Under the rule `triple`, a three needs a card with each value of each digit.
    spare = cards.bit_count() - 3 * count
    if spare < 0 or (spare == 0 and total != NOTHING) or (spare == 1 and not cards >> total & 1):
        return True
    return rule is Rule.TRIPLE and any(
        (cards & holders).bit_count() < count for holders in CARDS_WITH_VALUE
    )
