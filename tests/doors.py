"""What public functions do with wrong arguments: each is tried at each place of each function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest

from solvers import InputError


@dataclass(frozen=True)
class Kind:
    """What may stand at a place.

    Attributes:
        good: makes a value that is taken.
        same: other ways to write it, which give the same answer.
        wrong: values that are refused; each is named in the error.
    """

    good: Callable[[], Any]
    same: tuple[Any, ...] = ()
    wrong: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Doors:
    """The public functions of a package.

    Attributes:
        package: what has `__all__`.
        calls: for each function, also a method as `Class.method`, how it is called, and what
            stands at each place.
        others: the names of `__all__` that take nothing from outside.
    """

    package: ModuleType
    calls: Mapping[str, tuple[Callable[..., Any], Mapping[str, Kind]]]
    others: frozenset[str] = field(default_factory=frozenset)

    def check_complete(self) -> None:
        """No public name is forgotten, and none is there that does not exist."""
        called = {name.split(".")[0] for name in self.calls}
        assert called | self.others == set(self.package.__all__)
        assert not called & self.others

    def places(self) -> Iterator[Any]:
        """Every place of every function."""
        for name, (call, kinds) in self.calls.items():
            for place in kinds:
                yield pytest.param(call, kinds, place, id=f"{name}-{place}")

    @staticmethod
    def check(call: Callable[..., Any], kinds: Mapping[str, Kind], place: str) -> None:
        """Wrong values are refused by name; other ways to write a value change nothing."""

        def answer(**given: Any) -> Any:
            return call(**({name: kind.good() for name, kind in kinds.items()} | given))

        expected = answer()
        for value in kinds[place].same:
            assert answer(**{place: value}) == expected, value
        for value in kinds[place].wrong:
            with pytest.raises(InputError) as refused:
                answer(**{place: value})
            text = str(refused.value)
            assert any(repr(part)[:40].strip("'\"") in text for part in _parts(value)), text


def _parts(value: Any) -> Iterator[Any]:
    """A value, and all that is in it: an error may name the part that is wrong."""
    yield value
    if isinstance(value, dict):
        value = tuple(value.items())
    if isinstance(value, list | tuple | set) or (isinstance(value, str) and len(value) > 1):
        for part in value:
            yield from _parts(part)


__all__ = ["Doors", "Kind"]
