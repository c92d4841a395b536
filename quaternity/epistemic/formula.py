"""Formulas about who holds which card and who knows it: immutable values with operators.

>>> held = Holds(4, Card(8, 4))
>>> print(Knows(1, held) & ~Common(held >> TRUE))
K1 H4 8/4 & !C (H4 8/4 -> true)

Short names follow the notation of the logic:

>>> print(K(1, H(4, "8/4")) & ~C(H(0, "8/0") >> P(H(1, "8/1"))))
K1 H4 8/4 & !C (H0 8/0 -> P H1 8/1)
>>> print(H(2, "0/1").announce(D({2, 1}, H(3, "0/0"))) | U(1, 4, 1))
[H2 0/1!] D{1,2} H3 0/0 | U1(4)=1

The text `str(formula)` can be parsed back into an equal formula by
`quaternity.epistemic.grammar.parse`. In Python, `>>` binds tighter than `&` and `|`; in text, `->`
binds weaker, as usual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from quaternity.base.errors import InputError, LimitError
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_iterator, check_int
from quaternity.game.cards import Card

MAX_DEPTH = 100
"""Maximum nesting depth of a formula. A long conjunction or disjunction counts as one level."""
MAX_SIZE = 100_000
"""Maximum number of subformulas, counting each occurrence."""

_NO_PLAYERS: frozenset[int] = frozenset()
_IFF, _IMPLIES, _OR, _AND, _PREFIX = range(5)  # how tightly the operators bind in text


@dataclass(frozen=True, slots=True)
class Formula:
    """Base class of all formulas. Immutable, hashable, compared by value.

    Operators: `~f`, `f & g`, `f | g`, `f >> g`; methods `f.iff(g)` and `f.announce(g)`.

    Attributes:
        depth: 1 without parts, otherwise one more than the deepest part.
        size: The number of subformulas, including this one.
        modal_depth: How deep knowledge and announcements are nested; 0 for a formula about one
            deal.
        determining_players: Players whose hands together determine the truth value, among deals
            that are connected by steps that a player cannot distinguish.
        public: Whether the truth value is the same in all public deals.

    Raises:
        InputError: If a part has the wrong type, or a number is negative.
        LimitError: Above `MAX_DEPTH` or `MAX_SIZE`.
    """

    depth: int = field(init=False, compare=False, repr=False)
    size: int = field(init=False, compare=False, repr=False)
    modal_depth: int = field(init=False, compare=False, repr=False)
    determining_players: frozenset[int] = field(init=False, compare=False, repr=False)
    public: bool = field(init=False, compare=False, repr=False)

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

    def _check(self) -> None:
        """Convert and store the fields. Raise InputError if one is not valid."""

    def _determine(self) -> tuple[frozenset[int], bool]:
        hands, public = _NO_PLAYERS, True
        for part in self.parts():
            hands, public = hands | part.determining_players, public and part.public
        return hands, public

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return ()

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return a copy with other immediate subformulas, of the same number."""
        return type(self)(*_formulas(parts)) if parts else self

    def subformulas(self) -> Iterator[Formula]:
        """Yield this formula and all subformulas, each occurrence, outermost first."""
        waiting: list[Formula] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.parts()))

    def __bool__(self) -> bool:
        raise TypeError("a formula has no truth value without a deal: see `holds`")

    def __invert__(self) -> Formula:
        return Not(self)

    def __and__(self, other: Formula) -> Formula:
        return And((self, other)) if isinstance(other, Formula) else NotImplemented

    def __or__(self, other: Formula) -> Formula:
        return Or((self, other)) if isinstance(other, Formula) else NotImplemented

    def __rshift__(self, other: Formula) -> Formula:
        return Implies(self, other) if isinstance(other, Formula) else NotImplemented

    def iff(self, other: Formula) -> Formula:
        """Return the formula that both are true or both are false."""
        return Iff(self, other)

    def announce(self, then: Formula) -> Formula:
        """Return `[self!] then`: if `self` is true, `then` is true after its announcement."""
        return Announcement(self, then)


def _number(value: object, place: str) -> int:
    if type(value) is int and value >= 0:  # the fast path for nearly all values
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


