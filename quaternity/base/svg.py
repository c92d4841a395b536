"""Functions that build SVG documents, SVG elements for pages, and text in drawings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Drawing:
    """SVG drawing that a notebook displays.

    Attributes:
        title: a short description of the drawing.
        svg: the text of an SVG file.
    """

    title: str
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Drawing: {self.title}>"


def svg_document(
    width: float, height: float, title: str, description: str, parts: Iterable[str], ground: str,
    role: str = "img",
) -> str:  # fmt: skip
    """Return an SVG document with a title and a description for screen readers.

    Args:
        width, height: size in pixels.
        parts: SVG elements, from back to front.
        ground: background colour.
        role: `img`, or `group` if the drawing contains links.
    """
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="{role}" '
        'font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(description)}</desc>",
        f'<rect width="{width}" height="{height}" fill="{ground}"/>',
    )
    return "\n".join([*head, *parts, "</svg>", ""])


def svg_element(
    width: float, height: float, kind: str, label: str | None, parts: Iterable[str]
) -> str:
    """Return a small drawing as an SVG element that is part of an HTML page.

    Args:
        width, height: size in pixels, unless the style sheet of the page scales the drawing.
        kind: CSS class of the element.
        label: text for screen readers, or None if a text next to the drawing says the same.
        parts: SVG elements, from back to front.
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
    """Return an SVG text element.

    Args:
        x: horizontal position of the start, middle or end of the text, depending on `anchor`.
        y: vertical position of the base line, or of the middle of the letters if `centred` is true.
    """
    if centred:
        y += 0.35 * size
    weight = ' font-weight="bold"' if bold else ""
    plain = text if text.isalnum() else escape(text)  # a word or number needs no escaping
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}" '
        f'text-anchor="{anchor}"{weight}>{plain}</text>'
    )
