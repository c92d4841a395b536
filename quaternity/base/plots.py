"""Image files with plots, drawn with matplotlib, which is optional and imported on first use."""

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
from quaternity.base.writing import check_writable, write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours of curves, bars and markers, from the palette of Okabe and Ito. Colour-blind readers can
distinguish them."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h")
"""Shapes of the markers on curves. Each curve takes the next colour and the next marker. Because
there are 7 colours and 11 markers, 77 curves look different."""


_drawing = RLock()
"""Lock held while a figure is drawn, because matplotlib's settings are global to the process."""


class Style:
    """Colour and marker of a curve in a plot, selected by the number of the curve."""

    def __init__(self, number: int) -> None:
        self.colour = COLOURS[number % len(COLOURS)]
        self.marker = MARKERS[number % len(MARKERS)]


def picture_format(path: str) -> str:
    """Return the image format for the suffix of a file name.

    Raise `InputError` if the format is not one of `FORMATS`.
    """
    suffix = Path(path).suffix.lstrip(".").lower()
    if suffix not in FORMATS:
        raise InputError(
            f"{path}: the name of a picture must end in {', '.join('.' + f for f in FORMATS)}"
        )
    return suffix


def check_picture(path: str) -> None:
    """Check, before a long computation, that a picture of the result can be drawn and saved.

    Raise `InputError` if the suffix is unknown, the file or its directory cannot be written, or
    matplotlib is not installed.
    """
    picture_format(path)
    check_writable(path)
    check_drawing()


def check_drawing() -> None:
    """Import matplotlib, even if the environment variable MPLBACKEND names a missing backend.

    Raise `InputError` if matplotlib is missing, or its settings cannot be read.
    """
    with _drawing:
        backend = None if "matplotlib" in sys.modules else os.environ.pop("MPLBACKEND", None)
        try:
            import_module("matplotlib.figure")
        except ModuleNotFoundError:
            raise InputError(
                "pictures need matplotlib, which is not installed; to install it: "
                "pip install '.[plot]'"
            ) from None
        except Exception as error:
            raise InputError(
                f"pictures need matplotlib, but it cannot be imported: {error}"
            ) from None
        finally:
            if backend is not None:
                os.environ["MPLBACKEND"] = backend
        if backend:
            from matplotlib import rcParams

            with suppress(ValueError):  # Jupyter exports a backend that may not be installed here
                rcParams["backend"] = backend


@contextmanager
def default_style() -> Iterator[None]:
    """Draw with matplotlib's default settings, ignoring settings files and changes by the caller.

    This context manager is used as a decorator of functions that create and save a figure. Only one
    thread can draw at a time. Raise `InputError` if matplotlib is missing.
    """
    check_drawing()
    from matplotlib import rc_context, rcParamsDefault

    defaults: Any = {name: rcParamsDefault[name] for name in rcParamsDefault if name != "backend"}
    with _drawing, rc_context(defaults):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of the given size in inches.

    Raise `InputError` if matplotlib is missing.
    """
    check_drawing()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def plain_label(name: str) -> str:
    """Escape a name so that matplotlib shows it unchanged as a label.

    Without this, `$` starts a formula, and a leading `_` hides the label.
    """
    return " " * name.startswith("_") + name.replace("$", r"\$")


def save_figure(figure: Figure, path: str) -> None:
    """Write a figure to a file, in the format that the suffix of its name selects.

    Raise `InputError` if the suffix is not one of `FORMATS`, or the file cannot be written.
    """
    data = io.BytesIO()
    figure.savefig(data, format=picture_format(path), dpi=130)
    write_bytes(path, data.getvalue())


def svg_of(figure: Figure) -> str:
    """Return a figure as the text of an SVG element.

    Equal figures give equal text. Labels are kept as text.
    """
    from matplotlib import rc_context

    data = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "quaternity"}):
        figure.savefig(data, format="svg", metadata={"Date": None})
    text = data.getvalue()
    # Round coordinates to a tenth of a point, which is finer than any screen can show. This makes
    # the numbers three times shorter. The text of labels is not changed.
    text = re.sub(
        r">[^<]*<|-?\d+\.\d\d+", lambda x: x[0] if x[0][0] == ">" else f"{float(x[0]):.1f}", text
    )
    return re.sub(r"<!--.*?-->|(?<=>)\s+(?=<)", "", text[text.index("<svg") :], flags=re.DOTALL)
