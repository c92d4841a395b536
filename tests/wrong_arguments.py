"""Wrong arguments of public functions: try each of them for each parameter of each function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest

from solvers import InputError


@dataclass(frozen=True)
class Values:
    """The values to try for a parameter.

    Attributes:
        good: returns an accepted value.
        same: equivalent values, which give the same answer.
        wrong: refused values; the error quotes each.
    """

    good: Callable[[], Any]
    same: tuple[Any, ...] = ()
    wrong: tuple[Any, ...] = ()


@dataclass(frozen=True)
class PublicFunctions:
    """The public functions of a package, with the arguments to try.

    Attributes:
        package: the package, which has `__all__`.
        calls: for each function, or method as `Class.method`, how to call it, and its
            arguments by name.
        others: the names of `__all__` that take no arguments of the caller.
    """

    package: ModuleType
    calls: Mapping[str, tuple[Callable[..., Any], Mapping[str, Values]]]
    others: frozenset[str] = field(default_factory=frozenset)

    def check_complete(self) -> None:
        """Check that every public name is listed, and that every listed name exists."""
        called = {name.split(".")[0] for name in self.calls}
        assert called | self.others == set(self.package.__all__)
        assert not called & self.others

    def places(self) -> Iterator[Any]:
        """Yield test parameters for every parameter of every function."""
        for name, (call, arguments) in self.calls.items():
            for place in arguments:
                yield pytest.param(call, arguments, place, id=f"{name}-{place}")

    @staticmethod
    def check(call: Callable[..., Any], arguments: Mapping[str, Values], place: str) -> None:
        """Check that wrong values are refused and quoted, and equivalent ones change nothing."""

        def answer(**changed: Any) -> Any:
            return call(**({name: value.good() for name, value in arguments.items()} | changed))

        expected = answer()
        for value in arguments[place].same:
            assert answer(**{place: value}) == expected, value
        for value in arguments[place].wrong:
            with pytest.raises(InputError) as refused:
                answer(**{place: value})
            text = str(refused.value)
            assert any(repr(part)[:40].strip("'\"") in text for part in _parts(value)), text


def _parts(value: Any) -> Iterator[Any]:
    """Yield a value and all its parts, because an error may quote the wrong part alone."""
    yield value
    if isinstance(value, dict):
        value = tuple(value.items())
    if isinstance(value, list | tuple | set) or (isinstance(value, str) and len(value) > 1):
        for part in value:
            yield from _parts(part)


__all__ = ["PublicFunctions", "Values"]
