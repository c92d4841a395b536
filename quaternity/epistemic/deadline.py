"""Time limits, and the answer "undecided"."""

from __future__ import annotations

from time import monotonic

from quaternity.errors import LimitError


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


__all__ = ["Deadline", "Undecided"]
