"""Messages, tables and progress: rich on a terminal, plain when piped."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

CLEAR = "\x1b[H\x1b[2J\x1b[3J"
"""What empties a terminal's screen."""


def warn(text: str) -> None:
    """A message on standard error."""
    message = f"quaternity: {text}"
    print(folded(message) if sys.stderr.isatty() else message, file=sys.stderr)


def warn_about(path: str, error: object) -> None:
    """A message about a file, which is named once."""
    text = str(error)
    warn(text if text.startswith(f"{path}: ") else f"{path}: {text}")


def width() -> int | None:
    """How wide lines on standard output may be; None for a pipe, where they stay as they are."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal():
        return columns()
    return None


def say(text: str, indent: int = 2) -> None:
    """Print lines; on a terminal they are broken between words, and what goes on is indented."""
    print(text if width() is None else folded(text, indent))


def bold(text: str) -> str:
    """A text that stands out on a terminal with colours."""
    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return f"\x1b[1m{text}\x1b[m" if colours else text


def columns() -> int:
    """How wide lines may be: the terminal's width, 80 when there is none."""
    from shutil import get_terminal_size

    return get_terminal_size((80, 24)).columns


def lines() -> float:
    """How many lines the terminal shows; without one there is no end."""
    from shutil import get_terminal_size

    shown = sys.stdout.isatty() or os.environ.get("LINES", "").isdecimal()
    return get_terminal_size((80, 24)).lines if shown else inf


def folded(text: str, indent: int = 2) -> str:
    """A text in lines that fit, broken between words; what goes on is indented."""
    from textwrap import fill

    return "\n".join(
        fill(
            line, columns(), break_long_words=False, break_on_hyphens=False,
            subsequent_indent=" " * max(indent, len(line) - len(line.lstrip()) + min(indent, 2)),
        )
        for line in text.splitlines()
    )  # fmt: skip


def in_columns(entries: Sequence[str]) -> str:
    """Entries beside each other, as many to a line as fit."""
    wide = max(map(len, entries), default=0) + 3
    beside = max(1, (columns() - 2 + 3) // wide)
    return "\n".join(
        "  " + "".join(one.ljust(wide) for one in entries[first : first + beside]).rstrip()
        for first in range(0, len(entries), beside)
    )


@contextmanager
def thinking(who: str) -> Iterator[None]:
    """Tell on a terminal that a program thinks while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    print(f"{who} is thinking ...", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def progress(what: str, total: float | None) -> Iterator[Progress]:
    """A progress bar on standard error while the block runs; nothing unless it is a terminal.

    Args:
        total: the number of steps, or None when it is not known.
    """
    if not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        yield Progress(bar, bar.add_task(what, total=total))


class Progress:
    """A handle on a progress bar, which may not be there."""

    def __init__(self, bar: Bar | None = None, task: TaskID | None = None) -> None:
        self._bar, self._task = bar, task

    def advance(self, steps: float = 1, what: str | None = None) -> None:
        """Move on by some steps, and say what is going on."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=steps, description=what)


__all__ = [
    "CLEAR",
    "Progress",
    "bold",
    "columns",
    "folded",
    "in_columns",
    "lines",
    "progress",
    "say",
    "thinking",
    "warn",
    "warn_about",
    "width",
]
