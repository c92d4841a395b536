"""Time limits: one moment by which an answer is wanted, asked for now and then by long work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from time import monotonic
from typing import NoReturn, TypeVar

from quaternity.base.errors import SolverTimeout
from quaternity.base.plain_values import checked_seconds

T = TypeVar("T")


class Deadline:
    """A moment by which an answer is wanted; None is never.

    Long work in Python asks `left()` at least every tenth of a second or so; what works in C for
    longer is given the seconds that are left as its own limit.
    """

    __slots__ = ("_end", "seconds")

    def __init__(self, seconds: float | None = None, patience: float = 1.0) -> None:
        """Start the clock. On a busy machine the work may take `patience` times as long."""
        self.seconds = inf if seconds is None else checked_seconds(seconds)
        self._end = monotonic() + self.seconds * patience

    def left(self) -> float:
        """Return the seconds that are left; raise `SolverTimeout` if none are."""
        remaining = self._end - monotonic()
        if remaining <= 0:
            self.reached()
        return remaining

    def over(self, items: Iterable[T]) -> Iterable[T]:
        """Yield the items while time is left, then raise `SolverTimeout`; free without a limit."""
        return items if self.seconds == inf else self._over(items)

    def _over(self, items: Iterable[T]) -> Iterator[T]:
        for item in items:
            self.left()
            yield item

    def reached(self) -> NoReturn:
        """Say that no time is left."""
        raise SolverTimeout(f"the time limit of {self.seconds:g} s was reached without an answer")


NEVER = Deadline()
"""The deadline of work without a limit."""
