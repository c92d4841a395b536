"""Small tables without a three, counted by building them card by card, under either rule.

By symmetry it is enough to build them from a few *frames*. Under the rule `set` all ordered threes
of cards that are no SET are alike (a change of coordinates takes any one to any other), so the
tables that include one such frame tell how many there are in all. Under `triple` two ordered pairs
of cards are alike when the cards share equally many attributes, so four frames of two cards do.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, perm

from quaternity.ternary.cards import CARDS
from quaternity.ternary.hyperplane import FRAME
from quaternity.ternary.tables import Rule, bits_of
from quaternity.ternary.triples import is_pair, third_cards

LARGEST_TABLE = 6
"""Most cards of a table for which the search is meant: it takes 0.5 s under `triple` and less under
`set`. With each card more it takes some 30 times as long."""

TWO_CARDS = (((0, 40), 16), ((0, 39), 32), ((0, 36), 24), ((0, 27), 8))
"""Two cards that share 0, 1, 2 and 3 attributes, and how many cards lie so towards a given one."""


def count(n: int, rule: Rule) -> int:
    """Return the number of tables of n cards, 0 <= n, without a three of the rule."""
    if n < (2 if rule is Rule.TRIPLE else 3):
        return comb(CARDS, n)
    frames: list[tuple[tuple[int, ...], int]]
    if rule is Rule.SET:
        frames = [(FRAME, CARDS * (CARDS - 1) * (CARDS - 3))]
    else:
        frames = [(cards, CARDS * alike) for cards, alike in TWO_CARDS]
    ordered = sum(alike * _extensions(frame, n, rule) for frame, alike in frames)
    # Each table was met once for every way to choose an ordered frame from its cards.
    tables, remainder = divmod(ordered, perm(n, len(frames[0][0])))
    assert remainder == 0, "every table has the same number of frames"
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
    """For two cards, the card that completes a three with them as a bit, or 0 if none does."""
    return [
        [
            1 << last if first != second and (rule is Rule.SET or is_pair(first, second)) else 0
            for second, last in enumerate(row)
        ]
        for first, row in enumerate(third_cards())
    ]
