"""Exit statuses of all commands, and the handling of interrupts."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from types import TracebackType

import typer

from quaternity.base.errors import LimitError, PlayerFault, QuaternityError, SolverFault
from quaternity.cli.terminal import discard_closed_terminal


class ExitStatus(IntEnum):
    """The exit status of a command.

    A command also exits with 2 if an option is wrong, and with 3 if a player fails.
    """

    DONE = 0
    IMPOSSIBLE = 1
    BAD_INPUT = 2
    DISAGREE = 3
    LIMIT = 4
    INTERNAL_ERROR = 70
    INTERRUPTED = 130
    TERMINATED = 143


class Terminated(KeyboardInterrupt):
    """Raised on SIGTERM and SIGHUP, so that the process shuts down as it does after Ctrl-C."""


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM and SIGHUP interrupt the `with` block like Ctrl-C, so that results are shown.

    SIGHUP means that the terminal was closed. A signal that the process ignores stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    hangup = getattr(signal, "SIGHUP", signal.SIGTERM)  # Windows has no SIGHUP.

    def leave(number: int, frame: object) -> None:
        if number == hangup != signal.SIGTERM:
            signal.signal(hangup, signal.SIG_IGN)  # Both the shell and the system may send SIGHUP.
            discard_closed_terminal()
        raise Terminated

    before = {
        number: signal.signal(number, leave)
        for number in {signal.SIGTERM, hangup}
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is leave:
                signal.signal(number, handler)


def reason_of(error: BaseException) -> str:
    """Return why a command stopped: "interrupted", "terminated" or the message of the error."""
    if isinstance(error, KeyboardInterrupt):
        return "terminated" if isinstance(error, Terminated) else "interrupted"
    return str(error) or type(error).__name__


class ExitWithStatus:
    """Context manager that exits a command with the status of its result.

    Set `status` as soon as the result is known. The command exits with this status when the block
    ends, or when the reader of its output has closed the pipe. Any other error propagates.
    """

    def __init__(self) -> None:
        self.status = ExitStatus.DONE

    def __enter__(self) -> ExitWithStatus:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.status and (error is None or isinstance(error, BrokenPipeError)):
            raise typer.Exit(self.status)


def status_of(error: BaseException) -> ExitStatus:
    """Return the exit status of a command that ends with an error."""
    if isinstance(error, Terminated):
        return ExitStatus.TERMINATED
    if isinstance(error, KeyboardInterrupt):
        return ExitStatus.INTERRUPTED
    if isinstance(error, LimitError | MemoryError):
        return ExitStatus.LIMIT
    if isinstance(error, SolverFault | PlayerFault):
        return ExitStatus.DISAGREE
    known = isinstance(error, QuaternityError | OSError)
    return ExitStatus.BAD_INPUT if known else ExitStatus.INTERNAL_ERROR
