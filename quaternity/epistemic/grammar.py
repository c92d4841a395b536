"""Formulas as text: the grammar, and errors that point at the place.

Loosest first: `<->`, `->` (to the right), `|`, `&`, and the prefixes `!`, `K1`, `C`, `P`, `D{1,2}`
and `[f!]`, which bind tightest. Atoms are `true`, `false`, `H4 8/4`, `U1(4)=2` and parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from quaternity.epistemic import formula as logic
from quaternity.epistemic.formula import FALSE, MAX_DEPTH, TRUE, Formula
from quaternity.errors import InputError, LimitError
from quaternity.game.cards import Card
from solvers.problem import DealProblem

if TYPE_CHECKING:
    from lark import Lark, Token


@dataclass(frozen=True, slots=True)
class Language:
    """The players 0..players-1 and, per set, its number of cards.

    A set that is out of play has no cards in the deal problem, yet its cards may be named: nobody
    holds them.
    """

    players: int
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, problem: DealProblem, set_size: int | None = None) -> Language:
        """The language of a problem.

        Args:
            set_size: cards of a set that is out of play; by default as many as the largest set has.
        """
        sizes = [constraint.size for constraint in problem.sets]
        gone = max(sizes, default=0) if set_size is None else set_size
        return cls(problem.players, tuple(size or gone for size in sizes))

    def check_player(self, player: int) -> None:
        """Refuse a player who does not exist.

        Raises:
            InputError: naming the player and who is allowed.
        """
        if not 0 <= player < self.players:
            raise InputError(
                f"player {player} does not exist: the players are 0..{self.players - 1}"
            )

    def check_card(self, card: Card) -> None:
        """Refuse a card that does not exist.

        Raises:
            InputError: naming the card and what is allowed.
        """
        if not 0 <= card.set_index < len(self.sizes):
            allowed = (
                f"the sets are 0..{len(self.sizes) - 1}" if self.sizes else "there are no sets"
            )
            raise InputError(f"card {card} does not exist: {allowed}")
        size = self.sizes[card.set_index]
        if not 0 <= card.number < size:
            allowed = (
                f"the cards of set {card.set_index} are {card.set_index}/0..{card.set_index}/"
                f"{size - 1}"
                if size
                else f"set {card.set_index} has no cards"
            )
            raise InputError(f"card {card} does not exist: {allowed}")

    def check(self, formula: Formula) -> None:
        """Refuse a formula that names a player or a card that does not exist.

        Raises:
            InputError: naming the first one and what is allowed.
        """
        for node in formula.subformulas():
            match node:
                case logic.Holds(player, card):
                    self.check_player(player)
                    self.check_card(card)
                case logic.Knows(player, _):
                    self.check_player(player)
                case logic.Unknown(knower, owner, _):
                    self.check_player(knower)
                    self.check_player(owner)
                case logic.Distributed(players, _):
                    for player in players:
                        self.check_player(player)
                case _:
                    pass


MAX_TEXT = 100_000
"""Most characters of a formula's text."""

GRAMMAR = r"""
?start: iff
?iff: implies | iff _IFF implies            -> iff
?implies: either | either _IMPLIES implies       -> implies
?either: both | both (_OR both)+             -> either
?both: prefixed | prefixed (_AND prefixed)+   -> both
?prefixed: atom
    | "!" prefixed                           -> negation
    | KNOWS prefixed                         -> knows
    | "C" prefixed                           -> common
    | "P" prefixed                           -> everywhere
    | "D" "{" NUMBER ("," NUMBER)* "}" prefixed -> distributed
    | "[" iff "!" "]" prefixed               -> announced
?atom: "(" iff ")"
    | "true"                                 -> true
    | "false"                                -> false
    | HOLDS CARD                             -> holds
    | UNKNOWN "(" NUMBER ")" "=" NUMBER      -> unknown
_IFF: "<->"
_IMPLIES: "->"
_OR: "|"
_AND: "&"
KNOWS: /K_?[0-9]+/
HOLDS: /H_?[0-9]+/
UNKNOWN: /U_?[0-9]+/
CARD.2: /[0-9]+[ \t]*\/[ \t]*[0-9]+/
NUMBER.1: /[0-9]+/
%ignore /[ \t\r\n]+/
"""

_FORMULA = frozenset(
    {"BANG", "KNOWS", "C", "P", "D", "LSQB", "LPAR", "TRUE", "FALSE", "HOLDS", "UNKNOWN"}
)
_OPERATORS = frozenset({"_AND", "_OR", "_IMPLIES", "_IFF"})
_WORDS = {
    "CARD": "a card such as 0/2",
    "NUMBER": "a number",
    "$END": "the end",
    "LPAR": "'('",
    "RPAR": "')'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "RSQB": "']'",
    "COMMA": "','",
    "EQUAL": "'='",
    "BANG": "'!'",
}
_LONGEST_NUMBER = 9


