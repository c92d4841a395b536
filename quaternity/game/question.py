"""The types of questions, answers and moves, and the parsing of their text forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from operator import index as operator_index
from typing import Any, NamedTuple, Self, TypeVar

from quaternity.base.errors import InputError
from quaternity.base.names import code_name
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_int, validate_arguments
from quaternity.game.cards import Card


class Answer(IntEnum):
    """The answer to a question. `NO` equals False and 0, `YES` equals True and 1.

    >>> Answer.parse("y"), str(Answer.NO)
    (Answer.YES, 'no')
    """

    __repr__ = code_name

    NO = 0
    YES = 1

    @classmethod
    @validate_arguments(text=str)
    def parse(cls, text: str) -> Answer:
        """Parse y, n, yes, no, 1 or 0, ignoring case. Raise InputError for any other text."""
        word = text.strip().lower()
        if word in ("y", "yes", "1"):
            return cls.YES
        if word in ("n", "no", "0"):
            return cls.NO
        raise InputError(f"answer {text!r}: expected yes or no (y, n, 1 or 0)")

    @classmethod
    def _missing_(cls, value: object) -> Answer:
        raise InputError(f"answer {quote_value(value)}: expected yes or no (y, n, 1 or 0)")

    @classmethod
    def of(cls, value: Answer | bool | int | str) -> Answer:
        """Convert an `Answer`, a bool, 0, 1, or a text that `parse` accepts to an `Answer`."""
        if type(value) is cls:
            return value
        if isinstance(value, str):
            return cls.parse(value)
        number = int(value) if isinstance(value, bool) else as_int(value, "answer")
        if number not in (0, 1):
            raise InputError(f"answer {number}: expected yes or no (y, n, 1 or 0)")
        return cls(number)

    def __str__(self) -> str:
        return "yes" if self else "no"


_ASKS = r"(\d{1,9})\s+asks\s+(\d{1,9})\s+for\s+(\d{1,9})\s*/\s*(\d{1,9})"
_QUESTION = re.compile(_ASKS, re.ASCII)
_MOVE = re.compile(rf"({_ASKS})\s*:\s*(yes|no)", re.ASCII)


class _QuestionFields(NamedTuple):
    asker: int
    asked: int
    card: Card


class Question(_QuestionFields):
    """A question: the player `asker` asks the player `asked` for a card.

    The card may be given as a `Card`, a pair of numbers or a text. Each game checks whether it has
    these players and this card.

    >>> str(Question(0, 1, Card(0, 2)))
    '0 asks 1 for 0/2'
    """

    __slots__ = ()

    def __new__(cls, asker: int, asked: int, card: Card | str) -> Self:
        """Create a question. Raise InputError if a player or the card is malformed."""
        if type(card) is not Card:
            card = Card.parse(card) if isinstance(card, str) else _parts(Card, card, "card")
        return cls.trusted(as_int(asker, "asker"), as_int(asked, "asked"), card)

    @classmethod
    def trusted(cls, asker: int, asked: int, card: Card) -> Self:
        """Create a question from parts that are known to be valid, without checking them."""
        return tuple.__new__(cls, (asker, asked, card))

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]
        return cls(*iterable)

    @classmethod
    @validate_arguments(text=str)
    def parse(cls, text: str) -> Question:
        """Parse a text such as `0 asks 1 for 0/2`. Raise InputError for any other text.

        >>> Question.parse("0 asks 1 for 0/2")
        Question(asker=0, asked=1, card=Card(set_index=0, number=2))
        """
        match = _QUESTION.fullmatch(text.strip())
        if match is None:
            raise InputError(
                f"{quote_value(text)} is not a question: expected, for example, '0 asks 1 for 0/2'"
            )
        asker, asked, set_index, number = map(int, match.groups())
        return cls(asker, asked, Card(set_index, number))

    @classmethod
    def of(cls, value: Question | Sequence[Any]) -> Question:
        """Convert a tuple or list of three parts, or a text for `parse`, to a `Question`."""
        if type(value) is cls:
            return value
        return cls.parse(value) if isinstance(value, str) else _parts(cls, value, "question")

    def __str__(self) -> str:
        return f"{self.asker} asks {self.asked} for {self.card}"


_Parts = TypeVar("_Parts", Card, Question)


def _parts(kind: type[_Parts], value: Any, place: str) -> _Parts:
    if not isinstance(value, tuple | list) or len(value) != len(kind._fields):
        raise InputError(f"{place}: {quote_value(value)} is not a {kind.__name__}")
    return kind(*value)


class _MoveFields(NamedTuple):
    question: Question
    answer: Answer


class Move(_MoveFields):
    """A question with its answer. Both may have any form that `Question.of` or `Answer.of` accepts.

    >>> str(Move.parse("0 asks 1 for 0/2: no"))
    '0 asks 1 for 0/2: no'
    """

    __slots__ = ()

    def __new__(cls, question: Question | str, answer: Answer | bool | str) -> Self:
        """Create a move. Raise InputError if the question or the answer is malformed."""
        return tuple.__new__(cls, (Question.of(question), Answer.of(answer)))

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]
        return cls(*iterable)

    @classmethod
    @validate_arguments(text=str)
    def parse(cls, text: str) -> Move:
        """Parse a text such as `0 asks 1 for 0/2: yes`. Raise InputError for any other text."""
        match = _MOVE.fullmatch(text.strip())
        if match is None:
            raise InputError(
                f"{text.strip()!r} is not a move: expected, for example, '0 asks 1 for 0/2: no'"
            )
        return cls(Question.parse(match[1]), Answer.parse(match[6]))

    def __str__(self) -> str:
        return f"{self.question}: {self.answer}"


def is_plain(question: object) -> bool:
    """Return whether an object is a `Question` whose numbers all have exactly the type `int`."""
    if type(question) is not Question:
        return False
    try:
        asker, asked, (index, number) = question
    except (TypeError, ValueError):
        return False
    return type(asker) is type(asked) is type(index) is type(number) is int


def plain_question(question: object) -> Question:
    """Return a copy of a question with all its numbers, such as NumPy integers, converted to `int`.

    Raises:
        TypeError, ValueError: If the object is not a `Question`, or its parts are not whole
            numbers.
    """
    if not isinstance(question, Question):
        raise TypeError("not a Question")
    asker, asked, (index, number) = question
    plain = [int(operator_index(value)) for value in (asker, asked, index, number)]
    return Question(plain[0], plain[1], Card(plain[2], plain[3]))
