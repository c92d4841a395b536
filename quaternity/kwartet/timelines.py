"""Formulas through a game as a drawing: a line a formula, a place for the deal and each request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias

from quaternity.base.svg import svg_document, svg_text

UNSAID = "not to be said"
"""What is to be said is not true then, or known not to be."""

Told: TypeAlias = bool | str | None
"""True, false, `UNSAID`, or None: it cannot be told."""

WORDS = {True: "true", False: "false", None: "not to be told", UNSAID: UNSAID}
"""How what is told is said."""

# Told apart by height as well as by colour.
_BARS = {True: ("#0072B2", 18), None: ("#E69F00", 10), False: ("#000000", 2), UNSAID: ("none", 0)}
_WIDE, _MARGIN, _LINE, _LETTER = 900, 30, 56, 6.6


class Timeline(NamedTuple):
    """What could be told of a formula right after the deal and after each request."""

    formula: str
    told: Sequence[Told]

    def changes(self) -> list[int]:
        """After how many requests it is told otherwise than before."""
        return [
            number
            for number in range(1, len(self.told))
            if self.told[number] != self.told[number - 1]
        ]


def timelines_svg(lines: Sequence[Timeline], title: str) -> str:
    """Draw lines of one game: high where a formula is true, low where it cannot be told."""
    steps = len(lines[0].told)
    step = min(40.0, _WIDE / steps)
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
        if any(state in x.told for x in lines):
            parts += _bar(state, at, bottom + 42, 24, word)
            word = word if state != UNSAID else f"blank: {word}"
            label = svg_text(at + 30, bottom + 42, word, size=12, colour="#222", anchor="start")
            parts.append(label)
            at += 60 + round(_LETTER * len(word))
    what = "; ".join(f"{line.formula}: {', '.join(_runs(line))}" for line in lines)
    return svg_document(_WIDE + 2 * _MARGIN, bottom + 60, title, what, parts, "#fff")


def _runs(line: Timeline) -> Iterator[str]:
    for at in (0, *line.changes()):
        yield f"{WORDS[line.told[at]]} from {at}"


def _line(line: Timeline, top: float, step: float) -> Iterator[str]:
    most = int(_WIDE / _LETTER)
    text = line.formula if len(line.formula) <= most else f"{line.formula[: most - 1]}…"
    yield svg_text(_MARGIN, top + 24, text, size=13, colour="#222", anchor="start")
    at = 0
    for state, run in groupby(line.told):
        long = len(list(run))
        yield from _bar(
            state, _MARGIN + at * step, top + 50, long * step, f"{WORDS[state]} from {at}"
        )
        at += long


def _bar(state: Told, x: float, base: float, wide: float, title: str) -> Iterator[str]:
    colour, tall = _BARS[state]
    if tall:
        yield (
            f'<rect x="{x:.1f}" y="{base - tall:g}" width="{wide:.1f}" height="{tall}" '
            f'fill="{colour}"><title>{title}</title></rect>'
        )
