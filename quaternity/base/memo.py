"""Memos: caches of results that share one memory budget.

The budget is in bytes, because the sizes of results vary too much for a limit on their number. Each
process has a separate budget.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, ClassVar, TypeVar, TypeVarTuple

Parts = TypeVarTuple("Parts")
V = TypeVar("V")

MAX_MEMO_BYTES = 512 * 2**20
"""Approximate maximum memory for all cached results of a process, in bytes."""


def bytes_of(objects: int = 0, numbers: int = 0, largest: int = 0, bits: int = 0) -> int:
    """Estimate the memory that a cached result takes, in bytes.

    Args:
        objects: number of Python objects (keys, tuples and results), including their entries in a
            dictionary or list.
        numbers: number of integers in tuples. Python shares the objects of integers up to 256, but
            a larger integer may need its own object.
        largest: the largest of the integers in tuples.
        bits: total size of very large integers, in bits.
    """
    return 100 * objects + numbers * (8 if largest <= 256 else 40) + bits // 8


class Memo(dict[tuple[*Parts], V]):
    """A dictionary of cached results.

    All memos of a process share a memory budget, and all are emptied when it is used up. A memo
    lives as long as the process, and threads may share it. A lookup takes no lock, so two threads
    may compute the same result.

    Attributes:
        lock: lock that is held while the entries and the used part of the budget change.
    """

    # Use a list of one number, because assigning to a class attribute clears Python's method cache.
    _used: ClassVar[list[int]] = [0]
    lock: ClassVar[RLock] = RLock()
    _all: ClassVar[list[dict[Any, Any]]] = []

    def __init__(self, made: Callable[[*Parts], tuple[V, int]] | None = None) -> None:
        """Create an empty cache for the results of a function.

        The function `made` computes a result from the parts of its key. It returns the result, and
        the approximate size of both in bytes. `Memo` can be used as a decorator of this function.
        """
        super().__init__()
        self._compute = made
        Memo._all.append(self)

    def __missing__(self, key: tuple[*Parts]) -> V:
        if self._compute is None:
            raise KeyError(key)
        return self.store(key, *self._compute(*key))

    def store(self, key: tuple[*Parts], result: V, size: int) -> V:
        """Store a result of about `size` bytes (with its key), and return the result.

        A result that is larger than the whole budget is not stored.
        """
        if size <= MAX_MEMO_BYTES:
            with self.lock:
                if self._used[0] + size > MAX_MEMO_BYTES:
                    Memo.clear_all()
                self._used[0] += size
                self[key] = result
        return result

    @staticmethod
    def used_bytes() -> int:
        """Return the estimated size of all memos, in bytes."""
        return Memo._used[0]

    @staticmethod
    def clear_all() -> None:
        """Empty all memos."""
        with Memo.lock:
            for memo in Memo._all:
                memo.clear()
            Memo._used[0] = 0