@dataclass(frozen=True, slots=True)
class Constant(Formula):
    """`true` or `false`."""

    value: bool

    def _check(self) -> None:
        if not isinstance(self.value, bool):
            raise InputError(f"{self.value!r} is neither True nor False")

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(frozen=True, slots=True)
class Holds(Formula):
    """`H4 8/4`: the player holds the card."""

    player: int
    card: Card

    def _check(self) -> None:
        _convert_numbers(self, "player")
        if not isinstance(self.card, Card):
            raise InputError(f"{self.card!r} is not a Card")
        index, number = _number(self.card.set_index, "set"), _number(self.card.number, "card")
        if index is not self.card.set_index or number is not self.card.number:
            object.__setattr__(self, "card", Card(index, number))

    def _determine(self) -> tuple[frozenset[int], bool]:
        return frozenset((self.player,)), False

    def __str__(self) -> str:
        return f"H{self.player} {self.card}"


@dataclass(frozen=True, slots=True)
class Unknown(Formula):
    """`U1(4)=2`: exactly `count` of the owner's cards are not known by `knower` to be the owner's.

    The count is of the cards c that the owner holds and for which K(knower, H(owner, c)) is false.
    With `at_most`, the formula is `U1(4)<=2`: this many or fewer.
    """

    knower: int
    owner: int
    count: int
    at_most: bool = False

    def _check(self) -> None:
        _convert_numbers(self, "knower", "owner", "count")
        if not isinstance(self.at_most, bool):
            raise InputError(f"at_most: {self.at_most!r} is neither True nor False")

    def _determine(self) -> tuple[frozenset[int], bool]:
        return frozenset((self.knower,)), False

    def __str__(self) -> str:
        return f"U{self.knower}({self.owner}){'<=' if self.at_most else '='}{self.count}"


@dataclass(frozen=True, slots=True)
class Not(Formula):
    """`!f`."""

    part: Formula

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.part,)

    def __str__(self) -> str:
        return f"!{_parenthesize(self.part, _PREFIX)}"


@dataclass(frozen=True, slots=True)
class Knows(Formula):
    """`K1 f`: `f` is true in every deal that agrees with the real one in the player's hand."""

    player: int
    part: Formula

    def _check(self) -> None:
        _convert_numbers(self, "player")

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.part,)

    @property
    def players(self) -> tuple[int, ...]:
        """Return the player as a tuple, as in `Distributed`."""
        return (self.player,)

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return a copy with other immediate subformulas."""
        return Knows(self.player, *parts)

    def _determine(self) -> tuple[frozenset[int], bool]:
        return frozenset((self.player,)), False

    def __str__(self) -> str:
        return f"K{self.player} {_parenthesize(self.part, _PREFIX)}"


@dataclass(frozen=True, slots=True)
class Distributed(Formula):
    """`D{1,2} f`: the players, at least one, would know it if they pooled their hands."""

    players: tuple[int, ...]
    part: Formula

    def _check(self) -> None:
        _convert_players(self)
        if not self.players:
            raise InputError("D{}: at least one player is needed (`P` asks about all public deals)")

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.part,)

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return a copy with other immediate subformulas."""
        return Distributed(self.players, *parts)

    def _determine(self) -> tuple[frozenset[int], bool]:
        return frozenset(self.players), False

    def __str__(self) -> str:
        return f"D{_format_players(self.players)} {_parenthesize(self.part, _PREFIX)}"


@dataclass(frozen=True, slots=True)
class Common(Formula):
    """`C f`: common knowledge: `f` is true in every deal reachable along indistinguishable steps.

    Each step may be one that any player cannot distinguish; in `C{1,2} f` only the steps of these
    players count. `Publicly` implies common knowledge, but not vice versa: a formula that is
    false only in unreachable deals can still be common knowledge.
    """

    part: Formula
    players: tuple[int, ...] = ()

    def _check(self) -> None:
        _convert_players(self)

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.part,)

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return a copy with other immediate subformulas."""
        (part,) = parts
        return Common(part, self.players)

    def _determine(self) -> tuple[frozenset[int], bool]:
        # The hand of any one player of the group determines it: see `determined`.
        return frozenset(self.players[:1]), False

    def members(self, players: int) -> tuple[int, ...]:
        """Return the players whose steps count, in a game of the given number of players."""
        return self.players or tuple(range(players))

    def __str__(self) -> str:
        group = _format_players(self.players) if self.players else ""
        return f"C{group} {_parenthesize(self.part, _PREFIX)}"


@dataclass(frozen=True, slots=True)
class Publicly(Formula):
    """`P f`: `f` is true in every public deal, so it follows from the public record alone."""

    part: Formula

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.part,)

    def _determine(self) -> tuple[frozenset[int], bool]:
        return _NO_PLAYERS, True

    def __str__(self) -> str:
        return f"P {_parenthesize(self.part, _PREFIX)}"


@dataclass(frozen=True, slots=True)
class And(Formula):
    """`f & g & …`, two or more parts; nested conjunctions are flattened."""

    conjuncts: tuple[Formula, ...]

    def _check(self) -> None:
        object.__setattr__(self, "conjuncts", _flatten(self.conjuncts, And))

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return self.conjuncts

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return a copy with other immediate subformulas."""
        return And(tuple(parts))

    def __str__(self) -> str:
        return " & ".join(_parenthesize(part, _AND) for part in self.conjuncts)


