"""Parser of situation files: public information, the real deal, announcements and questions.

    situation 1
    # Anne (0), Bill (1) and Cath (2) hold one card each.
    hands 1 1 1
    set 3 cards
    deal 012
    let told = K2 H0 0/0
    false told
    say !H0 0/1
    true told
    ask C told

- `set 3 cards` is a set of three cards that any player may hold. `set 01 012 2` lists the possible
  owners of each card instead.
- `least 1 0 0` and `most 2 2 1` below a set bound the number of its cards in each player's hand.
- `deal` has one group of digits for each set: the owners of its cards.
- `say` announces a formula publicly.
- `true` and `false` state the truth value of a formula after the announcements above. `ask` asks
  for this value.
- `let` gives a formula a name that the lines below can use.

A line that begins with a space continues the line above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from quaternity.base.errors import InputError
from quaternity.epistemic.evaluator import validate_deal
from quaternity.epistemic.formula import Formula
from quaternity.epistemic.grammar import parse
from quaternity.epistemic.language import Language
from solvers.problem import DealProblem, SetConstraint
from solvers.verdict import Deal

FIRST_LINE = "situation 1"
MAX_PLAYERS = 10
"""Maximum number of players. A situation file denotes each player by a single digit."""


class Query(NamedTuple):
    """A line `true`, `false` or `ask` of a situation file, which contains a formula.

    `announcements` contains the announcements above the line. `expected` is the stated truth value,
    or None for `ask`.
    """

    line: int
    text: str
    formula: Formula
    announcements: tuple[Formula, ...]
    expected: bool | None


@dataclass(frozen=True, slots=True)
class Situation:
    """The contents of a situation file: a deal problem, announcements, and formulas to evaluate."""

    problem: DealProblem
    deal: Deal
    announcements: tuple[Formula, ...]
    queries: tuple[Query, ...]


def parse_situation(text: str, path: str = "situation") -> Situation:
    r"""Parse the text of a situation file, and return its contents.

    The path is used in error messages only.

    Raises:
        InputError: If the text is not valid. The message names the line and says what is expected.

    >>> text = "situation 1\nhands 1 1\nset 2 cards\ndeal 01\ntrue C H0 0/0\n"
    >>> parse_situation(text).queries[0].expected
    True
    """
    reader = _Reader(path)
    for number, line in _lines(text):
        reader.number = number
        try:
            reader.take(line)
        except InputError as error:
            raise InputError(f"{path}: line {number}: {error}") from None
    if reader.deal is None:
        raise InputError(f"{path}: the line 'deal ...' is missing")
    return Situation(
        reader.problem, reader.deal, tuple(reader.announcements), tuple(reader.queries)
    )


def _lines(text: str) -> list[tuple[int, str]]:
    lines: list[tuple[int, str]] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.partition("#")[0].rstrip()
        if line[:1].isspace() and lines:
            lines[-1] = (lines[-1][0], f"{lines[-1][1]} {line.strip()}")
        elif line:
            lines.append((number, line))
    return lines


class _Reader:
    def __init__(self, path: str) -> None:
        self.path, self.number = path, 0
        self.started = False
        self.hands: list[int] = []
        self.sets: list[SetConstraint] = []
        self.deal: Deal | None = None
        self.definitions = ""
        self.announcements: list[Formula] = []
        self.queries: list[Query] = []

    def take(self, line: str) -> None:
        word, _, argument = line.partition(" ")
        if not self.started:
            if line.split() != FIRST_LINE.split():
                raise InputError(f"the first line must be {FIRST_LINE!r}")
            self.started = True
        elif word == "hands":
            self.hands = self.numbers(argument, None)
            if not 0 < len(self.hands) <= MAX_PLAYERS:
                raise InputError(
                    f"hands: expected 1 to {MAX_PLAYERS} players, not {len(self.hands)}"
                )
        elif word in ("set", "least", "most", "deal"):
            if not self.hands:
                raise InputError(
                    f"{word}: must come after the line 'hands ...', the hand sizes of the players"
                )
            if self.deal is not None:
                raise InputError(f"{word}: must come before the line 'deal ...'")
            {"set": self.take_set, "deal": self.take_deal}.get(word, self.take_bounds)(line)
        elif word in ("let", "say", "true", "false", "ask"):
            if self.deal is None:
                raise InputError(f"{word}: must come after the line 'deal ...'")
            self.take_formula(word, argument.strip())
        else:
            known = "hands, set, least, most, deal, let, say, true, false or ask"
            raise InputError(f"unknown keyword {word!r}: choose from {known}")

    def numbers(self, text: str, count: int | None) -> list[int]:
        words = text.split()
        if not all(re.fullmatch(r"[0-9]{1,4}", word) for word in words):
            raise InputError(f"{text.strip()!r}: expected whole numbers separated by blanks")
        if count is not None and len(words) != count:
            raise InputError(f"{text.strip()!r}: expected {count} numbers, one for each player")
        return [int(word) for word in words]

    def players_in(self, word: str) -> list[int]:
        last = len(self.hands) - 1
        if not re.fullmatch(r"[0-9]+", word) or any(int(x) > last for x in word):
            raise InputError(f"{word!r}: expected players 0..{last}, one digit each")
        return [int(w) for w in word]

    def take_set(self, line: str) -> None:
        words, players = line.split()[1:], len(self.hands)
        if len(words) == 2 and words[1] in ("card", "cards"):
            (size,) = self.numbers(words[0], 1)
            owners = [list(range(players))] * size
        else:
            owners = [self.players_in(word) for word in words]
        self.sets.append(SetConstraint.of(owners, players))

    def take_bounds(self, line: str) -> None:
        word, _, argument = line.partition(" ")
        if not self.sets:
            raise InputError(f"{word}: must follow a line 'set ...'")
        owners, low, high = self.sets[-1]
        bounds = tuple(self.numbers(argument, len(self.hands)))
        self.sets[-1] = SetConstraint(
            owners, *((bounds, high) if word == "least" else (low, bounds))
        )

    def take_deal(self, line: str) -> None:
        words = line.split()[1:]
        if len(words) != len(self.sets):
            raise InputError(
                f"deal: expected one group of digits for each set ({len(self.sets)}), "
                f"not {len(words)}"
            )
        deal = Deal(tuple(tuple(self.players_in(word)) for word in words))
        self.deal = validate_deal(self.problem, deal)

    @property
    def problem(self) -> DealProblem:
        return DealProblem(self.hands, self.sets)

    def take_formula(self, word: str, text: str) -> None:
        language = Language.of(self.problem)
        if word == "let":
            parse(f"{self.definitions}let {text}; true", language)
            self.definitions += f"let {text}; "
            return
        formula = parse(self.definitions + text, language)
        if word == "say":
            self.announcements.append(formula)
            return
        expected = {"true": True, "false": False}.get(word)
        self.queries.append(Query(self.number, text, formula, tuple(self.announcements), expected))
