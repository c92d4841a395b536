"""Drawings in SVG: what every one of them begins with, parts of pages, and texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing that notebooks display.

    Attributes:
        title: what it shows.
        svg: the text of an SVG file.
    """

    title: str
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Drawing: {self.title}>"


def svg_document(
    width: float, height: float, title: str, description: str, parts: Iterable[str], ground: str
) -> str:
    """Return a drawing, which a screen reader finds described.

    Sizes are in user units, one to a pixel; `parts` are elements of SVG, the lowest first.
    """
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(description)}</desc>",
        f'<rect width="{width}" height="{height}" fill="{ground}"/>',
    )
    return "\n".join([*head, *parts, "</svg>", ""])


def svg_element(
    width: float, height: float, kind: str, label: str | None, parts: Iterable[str]
) -> str:
    """Return a small drawing as an element of a page.

    Args:
        width, height: in user units; the page says how large it is drawn.
        label: what a screen reader says; None where a text beside it says the same.
        parts: elements of SVG, the lowest first.
    """
    role = 'aria-hidden="true"' if label is None else f'role="img" aria-label="{escape(label)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" width="{width:g}" '
        f'height="{height:g}" viewBox="0 0 {width:g} {height:g}" {role} '
        f'font-family="Helvetica, Arial, sans-serif">{"".join(parts)}</svg>'
    )


def svg_text(
    x: float,
    y: float,
    text: str,
    *,
    size: float,
    colour: str,
    anchor: str = "middle",
    bold: bool = False,
    centred: bool = False,
) -> str:
    """Return a text; x is its `anchor` (start, middle or end), y its base line, or its middle."""
    if centred:
        y += 0.35 * size
    weight = ' font-weight="bold"' if bold else ""
    plain = text if text.isalnum() else escape(text)  # most are a number or a letter
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}" '
        f'text-anchor="{anchor}"{weight}>{plain}</text>'
    )
