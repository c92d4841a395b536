"""A memo bounded by memory: results differ in size too much for a bound by number."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Memo(Generic[K, V]):
    """Results by key, up to a budget of bytes; when it is spent, everything is forgotten.

    Attributes:
        entries: the results kept. Look up with `entries.get(key)`.
        budget: estimated bytes that may be kept.
        spent: estimated bytes that are kept.
    """

    __slots__ = ("budget", "entries", "spent")

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.entries: dict[K, V] = {}
        self.spent = 0

    def keep(self, key: K, result: V, size: int) -> V:
        """Keep a new result of about `size` bytes, and return it."""
        if self.spent + size > self.budget:
            self.entries.clear()
            self.spent = 0
        self.spent += size
        self.entries[key] = result
        return result


__all__ = ["Memo"]
