"""Validation of arguments: conversion to built-in types, and errors that name the argument."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import islice
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any, ParamSpec, SupportsIndex, TypeVar

from quaternity.base.errors import InputError
from quaternity.base.text_format import quote_value

if TYPE_CHECKING:
    from random import Random

Choice = TypeVar("Choice")
Given = ParamSpec("Given")
Result = TypeVar("Result")

MAX_SECONDS = 1e9
"""Maximum time limit, in seconds (about 30 years). Longer finite limits are shortened to it."""

MAX_NUMBER = 10**50
"""Maximum absolute value of an integer argument. Valid values are far smaller."""


def validate_arguments(
    **kinds: type | tuple[type, ...],
) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Return a decorator that checks the types of the named arguments of a public function.

    >>> @validate_arguments(name=str)
    ... def greeting(name):
    ...     return f"Hello {name}"
    >>> greeting(name="Ann")
    'Hello Ann'
    >>> greeting(5)
    Traceback (most recent call last):
        ...
    quaternity.base.errors.InputError: name: 5 is not a str
    """

    def decorate(function: Callable[Given, Result]) -> Callable[Given, Result]:
        names: Sequence[str] = function.__code__.co_varnames
        places = [(names.index(name), name, kind) for name, kind in kinds.items()]

        @wraps(function)
        def wrapper(*positional: Given.args, **keywords: Given.kwargs) -> Result:
            for place, name, kind in places:
                if place < len(positional):
                    value: object = positional[place]
                elif name in keywords:
                    value = keywords[name]
                else:
                    continue  # the default applies, or Python itself reports a missing argument
                if not isinstance(value, kind):
                    raise InputError(f"{name}: {quote_value(value)} is not {_type_names(kind)}")
            return function(*positional, **keywords)

        return wrapper

    return decorate


def _type_names(kind: type | tuple[type, ...]) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    names = [kind.__name__ for kind in kinds if kind is not type(None)]
    texts = [f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}" for name in names]
    return " or ".join(texts + ["None"] * (len(names) < len(kinds)))


def _index(value: Any) -> int | None:
    try:
        return None if isinstance(value, bool) else int.__index__(operator.index(value))
    except TypeError:
        return None


def as_int(value: SupportsIndex, place: str, least: int | None = None) -> int:
    """Convert a whole number, for example a NumPy integer, to an `int`. Refuse a boolean.

    Raises:
        InputError: If the value is not a whole number, is less than `least`, or is outside
            -`MAX_NUMBER`..`MAX_NUMBER`. The message begins with `place`.

    >>> as_int(3, "players", 1)
    3
    >>> as_int(True, "players", 1)
    Traceback (most recent call last):
        ...
    quaternity.base.errors.InputError: players: must be a whole number >= 1, not True
    """
    if type(value) is int and (least or 0) <= value <= MAX_NUMBER:  # fast path
        return value
    bound = "" if least is None else f" >= {least}"
    number = check_int(value, least, None, f"a whole number{bound}", place)
    if not -MAX_NUMBER <= number <= MAX_NUMBER:
        raise InputError(
            f"{place}: must be a number up to {MAX_NUMBER:.0e}, not {quote_value(value)}"
        )
    return number


def check_length(values: Sequence[Any], place: str) -> int:
    """Return the length of a list, a tuple or another sequence.

    Raise `InputError` if the value is a text, a set or a mapping, or has no length.
    """
    unordered = isinstance(values, str | bytes | bytearray | dict | set | frozenset)
    try:
        return len(None if unordered else values)  # type: ignore[arg-type]  # refused below
    except (TypeError, ValueError, OverflowError):  # `__len__` may return an impossible length
        raise InputError(f"{place}: {quote_value(values)} is not a list") from None


def as_tuple(values: Sequence[Any], place: str) -> tuple[Any, ...]:
    """Return the items of a list, a tuple or another sequence as a plain tuple.

    Raise `InputError` if the value is not a sequence, or its iteration does not yield `len(values)`
    items.
    """
    if type(values) is tuple:
        return values
    count = check_length(values, place)
    items = tuple(islice(as_iterator(values, place), count + 1))
    if len(items) != count:
        raise InputError(
            f"{place}: {quote_value(values)} reports length {count}, but does not contain "
            f"{count} items"
        )
    return items


