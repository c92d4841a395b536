"""Types of the functions to which long computations report their progress."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Report = Callable[[str, int, int | None], None]
"""Function that reports progress. It takes the name of a task, the amount done and the total
amount, which is None if unknown."""

Phase = Callable[[str, int | None], AbstractContextManager[Report]]
"""Function that begins a phase of the work. It takes the name of the phase and its total amount,
which is None if unknown. It returns a context manager that yields a `Report`."""


def quiet(task: str, done: int, total: int | None) -> None:
    """Ignore a report of progress. Pass this function if no progress should be shown."""


def quiet_phase(task: str, total: int | None) -> AbstractContextManager[Report]:
    """Return a context manager that reports no progress.

    Pass this function as a `Phase` if no progress should be reported.
    """
    return nullcontext(quiet)
