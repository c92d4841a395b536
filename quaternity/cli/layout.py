"""Rendering of Markdown in the terminal. Wide tables are split into parts."""

from __future__ import annotations

from typing import ClassVar

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.table import Table
from rich.text import Text

MAX_UNBROKEN_CHARS = 16
"""Maximum length of a table cell that is never wrapped, in characters. Longer cells may be wrapped
between words."""


class SplitTable(TableElement):
    """A table that is split into parts if it is too wide. All parts begin with the first column."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the parts of the table in order."""
        lines = [self.header.row] if self.header is not None and self.header.row is not None else []
        lines += self.body.rows if self.body is not None else []
        head, *rows = ([cell.content for cell in line.cells] for line in lines)
        for line in (head, *rows):
            line += [Text() for _ in range(len(head) - len(line))]
        min_widths = [
            max(_longest_word(head[place]), *(_min_width(row[place]) for row in rows), 1)
            for place in range(len(head))
        ]
        max_widths = [max(len(line[place]) for line in (head, *rows)) for place in range(len(head))]
        for part in _parts(min_widths, options.max_width):
            widths = _widths([min_widths[p] for p in part], [max_widths[x] for x in part],
                           options.max_width)  # fmt: skip
            table = Table(box=box.SIMPLE, pad_edge=False, style="markdown.table.border")
            table.collapse_padding = True
            for column, width in zip(part, widths, strict=True):
                heading = head[column].copy()
                heading.stylize("markdown.table.header")
                table.add_column(heading, width=width, overflow="fold")
            for row in rows:
                table.add_row(*(row[y] for y in part))
            yield table


class GuideMarkdown(Markdown):
    """Renderer of Markdown that splits tables into parts if they are too wide."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "table_open": SplitTable,
    }


def _longest_word(text: Text) -> int:
    return max(map(len, text.plain.split()), default=0)


def _min_width(text: Text) -> int:
    return len(text) if len(text) <= MAX_UNBROKEN_CHARS else _longest_word(text)


def _table_width(widths: list[int]) -> int:
    return sum(widths) + 2 * len(widths)


def _parts(min_widths: list[int], width: int) -> list[list[int]]:
    """Split the columns into parts that fit the width. The first column is in every part."""
    parts = [[0]]
    for place in range(1, len(min_widths)):
        if (
            len(parts[-1]) > 1
            and _table_width([min_widths[x] for x in [*parts[-1], place]]) > width
        ):
            parts.append([0])
        parts[-1].append(place)
    return parts


def _widths(min_widths: list[int], max_widths: list[int], width: int) -> list[int]:
    """Return the column widths. Columns that need wrapping share the remaining width evenly."""
    widths = list(min_widths)
    spare = width - _table_width(widths)
    while spare > 0 and (
        extendable := [
            number for number in range(len(widths)) if widths[number] < max_widths[number]
        ]
    ):
        widths[min(extendable, key=lambda x: widths[x])] += 1
        spare -= 1
    if spare < 0:
        widths[-1] = max(1, widths[-1] + spare)
    return widths
