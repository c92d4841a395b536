"""Text tables that fit a given width, such as the table of the possible owners of cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap
from types import MappingProxyType
from typing import NamedTuple

from quaternity.base.text_format import with_noun

WIDTH = 80
"""Maximum width of the output of every command, in columns."""


class SetLine(NamedTuple):
    """A line of `owners_text`: a set, the possible owners of its cards, and a remark."""

    name: str
    cells: Sequence[str]
    rest: str


def owners_text(lines: Sequence[SetLine], width: int = WIDTH) -> str:
    """Return a table of the possible owners of cards, with a line for each set.

    The columns are the cards of a set. More than six sets are printed side by side if they fit. In
    the example, any player may own card 0/0, only players 1 and 2 may own card 0/1, and player 2
    certainly owns card 1/0.

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
    r"""Return a table as aligned lines. A table that is too wide is split into several parts.

    Args:
        head: headings of the columns.
        rows: rows with one cell for each column.
        width: maximum length of a line, or None for no limit.
        names: number of leading columns that identify a row. They are repeated in every part.
        align: `<` (left) or `>` (right) for each column. By default, the leading columns are
            aligned to the left, and the other columns to the right.

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
        limits = [
            max(width // 2, 10) if width and place < names else None for place in range(names)
        ]
        folded = [wrap(cell, limit, break_long_words=False) if limit else [cell]
                  for cell, limit in zip_longest(row, limits)]  # fmt: skip
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


def minimums_text(
    low: Sequence[int], without: int | None = None, names: Mapping[int, str] = MappingProxyType({})
) -> str:
    """Return each player's minimum number of cards as text. A minimum of 0 is left out.

    `1:2 3:1` means at least two cards for player 1 and at least one for player 3.

    Args:
        low: minimum number of cards for each player.
        without: player whose minimum is omitted.
        names: labels of players, by number. A player without a label is shown as a number.
    """
    return " ".join(
        f"{names.get(player, player)}:{fewest}"
        for player, fewest in enumerate(low)
        if fewest and player != without
    )


def score_text(
    hands: Sequence[int], points: Sequence[int], turn: int | None, width: int = WIDTH
) -> str:
    """Return a line with the cards and points of all players, and `>` before the player to move."""
    entries = [
        f"{'>' if player == turn else ' '} player {player}: "
        f"{with_noun(cards, 'card')}, {with_noun(won, 'point')}"
        for player, (cards, won) in enumerate(zip(hands, points, strict=True))
    ]
    wide = max(map(len, entries)) + 3
    per_line = max(1, (width + 3) // wide)
    return "\n".join(
        "".join(entry.ljust(wide) for entry in entries[first : first + per_line]).rstrip()
        for first in range(0, len(entries), per_line)
    )
