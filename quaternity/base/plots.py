"""Picture files, drawn by matplotlib, which is optional and loads when the first one is drawn."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from quaternity.base.errors import InputError
from quaternity.base.writing import check_may_be_written, write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, told apart by most kinds of sight; for curves, bars and marks."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h")
"""As their number and that of the colours have no common divisor, 77 styles are different."""


class Style:
    """The look of one solver, player or curve in every panel; `number` is its place, from 0."""

    def __init__(self, number: int) -> None:
        self.colour = COLOURS[number % len(COLOURS)]
        self.marker = MARKERS[number % len(MARKERS)]


def picture_format(path: str) -> str:
    """Return the picture format that a file name asks for.

    Raises:
        InputError: none of `FORMATS`.
    """
    suffix = Path(path).suffix.lstrip(".").lower()
    if suffix not in FORMATS:
        raise InputError(f"{path}: a picture's name ends in {', '.join('.' + f for f in FORMATS)}")
    return suffix


def check_picture(path: str) -> None:
    """Make sure, before long work, that a picture could be drawn at its end.

    Raises:
        InputError: the name has no known format, it or its directory cannot be written, or
            matplotlib is not installed.
    """
    picture_format(path)
    check_may_be_written(path)
    check_drawing()


def check_drawing() -> None:
    """Raise `InputError` before long work if matplotlib, which draws at its end, is missing."""
    new_figure(1, 1)


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, sizes in inches; raise `InputError` if matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("pictures need matplotlib: pip install '.[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: str) -> None:
    """Write a figure in the format that its name asks for.

    Raises `InputError` as `picture_format`, or if the file cannot be written.
    """
    data = io.BytesIO()
    figure.savefig(data, format=picture_format(path), dpi=130)
    write_bytes(path, data.getvalue())


def svg_of(figure: Figure) -> str:
    """Return a figure as an SVG element: text stays text, equal figures are equal bytes."""
    from matplotlib import rc_context

    data = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "quaternity"}):
        figure.savefig(data, format="svg", metadata={"Date": None})
    text = data.getvalue()
    # A tenth of a point is finer than any screen; what matplotlib writes is three times as long.
    # Labels stay as they are.
    text = re.sub(
        r">[^<]*<|-?\d+\.\d\d+",
        lambda x: x[0] if x[0][0] == ">" else f"{float(x[0]):.1f}",
        text,
    )
    return re.sub(r"<!--.*?-->|(?<=>)\s+(?=<)", "", text[text.index("<svg") :], flags=re.DOTALL)
