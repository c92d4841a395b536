"""Values that a hostile solver may return: they lie, fail or exit the program when used."""

from itertools import repeat
from typing import Any

from solvers import (
    CrossedBounds,
    CrowdedHand,
    Deal,
    Feasible,
    Infeasible,
    Shortage,
    TooManyCards,
)


class Holds:
    """Evidence that always claims to hold."""

    def holds(self, problem: object) -> bool:
        return True

    def in_words(self, problem: object) -> str:
        return "it is so"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class HoldsToo(Shortage):
    """A shortage that always claims to hold."""

    def holds(self, problem: object) -> bool:
        return True


class PlacesToo(TooManyCards):
    """Evidence without fields that always claims to hold."""

    def holds(self, problem: object) -> bool:
        return True


class Sure(Feasible):
    """A feasible verdict of a subclass."""


class Alike(int):
    """A number that compares equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ge__(self, other: object) -> bool:
        return True

    __le__ = __lt__ = __gt__ = __ge__

    __hash__ = int.__hash__


class Shifting(tuple[Any, ...]):
    """A tuple whose length changes at every access."""

    looks = 0

    def __len__(self) -> int:
        type(self).looks += 1
        return type(self).looks % 3

    def __iter__(self) -> Any:
        return iter([0] * len(self))


class Lengthy(list[Any]):
    """A list that claims to have two entries and has five, or another or an endless number."""

    says: int = 2
    has: int | None = 5

    def __len__(self) -> int:
        return self.says

    def __iter__(self) -> Any:
        entry = self[0]
        return repeat(entry) if self.has is None else repeat(entry, self.has)


class Endless(Lengthy):
    """A list that claims to have two entries and never ends."""

    has = None


class Explodes:
    """An object that exits the program at any access."""

    def _bang(self, *_: object) -> Any:
        raise SystemExit(0)

    __getattribute__ = __eq__ = __bool__ = __repr__ = __str__ = __iter__ = __len__ = _bang
    __lt__ = __le__ = __gt__ = __ge__ = __index__ = __int__ = __getitem__ = _bang
    __hash__ = _bang


class Masked:
    """An object that claims to be of another class: a verdict, a number or a tuple."""

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
    """Return an instance of a frozen type without any of its fields."""
    return object.__new__(kind)


def not_verdicts() -> list[Any]:
    """Return values that are not evidence for a problem of one set of two cards and two players."""
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
        empty(Shortage), empty(CrowdedHand), empty(CrossedBounds), TooManyCards(),
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
