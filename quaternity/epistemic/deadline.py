"""Time limits, and the answer "undecided"."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeAlias

import solvers.deadline
from quaternity.errors import LimitError

Check: TypeAlias = Callable[[], object]
"""What long work calls now and then, such as `Deadline.left`; it may end the work by raising."""


def no_check() -> None:
    """A `Check` that lets everything go on."""


class Undecided(LimitError):
    """A formula was neither shown true nor shown false within the limits. Never a guess."""


class Deadline(solvers.deadline.Deadline):
    """A moment by which an answer is wanted, else it is undecided."""

    __slots__ = ()

    def reached(self) -> NoReturn:
        raise Undecided(f"undecided: the time limit of {self.seconds:g} s was reached")


__all__ = ["Check", "Deadline", "Undecided", "no_check"]
