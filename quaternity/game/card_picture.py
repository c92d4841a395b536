"""SVG pictures of the cards of Quaternity and Kwartet, which can be told apart without colours.

Each set has a suit: a colour, and a shape that contains the number of the set. A card shows its
name and its suit. At the bottom of the card, a row of boxes stands for the cards of the set, and
the box of this card is filled. Cards are light even on dark pages, like real cards.
"""

from __future__ import annotations

from functools import lru_cache

from quaternity.base.svg import svg_element, svg_text
from quaternity.game.cards import Card

WIDTH, HEIGHT = 100, 140
INK, PAPER, EDGE = "#222222", "#fffdf8", "#b9b2a3"

HUES = (
    "#0b63a5", "#b3400f", "#00705a", "#8c3a79", "#6b5a00", "#3d3d8f", "#a3143c", "#3d4a57",
)  # fmt: skip
"""Colours of the suits (one suit for each set). White text is legible on each of them. Adjacent
colours differ in lightness, for colour-blind readers."""

SHAPES = (
    ("circle", "M32 0A32 32 0 1 1 -32 0A32 32 0 1 1 32 0z", 0),
    ("square", "M-28 -28H28V28H-28z", 0),
    ("triangle", "M0 -38L38 28H-38z", 9),
    ("diamond", "M0 -38L34 0L0 38L-34 0z", 0),
    ("star", "M0 -39L10 -16L36 -13L17 5L22 31L0 18L-22 31L-17 5L-36 -13L-10 -16z", 0),
    ("hexagon", "M-18 -31H18L36 0L18 31H-18L-36 0z", 0),
    ("heart", "M0 34C-46 4 -38 -32 -16 -31Q-4 -30 0 -18Q4 -30 16 -31C38 -32 46 4 0 34z", -4),
    ("cross", "M-13 -36H13V-15H35V15H13V36H-13V15H-35V-15H-13z", 0),
    ("drop", "M0 -40C10 -18 30 -6 30 10A30 27 0 0 1 -30 10C-30 -6 -10 -18 0 -40z", 8),
    ("house", "M0 -37L36 -8H28V30H-28V-8H-36z", 4),
)  # fmt: skip
"""The shapes of the suits. Each shape has a name, an outline around the origin, and the vertical
offset of the number inside it."""

MAX_ROW_CARDS = 8
"""Maximum set size for which a card shows a row of boxes, one for each card of the set."""


def suit_name(index: int) -> str:
    """Return the name of the suit of a set, which is the shape drawn on its cards.

    >>> suit_name(2), suit_name(12)
    ('triangle', 'triangle')
    """
    return SHAPES[index % len(SHAPES)][0]


def _suit(index: int, x: float, y: float, scale: float = 1) -> str:
    _, outline, down = SHAPES[index % len(SHAPES)]
    number = svg_text(0, down, str(index), size=24, colour="#ffffff", bold=True, centred=True)
    return (
        f'<g transform="translate({x:g} {y:g}) scale({scale:g})">'
        f'<path d="{outline}" fill="{HUES[index % len(HUES)]}"/>{number}</g>'
    )


@lru_cache(maxsize=1024)
def suit_svg(index: int, label: str | None = None) -> str:
    """Return the suit of a set (its shape and colour) as an SVG element of 40 by 40 pixels.

    `label` is the text for screen readers, or None if a text next to the suit says the same.
    """
    return svg_element(40, 40, f"suit {suit_name(index)}", label, [_suit(index, 20, 20, 0.5)])


@lru_cache(maxsize=4096)
def card_svg(card: Card, set_size: int, label: str | None = None) -> str:
    """Return a picture of a card as an SVG element of 100 by 140 pixels.

    `label` is the text for screen readers, or None if a text next to the card says the same.
    """
    index, number = card
    hue = HUES[index % len(HUES)]
    parts = [
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="10" fill="{PAPER}" '
        f'stroke="{EDGE}" stroke-width="2"/>',
        svg_text(10, 25, str(card), size=20, colour=INK, anchor="start", bold=True),
        _suit(index, WIDTH / 2, 66),
    ]
    step = (WIDTH - 16) / max(set_size, 4)
    start = (WIDTH - step * (set_size - 1)) / 2
    for place in range(set_size if set_size <= MAX_ROW_CARDS else 0):
        own = place == number
        x, half = start + step * place, step / 2 - 1.5
        parts.append(
            f'<rect x="{x - half:g}" y="112" width="{2 * half:g}" height="18" rx="4" '
            f'fill="{hue if own else "none"}" stroke="{hue}" stroke-width="1.5"/>'
        )
        ink = "#ffffff" if own else INK
        parts.append(svg_text(x, 121, str(place), size=12, colour=ink, bold=own, centred=True))
    return svg_element(WIDTH, HEIGHT, f"card {suit_name(index)}", label, parts)