@dataclass(frozen=True, slots=True)
class Or(Formula):
    """`f | g | …`, two or more parts; nested disjunctions are flattened."""

    disjuncts: tuple[Formula, ...]

    def _check(self) -> None:
        object.__setattr__(self, "disjuncts", _flatten(self.disjuncts, Or))

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return self.disjuncts

    def with_parts(self, parts: Sequence[Formula]) -> Formula:
        """Return a copy with other immediate subformulas."""
        return Or(tuple(parts))

    def __str__(self) -> str:
        return " | ".join(_parenthesize(part, _OR) for part in self.disjuncts)


@dataclass(frozen=True, slots=True)
class Implies(Formula):
    """`f -> g`."""

    premise: Formula
    conclusion: Formula

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.premise, self.conclusion)

    def __str__(self) -> str:
        return f"{_parenthesize(self.premise, _OR)} -> {_parenthesize(self.conclusion, _IMPLIES)}"


@dataclass(frozen=True, slots=True)
class Iff(Formula):
    """`f <-> g`."""

    first: Formula
    second: Formula

    def parts(self) -> tuple[Formula, ...]:
        """Return the immediate subformulas."""
        return (self.first, self.second)

    def __str__(self) -> str:
        return f"{_parenthesize(self.first, _IFF)} <-> {_parenthesize(self.second, _IMPLIES)}"


@dataclass(frozen=True, slots=True)
class Announcement(Formula):
    """`[f!] g`: if `f` is true, then `g` is true after the public announcement of `f`."""

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
    """Return the conjunction of any number of formulas; `true` for none."""
    listed = _formulas(parts)
    return And(listed) if len(listed) > 1 else listed[0] if listed else TRUE


def some(parts: Iterable[Formula]) -> Formula:
    """Return the disjunction of any number of formulas; `false` for none."""
    listed = _formulas(parts)
    return Or(listed) if len(listed) > 1 else listed[0] if listed else FALSE


def negation(formula: Formula) -> Formula:
    """Return `!f`; cancel a double negation and negate a constant directly."""
    match formula:
        case Constant(value):
            return FALSE if value else TRUE
        case Not(part):
            return part
        case _:
            return Not(formula)


K, P = Knows, Publicly


def C(part: Formula, players: Iterable[int] = ()) -> Common:  # noqa: N802 - the logic's notation
    """Return `C f`, common knowledge of all players; `C(f, {1, 2})` is that of a group."""
    return Common(part, tuple(as_iterator(players, "players")))


def M(player: int, part: Formula) -> Formula:  # noqa: N802 - the logic's notation
    """Return `M1 f`, which is `!K1 !f`: player 1 considers `f` possible."""
    return Not(Knows(player, negation(part)))


def Kw(player: int, part: Formula) -> Formula:  # noqa: N802 - the logic's notation
    """Return `Kw1 f`, which is `K1 f | K1 !f`: player 1 knows whether `f` is true."""
    return Or((Knows(player, part), Knows(player, negation(part))))


def E(players: Iterable[int], part: Formula) -> Formula:  # noqa: N802 - the logic's notation
    """Return `E{1,2} f`: each of the players knows `f`."""
    return every(Knows(player, part) for player in as_iterator(players, "players"))


def H(player: int, card: Card | str) -> Holds:  # noqa: N802 - the logic's notation
    """Return `H4 8/4`: the player holds the card, given as a `Card` or as text."""
    return Holds(player, Card.parse(card) if isinstance(card, str) else card)


def D(players: Iterable[int], part: Formula) -> Distributed:  # noqa: N802 - the logic's notation
    """Return `D{1,2} f`: distributed knowledge of some players."""
    return Distributed(tuple(as_iterator(players, "players")), part)


def U(knower: int, owner: int, count: int) -> Unknown:  # noqa: N802 - the logic's notation
    """Return `U1(4)=2`: player 1 does not know exactly 2 of the cards of player 4."""
    return Unknown(knower, owner, count)
