"""The type `Card`. Its text form is `set/number`, such as `0/2`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from quaternity.base.errors import InputError
from quaternity.base.validation import as_int, validate_arguments

_CARD = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})", re.ASCII)


class _CardFields(NamedTuple):
    set_index: int
    number: int


class Card(_CardFields):
    """A card, given by the index of its set and its number in the set.

    Both numbers start at 0 and have no upper limit. Each game checks whether it contains the card.

    >>> str(Card(0, 2)), Card.parse("0/2")
    ('0/2', Card(set_index=0, number=2))
    """

    __slots__ = ()

    def __new__(cls, set_index: int, number: int) -> Self:
        """Create a card. Raise InputError unless both arguments are whole numbers."""
        return cls.unchecked(as_int(set_index, "set"), as_int(number, "number of a card"))

    @classmethod
    def unchecked(cls, set_index: int, number: int) -> Self:
        """Create a card from numbers that are known to be valid, without checking them."""
        return tuple.__new__(cls, (set_index, number))

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]
        return cls(*iterable)

    @classmethod
    @validate_arguments(text=str)
    def parse(cls, text: str) -> Card:
        """Return the card that a text `set/number` names. Raise `InputError` for any other text."""
        match = _CARD.fullmatch(text.strip())
        if match is None:
            raise InputError(f"card {text!r}: expected set/number, for example 0/2")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.set_index}/{self.number}"
