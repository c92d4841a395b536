"""Tables as text that fits a width; above all who may own what, a line a set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap
from types import MappingProxyType
from typing import NamedTuple

from quaternity.base.wording import counted

WIDTH = 80
"""Columns of the terminal that everything fits."""


class SetLine(NamedTuple):
    """A set as it is shown: its number or name, per card who may own it, and what else is known."""

    name: str
    cells: Sequence[str]
    rest: str


def owners_text(lines: Sequence[SetLine], width: int = WIDTH) -> str:
    """Return a table with a line a set, in two columns when they fit and there are more than six.

    >>> print(owners_text([SetLine("0", ("*", "12"), "1 has 1"), SetLine("1", ("=2", "*"), "")]))
    set  /0  /1  at least
      0  *   12  1 has 1
      1  =2  *
    """
    wide = max((len(cell) for line in lines for cell in line.cells), default=1)
    wide = max(wide, 2)
    for gap in (2, 1):
        table = _lines(lines, wide + gap)
        column = max(map(len, table)) + 3
        if len(lines) > 6 and 2 * column - 3 <= width:
            break
    else:
        table = [line.rstrip() for line in _lines(lines, wide + 2)]
        if max(map(len, table)) > width:
            names = ["set", *(f"/{number}" for number in range(len(lines[0].cells))), "at least"]
            rows = [(line.name, *line.cells, line.rest) for line in lines]
            table = table_lines(names, rows, width, align=">" + "<" * (len(names) - 1))
        return "\n".join(table)
    head, *table = table
    half = (len(table) + 1) // 2
    pairs = [(head, head), *zip(table[:half], [*table[half:], ""], strict=False)]
    return "\n".join(f"{first:<{column}}{second}".rstrip() for first, second in pairs)


def table_lines(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None = None,
    names: int = 1,
    align: str = "",
) -> list[str]:
    r"""Return a table as aligned lines; where it is too wide, its columns in parts.

    Args:
        head: the columns' headings.
        rows: as many cells each.
        width: that lines may have; None: any.
        names: so many columns at the left tell what a row is about: every part begins with them.
        align: `<` or `>` per column; by default to the left for `names`, to the right for others.

    >>> print("\n".join(table_lines(["", "a", "long"], [["one", "1", "2"], ["two", "3", "4"]], 9)))
         a
    one  1
    two  3
    <BLANKLINE>
         long
    one     2
    two     4
    """
    align = align or "<" * names + ">" * (len(head) - names)
    lines: list[Sequence[str]] = [head]
    for row in rows:
        most = [max(width // 2, 10) if width and place < names else None for place in range(names)]
        folded = [wrap(cell, most_wide, break_long_words=False) if most_wide else [cell]
                  for cell, most_wide in zip_longest(row, most)]  # fmt: skip
        lines += zip_longest(*folded, fillvalue="")
    wide = [max(len(line[place]) for line in lines) for place in range(len(head))]
    parts = [list(range(names))]
    for place in range(names, len(head)):
        taken = sum(wide[x] + 2 for x in [*parts[-1], place]) - 2
        if width and taken > width and len(parts[-1]) > names:
            parts.append(list(range(names)))
        parts[-1].append(place)
    return "\n\n".join(
        "\n".join(
            "  ".join(f"{line[p]:{align[p]}{wide[p]}}" for p in part).rstrip() for line in lines
        )
        for part in parts
    ).split("\n")


def _lines(lines: Sequence[SetLine], wide: int) -> list[str]:
    numbers = range(max((len(line.cells) for line in lines), default=0))
    names = max([3, *(len(line.name) for line in lines)])
    head = f"{'set':<{names}}  {''.join(f'/{n}'.ljust(wide) for n in numbers)}at least"
    return [head] + [
        f"{line.name:>{names}}  " + "".join(cell.ljust(wide) for cell in line.cells) + line.rest
        for line in lines
    ]


def at_least(
    low: Sequence[int], without: int | None = None, names: Mapping[int, str] = MappingProxyType({})
) -> str:
    """Write the minimums above 0: `1:2 3:1` for two cards of player 1 and one of player 3.

    `names` are of those that are not called by their number.
    """
    return " ".join(
        f"{names.get(player, player)}:{fewest}"
        for player, fewest in enumerate(low)
        if fewest and player != without
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
