"""Counting small SET tables without three cards that belong together, by adding card by card.

Because of symmetry, it is enough to extend a few small tables, called *frames*. Under the rule
`set`, a symmetry of the game maps any sequence of three cards that are not a SET to any other such
sequence. So one frame of three cards suffices. Under the rule `triple`, two ordered pairs of cards
are equivalent if their cards share the same number of attributes. So four frames of two suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, perm

from quaternity.ternary.cards import CARDS
from quaternity.ternary.hyperplane import FRAME
from quaternity.ternary.tables import Rule, bits_of
from quaternity.ternary.triples import is_pair, third_cards

MAX_TABLE_CARDS = 6
"""Maximum number of cards on a table for which the search is meant. It then takes 0.5 s under
`triple`, and less under `set`. Each further card takes about 30 times as long."""

PAIR_FRAMES = (((0, 40), 16), ((0, 39), 32), ((0, 36), 24), ((0, 27), 8))
"""Pairs of cards that share exactly 0, 1, 2 and 3 attributes. Each pair comes with the number of
cards that share exactly this many attributes with a given card."""


def count(n: int, rule: Rule) -> int:
    """Return how many choices of n cards contain no three that belong together, for n >= 0."""
    if n < (2 if rule is Rule.TRIPLE else 3):
        return comb(CARDS, n)
    frames: list[tuple[tuple[int, ...], int]]
    if rule is Rule.SET:
        frames = [(FRAME, CARDS * (CARDS - 1) * (CARDS - 3))]
    else:
        frames = [(cards, CARDS * equivalent) for cards, equivalent in PAIR_FRAMES]
    ordered = sum(equivalent * _extensions(frame, n, rule) for frame, equivalent in frames)
    # Each table was counted once for every ordered frame among its cards.
    tables, remainder = divmod(ordered, perm(n, len(frames[0][0])))
    assert remainder == 0, "each table must be counted the same number of times"
    return tables


def _extensions(frame: Sequence[int], n: int, rule: Rule) -> int:
    closing = _closing_cards(rule)
    closed = 0
    for place, first in enumerate(frame):
        for second in frame[:place]:
            closed |= closing[first][second]

    def extend(cards: tuple[int, ...], choices: int) -> int:
        missing = n - len(cards)
        if missing <= 1:
            return choices.bit_count() if missing else 1
        total = 0
        while choices:
            bit = choices & -choices
            choices ^= bit
            row, still = closing[bit.bit_length() - 1], choices
            for card in cards:
                still &= ~row[card]
            total += extend((*cards, bit.bit_length() - 1), still)
        return total

    return extend(tuple(frame), (1 << CARDS) - 1 & ~bits_of(frame) & ~closed)


def _closing_cards(rule: Rule) -> list[list[int]]:
    """Return, for every two cards, a bit set with the card that belongs together with both.

    The bit set is 0 if there is no such card.
    """
    return [
        [
            1 << last if first != second and (rule is Rule.SET or is_pair(first, second)) else 0
            for second, last in enumerate(row)
        ]
        for first, row in enumerate(third_cards())
    ]
