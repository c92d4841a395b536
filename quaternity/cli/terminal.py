"""Messages, tables and progress: rich on a terminal, plain when piped."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import inf
from types import ModuleType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

CLEAR = "\x1b[H\x1b[2J\x1b[3J"
"""What empties a terminal's screen."""

MOMENT = 0.05
"""Minimum timeout in seconds, long enough to read a line that is already in the input buffer."""

_CONTROLS = re.compile(r"\x1b(?!\[1?m)|[\0-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]")
"""Control characters, except the ends of lines, tabs and the sequences that `bold` writes."""


def warn(text: str) -> None:
    """Print a message on standard error."""
    message = f"quaternity: {_CONTROLS.sub('?', text)}"
    tell(f"{folded(message) if sys.stderr.isatty() else message}\n")


def tell(text: str) -> None:
    """Write to standard error; if nobody reads that any more, the command goes on all the same."""
    try:
        print(text, end="", file=sys.stderr)
    except BrokenPipeError:
        write_nothing_more(sys.stderr)


def tell_internal_error(error: BaseException) -> None:
    """Print the traceback of an error in this program, and a line that says how to report it."""
    from traceback import format_exception

    tell("".join(format_exception(error)))
    warn(
        "internal error: please send the lines above, the command and the output of "
        "'quaternity --version' to the maintainers"
    )


def write_nothing_more(stream: TextIO) -> None:
    """Let a stream that is full or closed lead nowhere: what it holds must not be tried again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def warn_about(path: str, error: object) -> None:
    """Print a message about a file, which is named once."""
    text = str(error)
    warn(text if text.startswith(f"{path}: ") else f"{path}: {text}")


def width() -> int | None:
    """Return how wide lines of output may be; None for a pipe, where any width is."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal():
        return columns()
    return None


def say(text: str, indent: int = 2) -> None:
    """Print lines; on a terminal, wrap them between words and indent the continuation lines.

    Control characters, which a file name may contain, are printed as `?`.
    """
    text = _CONTROLS.sub("?", text)
    print(text if width() is None else folded(text, indent))


def bold(text: str) -> str:
    """Return a text that stands out on a terminal with colours."""
    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return f"\x1b[1m{text}\x1b[m" if colours else text


def columns() -> int:
    """Return how wide lines may be: the terminal's width, 80 when there is none."""
    from shutil import get_terminal_size

    return get_terminal_size((80, 24)).columns


def lines() -> float:
    """Return how many lines the terminal shows; without one there is no end."""
    from shutil import get_terminal_size

    shown = sys.stdout.isatty() or os.environ.get("LINES", "").isdecimal()
    return get_terminal_size((80, 24)).lines if shown else inf


def folded(text: str, indent: int = 2) -> str:
    """Break a text into lines that fit, between words; later ones are indented."""
    from textwrap import fill

    return "\n".join(
        fill(
            line, columns(), break_long_words=False, break_on_hyphens=False,
            subsequent_indent=" " * max(indent, len(line) - len(line.lstrip()) + min(indent, 2)),
        )
        for line in text.splitlines()
    )  # fmt: skip


def in_columns(entries: Sequence[str]) -> str:
    """Lay entries out side by side, as many to a line as fit."""
    wide = max(map(len, entries), default=0) + 3
    beside = max(1, (columns() - 2 + 3) // wide)
    return "\n".join(
        "  " + "".join(entry.ljust(wide) for entry in entries[first : first + beside]).rstrip()
        for first in range(0, len(entries), beside)
    )


class HalfTyped(Exception):
    """The clock ran out before Enter.

    Attributes:
        text: what was typed until then; "" also where nobody can tell, and the terminal keeps it.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


NO_YANK = (
    "set keymap vi-insert", r'"\C-y": ""', "set keymap vi-command", '"p": ""', '"P": ""',
    "set keymap emacs", r'"\C-y": ""', r'"\ey": ""',
)  # fmt: skip
"""What takes from readline's keys those that bring back what was deleted."""


def ask(prompt: str, seconds: float | None = None, typed: str = "") -> str:
    """Return the line that somebody types, trimmed.

    At a terminal arrows edit it and bring former lines back, where Python has readline.

    Args:
        seconds: how long to wait for Enter; None: for ever. Only a terminal has a clock.
        typed: what the line begins with, as if it had been typed.

    Raises:
        EOFError: the input ended.
        HalfTyped: the time is up.
    """
    if not sys.stdin.isatty():
        return input(prompt).strip()
    editor = _editor()
    # Neither a partial nor a map has code of Python's: no alarm gets lost in the former, and none
    # comes between a line and its place in the list in the latter.
    if editor is not None:
        editor.set_startup_hook(partial(editor.insert_text, typed))
    given: list[str] = []

    def leave(*_: object) -> None:
        raise HalfTyped("" if editor is None else editor.get_line_buffer())

    before = signal.signal(signal.SIGALRM, leave)
    try:
        try:
            if seconds is not None:
                # Where no time is left, a line that was typed already counts all the same.
                if seconds <= 0 and not select.select([sys.stdin], [], [], 0)[0]:
                    raise HalfTyped(typed)
                signal.setitimer(signal.ITIMER_REAL, max(seconds, MOMENT))
            given.extend(map(input, [prompt]))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except HalfTyped:
        if not given:
            raise
    finally:
        signal.signal(signal.SIGALRM, before)
    return given[0].strip()


def forget_lines() -> None:
    """Forget the lines that arrows bring back: somebody else sits down.

    What was deleted comes back no more, from then on: nothing empties that store, so the keys that
    read it are taken away. The last of these commands leaves the keys of vi to who uses them: each
    line begins with them anew.
    """
    editor = _editor() if sys.stdin.isatty() else None
    if editor is not None:
        editor.clear_history()
        is_gnu = "libedit" not in (editor.__doc__ or "")
        for command in NO_YANK if is_gnu else ("bind ^Y ed-unassigned",):
            editor.parse_and_bind(command)


def _editor() -> ModuleType | None:
    """Return readline, which `input` uses from then on; None where Python has none."""
    try:
        import readline
    except ImportError:
        return None
    return readline


@contextmanager
def thinking(who: str) -> Iterator[None]:
    """Say on a terminal that a program thinks while the block runs."""
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
    """Show a progress bar on standard error while the block runs; nothing unless it is a terminal.

    `total` is the number of steps, or None when it is not known.
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
