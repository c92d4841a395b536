"""A memo bounded by memory: results differ in size too much for a bound by number."""

from __future__ import annotations

from collections.abc import Hashable
from threading import RLock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Memo(Generic[K, V]):
    """Results by key, up to a budget of bytes; when it is spent, everything is forgotten.

    A result larger than the whole budget is not kept. Threads may share a memo: they look up
    without waiting, perhaps in vain for what another thread is making, and take turns to change it.

    Attributes:
        entries: the results kept. Look up with `entries.get(key)`.
        budget: estimated bytes that may be kept.
        spent: estimated bytes that are kept.
        changing: held while entries and `spent` change together.
    """

    __slots__ = ("budget", "changing", "entries", "spent")

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.entries: dict[K, V] = {}
        self.spent = 0
        self.changing = RLock()

    def keep(self, key: K, result: V, size: int) -> V:
        """Keep a new result of about `size` bytes, its key included, and return it."""
        if size > self.budget:
            return result
        with self.changing:
            if self.spent + size > self.budget:
                self.forget()
            self.spent += size
            self.entries[key] = result
        return result

    def charge(self, size: int) -> None:
        """Say that a kept result has grown by about `size` bytes, which may spend the budget."""
        with self.changing:
            self.spent += size
            if self.spent > self.budget:
                self.forget()

    def forget(self) -> None:
        """Keep nothing any more; `entries` stays the same dictionary."""
        with self.changing:
            self.entries.clear()
            self.spent = 0


def bytes_of(objects: int = 0, numbers: int = 0, most: int = 0, bits: int = 0) -> int:
    """About how much memory something takes: the one estimate of all memos.

    Args:
        objects: Python objects with their places in a dictionary or a list: keys, tuples, results.
        numbers: entries of tuples of numbers up to `most`. Python keeps one object of each number
            up to 256; a larger one may take its own.
        bits: of integers of many lanes (see `solvers.coalition_tables`), together.
    """
    return 100 * objects + numbers * (8 if most <= 256 else 40) + bits // 8
