"""Markdown at the terminal with tables of which nothing is cut off."""

from __future__ import annotations

from typing import ClassVar

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.table import Table
from rich.text import Text

WHOLE = 16
"""Cells of so many characters or fewer are not broken, longer ones only between words."""


class PartedTable(TableElement):
    """A table that comes in parts where it is too wide, its first column in each."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the parts, one after another."""
        lines = [self.header.row] if self.header is not None and self.header.row is not None else []
        lines += self.body.rows if self.body is not None else []
        head, *rows = ([cell.content for cell in line.cells] for line in lines)
        for line in (head, *rows):
            line += [Text() for _ in range(len(head) - len(line))]
        least = [
            max(_word(head[place]), *(_least(row[place]) for row in rows), 1)
            for place in range(len(head))
        ]
        most = [max(len(line[place]) for line in (head, *rows)) for place in range(len(head))]
        for part in _parts(least, options.max_width):
            wide = _widths([least[p] for p in part], [most[x] for x in part],
                           options.max_width)  # fmt: skip
            table = Table(box=box.SIMPLE, pad_edge=False, style="markdown.table.border")
            table.collapse_padding = True
            for column, width in zip(part, wide, strict=True):
                heading = head[column].copy()
                heading.stylize("markdown.table.header")
                table.add_column(heading, width=width, overflow="fold")
            for row in rows:
                table.add_row(*(row[y] for y in part))
            yield table


class GuideMarkdown(Markdown):
    """Markdown with such tables."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "table_open": PartedTable,
    }


def _word(text: Text) -> int:
    return max(map(len, text.plain.split()), default=0)


def _least(text: Text) -> int:
    return len(text) if len(text) <= WHOLE else _word(text)


def _needed(wide: list[int]) -> int:
    """Return the width of a table with such columns: two blanks between, one at each end."""
    return sum(wide) + 2 * len(wide)


def _parts(least: list[int], width: int) -> list[list[int]]:
    """Split columns into parts that fit, the first one in all parts."""
    parts = [[0]]
    for place in range(1, len(least)):
        if len(parts[-1]) > 1 and _needed([least[x] for x in [*parts[-1], place]]) > width:
            parts.append([0])
        parts[-1].append(place)
    return parts


def _widths(least: list[int], most: list[int], width: int) -> list[int]:
    """Return the widths of columns: what remains goes evenly to those that want more."""
    wide = list(least)
    spare = width - _needed(wide)
    while spare > 0 and (
        wanting := [number for number in range(len(wide)) if wide[number] < most[number]]
    ):
        wide[min(wanting, key=lambda x: wide[x])] += 1
        spare -= 1
    if spare < 0:
        wide[-1] = max(1, wide[-1] + spare)
    return wide
