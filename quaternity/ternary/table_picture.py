"""A table of SET as an SVG picture that is readable without colours.

Every card shows its figures, the word for their colour, its number and, in a game, the letter by
which it is claimed. The title of a card contains all of this, for pointers and screen readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from html import escape

from quaternity.base.svg import svg_document, svg_element, svg_text
from quaternity.base.validation import as_iterator
from quaternity.ternary.cards import COLOURS, FILLS, SHAPES, SetCard
from quaternity.ternary.tables import LETTERS, check_table
from quaternity.ternary.triples import Triple

WIDTH, HEIGHT, GAP = 132, 196, 16
INK, FAINT, PAPER, TABLE, EDGE = "#222222", "#6a6a6a", "#ffffff", "#eef1ec", "#b9c0b6"

SHADES = ("#cc3311", "#009e73", "#4b1f86")
"""Shades of red, green and purple. Their lightness differs, so they are distinct in greyscale and
for colour-blind people."""

OUTLINES = (
    "M-44 0L0 -18L44 0L0 18z",
    "M-27 -17H27A17 17 0 0 1 27 17H-27A17 17 0 0 1 -27 -17z",
    "M-42 9C-49 -15 -22 -25 2 -12C16 -5 25 -10 33 -16C41 -19 47 -6 41 4C32 20 8 19 -6 10"
    "C-18 4 -27 9 -32 15C-38 20 -41 15 -42 9z",
)
"""SVG paths of a diamond, an oval and a squiggle, centred at the origin."""


def table_svg(cards: Iterable[int], *, letters: bool = False, threes: Iterable[Triple] = ()) -> str:
    """Return a picture of the cards on a table as an SVG document, with `threes` in words below.

    The cards are in at most three rows. If `letters` is true, each card shows the letter of its
    place, as in a game.
    """
    indexes = tuple(as_iterator(cards, "table"))
    check_table(indexes)
    places = [SetCard(card) for card in indexes]
    letter_of = LETTERS if letters else ""
    names = [
        f"{letter_of[place : place + 1]} {card.index}: {card}".lstrip()
        for place, card in enumerate(places)
    ]
    columns = max(1, -(-len(places) // 3))
    captions = [", ".join(map(str, three)) for three in threes]
    width = GAP + columns * (WIDTH + GAP)
    top = GAP + -(-len(places) // columns) * (HEIGHT + GAP)
    height = top + (26 * len(captions) + 8 if captions else 0)
    parts = [*_stripes()]
    for place, card in enumerate(places):
        x = GAP + place % columns * (WIDTH + GAP)
        y = GAP + place // columns * (HEIGHT + GAP)
        parts += [
            f'<g transform="translate({x} {y})">',
            f"<title>{escape(names[place])}</title>",
            *_card(card, letter_of[place : place + 1]),
            "</g>",
        ]
    parts += [
        svg_text(GAP, top + 12 + 26 * line, text, size=18, colour=INK, anchor="start")
        for line, text in enumerate(captions)
    ]
    title = f"A table of {len(places)} cards"
    return svg_document(width, height, title, "; ".join(names), parts, ground=TABLE)


@cache
def card_svg(card: int, label: str | None = None) -> str:
    """Return a card as an SVG element for a page that also contains `stripes_svg`.

    Screen readers read the label. It is None if a text beside the card says the same.
    """
    return svg_element(WIDTH, HEIGHT, "card", label, _card(SetCard(card), ""))


def stripes_svg() -> str:
    """Return an invisible SVG element with patterns for striped cards. A page needs it once."""
    return svg_element(0, 0, "stripes", None, _stripes())


def _stripes() -> Iterator[str]:
    yield "<defs>"
    for name, shade in zip(COLOURS, SHADES, strict=True):
        yield (
            f'<pattern id="striped-{name}" width="7" height="7" patternUnits="userSpaceOnUse">'
            f'<path d="M3.5 0V7" stroke="{shade}" stroke-width="2"/></pattern>'
        )
    yield "</defs>"


def _card(card: SetCard, letter: str) -> Iterator[str]:
    shape, colour, fill, _ = card.digits
    shade, word = SHADES[colour], COLOURS[colour]
    inside = {"open": "none", "striped": f"url(#striped-{word})", "solid": shade}[FILLS[fill]]
    yield (
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="12" fill="{PAPER}" stroke="{EDGE}" '
        'stroke-width="1.5"/>'
    )
    yield svg_text(12, 24, letter, size=20, colour=INK, anchor="start", bold=True)
    yield svg_text(WIDTH - 12, 24, str(card.index), size=16, colour=FAINT, anchor="end")
    for figure in range(card.figures):
        y = 100 + 44 * (figure - (card.figures - 1) / 2)
        yield (
            f'<path class="{SHAPES[shape]}" transform="translate({WIDTH / 2:g} {y:g})" '
            f'd="{OUTLINES[shape]}" fill="{inside}" stroke="{shade}" stroke-width="3"/>'
        )
    yield svg_text(WIDTH / 2, HEIGHT - 10, word, size=14, colour=INK)
