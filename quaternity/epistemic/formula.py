"""Formulas of epistemic logic about cards, as immutable objects with operators.

>>> held = Holds(4, Card(8, 4))
>>> print(Knows(1, held) & ~Common(held >> TRUE))
K1 H4 8/4 & !C (H4 8/4 -> true)

`K1 H4 8/4` says that player 1 knows that player 4 holds card 4 of set 8. The short constructors
follow this notation:

>>> print(K(1, H(4, "8/4")) & ~C(H(0, "8/0") >> P(H(1, "8/1"))))
K1 H4 8/4 & !C (H0 8/0 -> P H1 8/1)
>>> print(H(2, "0/1").announce(D({2, 1}, H(3, "0/0"))) | U(1, 4, 1))
[H2 0/1!] D{1,2} H3 0/0 | U1(4)=1

`quaternity.epistemic.grammar.parse` turns the text `str(formula)` back into an equal formula. The
Python operator `>>` binds more tightly than `&` and `|`, but `->` in a text binds less tightly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from quaternity.base.errors import InputError, LimitError
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_iterator, check_int
from quaternity.game.cards import Card

MAX_DEPTH = 100
"""Maximum nesting depth of a formula. A conjunction or disjunction counts as one level."""
MAX_SIZE = 100_000
"""Maximum number of subformulas of a formula. Repeated subformulas count each time."""

_NO_PLAYERS: frozenset[int] = frozenset()
_IFF, _IMPLIES, _OR, _AND, _PREFIX = range(5)  # How tightly the operators bind in text.


@dataclass(frozen=True, slots=True)
class Formula:
    """Base class of all formulas, which are immutable, hashable and compared by value.

    The operators are `~f`, `f & g`, `f | g` and `f >> g`; `f.iff(g)` and `f.announce(g)` are
    methods.

    Attributes:
        depth: Nesting depth, which is 1 for a formula without parts.
        size: The number of subformulas, including this one.
        modal_depth: Nesting depth of knowledge and announcements. It is 0 if there are none.
        determining_players: Players whose combined hands determine the truth value. For common
            knowledge, see `is_determined`.
        public: Whether the truth value is the same in all deals that fit the public information.

    Raises:
        InputError: If a part has the wrong type, or a number is negative.
        LimitError: If the formula exceeds `MAX_DEPTH` or `MAX_SIZE`.
    """

    depth: int = field(init=False, compare=False)
    size: int = field(init=False, compare=False)
    modal_depth: int = field(init=False, compare=False)
    determining_players: frozenset[int] = field(init=False, compare=False)
    public: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        self._check()
        depth = size = 1
        modal = 0
        for part in self.parts():
            if not isinstance(part, Formula):
                raise InputError(f"{part!r} is not a formula")
            depth, size = max(depth, part.depth + 1), size + part.size
            modal = max(modal, part.modal_depth)
        modal += isinstance(self, _MODAL)
        hands, public = self._determine()
        if depth > MAX_DEPTH:
            raise LimitError(f"the formula is nested more than {MAX_DEPTH} deep")
        if size > MAX_SIZE:
            raise LimitError(f"the formula has more than {MAX_SIZE} parts")
        object.__setattr__(self, "depth", depth)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "modal_depth", modal)
        object.__setattr__(self, "determining_players", hands)
        object.__setattr__(self, "public", public)

    def __repr__(self) -> str:
        return f"parse({str(self)!r})"

    def _check(self) -> None:
        """Convert and store the fields. Raise InputError if a field is not valid."""
        if type(self) is Formula:
            raise InputError("Formula: only a base class; use `parse`, or a class such as `Holds`")

    def _determine(self) -> tuple[frozenset[int], bool]:
        hands, public = _NO_PLAYERS, True
        for part in self.parts():
            hands, public = hands | part.determining_players, public and part.public
        return hands, public

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return ()

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return a copy with the given immediate subformulas instead of the present ones."""
        return type(self)(*_formulas(parts)) if parts else self

    def subformulas(self) -> Iterator[Formula]:
        """Yield this formula and all its subformulas, each before its parts, with repetitions."""
        waiting: list[Formula] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.parts()))

    def __bool__(self) -> bool:
        raise TypeError("a formula has no truth value without a deal: use `evaluate`")

    def __invert__(self) -> Formula:
        return Not(self)

    def __and__(self, other: Formula) -> Formula:
        return And((self, other)) if isinstance(other, Formula) else NotImplemented

    def __or__(self, other: Formula) -> Formula:
        return Or((self, other)) if isinstance(other, Formula) else NotImplemented

    def __rshift__(self, other: Formula) -> Formula:
        return Implies(self, other) if isinstance(other, Formula) else NotImplemented

    def iff(self, other: Formula) -> Formula:
        """Return the formula `self <-> other`: both formulas have the same truth value."""
        return Iff(self, other)

    def announce(self, then: Formula) -> Formula:
        """Return the formula `[self!] then`: `then` is true after the announcement of `self`.

        It is also true if `self` is false, because then `self` cannot be announced.
        """
        return Announcement(self, then)


