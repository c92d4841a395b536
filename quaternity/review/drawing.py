"""Drawing of each seat's chance to win over the course of a reviewed game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from itertools import chain

from quaternity.base.plots import COLOURS
from quaternity.base.sentences import MessageTemplate, Wording
from quaternity.base.svg import svg_document, svg_text
from quaternity.review.reviewing import Review

_WIDE, _HIGH, _MARGIN = 400, 190, 46
"""Width and height of the curves, and width of the margin around them, in SVG units. The sizes suit
a phone. On a wider screen, the chart is enlarged."""
_DASHES = ("none", "7 3")

CHANCES = MessageTemplate("chances", "Chances during the game")
AFTER_MOVE = MessageTemplate("after_move", "after move {number}: {chances:parts}")
MOVE = MessageTemplate("move", "Move {number}")


def curve_svg(
    review: Review, words: Wording | None = None, link: Callable[[int], str] | None = None
) -> str:
    """Return an SVG of each seat's chances during the game, with marks at the decisive moves.

    A click opens a position. `link` returns its address, given the number of moves before it.
    """
    words = words or Wording(review.names)
    description = "; ".join(
        words.say(AFTER_MOVE(number=point.after, chances=[*map(words.percent, chances)]))
        for point in review.curve
        if (chances := point.chances) is not None
    )
    height = 2 * _MARGIN + _HIGH + 20 * ((review.seats + 3) // 4)
    parts, title = _parts(review, words), words.say(CHANCES())
    parts = chain(parts, () if link is None else _links(review, words, link))
    role = "img" if link is None else "group"
    return svg_document(_WIDE + 2 * _MARGIN, height, title, description, parts, "#fff", role)


def _links(review: Review, words: Wording, link: Callable[[int], str]) -> Iterator[str]:
    wide = _WIDE / max(1, len(review.curve) - 1)
    for point in review.curve:
        x = round(_MARGIN + wide * (point.after - 0.5), 1)
        area = f'x="{x}" y="{_MARGIN}" width="{wide:.1f}" height="{_HIGH}" fill="transparent"'
        label = escape(words.say(MOVE(number=point.after)))
        yield (
            f'<a href="{escape(link(point.after))}" tabindex="-1" aria-label="{label}">'
            f"<title>{label}</title><rect {area}/></a>"
        )


def _parts(review: Review, names: Wording) -> Iterator[str]:
    last = max(1, len(review.curve) - 1)

    def at(after: float, chance: float) -> tuple[float, float]:
        return round(_MARGIN + _WIDE * after / last, 1), round(_MARGIN + _HIGH * (1 - chance), 1)

    for tenth in range(0, 11, 2):
        x, y = at(0, tenth / 10)
        yield f'<path d="M{x} {y}h{_WIDE}" stroke="#ddd"/>'
        yield svg_text(
            x - 6, y + 4, names.percent(tenth / 10), size=12, colour="#555", anchor="end"
        )
    for after in range(0, last + 1, -(-last // 12)):
        x, y = at(after, 0)
        yield svg_text(x, y + 18, str(after), size=12, colour="#555")
    for moment in review.moments:
        x, y = at(moment.number, 1)
        title = f"<title>{escape(names.say(MOVE(number=moment.number)))}</title>"
        yield f'<path d="M{x} {y}v{_HIGH}" stroke="#999" stroke-dasharray="3 3">{title}</path>'
    for seat in range(review.seats):
        colour, dashes = COLOURS[seat % len(COLOURS)], _DASHES[seat // len(COLOURS) % 2]
        places = [at(p.after, p.chances[seat]) for p in review.curve if p.chances is not None]
        line = " ".join(f"{x},{y}" for x, y in places)
        style = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"'
        yield f'<polyline points="{line}" fill="none" {style}/>'
        yield from (f'<circle cx="{x}" cy="{y}" r="2" fill="{colour}"/>' for x, y in places)
        label = (_WIDE + _MARGIN) // min(4, review.seats)
        x, y = _MARGIN + label * (seat % 4), 2 * _MARGIN + _HIGH + 20 * (seat // 4)
        yield f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{colour}"/>'
        name, room = names.player(seat), (label - 20) // 7
        name = name if len(name) <= room else f"{name[: room - 1]}…"
        yield svg_text(x + 18, y, name, size=13, colour="#222", anchor="start")
