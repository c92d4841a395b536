"""Rich display of values in a notebook: a title, some lines and a table, as HTML or SVG.

The styles are inline, so the output looks the same everywhere, on light and dark pages. Facts that
are certain are marked by a symbol and by bold text, not only by colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

_CELL = "padding:.15em .6em;text-align:center;border:1px solid rgba(128,128,128,.4)"
_STYLES = {
    "": _CELL,
    "head": f"{_CELL};font-weight:600;background:rgba(128,128,128,.12)",
    "sure": f"{_CELL};font-weight:700;background:rgba(0,114,178,.22)",
    "gone": f"{_CELL};opacity:.6",
}
_SIZE = 14
"""Font size in a drawing, in pixels. A character is about 0.6 times as wide as this size."""


class Cell(NamedTuple):
    """Cell of a table that a notebook displays.

    Attributes:
        kind: style of the cell: "head" for headings, "sure" for certain facts, "gone" for sets out
            of play, or "" for other cells.
        title: tooltip that explains the cell.
        wide: number of columns that the cell spans.
    """

    text: str
    kind: str = ""
    title: str = ""
    wide: int = 1


class Display(NamedTuple):
    """Display of a value in a notebook: a title, sentences (`lines`) and a table.

    All rows of the table have the same length.
    """

    title: str
    lines: Sequence[str] = ()
    rows: Sequence[Sequence[Cell]] = ()

    def html(self) -> str:
        """Return the display as an HTML element."""
        lines = "".join(f'<p style="margin:.3em 0">{escape(line)}</p>' for line in self.lines)
        rows = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in self.rows)
        table = f'<table style="border-collapse:collapse;font-size:.95em">{rows}</table>'
        return (
            f'<div style="margin:.5em 0"><p style="margin:.3em 0"><b>{escape(self.title)}</b></p>'
            f"{lines}{table if rows else ''}</div>"
        )

    def text(self) -> str:
        """Return the sentences and the table as plain text with aligned columns."""
        columns = max((sum(cell.wide for cell in row) for row in self.rows), default=0)
        widths = [0] * columns
        placed = [list(_with_columns(row)) for row in self.rows]
        for row in placed:
            for column, cell in row:
                if cell.wide == 1:
                    widths[column] = max(widths[column], len(cell.text))
        lines = list(self.lines)
        for row in placed:
            parts = []
            for column, cell in row:
                width = sum(widths[column : column + cell.wide]) + 2 * (cell.wide - 1)
                parts.append(cell.text.ljust(width))
            lines.append("  ".join(parts).rstrip())
        return "\n".join(lines)

    def svg(self) -> str:
        """Return the display as the text of an SVG file."""
        columns = max((sum(cell.wide for cell in row) for row in self.rows), default=0)
        longest = [
            len(cell.text) / cell.wide for row in self.rows for cell in row if cell.kind != "gone"
        ]
        step, line = 0.62 * _SIZE * (max(longest, default=1) + 2), 1.7 * _SIZE
        text = max(map(len, (self.title, *self.lines)))
        width = max(columns * step, 0.62 * _SIZE * text) + 2 * _SIZE
        top = line * (1 + len(self.lines)) + 0.5 * _SIZE
        height = top + line * len(self.rows) + _SIZE
        weights = ("bold", *("normal" for _ in self.lines))
        parts = [
            f'<text x="{_SIZE}" y="{line * number:g}" font-weight="{weight}">{escape(shown)}</text>'
            for number, (weight, shown) in enumerate(
                zip(weights, (self.title, *self.lines), strict=True), 1
            )
        ]
        for number, row in enumerate(self.rows):
            column = 0
            for cell in row:
                parts.append(
                    _svg_cell(cell, _SIZE + column * step, top + number * line, step, line)
                )
                column += cell.wide
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}" role="img" font-family="Helvetica, Arial, '
            f'sans-serif" font-size="{_SIZE}"><title>{escape(self.title)}</title>'
            f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
        )


def _with_columns(row: Sequence[Cell]) -> Iterator[tuple[int, Cell]]:
    column = 0
    for cell in row:
        yield column, cell
        column += cell.wide


class Displayable:
    """Base class of values that a notebook displays as a table with a title."""

    __slots__ = ()

    def picture(self) -> Display:
        """Return the `Display` of the value. Its methods `html()` and `svg()` return text."""
        raise NotImplementedError

    def svg(self) -> str:
        """Return the display of the value as the text of an SVG file."""
        return self.picture().svg()

    def _repr_html_(self) -> str:
        return self.picture().html()


def heading_cells(*texts: object) -> list[Cell]:
    """Return a list of table cells that are headings, one for each text."""
    return [Cell(str(text), "head") for text in texts]


def _html_cell(cell: Cell) -> str:
    tag = "th" if cell.kind == "head" else "td"
    title = f' title="{escape(cell.title)}"' if cell.title else ""
    wide = f' colspan="{cell.wide}"' if cell.wide > 1 else ""
    return f'<{tag} style="{_STYLES[cell.kind]}"{title}{wide}>{escape(cell.text)}</{tag}>'


def _svg_cell(cell: Cell, x: float, y: float, step: float, line: float) -> str:
    fill = {"sure": "#c9e1f0", "head": "#eeeeee"}.get(cell.kind, "none")
    weight = ' font-weight="bold"' if cell.kind in ("sure", "head") else ""
    colour = "#767676" if cell.kind == "gone" else "#111"
    wide = cell.wide * step
    title = f"<title>{escape(cell.title)}</title>" if cell.title else ""
    return (
        f'<g><rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{line:g}" fill="{fill}" '
        f'stroke="#bbb"/><text x="{x + wide / 2:g}" y="{y + 0.7 * line:g}" text-anchor="middle" '
        f'fill="{colour}"{weight}>{escape(cell.text)}</text>{title}</g>'
    )
