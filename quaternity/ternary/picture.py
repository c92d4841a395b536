"""SVG pictures of the pairs of cards that share no attribute: a circle and a matrix.

*The circle.* The 81 cards are points on a circle, and the 648 pairs are chords. Card i is at the
angle 40/9 · (i + 1/2) degrees, clockwise from the top. The picture looks perfectly round, but only
six of the 162 rotations and reflections of the 81-gon map pairs to pairs. They are the rotations by
27 places (which increase the first digit of every card), the reflection i -> 80 - i (every digit d
becomes 2 - d), and their combinations.

*The matrix.* In the 81 × 81 matrix, the cell in row a and column b is dark if cards a and b are a
pair. The matrix is a fractal: each of its nine 27 × 27 blocks is blank (on the diagonal) or the
matrix for three digits, which has the same structure. It is the fourth Kronecker power of J - I,
where J is the 3 × 3 matrix of ones and I is the identity. Six copies at a third of the size give
the fractal dimension ln 6 / ln 3 = 1.63.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import cos, pi, sin

from quaternity.base.svg import svg_document, svg_text
from quaternity.ternary.cards import CARDS, SetCard
from quaternity.ternary.triples import partners

INK, FAINT, PAPER, LINES = "#1f3a5f", "#8a94a3", "#ffffff", "#c9a227"

SIZE = 1000
RADIUS = 440
LABEL_RADIUS = 470

CELL = 10
MARGIN = 40


def pairs() -> Iterator[tuple[int, int]]:
    """Yield all 648 pairs of cards that share no attribute, with the smaller card first."""
    for a in range(CARDS):
        for b in partners(a):
            if a < b:
                yield a, b


def circle_svg() -> str:
    """Draw the 81 cards on a circle, with the 648 chords between cards that share no attribute."""
    parts = [f'<g stroke="{INK}" stroke-width="0.6" stroke-opacity="0.45">']
    for a, b in pairs():
        (x1, y1), (x2, y2) = point(a), point(b)
        parts.append(f'<line x1="{x1:.3f}" y1="{y1:.3f}" x2="{x2:.3f}" y2="{y2:.3f}"/>')
    parts += ["</g>", f'<g fill="{INK}">']
    for card in range(CARDS):
        x, y = point(card)
        parts.append(
            f'<circle cx="{x:.3f}" cy="{y:.3f}" r="4"><title>{card} = {SetCard(card).ternary}: '
            f"{SetCard(card)}</title></circle>"
        )
    parts.append("</g>")
    for card in range(CARDS):
        x, y = point(card, LABEL_RADIUS)
        parts.append(svg_text(round(x, 1), round(y + 4.5, 1), str(card), size=13, colour=FAINT))
    return svg_document(
        SIZE, SIZE, "Pairs of cards on a circle",
        "81 points, one for each card, and a chord between any two cards that share no attribute: "
        "648 chords. A third of a turn and the reflection in the vertical axis change nothing.",
        parts, ground=PAPER,
    )  # fmt: skip


def point(card: int, radius: float = RADIUS) -> tuple[float, float]:
    """Return the coordinates of a card on the circle."""
    angle = 2 * pi * (card + 0.5) / CARDS
    return SIZE / 2 + radius * sin(angle), SIZE / 2 - radius * cos(angle)


def matrix_svg() -> str:
    """Draw an 81 x 81 matrix with a dark cell for each two cards that share no attribute."""
    side = CARDS * CELL
    dark = "".join(
        f"M{MARGIN + CELL * b} {MARGIN + CELL * a}h{CELL}v{CELL}h-{CELL}z"
        for a in range(CARDS)
        for b in partners(a)
    )
    parts = [f'<path d="{dark}" fill="{INK}"/>', f'<g stroke="{LINES}">']
    for line in range(0, CARDS + 1, 9):
        width = 1.6 if line % 27 == 0 else 0.5
        at, end = MARGIN + CELL * line, MARGIN + side
        parts.append(f'<path d="M{at} {MARGIN}V{end}M{MARGIN} {at}H{end}" stroke-width="{width}"/>')
    parts.append("</g>")
    for card in range(0, CARDS, 9):
        middle = MARGIN + CELL * card + CELL // 2
        for x, y in ((middle, MARGIN - 10), (MARGIN - 18, middle + 5)):
            parts.append(svg_text(x, y, str(card), size=15, colour=FAINT))
    return svg_document(
        side + 2 * MARGIN, side + 2 * MARGIN, "The matrix of pairs",
        "Row a, column b is dark if the cards a and b share no attribute: 1296 of 6561 cells. "
        "Each of the nine large blocks is blank or the whole picture at a third of its size.",
        parts, ground=PAPER,
    )  # fmt: skip


PICTURES: Mapping[str, Callable[[], str]] = {"circle": circle_svg, "matrix": matrix_svg}
"""Functions that draw a picture and return it as SVG, by name. The first is the default."""
