"""Values from outside made plain: exact whole numbers in exact tuples, or a refusal by name."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex

from solvers.errors import InputError
from solvers.wording import shown

MAX_NUMBER = 10**50
"""Largest number that is taken: far above every hand, bound and bit mask, and quick to print."""


def whole(value: SupportsIndex, place: str, least: int | None = None) -> int:
    """A whole number as an exact `int`; those of NumPy are taken, truth values are not.

    Args:
        place: named when it is refused.
        least: the smallest that is allowed, or None.

    Raises:
        InputError: no whole number, less than `least`, or above `MAX_NUMBER` either way.

    >>> whole(3, "players", 1)
    3
    >>> whole(True, "players", 1)
    Traceback (most recent call last):
        ...
    solvers.errors.InputError: players: True is not a whole number of at least 1
    """
    number: Any = value
    if type(number) is not int:
        try:
            number = None if isinstance(number, bool) else int.__index__(operator.index(number))
        except TypeError:
            number = None
    if number is None or (least is not None and number < least):
        bound = "" if least is None else f" of at least {least}"
        raise InputError(f"{place}: {shown(value)} is not a whole number{bound}")
    if not -MAX_NUMBER <= number <= MAX_NUMBER:
        raise InputError(f"{place}: {shown(value)} is not a number up to {MAX_NUMBER:.0e}")
    return int(number)


def length(values: Sequence[Any], place: str) -> int:
    """The length of a list of things in an order: no text, no set, no mapping.

    Raises:
        InputError: it is something else.
    """
    unordered = isinstance(values, str | bytes | bytearray | dict | set | frozenset)
    try:
        return len(None if unordered else values)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{place}: {shown(values)} is not a list") from None


def wholes(
    values: Sequence[SupportsIndex], place: str, least: int | None = None
) -> tuple[int, ...]:
    """A list of whole numbers as an exact tuple of exact `int`.

    Raises:
        InputError: no list, or one of them is refused by `whole`; names which.
    """
    length(values, place)
    return tuple([whole(one, f"{place}[{index}]", least) for index, one in enumerate(values)])


def permutation(order: Sequence[SupportsIndex], count: int, place: str) -> tuple[int, ...]:
    """A list that has each of the numbers 0..count-1 once.

    Raises:
        InputError: it is something else.
    """
    found = wholes(order, place)
    if sorted(found) != list(range(count)):
        raise InputError(
            f"{place}: {shown(list(found))} is not an order of the numbers 0..{count - 1}"
        )
    return found


__all__ = ["MAX_NUMBER", "length", "permutation", "whole", "wholes"]
