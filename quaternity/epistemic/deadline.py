"""Time limits, and the answer "undecided"."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TypeAlias

from quaternity.errors import LimitError

Check: TypeAlias = Callable[[], object]
"""What long work calls now and then, such as `Deadline.left`; it may end the work by raising."""


def no_check() -> None:
    """A `Check` that lets everything go on."""


class Undecided(LimitError):
    """A formula was neither shown true nor shown false within the limits. Never a guess."""


class Deadline:
    """A moment by which an answer is wanted."""

    __slots__ = ("_end", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left.

        Raises:
            Undecided: none are.
        """
        left = self._end - monotonic()
        if left <= 0:
            raise Undecided(f"undecided: the time limit of {self.seconds:g} s was reached")
        return left


__all__ = ["Check", "Deadline", "Undecided", "no_check"]
