"""Cards, written `set/number`."""

from __future__ import annotations

import re
from typing import NamedTuple

from quaternity.errors import InputError

_CARD = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})", re.ASCII)


class Card(NamedTuple):
    """One card: the index of its set and its number in the set, both from 0.

    >>> str(Card(0, 2)), Card.parse("0/2")
    ('0/2', Card(set_index=0, number=2))
    """

    set_index: int
    number: int

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read `set/number`.

        Raises:
            InputError: the text is not of that form.
        """
        match = _CARD.fullmatch(text.strip())
        if match is None:
            raise InputError(f"card {text!r}: expected set/number, for example 0/2")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.set_index}/{self.number}"


__all__ = ["Card"]
