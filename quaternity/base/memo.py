"""Memos with a common memory budget for the whole process.

The budget is in bytes, because results differ too much in size to limit their number.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, ClassVar, TypeVar, TypeVarTuple

Parts = TypeVarTuple("Parts")
V = TypeVar("V")

MAX_MEMO_BYTES = 512 * 2**20
"""Approximate number of bytes that all memos of a process may hold together."""


def bytes_of(objects: int = 0, numbers: int = 0, largest: int = 0, bits: int = 0) -> int:
    """Estimate the memory of a result, in bytes.

    Args:
        objects: number of Python objects, such as keys, tuples and results, each with its entry in
            a dictionary or list.
        numbers: number of integers in tuples. Python shares the objects of the integers up to 256;
            a larger integer may need its own object.
        largest: the largest of these integers.
        bits: total size in bits of integers with many lanes (see `solvers.coalition_tables`).
    """
    return 100 * objects + numbers * (8 if largest <= 256 else 40) + bits // 8


class Memo(dict[tuple[*Parts], V]):
    """Cached results by the parts of a key. All memos are emptied when their budget is spent.

    Memos live as long as the process. Threads may share a memo. Lookups do not lock, so two threads
    may compute the same result; changes take turns.

    Attributes:
        lock: lock held while the entries and the spent budget change together.
    """

    # A list, because setting an attribute of a class invalidates Python's cache of its methods.
    _used: ClassVar[list[int]] = [0]
    lock: ClassVar[RLock] = RLock()
    _all: ClassVar[list[dict[Any, Any]]] = []

    def __init__(self, made: Callable[[*Parts], tuple[V, int]] | None = None) -> None:
        """Create an empty memo; the class also serves as a decorator.

        `made` computes a missing entry `memo[parts]`: it returns the result and the approximate
        size in bytes of the result and its key.
        """
        super().__init__()
        self._compute = made
        Memo._all.append(self)

    def __missing__(self, key: tuple[*Parts]) -> V:
        if self._compute is None:
            raise KeyError(key)
        return self.store(key, *self._compute(*key))

    def store(self, key: tuple[*Parts], result: V, size: int) -> V:
        """Store a result of about `size` bytes, key included, and return it.

        A result larger than the whole budget is returned without being stored.
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
