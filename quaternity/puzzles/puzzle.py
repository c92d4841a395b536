"""The class `Puzzle`: a puzzle with its answers, proof and JSON form, which can check an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.sentences import document
from quaternity.base.text_format import quote_value, with_noun

FORMAT = "puzzle/1"
VERSION = 1
"""Version of the puzzles. It increases when seeds no longer generate the same puzzles."""

LEVELS = range(1, 6)
MAX_SEED = (1 << 53) - 1
"""Maximum value of a seed. All JSON readers can represent it exactly."""

MAX_ANSWER_LENGTH = 1000

FORMS = {
    "yes-no": "yes or no",
    "choice": "one of the choices",
    "card": "a card and who has it, such as 1/3 2",
    "cards": "the letters of all SETs, such as ABC DEF, or none",
    "move": "a move, written as in a game",
}
"""Descriptions of the forms that an answer can have, by the value of `Puzzle.answer_form`."""

_FILLING = re.compile(
    r"\b(asks|ask|for|place|it|on|hand|over|players?|is|has|holds|and|with|of|the|at)\b|[,.:;!?]"
)


class Step(NamedTuple):
    """A step of a proof: a sentence, and the parts of the position on which it is based.

    `rests` contains cards ("1/3"), moves ("move 4"), players ("player 2") or cells ("B2").
    """

    text: str
    rests: tuple[str, ...] = ()


class CheckResult(NamedTuple):
    """The result of checking an answer. If it is wrong, `because` is a sentence that says why."""

    right: bool
    because: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Puzzle:
    """An immutable puzzle, which is completely determined by its kind, level and seed.

    Attributes:
        position: The complete position as text: a record, a seat's log, a board or cards.
        answer_form: One of `FORMS`.
        choices: The possible answers, or empty if the form alone says what can be answered.
        answers: All right answers.
        wrong: Wrong answers, each with a sentence that says why it is wrong. If the form is
            "cards", these are instead all triples that are not SETs, each with the reason.
        level: The level from 1 to 5, computed from the numbers in `level_from`.
        why: The steps of the proof, from the first hint to the complete reason.
    """

    kind: str
    game: str
    position: str
    question: str
    answer_form: str
    answers: tuple[str, ...]
    wrong: Mapping[str, str]
    why: tuple[Step, ...]
    level: int = 0
    level_from: Mapping[str, int] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    seed: int = 0
    made_by: str = f"quaternity puzzles {VERSION}"

    def check(self, answer: str) -> CheckResult:
        """Return whether an answer is right and, if it is wrong, why.

        Raises:
            InputError: If the text is not in the form of an answer. The message describes the form.
        """
        if not isinstance(answer, str) or len(answer) > MAX_ANSWER_LENGTH:
            raise InputError(f"answer {quote_value(answer)}: write {FORMS[self.answer_form]}")
        if self.answer_form == "cards":
            return self._check_cards(answer)
        known = {_key(text): text for text in (*self.wrong, *self.answers)}
        typed = _key(answer)
        text = known.get(typed)
        if text is None and self.answer_form == "move" and typed:
            # The number of the asker may be omitted if the rest of the text fits only one move.
            fitting = [text for key, text in known.items() if key.partition(" ")[2] == typed]
            text = fitting[0] if len(fitting) == 1 else None
        if text is None and self.choices and typed.isdecimal() and int(typed) in self._numbers:
            text = self.choices[int(typed) - 1]
        if text is None:
            allowed = FORMS[self.answer_form]
            if len(known) <= 8:
                allowed = " or ".join(sorted(known.values()))
            raise InputError(f"answer {quote_value(answer)}: write {allowed}")
        return CheckResult(True) if text in self.answers else CheckResult(False, self.wrong[text])

    @property
    def _numbers(self) -> range:
        return range(1, len(self.choices) + 1)

    def _check_cards(self, answer: str) -> CheckResult:
        letters = set("".join(self.wrong) + "".join(self.answers)) - {" "}
        none = _key(answer) == "none"
        threes = [] if none else re.sub("[,.;]", " ", answer.upper()).split() or [""]
        for three in threes:
            if len(set(three)) != 3 or len(three) != 3 or not set(three) <= letters:
                raise InputError(f"answer {quote_value(answer)}: write {FORMS['cards']}")
        claimed = {"".join(sorted(three)) for three in threes}
        all_right = set(self.answers[0].split()) - {"none"}
        for three in sorted(claimed - all_right):
            return CheckResult(False, self.wrong[three])
        if missing := len(all_right - claimed):
            return CheckResult(False, f"{missing} of {with_noun(len(all_right), 'SET')} missing")
        return CheckResult(True)

    def document(self) -> dict[str, Any]:
        """Return the puzzle as a dictionary that can be written as JSON."""
        return {
            "format": FORMAT, "kind": self.kind, "game": self.game, "level": self.level,
            "level_from": dict(self.level_from), "seed": self.seed, "made_by": self.made_by,
            "position": self.position, "question": self.question, "about": self._about(),
            "answer_form": self.answer_form, "choices": list(self.choices),
            "answers": list(self.answers),
            "why": [document(step.text) | {"rests": list(step.rests)} for step in self.why],
            "wrong": {answer: str(text) for answer, text in self.wrong.items()},
        }  # fmt: skip

    def _about(self) -> dict[str, Any]:
        values = document(self.question)
        return {name: value for name, value in values.items() if name not in ("text", "kind")}

    def __repr__(self) -> str:
        return f"<Puzzle {self.kind!r}, level {self.level}, seed {self.seed}>"

    def __str__(self) -> str:
        """Return the puzzle as JSON text, which is the same on every machine for the same seed."""
        return json.dumps(self.document(), indent=1, ensure_ascii=False) + "\n"


def _key(text: str) -> str:
    key = " ".join(_FILLING.sub(" ", text.strip().lower()).split())
    return {"y": "yes", "n": "no"}.get(key, key)


def level_by(score: float, bounds: Sequence[float]) -> int:
    """Return the level of a score. It is 1 plus the number of bounds that the score exceeds."""
    return 1 + sum(score > bound for bound in bounds)
