"""Terminal input and output: messages, wrapped and coloured text, prompts and progress bars."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from stat import S_ISCHR
from types import ModuleType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from quaternity.base.progress import Report

CLEAR = "\x1b[H\x1b[2J\x1b[3J"
"""Escape sequences that clear the screen of a terminal and its scrollback."""

MIN_TIMEOUT_SECONDS = 0.05
"""Minimum time limit of `ask`, in seconds. Within this time, `ask` can read a complete line that
was typed before."""

_CONTROLS = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f]")


def warn(text: str) -> None:
    """Print a message on standard error."""
    message = f"quaternity: {_CONTROLS.sub('?', text)}"
    write_error(f"{wrap_text(message) if sys.stderr.isatty() else message}\n")


def write_error(text: str) -> None:
    """Write to standard error. If this fails, discard this text and all later ones."""
    try:
        print(text, end="", file=sys.stderr)
    except OSError:
        discard_output(sys.stderr)


def report_internal_error(error: BaseException) -> None:
    """Print the traceback of an error in this program, and a line that says how to report it."""
    from traceback import format_exception

    write_error("".join(format_exception(error)))
    warn(
        "internal error: please send the lines above, the command and the output of "
        "'quaternity --version' to the maintainers"
    )


def discard_output(stream: TextIO) -> None:
    """Redirect a full or closed stream to the null device, so that Python can flush its buffer."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def discard_closed_terminal() -> None:
    """Discard all further output to a terminal that was closed, because writing there would fail.

    The stream of a closed terminal is still a character device, but `isatty` returns False.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # The stream was closed before the command started.
            if S_ISCHR(os.fstat(stream.fileno()).st_mode) and not stream.isatty():
                discard_output(stream)


def warn_about(path: str, error: object) -> None:
    """Print a message about a file on standard error. It begins with the name of the file."""
    text = str(error)
    warn(text if text.startswith(f"{path}: ") else f"{path}: {text}")


def width() -> int | None:
    """Return the maximum width of output lines, or None for a pipe, which has no limit."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal():
        return columns()
    return None


def say(text: str, indent: int = 2, heading: str = "") -> None:
    """Print lines. On a terminal, wrap them between words and indent the continuation lines.

    Control characters, which a file name may contain, are printed as `?`. A short heading may
    precede the text. It is printed in bold if the terminal has colours.
    """
    text = _CONTROLS.sub("?", heading + text)
    lines = text if width() is None else wrap_text(text, indent)
    print(bold(lines[: len(heading)]) + lines[len(heading) :] if heading else lines)


def bold(text: str) -> str:
    """Return the text, in bold if standard output is a terminal with colours."""
    return _styled(text, 1)


def red(text: str) -> str:
    """Return the text, in red if standard output is a terminal with colours."""
    return _styled(text, 31)


def _styled(text: str, style: int) -> str:
    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return f"\x1b[{style}m{text}\x1b[m" if colours else text


def columns() -> int:
    """Return the width of the terminal in columns, or 80 if there is no terminal."""
    from shutil import get_terminal_size

    return get_terminal_size((80, 24)).columns


def lines() -> float:
    """Return the height of the terminal in lines, or infinity if there is no terminal."""
    from shutil import get_terminal_size

    has_height = sys.stdout.isatty() or os.environ.get("LINES", "").isdecimal()
    return get_terminal_size((80, 24)).lines if has_height else inf


def wrap_text(text: str, indent: int = 2) -> str:
    """Wrap each line of a text between words to fit the terminal, and indent continuation lines."""
    from textwrap import fill

    return "\n".join(
        fill(
            line, columns(), break_long_words=False, break_on_hyphens=False,
            subsequent_indent=" " * max(indent, len(line) - len(line.lstrip()) + min(indent, 2)),
        )
        for line in text.splitlines()
    )  # fmt: skip


