"""Who may own what, as text: a line a set, in as many columns as fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from solvers.wording import counted

WIDTH = 80
"""Columns of the terminal that everything fits."""


class SetLine(NamedTuple):
    """What is shown of one set.

    Attributes:
        name: its number.
        cells: per card who may own it.
        rest: what else is known.
    """

    name: str
    cells: Sequence[str]
    rest: str


def owners_text(lines: Sequence[SetLine], width: int = WIDTH) -> str:
    """A table with a line a set, in two columns when they fit and there are more than six.

    >>> print(owners_text([SetLine("0", ("*", "12"), "1 has 1"), SetLine("1", ("=2", "*"), "")]))
    set  /0  /1  at least
      0  *   12  1 has 1
      1  =2  *
    """
    wide = max((len(cell) for line in lines for cell in line.cells), default=1)
    wide = max(wide, 2)
    for gap in (2, 1):
        told = _lines(lines, wide + gap)
        column = max(map(len, told)) + 3
        if len(lines) > 6 and 2 * column - 3 <= width:
            break
    else:
        return "\n".join(line.rstrip() for line in _lines(lines, wide + 2))
    head, *told = told
    half = (len(told) + 1) // 2
    pairs = [(head, head), *zip(told[:half], [*told[half:], ""], strict=False)]
    return "\n".join(f"{left:<{column}}{right}".rstrip() for left, right in pairs)


def _lines(lines: Sequence[SetLine], wide: int) -> list[str]:
    """A heading, and a line a set, with cells of some width."""
    numbers = range(max((len(line.cells) for line in lines), default=0))
    head = "set  " + "".join(f"/{number}".ljust(wide) for number in numbers) + "at least"
    return [head] + [
        f"{line.name:>3}  " + "".join(cell.ljust(wide) for cell in line.cells) + line.rest
        for line in lines
    ]


def at_least(low: Sequence[int], without: int | None = None) -> str:
    """The minimums that say something: `1:2 3:1` for two cards of player 1 and one of player 3."""
    return " ".join(
        f"{player}:{fewest}" for player, fewest in enumerate(low) if fewest and player != without
    )


def score_text(
    hands: Sequence[int], points: Sequence[int], turn: int | None, width: int = WIDTH
) -> str:
    """Cards and points of everybody, `>` before who is on turn, in as few lines as fit."""
    entries = [
        f"{'>' if player == turn else ' '} player {player}: "
        f"{counted(cards, 'card')}, {counted(won, 'point')}"
        for player, (cards, won) in enumerate(zip(hands, points, strict=True))
    ]
    wide = max(map(len, entries)) + 3
    per_line = max(1, (width + 3) // wide)
    return "\n".join(
        "".join(entry.ljust(wide) for entry in entries[first : first + per_line]).rstrip()
        for first in range(0, len(entries), per_line)
    )


__all__ = ["WIDTH", "SetLine", "at_least", "owners_text", "score_text"]