_MADE: dict[str, Callable[[list[Any]], Formula]] = {
    "iff": lambda parts: logic.Iff(*parts),
    "implies": lambda parts: logic.Implies(*parts),
    "either": lambda parts: logic.Or(tuple(parts)),
    "both": lambda parts: logic.And(tuple(parts)),
    "negation": lambda parts: logic.Not(*parts),
    "common": lambda parts: logic.Common(*parts),
    "everywhere": lambda parts: logic.Everywhere(*parts),
    "announced": lambda parts: logic.Announced(*parts),
    "true": lambda _: TRUE,
    "false": lambda _: FALSE,
    "knows": lambda parts: logic.Knows(_player(parts[0]), parts[1]),
    "holds": lambda parts: logic.Holds(_player(parts[0]), Card.parse(parts[1])),
    "unknown": lambda parts: logic.Unknown(_player(parts[0]), int(parts[1]), int(parts[2])),
    "distributed": lambda parts: logic.Distributed(tuple(map(int, parts[:-1])), parts[-1]),
}
"""What each rule of the grammar makes of its parts; used by the parser from the inside out."""


def _player(token: Token) -> int:
    return int(token.lstrip("KHU_"))


@lru_cache(maxsize=1)
def _parser() -> Lark:
    from lark import Lark, Transformer

    rules = {name: staticmethod(made) for name, made in _MADE.items()}
    builder = type("Builder", (Transformer,), rules)()
    return Lark(GRAMMAR, parser="lalr", lexer="basic", transformer=builder)


def parse(text: str, language: Language | None = None) -> Formula:
    """Read a formula.

    Args:
        language: when given, players and cards that it does not have are refused.

    Raises:
        InputError: the text is not a formula; the message points at the column.
        LimitError: longer than `MAX_TEXT` or nested deeper than `MAX_DEPTH`.

    >>> parse("K1 !H4 8/4")
    Knows(player=1, part=Not(part=Holds(player=4, card=Card(set_index=8, number=4))))
    >>> parse("K1 H4 & true")
    Traceback (most recent call last):
        ...
    solvers.errors.InputError: formula, column 7: expected a card such as 0/2, found '&'
      K1 H4 & true
            ^
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    _check_nesting(text)
    parser = _parser()
    try:
        _check_names(list(parser.lex(text)), text, language)
        formula = parser.parse(text)
    except UnexpectedCharacters as error:
        start = error.pos_in_stream or 0
        _refuse(text, start, f"{text[start]!r} is not part of any formula")
    except UnexpectedToken as error:
        found = "the end" if error.token.type == "$END" else repr(str(error.token))
        start = len(text.rstrip()) if error.token.type == "$END" else error.token.start_pos
        _refuse(
            text,
            start or 0,
            f"expected {_expected(error.accepts or error.expected)}, found {found}",
        )
    assert isinstance(formula, Formula)
    return formula


def _check_nesting(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise LimitError(f"a formula of {len(text)} characters: the limit is {MAX_TEXT}")
    depth = 0
    for character in text:
        if character in "([":
            depth += 1
            if depth > MAX_DEPTH:
                raise LimitError(f"parentheses nested more than {MAX_DEPTH} deep")
        elif character in ")]":
            depth -= 1


def _check_names(tokens: list[Token], text: str, language: Language | None) -> None:
    """Refuse numbers that are too long, and names that the language does not have."""
    before = ["", ""]  # the kinds of the last two tokens
    for token in tokens:
        start = token.start_pos or 0
        for digits in re.finditer(r"[0-9]+", token):
            if len(digits[0]) > _LONGEST_NUMBER:
                _refuse(text, start + digits.start(), "a number of more than 9 digits")
        named = token.type == "NUMBER" and (
            before == ["UNKNOWN", "LPAR"] or before[1] in ("LBRACE", "COMMA")
        )
        try:
            if language is not None and (named or token.type in ("KNOWS", "HOLDS", "UNKNOWN")):
                language.check_player(_player(token))
            elif language is not None and token.type == "CARD":
                language.check_card(Card.parse(token))
        except InputError as error:
            _refuse(text, start, str(error))
        before = [before[1], token.type]


def _expected(kinds: set[str]) -> str:
    words = []
    for group, word in ((_FORMULA, "a formula"), (_OPERATORS, "an operator")):
        if kinds & group == group or kinds & _OPERATORS & group:
            words.append(word)
            kinds = kinds - group
    words += [_WORDS.get(kind, kind) for kind in sorted(kinds)]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _refuse(text: str, position: int, why: str) -> NoReturn:
    """Raise with the line of the text and a mark under the place."""
    start = text.rfind("\n", 0, position) + 1
    line = text[start:].split("\n", 1)[0]
    column = position - start
    first = max(0, column - 60)
    shown = "".join(one if one.isprintable() else " " for one in line[first : column + 20])
    where = f"line {text.count(chr(10), 0, position) + 1}, " if "\n" in text.strip("\n") else ""
    raise InputError(
        f"formula, {where}column {column + 1}: {why}\n  {shown.rstrip()}\n"
        f"  {' ' * (column - first)}^"
    ) from None


__all__ = ["GRAMMAR", "MAX_TEXT", "Language", "parse"]
