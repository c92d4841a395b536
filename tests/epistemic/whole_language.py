"""A second implementation of the whole language: texts with meanings, over bit sets of deals.

It shares nothing with the package. A formula is drawn together with its meaning, which is computed
on the deals that `tests.kwartet.replay` leaves, as an integer with a bit for each deal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from tests.kwartet.replay import Cards, Deal

Bits: TypeAlias = int
Values: TypeAlias = dict[str, Any]
"""Values of variables: a player or a set (a number), or a card (a pair)."""
Meaning: TypeAlias = Callable[[Values, Bits], Bits]
"""The deals in which a formula is true, given the values of variables and the possible deals."""


@dataclass
class World:
    """All deals of a moment of a game, and what everybody can count."""

    deals: Sequence[Deal]
    sets: int
    size: int
    players: int
    points: Sequence[int]

    def __post_init__(self) -> None:
        self.all: Bits = (1 << len(self.deals)) - 1
        self._classes: dict[tuple[int, ...], list[Bits]] = {}
        self._sure: dict[tuple[Cards, int, int, Bits], Cards] = {}

    def where(self, test: Callable[[Deal], bool]) -> Bits:
        return sum(1 << number for number, deal in enumerate(self.deals) if test(deal))

    def classes(self, group: tuple[int, ...]) -> list[Bits]:
        """Return the sets of deals that a group cannot distinguish, with its hands combined."""
        if group not in self._classes:
            by_hands: dict[tuple[Cards, ...], Bits] = {}
            for number, deal in enumerate(self.deals):
                hands = tuple(deal[player] for player in group)
                by_hands[hands] = by_hands.get(hands, 0) | 1 << number
            self._classes[group] = list(by_hands.values())
        return self._classes[group]

    def sure(self, deal: Deal, knower: int, owner: int, among: Bits) -> Cards:
        """Return the owner's cards in every deal that the knower cannot distinguish from `deal`."""
        key = deal[knower], knower, owner, among
        if key not in self._sure:
            possible = (
                other[owner]
                for number, other in enumerate(self.deals)
                if among >> number & 1 and other[knower] == deal[knower]
            )
            first = next(possible, None)
            all_cards = frozenset().union(*(other[owner] for other in self.deals))
            self._sure[key] = all_cards if first is None else first.intersection(*possible)
        return self._sure[key]

    def knows(self, group: tuple[int, ...], true: Bits, among: Bits) -> Bits:
        return sum(block for block in self.classes(group) if not block & among & ~true)

    def common(self, group: tuple[int, ...], true: Bits, among: Bits) -> Bits:
        """Return the deals from which no steps of the group lead to a false deal."""
        reached = among & ~true
        while True:
            further = reached
            for player in group:
                for block in self.classes((player,)):
                    if block & further:
                        further |= block & among
            if further == reached:
                return self.all & ~reached
            reached = further


