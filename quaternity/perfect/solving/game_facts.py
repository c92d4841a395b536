"""Facts about a solved game: its rules, its size and its longest forced win."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from quaternity.perfect.keys.canonical import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class GameFacts:
    """The rules of a solved game, and the numbers of its canonical states, questions and answers.

    Attributes:
        levels: the numbers of states that are first reached after 0, 1, 2, ... moves.
        longest_forced: the length of the longest forced win of any player in any state, or None if
            there is none.
    """

    rules: Rules
    states: int
    questions: int
    answers: int
    levels: tuple[int, ...]
    longest_forced: int | None

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> GameFacts:
        """Return the facts from a dictionary like those of `document`. It may contain more keys.

        Raises:
            KeyError, TypeError, ValueError: If the document is not valid.
        """
        states, questions, answers = (document[name] for name in ("states", "questions", "answers"))
        levels, longest = tuple(document["levels"]), document["longest_forced"]
        for number in (
            states,
            questions,
            answers,
            *levels,
            *([] if longest is None else [longest]),
        ):
            if type(number) is not int or number < 0:
                raise ValueError("each size must be a whole number >= 0")
        return cls(
            Rules.of_document(document["rules"]), states, questions, answers, levels, longest
        )

    def document(self) -> dict[str, Any]:
        """Return the attributes as a dictionary of plain values for JSON."""
        return asdict(self) | {"rules": self.rules.document(), "levels": list(self.levels)}
