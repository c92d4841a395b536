"""Text tables and charts of chances, card counts and numbers of deals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10

from quaternity.base.text_format import with_noun

_BARS = " ▁▂▃▄▅▆▇█"

Chances = Sequence[Sequence[Sequence[float | None]]]
"""Nested sequence of chances. `chances[set][card][player]` is the chance that the player has the
card, or None if it is only known to lie strictly between 0 and 1."""


def percent(chance: float | None) -> str:
    """Format a chance in at most three characters; `#` means certain, and `.` impossible.

    >>> [percent(chance) for chance in (0.0, 1.0, 0.25, 0.001, 0.999, None)]
    ['.', '#', '25', '<1', '>99', '?']
    """
    if chance is None:
        return "?"
    if chance in (0.0, 1.0):
        return "#" if chance else "."
    rounded = round(100 * chance)
    if rounded == 0:
        return "<1"
    return ">99" if rounded == 100 else str(rounded)


def chance_lines(
    chances: Chances,
    width: int,
    narrowest: int = 4,
    second: Chances = (),
    only: Sequence[int] | None = None,
    aside: int | None = None,
) -> Iterator[str]:
    """Yield the lines of a text table of the chance that each player has each card.

    The table has a row for each player and a column for each card. Sets stand side by side if they
    fit.

    Args:
        narrowest: minimum width of a card's column, in characters.
        second: other estimates of the same chances. If they differ, each player gets a second row.
        only: the indices of the sets to show, or None for all sets.
        aside: the index of the row for cards that were set aside, or None if there are no such
            cards.
    """
    size = max(map(len, chances))
    players = len(chances[0][0]) if chances[0] else 0
    longest = max(
        len(percent(chance))
        for table in (chances, second)
        for cards in table
        for card in cards
        for chance in card
    )
    cell = max(narrowest, longest + 1, len(f" /{size - 1}"))
    margin, block = _margin(players), cell * size + 2
    per_line = max(1, (width - margin) // block)
    indices = range(len(chances)) if only is None else only
    for first in range(0, len(indices), per_line):
        sets = indices[first : first + per_line]
        heads = "".join(f"set {index}".ljust(block) for index in sets)
        yield (" " * (margin + cell - 2) + heads).rstrip()
        heads = "".join(f"/{card}".rjust(cell) for card in range(size)).ljust(block)
        yield (" " * margin + heads * len(sets)).rstrip()
        for player in range(players):
            rows = [
                "".join(
                    "".join(percent(card[player]).rjust(cell) for card in table[index]).ljust(block)
                    for index in sets
                )
                for table in (chances, second)
                if table
            ]
            label = "aside" if player == aside else f"player {player}"
            yield (label.ljust(margin) + rows[0]).rstrip()
            if rows[-1] != rows[0]:
                yield (" " * margin + rows[-1]).rstrip()
        if first + per_line < len(indices):
            yield ""


def count_lines(counts: Sequence[Sequence[tuple[int, int]]], width: int) -> Iterator[str]:
    """Yield the lines of a table that shows how many cards of each set each player may hold.

    A range such as `1-3` means from 1 to 3 cards.
    """
    texts = [[str(a) if a == b else f"{a}-{b}" for a, b in row] for row in counts]
    margin, cell = _margin(len(counts)), 2 + max(4, max(len(x) for row in texts for x in row))
    per_line = max(1, (width - margin) // cell)
    for first in range(0, len(counts[0]), per_line):
        sets = range(first, min(first + per_line, len(counts[0])))
        yield "set".ljust(margin) + "".join(str(index).rjust(cell) for index in sets)
        for player, row in enumerate(texts):
            cells = "".join(r.rjust(cell) for r in row[first : first + per_line])
            yield f"player {player}".ljust(margin) + cells


def _margin(players: int) -> int:
    return max(8, len(f"player {players - 1}"))


def curve_lines(curve: Sequence[int | None], columns: int = 60) -> Iterator[str]:
    """Yield a bar chart that shows how a number of deals changes, and a line that explains it.

    The bars have a log scale. `?` stands for an unknown number (None).
    """
    step = max(1, -(-len(curve) // columns))
    heights = [None if deals is None else log10(deals) for deals in curve]
    top = max((height for height in heights if height is not None), default=0.0) or 1.0
    samples = heights[::step]
    if (len(heights) - 1) % step:
        samples.append(heights[-1])
    bars = "".join(
        "?" if height is None else _BARS[round(height / top * (len(_BARS) - 1))]
        for height in samples
    )
    first, last = ("?" if x is None else f"{x:.1f}" for x in (heights[0], heights[-1]))
    yield f"{first} {bars} {last}"
    every = f", one bar for every {step} moves" if step > 1 else ""
    first, last = ("?" if y is None else f"{y:,}" for y in (curve[0], curve[-1]))
    yield f"from {first} to {last} in {with_noun(len(curve) - 1, 'move')}{every}"
