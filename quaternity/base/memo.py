"""Memos bounded by memory, all of a process together: results differ in size too much to count."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, ClassVar, TypeVar, TypeVarTuple

Parts = TypeVarTuple("Parts")
V = TypeVar("V")

BUDGET = 512 * 2**20
"""About how many bytes all memos of a process may keep together."""


def bytes_of(objects: int = 0, numbers: int = 0, most: int = 0, bits: int = 0) -> int:
    """Estimate how much memory something takes.

    Args:
        objects: Python objects with their places in a dictionary or a list: keys, tuples, results.
        numbers: entries of tuples of numbers up to `most`. Python keeps one object of each number
            up to 256; a larger one may take its own.
        bits: of integers of many lanes (see `solvers.coalition_tables`), together.
    """
    return 100 * objects + numbers * (8 if most <= 256 else 40) + bits // 8


class Memo(dict[tuple[*Parts], V]):
    """Results by the parts of a key; all memos forget everything when their budget is spent.

    Memos live as long as the process. Threads may share one: they look up without waiting, perhaps
    in vain for what another thread is making, and take turns to change it.

    Attributes:
        changing: held while entries and what is spent change together.
    """

    # In a list, since setting an attribute of a class empties Python's caches of its methods.
    _spent: ClassVar[list[int]] = [0]
    changing: ClassVar[RLock] = RLock()
    _all: ClassVar[list[dict[Any, Any]]] = []

    def __init__(self, made: Callable[[*Parts], tuple[V, int]] | None = None) -> None:
        """Begin with nothing; serves as a decorator.

        `made` gives what `memo[parts]` does not find: the result, and about how many bytes it
        takes, its key included.
        """
        super().__init__()
        self._made = made
        Memo._all.append(self)

    def __missing__(self, key: tuple[*Parts]) -> V:
        if self._made is None:
            raise KeyError(key)
        return self.keep(key, *self._made(*key))

    def keep(self, key: tuple[*Parts], result: V, size: int) -> V:
        """Keep a result of about `size` bytes, key included, unless above the budget; return it."""
        if size <= BUDGET:
            with self.changing:
                if self._spent[0] + size > BUDGET:
                    Memo.forget()
                self._spent[0] += size
                self[key] = result
        return result

    @staticmethod
    def spent() -> int:
        """Return the estimated bytes that all memos keep."""
        return Memo._spent[0]

    @staticmethod
    def forget() -> None:
        """Have all memos keep nothing any more."""
        with Memo.changing:
            for memo in Memo._all:
                memo.clear()
            Memo._spent[0] = 0
