"""The meaning of a command's exit status, the same for every command."""

from __future__ import annotations

from enum import IntEnum
from types import TracebackType

import typer

from quaternity.base.errors import LimitError, PlayerFault, QuaternityError, SolverFault


class ExitStatus(IntEnum):
    """The exit status of a command.

    2 is also that of a wrong option, 3 that of a strategy or bot that fails.
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
    """The process was told to end, by SIGTERM, and ends as after Ctrl-C."""


class Leaving:
    """Leave a command with the status of what it found, though its reader may leave before.

    Set `status` as soon as it is known. It ends the block where the block ends by itself, and where
    the output can no longer be written; any other error goes on.
    """

    def __init__(self) -> None:
        self.status = ExitStatus.DONE

    def __enter__(self) -> Leaving:
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
    """Return the status of a command that an error ends."""
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
