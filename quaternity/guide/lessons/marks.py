"""The results of checking an answer to an exercise."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marked:
    """A graded answer: whether it is right, and a comment or a hint."""

    right: bool
    said: str

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return textwrap.fill(f"{'Right.' if self.right else 'Not yet.'} {self.said}", 92)


def right(comment: str) -> Marked:
    """Return the result for a right answer."""
    return Marked(True, comment)


def not_yet(hint: str) -> Marked:
    """Return the result for a wrong answer."""
    return Marked(False, hint)
