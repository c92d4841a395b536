"""Values that lie, fail or exit when they are looked at: what a solver may hand over."""

from itertools import repeat
from typing import Any

from solvers import (
    CrossedBounds,
    CrowdedHand,
    Deal,
    Feasible,
    Infeasible,
    Shortage,
    TooFewPlaces,
)


class Holds:
    """Says of itself that it holds."""

    def holds(self, problem: object) -> bool:
        return True

    def in_words(self, problem: object) -> str:
        return "it is so"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class HoldsToo(Shortage):
    """A shortage with an opinion of its own."""

    def holds(self, problem: object) -> bool:
        return True


class PlacesToo(TooFewPlaces):
    """The same without fields."""

    def holds(self, problem: object) -> bool:
        return True


class Sure(Feasible):
    """A feasible verdict of another type."""


class Alike(int):
    """A number that is every other number."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ge__(self, other: object) -> bool:
        return True

    __le__ = __lt__ = __gt__ = __ge__

    __hash__ = int.__hash__


class Shifting(tuple[Any, ...]):
    """A tuple that is another one at every look."""

    looks = 0

    def __len__(self) -> int:
        type(self).looks += 1
        return type(self).looks % 3

    def __iter__(self) -> Any:
        return iter([0] * len(self))


class Lengthy(list[Any]):
    """A list that says it has two entries, and has five; or another length, and without end."""

    says: int = 2
    has: int | None = 5

    def __len__(self) -> int:
        return self.says

    def __iter__(self) -> Any:
        one = self[0]
        return repeat(one) if self.has is None else repeat(one, self.has)


class Endless(Lengthy):
    """The same without end."""

    has = None


class Explodes:
    """Exits the program when anything at all is asked of it."""

    def _bang(self, *_: object) -> Any:
        raise SystemExit(0)

    __getattribute__ = __eq__ = __bool__ = __repr__ = __str__ = __iter__ = __len__ = _bang
    __lt__ = __le__ = __gt__ = __ge__ = __index__ = __int__ = __getitem__ = _bang
    __hash__ = _bang


class Masked:
    """Says that it is a feasible verdict, an infeasible one, a number, a tuple."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    @property
    def __class__(self) -> Any:
        return self.kind

    @__class__.setter
    def __class__(self, kind: type) -> None:
        raise AttributeError

    def __repr__(self) -> str:
        return 7  # type: ignore[return-value]

    deal = shortage = owner = property(lambda self: self)


def empty(kind: type) -> Any:
    """A value of a frozen type with none of its fields."""
    return object.__new__(kind)


def not_verdicts() -> list[Any]:
    """For a problem of one set of two cards and two players: none of this is evidence."""
    rows: list[Any] = [
        (0.0, 1.0), ("0", "1"), (None, None), (False, True), [0, 1], (Alike(0), Alike(0)),
        Shifting((0, 1)), (Explodes(), 1), 0, "01", b"\0\1", (10**5000, -(10**5000)), (0, (1,)),
        Explodes(),
    ]  # fmt: skip
    wholes: list[Any] = [(), [(0, 1)], (0, 1), Shifting(((0, 1),)), None, Explodes()]
    deals = [*(Deal((row,)) for row in rows), *map(Deal, wholes), empty(Deal)]
    feasible: list[Any] = [*deals, None, Explodes(), ((0, 1),), Masked(Deal)]
    masks: list[Any] = [
        "3", 3.0, None, True, Alike(3), Explodes(), 10**5000, -1, Masked(int),
    ]  # fmt: skip
    sequences: list[Any] = [[3], 3, None, Shifting((3,)), (3, 3), (), Explodes()]
    shortages: list[Any] = [
        Holds(), HoldsToo(3, (3,)), PlacesToo(), "holds", 1, True, Explodes(), Masked(Shortage),
        empty(Shortage), empty(CrowdedHand), empty(CrossedBounds), TooFewPlaces(),
        *(Shortage(mask, (3,)) for mask in masks), *(Shortage(3, (mask,)) for mask in masks),
        *(Shortage(3, witnesses) for witnesses in sequences),
        *(CrowdedHand(mask) for mask in masks), *(CrossedBounds(mask, 0) for mask in masks),
        *(CrossedBounds(0, mask) for mask in masks),
    ]  # fmt: skip
    return [
        *map(Feasible, feasible), *map(Infeasible, shortages), Sure(Deal(((0, 1),))),
        empty(Feasible), empty(Infeasible), Masked(Feasible), Masked(Infeasible), Explodes(),
        Holds(), None, True, False, 0, 1.5, "feasible", (Deal(((0, 1),)),), Deal(((0, 1),)),
        Shortage(3, (3,)), Feasible, Infeasible,
    ]  # fmt: skip
