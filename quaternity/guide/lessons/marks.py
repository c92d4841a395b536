"""The results of checking an answer to an exercise."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Graded:
    """The result of checking an answer: whether it is right, with a comment or a hint."""

    is_right: bool
    text: str

    def __bool__(self) -> bool:
        return self.is_right

    def __repr__(self) -> str:
        return textwrap.fill(f"{'Right.' if self.is_right else 'Not yet.'} {self.text}", 92)


def right(comment: str) -> Graded:
    """Return the result for a right answer."""
    return Graded(True, comment)


def not_yet(hint: str) -> Graded:
    """Return the result for a wrong answer."""
    return Graded(False, hint)
