"""What a check says of an answer."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marked:
    """An answer after its check: whether it is right, and what to say of it."""

    right: bool
    said: str

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return textwrap.fill(f"{'Right.' if self.right else 'Not yet.'} {self.said}", 92)


def right(said: str) -> Marked:
    """Return the mark of a right answer."""
    return Marked(True, said)


def not_yet(hint: str) -> Marked:
    """Return the mark of a wrong answer."""
    return Marked(False, hint)
