"""Questions, answers and moves, and how they are written."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from quaternity.cards import Card
from quaternity.errors import InputError


class Answer(IntEnum):
    """The answer to a question. Compares with False and True.

    >>> Answer.parse("y"), str(Answer.NO)
    (<Answer.YES: 1>, 'no')
    """

    NO = 0
    YES = 1

    @classmethod
    def parse(cls, text: str) -> Answer:
        """Read y, n, yes, no, 1 or 0, in any case.

        Raises:
            InputError: the text is something else.
        """
        word = text.strip().lower()
        if word in ("y", "yes", "1"):
            return cls.YES
        if word in ("n", "no", "0"):
            return cls.NO
        raise InputError(f"answer {text!r}: expected yes or no (y, n, 1 or 0)")

    def __str__(self) -> str:
        return "yes" if self else "no"


class Question(NamedTuple):
    """`asker` asks `asked` for `card`.

    >>> str(Question(0, 1, Card(0, 2)))
    '0 asks 1 for 0/2'
    """

    asker: int
    asked: int
    card: Card

    def __str__(self) -> str:
        return f"{self.asker} asks {self.asked} for {self.card}"


_MOVE = re.compile(
    r"(\d{1,9})\s+asks\s+(\d{1,9})\s+for\s+(\d{1,9})\s*/\s*(\d{1,9})\s*:\s*(yes|no)", re.ASCII
)


class Move(NamedTuple):
    """A question with its answer.

    >>> str(Move.parse("0 asks 1 for 0/2: no"))
    '0 asks 1 for 0/2: no'
    """

    question: Question
    answer: Answer

    @classmethod
    def parse(cls, text: str) -> Move:
        """Read `asker asks asked for set/number: yes|no`.

        Raises:
            InputError: the text is not of that form.
        """
        match = _MOVE.fullmatch(text.strip())
        if match is None:
            raise InputError(
                f"{text.strip()!r} is not a move: expected for example '0 asks 1 for 0/2: no'"
            )
        asker, asked, set_index, number = (int(match[group]) for group in range(1, 5))
        return cls(Question(asker, asked, Card(set_index, number)), Answer.parse(match[5]))

    def __str__(self) -> str:
        return f"{self.question}: {self.answer}"


__all__ = ["Answer", "Move", "Question"]
