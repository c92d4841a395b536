"""What public functions take: whole numbers, texts, random generators, and names out of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from numbers import Real
from operator import index
from random import Random
from typing import Any, TypeVar

from quaternity.errors import InputError

Choice = TypeVar("Choice")

LONGEST = 1e9
"""Seconds, some thirty years: longer time limits are cut to it."""


def whole_number(value: object, low: int | None, high: int | None, what: str, place: str) -> int:
    """The integer that a value is, also one of NumPy's; no truth value and no float is one.

    Raises:
        InputError: at `place` is no whole number, or (where these are given) none from `low` to
            `high`; `what` says what it should be.
    """
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        raise InputError(f"{place}: {value!r} is not {what}")
    return number


def iterated(values: object, place: str) -> Iterator[Any]:
    """An iterator over values.

    Raises:
        InputError: what is at `place` is no collection.
    """
    try:
        return iter(values)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise InputError(f"{place}: {values!r} is no collection") from None


def text(value: object, what: str, place: str) -> str:
    """The value itself, if it is a text.

    Raises:
        InputError: at `place` is no text, which is to be `what`.
    """
    if not isinstance(value, str):
        raise InputError(f"{place}: {value!r} is not {what}")
    return value


def generator(random: object) -> Random:
    """The value itself, if it is a generator of random numbers.

    Raises:
        InputError: it is not a `random.Random`.
    """
    if not isinstance(random, Random):
        raise InputError(f"random: {random!r} is not a random.Random")
    return random


def named(table: Mapping[str, Choice], name: object, kind: str = "method") -> Choice:
    """What a table has under a name.

    Raises:
        InputError: nothing; the names that there are are said.
    """
    if not isinstance(name, str) or name not in table:
        raise InputError(f"no {kind} {name!r}; there are {', '.join(table)}")
    return table[name]


def time_limit(seconds: object) -> float | None:
    """A number of seconds above 0, also one of NumPy's, or None for no limit.

    Raises:
        InputError: neither.
    """
    if seconds is None:
        return None
    given: Any = seconds
    is_number = isinstance(seconds, Real) and not isinstance(seconds, bool)
    if not is_number or not 0 < given < inf:
        raise InputError(f"seconds: {seconds!r} is not a number of seconds above 0")
    return float(min(given, LONGEST))


__all__ = ["generator", "iterated", "named", "text", "time_limit", "whole_number"]
