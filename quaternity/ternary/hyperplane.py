"""Hyperplanes: the geometry behind the largest collection of cards without a SET.

The four digits of a card are a point of the space AG(4, 3) over the field of three elements, and a
SET is a line. A *hyperplane* consists of the 27 cards that satisfy a linear equation in the digits,
such as "the shape is 0". The left-hand side of the equation determines a *direction*, and its
double determines the same direction. So there are (3^4 - 1) / 2 = 40 directions. Each direction
cuts the deck into three parallel hyperplanes. A collection without a line is called a *cap*.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product

from quaternity.ternary.tables import bits_of, cards_in

HYPERPLANE = tuple(range(27))
"""A hyperplane: the 27 cards whose shape is 0. Changes of coordinates map it to all others."""

FRAME = (0, 1, 3)
"""Three cards of `HYPERPLANE` that are not a SET. A change of coordinates maps any other three such
cards to these three."""

PARABOLOID = tuple(9 * x + 3 * y + (x * x + y * y) % 3 for x, y in product(range(3), repeat=2))
"""Nine cards of `HYPERPLANE` without a SET: the cards with amount = colour² + fill² mod 3."""

DIRECTIONS, DIRECTIONS_OF_A_PAIR = (3**4 - 1) // 2, (3**3 - 1) // 2
"""Number of all directions of hyperplanes (40), and number of directions with a hyperplane through
two given cards (13). A direction is a class of parallel hyperplanes."""


def must_have_full_hyperplane(size: int, full: int) -> bool:
    """Return whether counting proves that any `size` cards include `full` cards of a hyperplane.

    A hyperplane is the 27 cards that satisfy a linear equation in the digits.

    >>> must_have_full_hyperplane(21, 9), must_have_full_hyperplane(20, 9)
    (True, False)
    """
    # A direction divides the deck into three hyperplanes, and so the cards into three parts. For 13
    # of the 40 directions, two given cards are in the same part. Suppose that each part has fewer
    # than `full` cards. Then the number of pairs within a part has a maximum for one direction. If
    # 40 times this maximum is less than 13 times the number of all pairs, this is a contradiction.
    max_pairs = max(
        (
            sum(part * (part - 1) // 2 for part in (first, second, size - first - second))
            for first in range(full)
            for second in range(full)
            if 0 <= size - first - second < full
        ),
        default=-1,
    )
    return DIRECTIONS_OF_A_PAIR * size * (size - 1) // 2 > DIRECTIONS * max_pairs


def images(cards: Iterable[int]) -> frozenset[int]:
    """Return the images of a set of cards under all changes of coordinates, as bit sets.

    `cards` must be in `HYPERPLANE`. A change of coordinates permutes the cards of `HYPERPLANE`, and
    maps every SET to a SET.
    """
    start = bits_of(cards)
    reached, new = {start}, [start]
    while new:
        part = new.pop()
        for change in _coordinate_changes():
            image = bits_of(change[card] for card in cards_in(part))
            if image not in reached:
                reached.add(image)
                new.append(image)
    return frozenset(reached)


_POINTS = tuple(product(range(3), repeat=3))


@cache
def _coordinate_changes() -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(9 * (x % 3) + 3 * (y % 3) + z % 3 for x, y, z in points)
        for points in (
            [(x + 1, y, z) for x, y, z in _POINTS],
            [(x + y, y, z) for x, y, z in _POINTS],
            [(2 * x, y, z) for x, y, z in _POINTS],
            [(y, x, z) for x, y, z in _POINTS],
            [(y, z, x) for x, y, z in _POINTS],
        )
    )