def in_columns(entries: Sequence[str]) -> str:
    """Return the entries as text in columns, with as many columns as fit the terminal."""
    column_width = max(map(len, entries), default=0) + 3
    per_line = max(1, (columns() - 2 + 3) // column_width)
    return "\n".join(
        "  "
        + "".join(entry.ljust(column_width) for entry in entries[first : first + per_line]).rstrip()
        for first in range(0, len(entries), per_line)
    )


class HalfTyped(Exception):
    """Raised if time runs out before Enter is pressed.

    Attributes:
        text: the text typed so far. If it cannot be read, this is empty and the terminal keeps the
            typed text.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


UNBIND_YANK = (
    "set keymap vi-insert", r'"\C-y": ""', "set keymap vi-command", '"p": ""', '"P": ""',
    "set keymap emacs", r'"\C-y": ""', r'"\ey": ""',
)  # fmt: skip
"""Readline commands that remove the key bindings for pasting deleted text."""


def ask(prompt: str, seconds: float | None = None, typed: str = "") -> str:
    """Read a line from standard input, and return it without surrounding whitespace.

    At a terminal, if Python has readline, arrow keys edit the line and recall earlier ones.

    Args:
        seconds: time limit in seconds, or None for no limit. Only a terminal has a time limit.
        typed: initial text of the line, as if it had been typed.

    Raises:
        EOFError: If the input has ended.
        HalfTyped: If time runs out.
    """
    if not sys.stdin.isatty():
        return input(prompt).strip()
    editor = _editor()
    # Use `partial` and `map`, which run no Python code. An alarm can then neither get lost in the
    # startup hook nor interrupt between reading a line and adding it to the list.
    if editor is not None:
        editor.set_startup_hook(partial(editor.insert_text, typed))
    entered: list[str] = []

    def leave(*_: object) -> None:
        raise HalfTyped("" if editor is None else editor.get_line_buffer())

    before = signal.signal(signal.SIGALRM, leave)
    try:
        try:
            if seconds is not None:
                # If no time is left, a line that was already typed still counts.
                if seconds <= 0 and not select.select([sys.stdin], [], [], 0)[0]:
                    raise HalfTyped(typed)
                signal.setitimer(signal.ITIMER_REAL, max(seconds, MIN_TIMEOUT_SECONDS))
            entered.extend(map(input, [prompt]))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except HalfTyped:
        if not entered:
            raise
    finally:
        signal.signal(signal.SIGALRM, before)
    return entered[0].strip()


def forget_lines() -> None:
    """Clear the history of typed lines before another person takes the terminal.

    Readline cannot clear its store of deleted text, so the keys that reinsert it are unbound for
    the rest of the session.
    """
    editor = _editor() if sys.stdin.isatty() else None
    if editor is not None:
        editor.clear_history()
        is_gnu = "libedit" not in (editor.__doc__ or "")
        # The commands end with the emacs keymap selected. Readline selects the vi keymap again for
        # each line if the user prefers it.
        for command in UNBIND_YANK if is_gnu else ("bind ^Y ed-unassigned",):
            editor.parse_and_bind(command)


def _editor() -> ModuleType | None:
    try:
        import readline
    except ImportError:
        return None
    return readline


@contextmanager
def thinking(name: str) -> Iterator[None]:
    """Show on a terminal that a program is thinking during a `with` block."""
    if not sys.stderr.isatty():
        yield
        return
    print(f"{name} is thinking ...", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def progress(description: str, total: float | None) -> Iterator[Progress]:
    """Show a progress bar during a `with` block, if standard error is a terminal.

    `total` is the number of steps, or None if it is not known.
    """
    if not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar
    from rich.progress import TimeElapsedColumn as Elapsed
    from rich.progress import TimeRemainingColumn as Remaining

    left = () if total is None else (Remaining(), TextColumn("left"))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Elapsed())
    # The time left is estimated from the last ten minutes, because a step may take long.
    with Bar(
        *columns, *left, console=Console(stderr=True), transient=True, speed_estimate_period=600
    ) as bar:
        yield Progress(bar, bar.add_task(description, total=total))


class Progress:
    """A progress bar that can be advanced. It shows nothing if standard error is not a terminal."""

    def __init__(self, bar: Bar | None = None, task: TaskID | None = None) -> None:
        self._bar, self._task = bar, task

    def advance(self, steps: float = 1, description: str | None = None) -> None:
        """Advance the bar by some steps, and replace its description if one is given."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=steps, description=description)


@contextmanager
def show_phase(description: str, total: int | None) -> Iterator[Report]:
    """Show a progress bar during a `with` block. Yield the function that advances it."""
    reached = 0
    with progress(description, total) as bar:

        def report(task: str, done: int, total: int | None) -> None:
            nonlocal reached
            bar.advance(done - reached, task)
            reached = done

        yield report


def warn_about_isolation(programs: Iterable[str]) -> None:
    """Print a warning if external programs play, but the system cannot isolate them."""
    from quaternity.workers.program import COMMAND_PREFIX
    from quaternity.workers.supervisor import missing_isolation

    has_commands = any(program.startswith(COMMAND_PREFIX) for program in programs)
    if has_commands and (missing := missing_isolation()):
        warn(missing)