def _number(value: object, place: str) -> int:
    if type(value) is int and value >= 0:  # Nearly all values take this fast path.
        return value
    return check_int(value, 0, None, "a whole number >= 0", place)


def _convert_numbers(formula: Formula, *fields: str) -> None:
    for name in fields:
        value = getattr(formula, name)
        settled = _number(value, name)
        if settled is not value:
            object.__setattr__(formula, name, settled)


def _convert_players(formula: Distributed | Common) -> None:
    if formula.players == ():
        return
    players = {_number(i, "player") for i in as_iterator(formula.players, "players")}
    object.__setattr__(formula, "players", tuple(sorted(players)))


def _format_players(players: tuple[int, ...]) -> str:
    return f"{{{','.join(map(str, players))}}}"


@dataclass(frozen=True, slots=True, repr=False)
class Constant(Formula):
    """The formula `true` or `false`."""

    value: bool

    def _check(self) -> None:
        if not isinstance(self.value, bool):
            raise InputError(f"value: must be True or False, not {self.value!r}")

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(frozen=True, slots=True, repr=False)
class Holds(Formula):
    """`H4 8/4`: player 4 holds the card 8/4."""

    player: int
    card: Card

    def _check(self) -> None:
        _convert_numbers(self, "player")
        if not isinstance(self.card, Card):
            raise InputError(f"card: must be a Card, not {self.card!r}")
        index, number = _number(self.card.set_index, "set"), _number(self.card.number, "card")
        if index is not self.card.set_index or number is not self.card.number:
            object.__setattr__(self, "card", Card(index, number))

    def _determine(self) -> tuple[frozenset[int], bool]:
        return frozenset((self.player,)), False

    def __str__(self) -> str:
        return f"H{self.player} {self.card}"


@dataclass(frozen=True, slots=True, repr=False)
class Unknown(Formula):
    """`U1(4)=2`: exactly 2 of the cards that player 4 holds are unknown to player 1.

    A card is unknown if player 1 does not know that player 4 holds it. With `at_most`, the formula
    is `U1(4)<=2`: at most 2 of these cards are unknown.
    """

    knower: int
    owner: int
    count: int
    at_most: bool = False

    def _check(self) -> None:
        _convert_numbers(self, "knower", "owner", "count")
        if not isinstance(self.at_most, bool):
            raise InputError(f"at_most: must be True or False, not {self.at_most!r}")

    def _determine(self) -> tuple[frozenset[int], bool]:
        return frozenset((self.knower,)), False

    def __str__(self) -> str:
        return f"U{self.knower}({self.owner}){'<=' if self.at_most else '='}{self.count}"


@dataclass(frozen=True, slots=True, repr=False)
class Not(Formula):
    """`!f`: `f` is false."""

    part: Formula

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.part,)

    def __str__(self) -> str:
        return f"!{_parenthesize(self.part, _PREFIX)}"