def as_int_tuple(
    values: Sequence[SupportsIndex], place: str, least: int | None = None
) -> tuple[int, ...]:
    """Return `values` as a tuple of `int` if they are a sequence of whole numbers.

    Raise `InputError` if the value is not a sequence, or an item is not a whole number that
    `as_int` accepts. The message names the item.
    """
    items = as_tuple(values, place)
    return tuple([as_int(value, f"{place}[{index}]", least) for index, value in enumerate(items)])


def check_index(value: SupportsIndex, count: int, noun: str, place: str | None = None) -> int:
    """Return `value` as an `int` if it is a whole number from 0 to `count` - 1.

    Error messages call the value by the `noun` (see the example). They begin with `place`, such as
    the name of an argument, if it is given.

    Raises:
        InputError: If the value is not a whole number or is out of range.

    >>> check_index(3, 3, "set")
    Traceback (most recent call last):
        ...
    quaternity.base.errors.InputError: set 3 is out of range 0..2
    """
    number = value if type(value) is int else as_int(value, place or noun)
    if not 0 <= number < count:
        at = f"{place}: " if place else ""
        raise InputError(f"{at}{noun} {quote_value(number)} is out of range 0..{count - 1}")
    return number


def as_permutation(order: Sequence[SupportsIndex], count: int, place: str) -> tuple[int, ...]:
    """Return `order` as a tuple if it is a permutation of the numbers 0 to `count` - 1.

    Otherwise raise `InputError`.
    """
    numbers = as_int_tuple(order, place) if check_length(order, place) == count else None
    if numbers is None or sorted(numbers) != list(range(count)):
        value = order if numbers is None else list(numbers)
        raise InputError(
            f"{place}: must contain each of the numbers 0..{count - 1} once, not "
            f"{quote_value(value)}"
        )
    return numbers


def check_int(value: object, low: int | None, high: int | None, expected: str, place: str) -> int:
    """Return `value` as an `int` if it is a Python or NumPy integer from `low` to `high`.

    A limit may be None. For any other value and for booleans, raise `InputError`. `place` is the
    name of the argument in the message. `expected` completes the message "must be ...", for example
    "a whole number".
    """
    number = _index(value)
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        raise InputError(f"{place}: must be {expected}, not {quote_value(value)}")
    return number


def as_iterator(values: object, place: str) -> Iterator[Any]:
    """Return an iterator over the values. Raise `InputError` if they are not iterable."""
    try:
        return iter(values)  # type: ignore[call-overload, no-any-return]  # refused below
    except TypeError:
        raise InputError(
            f"{place}: must be a list or another collection, not {quote_value(values)}"
        ) from None


def check_text(value: object, expected: str, place: str) -> str:
    """Return the value unchanged if it is a `str`. Otherwise raise `InputError`.

    `expected` completes the error message "... is not", for example "a name".
    """
    if not isinstance(value, str):
        raise InputError(f"{place}: {quote_value(value)} is not {expected}")
    return value


def check_random(random: object) -> Random:
    """Return the value unchanged if it is a `random.Random`. Otherwise raise `InputError`."""
    from random import Random

    if not isinstance(random, Random):
        raise InputError(f"random: must be a random.Random, not {quote_value(random)}")
    return random


def lookup(table: Mapping[str, Choice], name: object, kind: str = "method") -> Choice:
    """Return the entry of the dictionary `table` with the given name.

    If there is none, raise an `InputError` that lists all names.
    """
    if not isinstance(name, str) or name not in table:
        raise InputError(f"unknown {kind} {quote_value(name)}; choose from {', '.join(table)}")
    return table[name]


def _real(value: Any) -> float | None:
    if not isinstance(value, Real) or isinstance(value, bool):
        return None
    number: Any = value
    return inf if number == inf else float(min(number, MAX_SECONDS))


def check_time_limit(seconds: object) -> float | None:
    """Check a time limit, and return it as a float, or None for no limit.

    Raise `InputError` if the value is neither None nor a finite number > 0.
    """
    if seconds is None:
        return None
    number = _real(seconds)
    if number is None or not 0 < number < inf:
        raise InputError(f"seconds: must be a finite number > 0, not {quote_value(seconds)}")
    return number


def check_seconds(seconds: object) -> float:
    """Return `seconds` as a float. The number may be 0 or infinite.

    Raise `InputError` if the value is negative or not a number.
    """
    number = _real(seconds)
    if number is None or not number >= 0:
        raise InputError(f"seconds: must be a number >= 0, not {quote_value(seconds)}")
    return number
