"""Picture files, drawn by matplotlib, which is optional and loads when the first one is drawn."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from quaternity.base.errors import InputError
from quaternity.base.writing import check_may_be_written, write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, told apart by most kinds of sight; for curves, bars and marks."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h")
"""As their number and that of the colours have no common divisor, 77 styles are different."""


_drawing = RLock()
"""Held while a figure is drawn, because matplotlib keeps its settings for the whole process."""


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
    """Import matplotlib, even if MPLBACKEND names a backend that is not installed.

    Raises:
        InputError: If matplotlib is missing, or its settings cannot be read.
    """
    with _drawing:
        backend = None if "matplotlib" in sys.modules else os.environ.pop("MPLBACKEND", None)
        try:
            import_module("matplotlib.figure")
        except ModuleNotFoundError:
            raise InputError("pictures need matplotlib: pip install '.[plot]'") from None
        except Exception as error:
            raise InputError(f"pictures need matplotlib, which cannot start: {error}") from None
        finally:
            if backend is not None:
                os.environ["MPLBACKEND"] = backend
        if backend:
            from matplotlib import rcParams

            with suppress(ValueError):  # Jupyter exports a backend that may not be installed here
                rcParams["backend"] = backend


@contextmanager
def default_style() -> Iterator[None]:
    """Draw with the default settings of matplotlib, whatever settings files and callers chose.

    Use it as a decorator of a function that makes and saves a figure. Only one thread draws at a
    time. Raises `InputError` if matplotlib is missing.
    """
    check_drawing()
    from matplotlib import rc_context, rcParamsDefault

    defaults: Any = {name: rcParamsDefault[name] for name in rcParamsDefault if name != "backend"}
    with _drawing, rc_context(defaults):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, sizes in inches; raise `InputError` if matplotlib is missing."""
    check_drawing()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def plain_label(name: str) -> str:
    """Escape a name for use as a label: `$` would start a formula, and a leading `_` hides it."""
    return " " * name.startswith("_") + name.replace("$", r"\$")


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