class RandomFormulas:
    """A source of random formulas of the whole language, as texts with meanings."""

    def __init__(self, world: World, random: Random) -> None:
        self.world, self.random = world, random
        self.scope: list[str] = []

    def formula(self, size: int) -> tuple[str, Meaning]:
        if size <= 0:
            return self.atom()
        kinds = (self.with_prefix, self.with_prefix, self.with_connective, self.with_quantifier,
                 self.with_announcement, self.with_definition)  # fmt: skip
        return self.random.choices(kinds, (4, 3, 3, 2, 1, 1))[0](size - 1)

    # -- atoms --------------------------------------------------------------------------------

    def pick(self, letters: str, plain: Callable[[], tuple[str, object]]) -> tuple[str, object]:
        """Return a variable in scope, or a plain term: its text, and its value or name."""
        bound = [variable for variable in self.scope if variable[0] in letters]
        if bound and self.random.random() < 0.7:
            name = self.random.choice(bound)
            return name, name
        return plain()

    def player(self) -> tuple[str, object]:
        number = self.random.randrange(self.world.players)
        return self.pick("pqr", lambda: (str(number), number))

    def holder(self) -> tuple[str, object]:
        """Draw a player, or sometimes the cards aside if there are any."""
        hands = len(self.world.deals[0])
        if hands > self.world.players and self.random.random() < 0.25:
            return str(hands - 1), hands - 1
        return self.player()

    def set_index(self) -> tuple[str, object]:
        number = self.random.randrange(self.world.sets)
        return self.pick("st", lambda: (str(number), number))

    def card(self) -> tuple[str, Callable[[Values], tuple[int, int]]]:
        number = self.random.randrange(self.world.size)
        index, meant = self.set_index()
        text, name = self.pick("cd", lambda: (f"{index}/{number}", None))
        if name is not None:
            return text, lambda values: values[str(name)]
        return text, lambda values: (_number(meant, values), number)

    def atom(self) -> tuple[str, Meaning]:
        world, kind = self.world, self.random.randrange(12)
        if kind == 0:
            truth = self.random.choice(("true", "false", "⊤", "⊥"))
            return truth, lambda values, among: world.all if truth in ("true", "⊤") else 0
        if kind < 8:
            (player_text, player), (text, card) = self.holder(), self.card()
            return f"H{player_text} {text}", lambda values, among: world.where(
                lambda deal: card(values) in deal[_number(player, values)]
            )
        left, right = self.number(), self.number()
        sign = self.random.choice(list(_SIGNS))
        if self.random.random() < 0.7:
            count = self.random.randrange(5)
            right = str(count), lambda deal, values, among: count
        text = f"{left[0]} {sign} {right[0]}"
        compare = _SIGNS[sign]
        return text, lambda values, among: world.where(
            lambda deal: compare(left[1](deal, values, among), right[1](deal, values, among))
        )

    def number(self) -> tuple[str, Callable[[Deal, Values, Bits], int]]:
        world, (player_text, player) = self.world, self.player()
        match self.random.randrange(5):
            case 0:
                return f"points({player_text})", lambda deal, values, among: world.points[
                    _number(player, values)
                ]
            case 1:
                return f"cards({player_text})", lambda deal, values, among: len(
                    deal[_number(player, values)]
                )
            case 2:
                index, meant = self.set_index()
                return f"cards({player_text}, {index})", lambda deal, values, among: sum(
                    card[0] == _number(meant, values) for card in deal[_number(player, values)]
                )
            case _:
                owner_text, owner = self.player()
                return f"U{player_text}({owner_text})", lambda deal, values, among: self.unknown(
                    deal, _number(player, values), _number(owner, values), among
                )

    def unknown(self, deal: Deal, knower: int, owner: int, among: Bits) -> int:
        return len(set(deal[owner]) - self.world.sure(deal, knower, owner, among))

    # -- around formulas ----------------------------------------------------------------------

    def with_prefix(self, size: int) -> tuple[str, Meaning]:
        world, (text, part) = self.world, self.formula(size)
        seat, player = self.player()
        everybody = tuple(range(world.players))
        group = tuple(sorted(self.random.sample(everybody, self.random.randint(1, world.players))))
        braces = "{" + ",".join(map(str, group)) + "}"
        if self.random.random() < 0.25:
            group, braces = everybody, ""

        def by(values: Values) -> tuple[int, ...]:
            return (_number(player, values),)

        kinds: list[tuple[str, Meaning]] = [
            (f"K{seat}", lambda v, a: world.knows(by(v), part(v, a), a)),
            (f"K{seat}", lambda v, a: world.knows(by(v), part(v, a), a)),
            (f"M{seat}", lambda v, a: world.all & ~world.knows(by(v), world.all & ~part(v, a), a)),
            (
                f"Kw{seat}",
                lambda v, a: (
                    world.knows(by(v), part(v, a), a)
                    | world.knows(by(v), world.all & ~part(v, a), a)
                ),
            ),
            (f"C{braces}", lambda v, a: world.common(group, part(v, a), a)),
            (f"D{braces}", lambda v, a: world.knows(group, part(v, a), a)),
            (f"E{braces}", lambda v, a: _all(world.knows((g,), part(v, a), a) for g in group)),
            ("P", lambda v, a: 0 if a & ~part(v, a) else world.all),
        ]
        negation = self.random.choice(["!", "¬", "~", "not"])
        kinds += [(negation, lambda v, a: world.all & ~part(v, a))] * 2
        prefix, meaning = self.random.choice(kinds)
        return f"{prefix} ({text})", meaning

    def with_connective(self, size: int) -> tuple[str, Meaning]:
        world = self.world
        (left, first), (right, second) = self.formula(size // 2), self.formula(size // 2)
        kinds: list[tuple[str, Meaning]] = [
            ("& ∧ and", lambda v, a: first(v, a) & second(v, a)),
            ("| ∨ or", lambda v, a: first(v, a) | second(v, a)),
            ("-> → =>", lambda v, a: world.all & ~first(v, a) | second(v, a)),
            ("<-> ↔ <=>", lambda v, a: world.all & ~(first(v, a) ^ second(v, a))),
        ]
        signs, meaning = self.random.choice(kinds)
        return f"(({left}) {self.random.choice(signs.split())} ({right}))", meaning

    def with_announcement(self, size: int) -> tuple[str, Meaning]:
        world = self.world
        (first, announced), (second, then) = self.formula(size // 2), self.formula(size // 2)

        def meaning(values: Values, among: Bits) -> Bits:
            left = among & announced(values, among)
            return world.all & ~left | then(values, left)

        return f"[{first}!] ({second})", meaning

    def with_quantifier(self, size: int) -> tuple[str, Meaning]:
        world, random = self.world, self.random
        letter = random.choice("pqcdst")
        name = letter + str(random.randrange(10)) * random.randrange(2)
        index = random.randrange(world.sets)
        ranges: dict[str, tuple[str, list[Any]]] = {
            "p": ("", list(range(world.players))),
            "s": ("", list(range(world.sets))),
            "c": (f" in set {index}", [(index, number) for number in range(self.world.size)]),
        }
        condition, elements = ranges[{"q": "p", "d": "c", "t": "s"}.get(letter, letter)]
        shown = [
            "/".join(map(str, item)) if isinstance(item, tuple) else str(item) for item in elements
        ]
        left_out = random.sample(range(len(elements)), random.choice((0, 0, 1, 2)))
        if left_out:
            condition += " != " + ", ".join(shown[place] for place in left_out)
        values = [element for number, element in enumerate(elements) if number not in left_out]
        self.scope.append(name)
        text, part = self.formula(min(size, 2))
        self.scope.remove(name)
        universal = random.random() < 0.5
        word = random.choice(["all", "∀"] if universal else ["some", "∃"])

        def meaning(bound: Values, among: Bits) -> Bits:
            truths = (part({**bound, name: value}, among) for value in values)
            return _all(truths, world.all) if universal else _some(truths)

        return f"({word} {name}{condition}: {text})", meaning

    def with_definition(self, size: int) -> tuple[str, Meaning]:
        """Draw a formula with a definition that is used twice, each time for another player."""
        world, outer = self.world, self.scope
        self.scope = ["r"]
        text, part = self.formula(min(size, 2))
        self.scope = outer
        first, second = self.random.sample(range(world.players), 2)
        return (
            f"(let this(r) = {text}; this({first}) & !this({second}))",
            lambda v, a: part({"r": first}, a) & ~part({"r": second}, a) & world.all,
        )


def _number(meant: object, values: Values) -> int:
    value = values[meant] if isinstance(meant, str) else meant
    assert isinstance(value, int)
    return value


def _all(parts: Iterable[Bits], start: Bits = -1) -> Bits:
    for part in parts:
        start &= part
    return start


def _some(parts: Iterable[Bits]) -> Bits:
    result = 0
    for part in parts:
        result |= part
    return result


_SIGNS: dict[str, Callable[[int, int], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    "≥": lambda a, b: a >= b,
}

__all__ = ["RandomFormulas", "World"]
