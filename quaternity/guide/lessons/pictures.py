"""Pictures in the lessons of the guide, small enough for the screen of a phone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log10

from quaternity.base.plots import COLOURS
from quaternity.base.svg import Drawing, svg_document, svg_text
from quaternity.base.text_format import with_noun
from quaternity.epistemic import Language, parse
from quaternity.epistemic.kripke import kripke_model, model_svg
from quaternity.epistemic.situation import Situation
from solvers import Deal, DealProblem

_WIDE, _ROW, _INK, _MARKED = 360, 34, "#222", "#fbe3d0"


def network(
    hands: Sequence[int],
    may: Sequence[Sequence[int]],
    deal: Sequence[int | None] = (),
    group: Collection[int] = (),
) -> Drawing:
    """Draw which players may own which cards: players on the left, cards on the right.

    The lines of `deal` are thick. The players of `group` are marked, and so are the cards that no
    other player may own.
    """
    tall = _ROW * max(len(hands), len(may)) + 16

    def height(number: int, count: int) -> float:
        return tall * (number + 0.5) / count

    parts = []
    for card, players in enumerate(may):
        for player in players:
            is_dealt = card < len(deal) and deal[card] == player
            look = f'stroke="{COLOURS[0]}" stroke-width="4"' if is_dealt else 'stroke="#999"'
            parts.append(
                f'<line x1="120" y1="{height(player, len(hands)):.1f}" x2="270" '
                f'y2="{height(card, len(may)):.1f}" {look}/>'
            )
    for player, hand in enumerate(hands):
        text = f"player {player}: {with_noun(hand, 'card')}"
        parts += _box(4, height(player, len(hands)), 116, text, player in group)
    for card, players in enumerate(may):
        marked = bool(group) and set(players) <= set(group)
        parts += _box(270, height(card, len(may)), 86, f"card {card}", marked)
    title = f"{with_noun(len(hands), 'player')} and {with_noun(len(may), 'card')}"
    description = "lines join players with the cards that they may own"
    return Drawing(title, svg_document(_WIDE, tall, title, description, parts, "#fff"))


def _box(x: float, y: float, wide: float, text: str, marked: bool) -> list[str]:
    fill, stroke = (_MARKED, 3) if marked else ("#fff", 1)
    return [
        f'<rect x="{x}" y="{y - 13:.1f}" width="{wide}" height="26" rx="4" fill="{fill}" '
        f'stroke="{COLOURS[1] if marked else _INK}" stroke-width="{stroke}"/>',
        svg_text(x + wide / 2, round(y, 1), text, size=13, colour=_INK, centred=True),
    ]


def worlds(problem: DealProblem, deal: Sequence[Sequence[int]], *announcements: str) -> Drawing:
    """Draw the deals that remain possible after announcements, with the real deal on top.

    A line joins two deals that a player cannot distinguish, and is labelled with the player's
    number. The announcements are formulas, made one after another.
    """
    language = Language.of(problem)
    formulas = tuple(parse(text, language) for text in announcements)
    situation = Situation(problem, Deal(tuple(map(tuple, deal))), formulas, ())
    model = kripke_model(situation, every=True)
    title = with_noun(len(model.worlds), "world")
    return Drawing(title, model_svg(model, title))


def chart(
    title: str, curves: Mapping[str, Sequence[float]], below: str, first: int = 0, log: bool = False
) -> Drawing:
    """Draw curves over the whole numbers from `first` on. `below` is the text below the numbers.

    If `log` is true, the values have a logarithmic scale.
    """
    values = [log10(value) if log else value for curve in curves.values() for value in curve]
    low, top = (min(values), max(values)) if log else (min(0, *values), max(values))
    last = first + max(map(len, curves.values())) - 1

    def place(number: int, value: float) -> tuple[float, float]:
        up = (log10(value) if log else value) - low
        return 60 + 180 * (number - first) / (last - first), 200 - 160 * up / (top - low)

    parts = [svg_text(180, 22, title, size=14, colour=_INK, bold=True)]
    for mark in (low, (low + top) / 2, top):
        value = 10**mark if log else mark
        y = place(first, value)[1]
        parts.append(f'<line x1="60" y1="{y:.1f}" x2="240" y2="{y:.1f}" stroke="#ddd"/>')
        text = f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
        parts.append(
            svg_text(54, round(y, 1), text, size=12, colour=_INK, anchor="end", centred=True)
        )
    for number, left in ((first, 60), (last, 240)):
        parts += [svg_text(left, 218, f"{number}", size=12, colour=_INK)]
    parts.append(svg_text(150, 234, below, size=12, colour=_INK))
    for name, curve, colour in zip(curves, curves.values(), COLOURS, strict=False):
        at = [place(number, value) for number, value in enumerate(curve, first)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = at[-1]
        parts.append(
            svg_text(round(x + 6), round(y), name, size=13, colour=colour, anchor="start",
                     bold=True, centred=True)
        )  # fmt: skip
    description = f"{', '.join(curves)} by {below}"
    return Drawing(title, svg_document(_WIDE, 244, title, description, parts, "#fff"))
