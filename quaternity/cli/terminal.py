"""Messages, tables and progress: rich on a terminal, plain when piped."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


def warn(text: str) -> None:
    """A message on standard error."""
    print(f"quaternity: {text}", file=sys.stderr)


def warn_about(path: str, error: object) -> None:
    """A message about a file, which is named once."""
    text = str(error)
    warn(text if text.startswith(f"{path}: ") else f"{path}: {text}")


def console() -> Console:
    """A console on standard output; no colours unless it is a terminal and NO_COLOR is unset."""
    from rich.console import Console

    plain = not sys.stdout.isatty()
    # A pipe has no width: lines are left as long as they are.
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and 0 < int(columns) < 10_000 else None
    if plain:
        return Console(
            highlight=False, width=width or 200, no_color=True, force_terminal=False, soft_wrap=True
        )
    return Console(highlight=False, width=width)


def columns() -> int:
    """How wide lines may be: the terminal's width, 80 when there is none."""
    from shutil import get_terminal_size

    return get_terminal_size((80, 24)).columns


def folded(text: str, indent: int = 2) -> str:
    """A text in lines that fit, broken between words; what goes on is indented."""
    from textwrap import fill

    return "\n".join(
        fill(
            line, columns(), subsequent_indent=" " * indent, break_long_words=False,
            break_on_hyphens=False,
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
    "Progress",
    "columns",
    "console",
    "folded",
    "in_columns",
    "progress",
    "warn",
    "warn_about",
]