@dataclass(frozen=True, slots=True, repr=False)
class Knows(Formula):
    """`K1 f`: player 1 knows that `f` is true.

    That is, `f` is true in every deal in which the player has the same hand as in the real deal.
    """

    player: int
    part: Formula

    def _check(self) -> None:
        _convert_numbers(self, "player")

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.part,)

    @property
    def players(self) -> tuple[int, ...]:
        """Return the player as a tuple, for code that also handles `Distributed`."""
        return (self.player,)

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return a copy with the given subformula."""
        return Knows(self.player, *parts)

    def _determine(self) -> tuple[frozenset[int], bool]:
        return frozenset((self.player,)), False

    def __str__(self) -> str:
        return f"K{self.player} {_parenthesize(self.part, _PREFIX)}"


@dataclass(frozen=True, slots=True, repr=False)
class Distributed(Formula):
    """`D{1,2} f`: players 1 and 2 would know `f` if they pooled their hands.

    There must be at least one player.
    """

    players: tuple[int, ...]
    part: Formula

    def _check(self) -> None:
        _convert_players(self)
        if not self.players:
            raise InputError(
                "D{}: at least one player is needed (for the public record alone, use `P`)"
            )

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.part,)

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return a copy with the given subformula."""
        return Distributed(self.players, *parts)

    def _determine(self) -> tuple[frozenset[int], bool]:
        return frozenset(self.players), False

    def __str__(self) -> str:
        return f"D{_format_players(self.players)} {_parenthesize(self.part, _PREFIX)}"


@dataclass(frozen=True, slots=True, repr=False)
class Common(Formula):
    """`C f`: it is common knowledge that `f` is true.

    That is, `f` is true in every deal that can be reached from the real deal by a chain. Each deal
    of a chain looks the same as the next one to some player (in `C{1,2} f`, to player 1 or 2).
    `Publicly` implies common knowledge, but not vice versa: a formula can be common knowledge
    although it is false in a deal that no chain reaches.
    """

    part: Formula
    players: tuple[int, ...] = ()

    def _check(self) -> None:
        _convert_players(self)

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.part,)

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return a copy with the given subformula."""
        (part,) = parts
        return Common(part, self.players)

    def _determine(self) -> tuple[frozenset[int], bool]:
        # The hand of any single player of the group determines the truth value (see
        # `determining_players`).
        return frozenset(self.players[:1]), False

    def members(self, players: int) -> tuple[int, ...]:
        """Return the players of the group: those that the formula names, or else all players.

        `players` is the number of players in the game.
        """
        return self.players or tuple(range(players))

    def __str__(self) -> str:
        group = _format_players(self.players) if self.players else ""
        return f"C{group} {_parenthesize(self.part, _PREFIX)}"


@dataclass(frozen=True, slots=True, repr=False)
class Publicly(Formula):
    """`P f`: the public information implies `f`. So `f` is true in every deal that fits it."""

    part: Formula

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.part,)

    def _determine(self) -> tuple[frozenset[int], bool]:
        return _NO_PLAYERS, True

    def __str__(self) -> str:
        return f"P {_parenthesize(self.part, _PREFIX)}"


@dataclass(frozen=True, slots=True, repr=False)
class And(Formula):
    """`f & g & …` with two or more parts. Nested conjunctions are flattened."""

    conjuncts: tuple[Formula, ...]

    def _check(self) -> None:
        object.__setattr__(self, "conjuncts", _flatten(self.conjuncts, And))

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return self.conjuncts

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return the conjunction of the given formulas."""
        return And(tuple(parts))

    def __str__(self) -> str:
        return " & ".join(_parenthesize(part, _AND) for part in self.conjuncts)


