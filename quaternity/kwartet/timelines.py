"""SVG timelines that show when formulas are true in a game, with a row for each formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias

from quaternity.base.svg import svg_document, svg_text

UNDEFINED = "cannot be announced"
"""Truth value of a formula after an announcement that cannot be made, because the announced formula
is false or known to be false."""

SeenValue: TypeAlias = bool | str | None
"""Truth value in a timeline: a bool, `UNDEFINED`, or None if the value is unknown."""

WORDS = {True: "true", False: "false", None: "unknown", UNDEFINED: UNDEFINED}
"""Mapping from each truth value to the word that the drawing uses for it."""

# Bars differ in height as well as in colour, for readers who cannot distinguish the colours.
_BARS = {
    True: ("#0072B2", 18),
    None: ("#E69F00", 10),
    False: ("#000000", 2),
    UNDEFINED: ("none", 0),
}
_WIDTH, _MARGIN, _LINE, _LETTER = 900, 30, 56, 6.6


class Timeline(NamedTuple):
    """The truth values of a formula, as far as an observer knows them.

    The first value is for the moment after the deal, and each further value is for the moment after
    the next request.
    """

    formula: str
    values: Sequence[SeenValue]

    def changes(self) -> list[int]:
        """Return the numbers (from 1) of the requests that changed the formula's value."""
        return [
            number
            for number in range(1, len(self.values))
            if self.values[number] != self.values[number - 1]
        ]


def timelines_svg(lines: Sequence[Timeline], title: str) -> str:
    """Return the timelines of one game as an SVG document.

    The bar of a formula is highest when the formula is true, and lowest when it is false.
    """
    steps = len(lines[0].values)
    step = min(40.0, _WIDTH / steps)
    parts = [
        part for number, line in enumerate(lines) for part in _line(line, number * _LINE, step)
    ]
    bottom = _LINE * len(lines) + _MARGIN
    every = next(spacing for size in (1, 10, 100, 1000) for spacing in (size, 2 * size, 5 * size)
                 if spacing * step >= 30 or spacing >= steps)  # fmt: skip
    for number in range(0, steps, every):
        at = round(_MARGIN + (number + 0.5) * step, 1)
        parts.append(f'<path d="M{at} {bottom - 22}v6" stroke="#555"/>')
        parts.append(svg_text(at, bottom - 4, str(number), size=11, colour="#555"))
    parts.append(
        svg_text(_MARGIN, bottom + 16, "after the deal (0) and each request", size=12,
                 colour="#222", anchor="start")
    )  # fmt: skip
    at = _MARGIN
    for state, word in WORDS.items():
        if any(state in x.values for x in lines):
            parts += _bar(state, at, bottom + 42, 24, word)
            word = word if state != UNDEFINED else f"blank: {word}"
            label = svg_text(at + 30, bottom + 42, word, size=12, colour="#222", anchor="start")
            parts.append(label)
            at += 60 + round(_LETTER * len(word))
    description = "; ".join(f"{line.formula}: {', '.join(_runs(line))}" for line in lines)
    return svg_document(_WIDTH + 2 * _MARGIN, bottom + 60, title, description, parts, "#fff")


def _runs(line: Timeline) -> Iterator[str]:
    for at in (0, *line.changes()):
        yield f"{WORDS[line.values[at]]} from {at}"


def _line(line: Timeline, top: float, step: float) -> Iterator[str]:
    max_length = int(_WIDTH / _LETTER)
    text = line.formula if len(line.formula) <= max_length else f"{line.formula[: max_length - 1]}…"
    yield svg_text(_MARGIN, top + 24, text, size=13, colour="#222", anchor="start")
    at = 0
    for state, run in groupby(line.values):
        count = len(list(run))
        yield from _bar(
            state, _MARGIN + at * step, top + 50, count * step, f"{WORDS[state]} from {at}"
        )
        at += count


def _bar(state: SeenValue, x: float, base: float, wide: float, title: str) -> Iterator[str]:
    colour, tall = _BARS[state]
    if tall:
        yield (
            f'<rect x="{x:.1f}" y="{base - tall:g}" width="{wide:.1f}" height="{tall}" '
            f'fill="{colour}"><title>{title}</title></rect>'
        )
