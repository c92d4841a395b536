"""Parser of formulas in text form, such as `K1 H4 8/4 & !C (H4 8/4 -> true)`.

The page `quaternity guide knowledge` explains the notation. The operators are, from the least to
the most tightly binding: `<->`, `->` (right-associative), `|`, `&`, and the prefixes `!`, `K1`,
`M1`, `Kw1`, `C`, `C{1,2}`, `D{1,2}`, `E`, `P` and `[f!]`. Other symbols and words of logic are also
accepted, such as ¬, ∧, ≤ and `not`.

The first letter of a variable is its type: c and d for cards, p, q and r for players, s and t for
sets. The quantifiers `all c in set 3: f` and `some p != 1: f` extend as far to the right as
possible. A quantifier is expanded by parsing its formula once for every value of the variable.
Names that `let NAME = f; g` defines are expanded, too. The result therefore consists only of the
classes in `quaternity.epistemic.formula`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple, TypeAlias

from quaternity.base.errors import InputError, LimitError
from quaternity.base.text_format import quote_value
from quaternity.base.validation import validate_arguments
from quaternity.epistemic import formula as logic
from quaternity.epistemic.comparisons import (
    SIGNS,
    Term,
    compare_terms,
    constant_term,
    held_term,
    unknown_term,
)
from quaternity.epistemic.formula import FALSE, MAX_DEPTH, MAX_SIZE, TRUE, Formula, every, some
from quaternity.epistemic.language import Language
from quaternity.game.cards import Card

MAX_TEXT = 100_000
"""Maximum length of the text of a formula, in characters."""

_MAX_NUMBER_LENGTH = 9

_TOKEN = re.compile(
    r"""(?P<BLANK>[ \t\r\n]+)
    | (?P<CARD>[0-9]+[ \t]*/[ \t]*[0-9]+) | (?P<NUMBER>[0-9]+)
    | (?P<PERSON>(?:Kw|[KMHU])_?(?:[0-9]+|[pqr][0-9]*))
    | (?P<WORD>[CPDE]|[a-z][a-z_0-9]*)
    | (?P<SIGN><->|<=>|->|=>|<=|>=|!=|&&|\|\||[-!&|()\[\]{},:;=<>~/¬∧∨→↔⊤⊥∀∃≥≤≠])
    """,
    re.VERBOSE,
)

SPELLINGS = {
    "¬": "!", "~": "!", "not": "!", "∧": "&", "&&": "&", "and": "&", "∨": "|", "||": "|",
    "or": "|", "→": "->", "=>": "->", "↔": "<->", "<=>": "<->", "⊤": "true", "⊥": "false",
    "∀": "all", "∃": "some", "≥": ">=", "≤": "<=", "≠": "!=",
}  # fmt: skip
"""Mapping from each alternative spelling of a symbol to the symbol."""

_IFF, _IMPLIES, _OR, _AND = range(4)
_BINDING = {"<->": _IFF, "->": _IMPLIES, "|": _OR, "&": _AND}
RESERVED = {
    "true",
    "false",
    "not",
    "and",
    "or",
    "all",
    "some",
    "in",
    "set",
    "let",
    "cards",
    "points",
}
_VARIABLE = re.compile(r"[pqrcdst][0-9]*")
_KINDS = {"p": "player", "c": "card", "s": "set"}
_KIND_OF = {"p": "p", "q": "p", "r": "p", "c": "c", "d": "c", "s": "s", "t": "s"}

_Value: TypeAlias = Any
"""Value of a variable in a formula: the number of a player, the number of a set, or a card. The
first letter of the variable says which."""


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


class _Abbreviation(NamedTuple):
    """A formula to which `let` has given a name. It is parsed again wherever the name is used.

    `position` is the number of its first token. `values` and `names` are the variables and the
    other named formulas that may occur in it.
    """

    parameters: tuple[str, ...]
    position: int
    values: dict[str, _Value]
    names: dict[str, _Abbreviation]


@validate_arguments(text=str, language=(Language, type(None)))
def parse(text: str, language: Language | None = None) -> Formula:
    """Parse a formula, and return it as a `Formula`.

    The language says which players and cards exist. Without a language, players and cards are not
    checked, and the text may contain neither quantifiers nor operators about all players.

    Raises:
        InputError: If the text is not a formula. The message points at the column.
        LimitError: If the text is longer than `MAX_TEXT`, or the expanded formula is nested deeper
            than `MAX_DEPTH` or has more than `MAX_SIZE` parts.

    >>> print(parse("all c in set 1: Kw0 H1 c", Language(2, (4, 2))))
    (K0 H1 1/0 | K0 !H1 1/0) & (K0 H1 1/1 | K0 !H1 1/1)
    >>> parse("K1 H4 & true")
    Traceback (most recent call last):
        ...
    quaternity.base.errors.InputError: formula, column 7: expected a card such as 0/2, found '&'
      K1 H4 & true
            ^
    """
    if len(text) > MAX_TEXT:
        raise LimitError(f"the formula has {len(text)} characters: at most {MAX_TEXT} are allowed")
    return _Parser(text, language).parse_all()


def _tokens(text: str) -> list[_Token]:
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _error(text, at, f"unexpected character {text[at]!r}")
        if match.lastgroup != "BLANK":
            word = SPELLINGS.get(match[0], match[0])
            for digits in re.finditer(r"[0-9]+", word):
                if len(digits[0]) > _MAX_NUMBER_LENGTH:
                    raise _error(text, at + digits.start(), "a number has more than 9 digits")
            tokens.append(_Token(str(match.lastgroup), word, at))
        at = match.end()
    tokens.append(_Token("END", "", len(text.rstrip())))
    return tokens


class _Parser:
    def __init__(self, text: str, language: Language | None) -> None:
        self.text, self.language = text, language
        self.tokens = _tokens(text)
        self.position = 0
        self.values: dict[str, _Value] = {}
        self.names: dict[str, _Abbreviation] = {}
        self.depth = self.atoms = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.position]

    def parse_all(self) -> Formula:
        try:
            formula = self.formula()
        # Add the position to the message, even if a formula that contains this one exceeds the
        # limit.
        except LimitError as error:
            raise LimitError(_with_position(self.text, self.token.start, str(error))) from None
        if self.token.kind != "END":
            raise self.expected_error("an operator or the end of the formula")
        return formula

    # -- tokens and values --------------------------------------------------------------------

    def expected_error(self, what: str) -> InputError:
        token = self.token
        actual = "the end" if token.kind == "END" else quote_value(self.source_text(token))
        return _error(self.text, token.start, f"expected {what}, found {actual}")

    def source_text(self, token: _Token) -> str:
        match = _TOKEN.match(self.text, token.start)
        return "" if match is None else match[0]

    def take(self, text: str) -> bool:
        matches = self.token.text == text and self.token.kind != "END"
        self.position += matches
        return matches

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise self.expected_error(repr(text))

    def check_value(self, value: _Value, kind: str, start: int) -> _Value:
        if self.language is not None:
            checks: dict[str, Callable[[_Value], None]] = {
                "p": self.language.check_player,
                "c": self.language.check_card,
                "s": self.language.check_set,
            }
            try:
                checks[kind](value)
            except InputError as error:
                raise _error(self.text, start, str(error)) from None
        return value

    def require_language(self, what: str, start: int) -> Language:
        if self.language is None:
            raise self.unknown_numbers_error(what, start)
        return self.language

    def unknown_numbers_error(self, what: str, start: int) -> InputError:
        return _error(
            self.text, start, f"{what}: allowed only if the numbers of players and cards are known"
        )

    def variable(self, name: str, kind: str, start: int) -> _Value:
        if _KIND_OF[name[0]] != kind:
            its = _KINDS[_KIND_OF[name[0]]]
            raise _error(self.text, start, f"{name} stands for a {its}, not for a {_KINDS[kind]}")
        if name not in self.values:
            bound = f"; choose from {', '.join(self.values)}" if self.values else ""
            raise _error(
                self.text, start,
                f"unknown variable {name} (write all {name}: ... or some {name}: ...){bound}",
            )  # fmt: skip
        return self.values[name]

    def value(self, kind: str) -> _Value:
        kind_found, text, start = self.token
        example = {
            "p": "the number of a player",
            "s": "the number of a set",
            "c": "a card such as 0/2",
        }
        if kind_found == "CARD" and kind == "c":
            self.position += 1
            return self.check_value(Card.parse(text), kind, start)
        if kind_found == "NUMBER" and kind != "c":
            self.position += 1
            return self.check_value(int(text), kind, start)
        if kind_found == "WORD" and _VARIABLE.fullmatch(text):
            self.position += 1
            if kind == "c" and _KIND_OF[text[0]] == "s" and self.take("/"):
                index = self.variable(text, "s", start)
                return self.check_value(Card(index, self.number()), kind, start)
            return self.variable(text, kind, start)
        raise self.expected_error(example[kind])

    def is_free(self, name: str) -> bool:
        return name not in RESERVED and name.islower() and not _VARIABLE.fullmatch(name)

    def number(self) -> int:
        if self.token.kind != "NUMBER":
            raise self.expected_error("a number")
        self.position += 1
        return int(self.tokens[self.position - 1].text)

    def player_of(self, token: _Token) -> _Value:
        name = token.text.lstrip("KwMHU_")
        start = token.start
        player = int(name) if name.isdecimal() else self.variable(name, "p", start)
        return self.check_value(player, "p", start)

    def group(self, word: str, needed: bool) -> tuple[int, ...]:
        start = self.tokens[self.position - 1].start
        if self.token.text != "{":
            return self.require_language(f"{word} without players", start).all_knowers * needed
        self.position += 1
        return tuple(self.parse_list("p", "}"))

    def parse_list(self, kind: str, end: str = "") -> list[_Value]:
        values = [self.value(kind)]
        while self.take(","):
            values.append(self.value(kind))
        if end and not self.take(end):
            raise self.expected_error(f"',' or {end!r}")
        return values

    # -- formulas -----------------------------------------------------------------------------

    def formula(self, least: int = _IFF) -> Formula:
        formula = self.parse_prefixed()
        while (binding := self.binding()) is not None and binding >= least:
            if binding in (_AND, _OR):
                parts, sign = [formula], self.token.text
                while self.take(sign):
                    parts.append(self.formula(binding + 1))
                formula = (logic.And if binding == _AND else logic.Or)(tuple(parts))
            elif self.take("->"):
                formula = logic.Implies(formula, self.parse_nested(lambda: self.formula(_IMPLIES)))
            else:
                self.expect("<->")
                formula = logic.Iff(formula, self.formula(_IMPLIES))
        return formula

    def binding(self) -> int | None:
        return None if self.token.kind == "END" else _BINDING.get(self.token.text)

    def parse_nested(self, read: Callable[[], Formula]) -> Formula:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"the formula is nested more than {MAX_DEPTH} deep")
        formula = read()
        self.depth -= 1
        return formula

    def parse_prefixed(self) -> Formula:
        around: list[Callable[[Formula], Formula]] = []
        while (made := self.prefix()) is not None:
            around.append(made)
            if len(around) > MAX_DEPTH:
                raise LimitError(f"the formula is nested more than {MAX_DEPTH} deep")
        formula = self.atom()
        for wrap in reversed(around):
            formula = wrap(formula)
        return formula

    def prefix(self) -> Callable[[Formula], Formula] | None:
        token = self.token
        if token.kind == "PERSON" and token.text[0] in "KM":
            self.position += 1
            player = self.player_of(token)
            if token.text.startswith("Kw"):
                return lambda part: logic.Kw(player, part)
            possible = token.text[0] == "M"
            return lambda part: (logic.M if possible else logic.Knows)(player, part)
        if self.take("!"):
            return logic.Not
        if self.take("["):
            announcement = self.parse_nested(self.formula)
            self.expect("!")
            self.expect("]")
            return lambda part: logic.Announcement(announcement, part)
        if token.kind == "WORD" and token.text in ("C", "D", "E", "P"):
            self.position += 1
            return self.group_operator(token.text)
        return None

    def group_operator(self, word: str) -> Callable[[Formula], Formula]:
        if word == "P":
            return logic.Publicly
        if word == "C" and self.token.text != "{":
            return logic.Common
        players = self.group(word, word != "C")
        if word == "C":
            return lambda part: logic.Common(part, players)
        if word == "D":
            return lambda part: logic.Distributed(players, part)
        return lambda part: logic.E(players, part)

    def atom(self) -> Formula:
        self.atoms += 1
        if self.atoms > MAX_SIZE:
            raise LimitError(f"expanded, the formula has more than {MAX_SIZE} parts")
        token = self.token
        if token.kind == "PERSON" and token.text[0] == "H":
            self.position += 1
            return logic.Holds(self.player_of(token), self.value("c"))
        if token.kind in ("PERSON", "NUMBER") or token.text in ("cards", "points"):
            return self.comparison()
        if self.take("("):
            formula = self.parse_nested(self.formula)
            if not self.take(")"):
                raise self.expected_error("an operator or ')'")
            return formula
        if token.text in ("true", "false"):
            self.position += 1
            return TRUE if token.text == "true" else FALSE
        if token.text in ("all", "some"):
            return self.parse_nested(self.parse_quantified)
        if token.text == "let":
            return self.parse_nested(self.parse_let)
        if token.kind == "WORD" and token.text in self.names:
            return self.parse_nested(self.expand_name)
        if token.kind == "WORD" and self.is_free(token.text):
            named = f"; defined names: {', '.join(self.names)}" if self.names else ""
            raise _error(self.text, token.start, f"unknown name {quote_value(token.text)}{named}")
        raise self.expected_error("a formula")

    # -- numbers ------------------------------------------------------------------------------

    def comparison(self) -> Formula:
        first = self.term()
        sign = self.token.text
        if sign not in SIGNS:
            raise self.expected_error("one of = != < <= > >=")
        self.position += 1
        start = self.token.start
        formula = compare_terms(first, sign, self.term())
        if formula is None:
            raise self.unknown_numbers_error("a comparison of two numbers", start)
        return formula

    def term(self) -> Term:
        token = self.token
        if token.kind == "NUMBER":
            return constant_term(self.number())
        if token.kind == "PERSON" and token.text[0] == "U":
            self.position += 1
            knower = self.player_of(token)
            self.expect("(")
            owner = self.value("p")
            self.expect(")")
            return unknown_term(
                knower, owner, None if self.language is None else self.language.hands
            )
        if token.text not in ("cards", "points"):
            raise self.expected_error("a number, U1(2), cards(1), cards(1, 8) or points(1)")
        self.position += 1
        self.expect("(")
        player = self.value("p")
        if token.text == "cards" and self.take(","):
            index = self.value("s")
            self.expect(")")
            size = self.require_language("cards of a set", token.start).sizes[index]
            self.atoms += comb(size, size // 2) * size
            if self.atoms > MAX_SIZE:
                raise LimitError(f"expanded, the formula has more than {MAX_SIZE} parts")
            return held_term(player, index, size)
        self.expect(")")
        counts = (
            None if self.language is None else getattr(self.language, _COUNT_ATTRIBUTES[token.text])
        )
        if counts is None:
            raise _error(
                self.text,
                token.start,
                f"{token.text}: allowed only if the numbers of {token.text} are known",
            )
        return constant_term(counts[player])

    # -- quantifiers and names ----------------------------------------------------------------

    def parse_quantified(self) -> Formula:
        join = every if self.token.text == "all" else some
        self.position += 1
        name, start = self.new_variable(), self.tokens[self.position - 1].start
        kind = _KIND_OF[name[0]]
        values = self.range_of(kind, start)
        if self.take("!="):
            left_out = self.parse_list(kind)
            values = [v for v in values if v not in left_out]
        if not self.take(":"):
            raise self.expected_error("':', 'in' or '!='")
        body, parts = self.position, []
        for value in values or [Card(0, 0) if kind == "c" else 0]:
            self.position = body
            parts.append(self.with_values({**self.values, name: value}, self.formula))
        return join(parts if values else [])

    def new_variable(self) -> str:
        token = self.token
        if token.kind != "WORD" or not _VARIABLE.fullmatch(token.text):
            raise self.expected_error(
                "a variable (c or d for a card, p, q or r for a player, s or t for a set)"
            )
        self.position += 1
        return token.text

    def range_of(self, kind: str, start: int) -> list[_Value]:
        if not self.take("in"):
            language = self.require_language(f"all {_KINDS[kind]}s", start)
            if kind == "p":
                return list(language.all_knowers)
            sets = range(len(language.sizes))
            if kind == "s":
                return list(sets)
            return [Card(index, n) for index in sets for n in range(language.sizes[index])]
        if self.take("{"):
            return self.parse_list(kind, "}")
        if kind != "c" or not self.take("set"):
            raise self.expected_error("'set' or '{'" if kind == "c" else "'{'")
        index = self.value("s")
        size = self.require_language("cards of a set", start).sizes[index]
        return [Card(index, number) for number in range(size)]

    def with_values(self, values: dict[str, _Value], read: Callable[[], Formula]) -> Formula:
        before, self.values = self.values, values
        formula = read()
        self.values = before
        return formula

    def parse_let(self) -> Formula:
        """Parse `let NAME(p, c) = f; g`. Return `g`, in which the name stands for `f`."""
        self.expect("let")
        token = self.token
        if token.kind != "WORD" or not self.is_free(token.text):
            raise self.expected_error("a name of two or more lowercase letters")
        self.position += 1
        parameters: list[str] = []
        if self.take("("):
            parameters.append(self.new_variable())
            while self.take(","):
                parameters.append(self.new_variable())
            self.expect(")")
        self.expect("=")
        made = _Abbreviation(tuple(parameters), self.position, self.values, dict(self.names))
        dummies = {
            parameter: Card(0, 0) if _KIND_OF[parameter[0]] == "c" else 0
            for parameter in parameters
        }
        self.with_values({**self.values, **dummies}, self.formula)
        self.expect(";")
        before, self.names = self.names, {**self.names, token.text: made}
        formula = self.formula()
        self.names = before
        return formula

    def expand_name(self) -> Formula:
        made = self.names[self.token.text]
        self.position += 1
        arguments: dict[str, _Value] = {}
        for number, name in enumerate(made.parameters):
            self.expect("," if number else "(")
            arguments[name] = self.value(_KIND_OF[name[0]])
        if made.parameters:
            self.expect(")")
        after, names, self.position, self.names = (
            self.position,
            self.names,
            made.position,
            made.names,
        )
        formula = self.with_values({**made.values, **arguments}, self.formula)
        self.position, self.names = after, names
        return formula


_COUNT_ATTRIBUTES = {"cards": "hands", "points": "points"}
"""Mapping from the words `cards` and `points` in a formula to the attribute of `Language` that
contains this number for each player."""


def _error(text: str, position: int, why: str) -> InputError:
    return InputError(_with_position(text, position, why))


def _with_position(text: str, position: int, why: str) -> str:
    start = text.rfind("\n", 0, position) + 1
    line = text[start:].split("\n", 1)[0]
    column = position - start
    first = max(0, column - 58)
    part = "".join(x if x.isprintable() else " " for x in line[first : column + 20])
    where = f"line {text.count(chr(10), 0, position) + 1}, " if "\n" in text.strip("\n") else ""
    return (
        f"formula, {where}column {column + 1}: {why}\n  {part.rstrip()}\n"
        f"  {' ' * (column - first)}^"
    )