@dataclass(frozen=True, slots=True, repr=False)
class Or(Formula):
    """`f | g | …` with two or more parts. Nested disjunctions are flattened."""

    disjuncts: tuple[Formula, ...]

    def _check(self) -> None:
        object.__setattr__(self, "disjuncts", _flatten(self.disjuncts, Or))

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return self.disjuncts

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return the disjunction of the given formulas."""
        return Or(tuple(parts))

    def __str__(self) -> str:
        return " | ".join(_parenthesize(part, _OR) for part in self.disjuncts)


@dataclass(frozen=True, slots=True, repr=False)
class Implies(Formula):
    """`f -> g`: if `f` is true, then `g` is true."""

    premise: Formula
    conclusion: Formula

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.premise, self.conclusion)

    def __str__(self) -> str:
        return f"{_parenthesize(self.premise, _OR)} -> {_parenthesize(self.conclusion, _IMPLIES)}"


@dataclass(frozen=True, slots=True, repr=False)
class Iff(Formula):
    """`f <-> g`: `f` and `g` have the same truth value."""

    first: Formula
    second: Formula

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.first, self.second)

    def __str__(self) -> str:
        return f"{_parenthesize(self.first, _IFF)} <-> {_parenthesize(self.second, _IMPLIES)}"


@dataclass(frozen=True, slots=True, repr=False)
class Announcement(Formula):
    """`[f!] g`: if `f` is true, `g` is true after the public announcement of `f`."""

    announcement: Formula
    then: Formula

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.announcement, self.then)

    def __str__(self) -> str:
        return f"[{self.announcement}!] {_parenthesize(self.then, _PREFIX)}"


_MODAL = (Knows, Distributed, Common, Publicly, Unknown, Announcement)

_BINDING: dict[type[Formula], int] = {And: _AND, Or: _OR, Implies: _IMPLIES, Iff: _IFF}


def _parenthesize(part: Formula, least: int) -> str:
    return str(part) if _BINDING.get(type(part), _PREFIX) >= least else f"({part})"


def _flatten(parts: Iterable[Formula], kind: type[Formula]) -> tuple[Formula, ...]:
    opened: list[Formula] = []
    for part in as_iterator(parts, kind.__name__):
        opened.extend(part.parts() if isinstance(part, kind) else (part,))
    if len(opened) < 2:
        raise InputError(f"{kind.__name__} needs two formulas, not {len(opened)}")
    return tuple(opened)


TRUE = Constant(True)
FALSE = Constant(False)


def _formulas(parts: Iterable[Formula]) -> tuple[Formula, ...]:
    listed = tuple(as_iterator(parts, "parts"))
    for index, part in enumerate(listed):
        if not isinstance(part, Formula):
            raise InputError(f"parts[{index}]: {quote_value(part)} is not a formula")
    return listed


def every(parts: Iterable[Formula]) -> Formula:
    """Return the conjunction of some formulas, or `true` if there are none."""
    listed = _formulas(parts)
    return And(listed) if len(listed) > 1 else listed[0] if listed else TRUE


def some(parts: Iterable[Formula]) -> Formula:
    """Return the disjunction of some formulas, or `false` if there are none."""
    listed = _formulas(parts)
    return Or(listed) if len(listed) > 1 else listed[0] if listed else FALSE


def negation(formula: Formula) -> Formula:
    """Return the negation of a formula: `!f` for a formula `f`, and `f` for `!f`.

    The negation of a constant is the other constant.
    """
    match formula:
        case Constant(value):
            return FALSE if value else TRUE
        case Not(part):
            return part
        case _:
            return Not(formula)


K, P = Knows, Publicly


def C(part: Formula, players: Iterable[int] = ()) -> Common:  # noqa: N802 - the logic's notation
    """Return the formula `C f`: it is common knowledge of all players that `f` is true.

    If `players` is given, return `C{1,2} f`: it is common knowledge of players 1 and 2.
    """
    return Common(part, tuple(as_iterator(players, "players")))


def M(player: int, part: Formula) -> Formula:  # noqa: N802 - the logic's notation
    """Return the formula `!K1 !f`, also written `M1 f`: player 1 considers `f` possible."""
    return Not(Knows(player, negation(part)))


def Kw(player: int, part: Formula) -> Formula:  # noqa: N802 - the logic's notation
    """Return `K1 f | K1 !f`, also written `Kw1 f`: player 1 knows whether `f` is true."""
    return Or((Knows(player, part), Knows(player, negation(part))))


def E(players: Iterable[int], part: Formula) -> Formula:  # noqa: N802 - the logic's notation
    """Return the formula `E{1,2} f`: players 1 and 2 both know that `f` is true."""
    return every(Knows(player, part) for player in as_iterator(players, "players"))


def H(player: int, card: Card | str) -> Holds:  # noqa: N802 - the logic's notation
    """Return the formula `H4 8/4`: player 4 holds card 8/4.

    The card may be given as a `Card` or as its text.
    """
    return Holds(player, Card.parse(card) if isinstance(card, str) else card)


def D(players: Iterable[int], part: Formula) -> Distributed:  # noqa: N802 - the logic's notation
    """Return the formula `D{1,2} f`: players 1 and 2 would know `f` if they pooled their hands."""
    return Distributed(tuple(as_iterator(players, "players")), part)


def U(knower: int, owner: int, count: int) -> Unknown:  # noqa: N802 - the logic's notation
    """Return the formula `U1(4)=2`: exactly 2 cards of player 4 are unknown to player 1."""
    return Unknown(knower, owner, count)
