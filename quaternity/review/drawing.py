"""The curve of a review as a drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quaternity.base.plots import COLOURS
from quaternity.base.sentences import Words
from quaternity.base.svg import svg_document, svg_text
from quaternity.review.reviewing import Review

_WIDE, _HIGH, _MARGIN = 720, 300, 48
_DASHES = ("", "7 3", "2 3", "9 3 2 3")


def curve_svg(review: Review) -> str:
    """Draw every seat's chances over the game, and mark the moments that decided it."""
    last, words = max(1, len(review.curve) - 1), Words(review.names)

    def at(after: float, chance: float) -> tuple[float, float]:
        return round(_MARGIN + _WIDE * after / last, 1), round(_MARGIN + _HIGH * (1 - chance), 1)

    parts = list(_axes(last, at))
    for moment in review.moments:
        x, top = at(moment.number, 1)
        parts.append(
            f'<path d="M{x} {top}v{_HIGH}" stroke="#999" stroke-dasharray="3 3">'
            f"<title>move {moment.number}</title></path>"
        )
    known = [point for point in review.curve if point.chances is not None]
    for seat in range(review.seats):
        colour, dashes = COLOURS[seat % len(COLOURS)], _DASHES[seat // len(COLOURS) % 4]
        places = [at(p.after, p.chances[seat]) for p in known if p.chances is not None]
        line = " ".join(f"{x},{y}" for x, y in places)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dashes}"/>'
        )
        parts += [f'<circle cx="{x}" cy="{y}" r="2.5" fill="{colour}"/>' for x, y in places]
        x, y = _MARGIN + 120 * (seat % 6), 2 * _MARGIN + _HIGH + 20 * (seat // 6)
        parts.append(f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{colour}"/>')
        name = words.player(seat)
        name = name if len(name) <= 14 else f"{name[:13]}…"
        parts.append(svg_text(x + 18, y, name, size=12, colour="#222", anchor="start"))
    height = 2 * _MARGIN + _HIGH + 20 * ((review.seats + 5) // 6)
    what = "; ".join(
        f"after {point.after}: {', '.join(f'{chance:.2f}' for chance in point.chances or ())}"
        for point in known
    )
    return svg_document(_WIDE + 2 * _MARGIN, height, "chances over the game", what, parts, "#fff")


def _axes(last: int, at: Callable[[float, float], tuple[float, float]]) -> Iterator[str]:
    for tenth in range(0, 11, 2):
        x, y = at(0, tenth / 10)
        parts = f'<path d="M{x} {y}h{_WIDE}" stroke="#ddd"/>'
        yield parts + svg_text(
            x - 6, y + 4, f"{10 * tenth} %", size=11, colour="#555", anchor="end"
        )
    step = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500) if last / size <= 20)
    for after in range(0, last + 1, step):
        x, y = at(after, 0)
        yield svg_text(x, y + 18, str(after), size=11, colour="#555")
    x, y = at(last, 0)
    yield svg_text(x, y + 34, "moves", size=12, colour="#222", anchor="end")
