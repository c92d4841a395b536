"""Values from outside made plain: exact whole numbers in exact tuples, or a refusal by name."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import islice
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any, ParamSpec, SupportsIndex, TypeVar

from quaternity.base.errors import InputError
from quaternity.base.wording import shown

if TYPE_CHECKING:
    from random import Random

Choice = TypeVar("Choice")
Given = ParamSpec("Given")
Result = TypeVar("Result")

MAX_SECONDS = 1e9
"""Maximum time limit, in seconds (about 30 years); longer finite limits are reduced to it."""

MAX_NUMBER = 10**50
"""Maximum absolute value of a number in an argument; far above every hand, bound and bit mask."""


def takes(
    **kinds: type | tuple[type, ...],
) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Let a public function refuse arguments of a wrong type by their names.

    >>> @takes(name=str)
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
        def checked(*listed: Given.args, **named: Given.kwargs) -> Result:
            for place, name, kind in places:
                if place < len(listed):
                    value: object = listed[place]
                elif name in named:
                    value = named[name]
                else:
                    continue  # the default, or what Python itself says of a missing one
                if not isinstance(value, kind):
                    raise InputError(f"{name}: {shown(value)} is not {_in_words(kind)}")
            return function(*listed, **named)

        return checked

    return decorate


def _in_words(kind: type | tuple[type, ...]) -> str:
    """Name some types as a sentence does.

    >>> _in_words((str, type(None)))
    'a str or None'
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    names = ("None" if k is type(None) else f"a {k.__name__}" for k in kinds)
    return " or ".join(names)


def _index(value: Any) -> int | None:
    """Return the exact integer that a value is, NumPy's too; None for truth values and others."""
    try:
        return None if isinstance(value, bool) else int.__index__(operator.index(value))
    except TypeError:
        return None


def whole(value: SupportsIndex, place: str, least: int | None = None) -> int:
    """Return a whole number as an exact `int`; those of NumPy are taken, truth values are not.

    Raises:
        InputError: no whole number, less than `least`, or above `MAX_NUMBER` either way.

    >>> whole(3, "players", 1)
    3
    >>> whole(True, "players", 1)
    Traceback (most recent call last):
        ...
    quaternity.base.errors.InputError: players: True is not a whole number of at least 1
    """
    if type(value) is int and (least or 0) <= value <= MAX_NUMBER:  # nearly always, and quick
        return value
    bound = "" if least is None else f" of at least {least}"
    number = whole_number(value, least, None, f"a whole number{bound}", place)
    if not -MAX_NUMBER <= number <= MAX_NUMBER:
        raise InputError(f"{place}: {shown(value)} is not a number up to {MAX_NUMBER:.0e}")
    return number


def length(values: Sequence[Any], place: str) -> int:
    """Return the length of a list; raise `InputError` for a text, a set, a mapping or no list."""
    unordered = isinstance(values, str | bytes | bytearray | dict | set | frozenset)
    try:
        return len(None if unordered else values)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):  # the last two: a length no list can have
        raise InputError(f"{place}: {shown(values)} is not a list") from None


def entries(values: Sequence[Any], place: str) -> tuple[Any, ...]:
    """Return a list as an exact tuple; raise `InputError` for no list, or a wrong length."""
    if type(values) is tuple:
        return values
    count = length(values, place)
    items = tuple(islice(iterated(values, place), count + 1))
    if len(items) != count:
        raise InputError(f"{place}: {shown(values)} is not as long as it says, {count}")
    return items


def wholes(
    values: Sequence[SupportsIndex], place: str, least: int | None = None
) -> tuple[int, ...]:
    """Return a list of whole numbers as an exact tuple of exact `int`.

    Raises:
        InputError: no list, or `whole` refuses an entry, which is named.
    """
    listed = entries(values, place)
    return tuple([whole(value, f"{place}[{index}]", least) for index, value in enumerate(listed)])


def numbered(value: SupportsIndex, count: int, noun: str, place: str | None = None) -> int:
    """Return the number of one of `count` things, which are numbered from 0.

    A refusal names `place`, or the noun alone where it is None.

    Raises:
        InputError: no whole number, or none of them.

    >>> numbered(3, 3, "set")
    Traceback (most recent call last):
        ...
    quaternity.base.errors.InputError: set 3 is out of range 0..2
    """
    number = value if type(value) is int else whole(value, place or noun)
    if not 0 <= number < count:
        at = f"{place}: " if place else ""
        raise InputError(f"{at}{noun} {shown(number)} is out of range 0..{count - 1}")
    return number


def permutation(order: Sequence[SupportsIndex], count: int, place: str) -> tuple[int, ...]:
    """Return a list that has each of 0..count-1 once; raise `InputError` for anything else."""
    numbers = wholes(order, place) if length(order, place) == count else None
    if numbers is None or sorted(numbers) != list(range(count)):
        given = order if numbers is None else list(numbers)
        raise InputError(f"{place}: {shown(given)} is not an order of the numbers 0..{count - 1}")
    return numbers


def whole_number(value: object, low: int | None, high: int | None, what: str, place: str) -> int:
    """Return the integer that a value is, also one of NumPy's; no truth value and no float is one.

    Raises:
        InputError: no whole number, or none from `low` to `high`; `what` says what it should be.
    """
    number = _index(value)
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        raise InputError(f"{place}: {shown(value)} is not {what}")
    return number


def iterated(values: object, place: str) -> Iterator[Any]:
    """Return an iterator over values; raise `InputError` if what is at `place` is no collection."""
    try:
        return iter(values)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise InputError(f"{place}: {shown(values)} is no collection") from None


def text(value: object, what: str, place: str) -> str:
    """Return a value that is a text; raise `InputError` for others: `what` it should be."""
    if not isinstance(value, str):
        raise InputError(f"{place}: {shown(value)} is not {what}")
    return value


def generator(random: object) -> Random:
    """Return a value that is a `random.Random`; raise `InputError` for anything else."""
    from random import Random

    if not isinstance(random, Random):
        raise InputError(f"random: {shown(random)} is not a random.Random")
    return random


def named(table: Mapping[str, Choice], name: object, kind: str = "method") -> Choice:
    """Return what a table has under a name; raise `InputError` with all names if nothing."""
    if not isinstance(name, str) or name not in table:
        raise InputError(f"no {kind} {shown(name)}; there are {', '.join(table)}")
    return table[name]


def _real(value: Any) -> float | None:
    """Return the number that a value is, also one of NumPy's; None for truth values and others."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return None
    given: Any = value
    return inf if given == inf else float(min(given, MAX_SECONDS))


def time_limit(seconds: object) -> float | None:
    """Return seconds above 0, or None for no limit; raise `InputError` for anything else."""
    if seconds is None:
        return None
    number = _real(seconds)
    if number is None or not 0 < number < inf:
        raise InputError(f"seconds: {shown(seconds)} is not a number of seconds above 0")
    return number


def checked_seconds(seconds: object) -> float:
    """Return seconds, 0 or infinity too; raise `InputError` if negative or no number."""
    number = _real(seconds)
    if number is None or not number >= 0:
        raise InputError(f"seconds: {shown(seconds)} is not a number of at least 0")
    return number
