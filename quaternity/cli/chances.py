"""Matrices of chances and counts as lines of text that fit a width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10

_BARS = " ▁▂▃▄▅▆▇█"


def percent(chance: float) -> str:
    """A chance in at most three characters; `#` only for certain, `.` only for impossible.

    >>> [percent(chance) for chance in (0.0, 1.0, 0.25, 0.001, 0.999)]
    ['.', '#', '25', '<1', '>99']
    """
    if chance in (0.0, 1.0):
        return "#" if chance else "."
    rounded = round(100 * chance)
    if rounded == 0:
        return "<1"
    return ">99" if rounded == 100 else str(rounded)


def chance_lines(chances: Sequence[Sequence[Sequence[float]]], width: int) -> Iterator[str]:
    """Players down, cards across, as many sets beside each other as fit in `width` columns."""
    size = max(map(len, chances))
    players = len(chances[0][0]) if chances[0] else 0
    cell = max(4, len(f" /{size - 1}"))
    margin, block = _margin(players), cell * size + 2
    beside = max(1, (width - margin) // block)
    for first in range(0, len(chances), beside):
        sets = range(first, min(first + beside, len(chances)))
        heads = "".join(f"set {index}".ljust(block) for index in sets)
        yield (" " * (margin + cell - 2) + heads).rstrip()
        heads = "".join(f"/{card}".rjust(cell) for card in range(size)).ljust(block)
        yield (" " * margin + heads * len(sets)).rstrip()
        for player in range(players):
            cells = (
                "".join(percent(card[player]).rjust(cell) for card in chances[index]).ljust(block)
                for index in sets
            )
            yield (f"player {player}".ljust(margin) + "".join(cells)).rstrip()
        if sets[-1] + 1 < len(chances):
            yield ""


def count_lines(counts: Sequence[Sequence[tuple[int, int]]], width: int) -> Iterator[str]:
    """Players down, sets across: `2` for exactly, `1-3` for between."""
    shown = [[str(a) if a == b else f"{a}-{b}" for a, b in row] for row in counts]
    margin, cell = _margin(len(counts)), 2 + max(4, max(len(one) for row in shown for one in row))
    beside = max(1, (width - margin) // cell)
    for first in range(0, len(counts[0]), beside):
        sets = range(first, min(first + beside, len(counts[0])))
        yield "set".ljust(margin) + "".join(str(index).rjust(cell) for index in sets)
        for player, row in enumerate(shown):
            cells = "".join(one.rjust(cell) for one in row[first : first + beside])
            yield f"player {player}".ljust(margin) + cells


def _margin(players: int) -> int:
    """The width of the column of players."""
    return max(8, len(f"player {players - 1}"))


def curve_lines(curve: Sequence[int], columns: int = 60) -> Iterator[str]:
    """A curve of numbers of deals as one line of bars, and its ends in figures."""
    step = max(1, -(-len(curve) // columns))
    heights = [log10(deals) for deals in curve]
    top = max(heights) or 1.0
    shown = heights[::step]
    if (len(heights) - 1) % step:
        shown.append(heights[-1])
    bars = "".join(_BARS[round(height / top * (len(_BARS) - 1))] for height in shown)
    yield f"{heights[0]:.1f} {bars} {heights[-1]:.1f}"
    every = f", every {step} moves" if step > 1 else ""
    yield f"from {curve[0]:,} to {curve[-1]:,} in {len(curve) - 1} moves{every}"


__all__ = ["chance_lines", "count_lines", "curve_lines", "percent"]
