"""Time limits: a deadline that long computations check at regular intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from time import monotonic
from typing import NoReturn, TypeVar

from quaternity.base.errors import SolverTimeout
from quaternity.base.validation import check_seconds

T = TypeVar("T")


class Deadline:
    """Time limit of a computation. If `seconds` is None, there is no limit.

    A computation in Python should call `remaining()` about every tenth of a second. This method
    raises `SolverTimeout` when the time is up. A library in C that runs longer should get the
    remaining seconds as its own time limit.
    """

    __slots__ = ("_end", "seconds")

    def __init__(self, seconds: float | None = None, patience: float = 1.0) -> None:
        """Start the clock. `patience` multiplies the time limit, to allow for busy machines."""
        self.seconds = inf if seconds is None else check_seconds(seconds)
        self._end = monotonic() + self.seconds * patience

    def remaining(self) -> float:
        """Return the remaining seconds. Raise `SolverTimeout` if the time is up."""
        remaining = self._end - monotonic()
        if remaining <= 0:
            self.raise_timeout()
        return remaining

    def iterate(self, items: Iterable[T]) -> Iterable[T]:
        """Return an iterator over the items. It raises `SolverTimeout` when the time is up."""
        return items if self.seconds == inf else self._over(items)

    def _over(self, items: Iterable[T]) -> Iterator[T]:
        for item in items:
            self.remaining()
            yield item

    def raise_timeout(self) -> NoReturn:
        """Raise a `SolverTimeout` that says that the time is up."""
        raise SolverTimeout(f"the time limit of {self.seconds:g} s was reached without an answer")


NO_DEADLINE = Deadline()
"""The deadline of a computation without a time limit."""
