"""The whole language a second time: text with its meaning, over every deal replayed, as bit sets.

Shares nothing with the package: a formula is drawn together with what it means, and what it means
is worked out on the deals that `tests.kwartet.replay` leaves, an integer with a bit a deal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from tests.kwartet.replay import Cards, Deal

Bits: TypeAlias = int
Values: TypeAlias = dict[str, Any]
"""What variables stand for: a player or a set (a number), or a card (a pair)."""
Meaning: TypeAlias = Callable[[Values, Bits], Bits]
"""The deals where it is true, by what variables stand for and the deals that there are."""


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
        """The deals that a group cannot tell apart, hands together."""
        if group not in self._classes:
            found: dict[tuple[Cards, ...], Bits] = {}
            for number, deal in enumerate(self.deals):
                hands = tuple(deal[one] for one in group)
                found[hands] = found.get(hands, 0) | 1 << number
            self._classes[group] = list(found.values())
        return self._classes[group]

    def sure(self, deal: Deal, knower: int, owner: int, among: Bits) -> Cards:
        """The cards that an owner holds in every deal that a player cannot tell from one."""
        key = deal[knower], knower, owner, among
        if key not in self._sure:
            possible = (
                one[owner]
                for number, one in enumerate(self.deals)
                if among >> number & 1 and one[knower] == deal[knower]
            )
            first = next(possible, None)
            all_cards = frozenset().union(*(one[owner] for one in self.deals))
            self._sure[key] = all_cards if first is None else first.intersection(*possible)
        return self._sure[key]

    def known(self, group: tuple[int, ...], true: Bits, among: Bits) -> Bits:
        return sum(one for one in self.classes(group) if not one & among & ~true)

    def common(self, group: tuple[int, ...], true: Bits, among: Bits) -> Bits:
        """Everything from where steps of the group lead to nothing false."""
        reached = among & ~true
        while True:
            further = reached
            for player in group:
                for one in self.classes((player,)):
                    if one & further:
                        further |= one & among
            if further == reached:
                return self.all & ~reached
            reached = further


class Draw:
    """Draws formulas of the whole language, as text with meaning."""

    def __init__(self, world: World, random: Random) -> None:
        self.world, self.random = world, random
        self.scope: list[str] = []

    def formula(self, size: int) -> tuple[str, Meaning]:
        if size <= 0:
            return self.atom()
        kinds = (self.prefixed, self.prefixed, self.joined, self.quantified, self.announced,
                 self.named)  # fmt: skip
        return self.random.choices(kinds, (4, 3, 3, 2, 1, 1))[0](size - 1)

    # -- atoms --------------------------------------------------------------------------------

    def pick(self, letters: str, plain: Callable[[], tuple[str, object]]) -> tuple[str, object]:
        """A variable in scope, or something plain: its text, and its value or name."""
        bound = [one for one in self.scope if one[0] in letters]
        if bound and self.random.random() < 0.7:
            name = self.random.choice(bound)
            return name, name
        return plain()

    def player(self) -> tuple[str, object]:
        number = self.random.randrange(self.world.players)
        return self.pick("pqr", lambda: (str(number), number))

    def holder(self) -> tuple[str, object]:
        """A player, or now and then the cards aside, where there are some."""
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
            (who, player), (text, card) = self.holder(), self.card()
            return f"H{who} {text}", lambda values, among: world.where(
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
        world, (who, player) = self.world, self.player()
        match self.random.randrange(5):
            case 0:
                return f"points({who})", lambda deal, values, among: world.points[
                    _number(player, values)
                ]
            case 1:
                return f"cards({who})", lambda deal, values, among: len(
                    deal[_number(player, values)]
                )
            case 2:
                index, meant = self.set_index()
                return f"cards({who}, {index})", lambda deal, values, among: sum(
                    card[0] == _number(meant, values) for card in deal[_number(player, values)]
                )
            case _:
                whose, owner = self.player()
                return f"U{who}({whose})", lambda deal, values, among: self.unknown(
                    deal, _number(player, values), _number(owner, values), among
                )

    def unknown(self, deal: Deal, knower: int, owner: int, among: Bits) -> int:
        return len(set(deal[owner]) - self.world.sure(deal, knower, owner, among))

    # -- around formulas ----------------------------------------------------------------------

    def prefixed(self, size: int) -> tuple[str, Meaning]:
        world, (text, part) = self.world, self.formula(size)
        who, player = self.player()
        everybody = tuple(range(world.players))
        group = tuple(sorted(self.random.sample(everybody, self.random.randint(1, world.players))))
        braces = "{" + ",".join(map(str, group)) + "}"
        if self.random.random() < 0.25:
            group, braces = everybody, ""

        def one(values: Values) -> tuple[int, ...]:
            return (_number(player, values),)

        kinds: list[tuple[str, Meaning]] = [
            (f"K{who}", lambda v, a: world.known(one(v), part(v, a), a)),
            (f"K{who}", lambda v, a: world.known(one(v), part(v, a), a)),
            (f"M{who}", lambda v, a: world.all & ~world.known(one(v), world.all & ~part(v, a), a)),
            (
                f"Kw{who}",
                lambda v, a: (
                    world.known(one(v), part(v, a), a)
                    | world.known(one(v), world.all & ~part(v, a), a)
                ),
            ),
            (f"C{braces}", lambda v, a: world.common(group, part(v, a), a)),
            (f"D{braces}", lambda v, a: world.known(group, part(v, a), a)),
            (f"E{braces}", lambda v, a: _all(world.known((g,), part(v, a), a) for g in group)),
            ("P", lambda v, a: 0 if a & ~part(v, a) else world.all),
        ]
        negation = self.random.choice(["!", "¬", "~", "not"])
        kinds += [(negation, lambda v, a: world.all & ~part(v, a))] * 2
        prefix, meaning = self.random.choice(kinds)
        return f"{prefix} ({text})", meaning

    def joined(self, size: int) -> tuple[str, Meaning]:
        world = self.world
        (one, first), (two, second) = self.formula(size // 2), self.formula(size // 2)
        kinds: list[tuple[str, Meaning]] = [
            ("& ∧ and", lambda v, a: first(v, a) & second(v, a)),
            ("| ∨ or", lambda v, a: first(v, a) | second(v, a)),
            ("-> → =>", lambda v, a: world.all & ~first(v, a) | second(v, a)),
            ("<-> ↔ <=>", lambda v, a: world.all & ~(first(v, a) ^ second(v, a))),
        ]
        signs, meaning = self.random.choice(kinds)
        return f"(({one}) {self.random.choice(signs.split())} ({two}))", meaning

    def announced(self, size: int) -> tuple[str, Meaning]:
        world = self.world
        (one, said), (two, then) = self.formula(size // 2), self.formula(size // 2)

        def meaning(values: Values, among: Bits) -> Bits:
            left = among & said(values, among)
            return world.all & ~left | then(values, left)

        return f"[{one}!] ({two})", meaning

    def quantified(self, size: int) -> tuple[str, Meaning]:
        world, random = self.world, self.random
        letter = random.choice("pqcdst")
        name = letter + str(random.randrange(10)) * random.randrange(2)
        index = random.randrange(world.sets)
        ranges: dict[str, tuple[str, list[Any]]] = {
            "p": ("", list(range(world.players))),
            "s": ("", list(range(world.sets))),
            "c": (f" in set {index}", [(index, number) for number in range(self.world.size)]),
        }
        where, everything = ranges[{"q": "p", "d": "c", "t": "s"}.get(letter, letter)]
        shown = [
            "/".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in everything
        ]
        left_out = random.sample(range(len(everything)), random.choice((0, 0, 1, 2)))
        if left_out:
            where += " != " + ", ".join(shown[one] for one in left_out)
        values = [one for number, one in enumerate(everything) if number not in left_out]
        self.scope.append(name)
        text, part = self.formula(min(size, 2))
        self.scope.remove(name)
        universal = random.random() < 0.5
        word = random.choice(["all", "∀"] if universal else ["some", "∃"])

        def meaning(bound: Values, among: Bits) -> Bits:
            each = (part({**bound, name: one}, among) for one in values)
            return _all(each, world.all) if universal else _some(each)

        return f"({word} {name}{where}: {text})", meaning

    def named(self, size: int) -> tuple[str, Meaning]:
        """A formula by its name, used twice, with a player to be filled in."""
        world, outer = self.world, self.scope
        self.scope = ["r"]
        text, part = self.formula(min(size, 2))
        self.scope = outer
        one, two = self.random.sample(range(world.players), 2)
        return (
            f"(let this(r) = {text}; this({one}) & !this({two}))",
            lambda v, a: part({"r": one}, a) & ~part({"r": two}, a) & world.all,
        )


def _number(meant: object, values: Values) -> int:
    value = values[meant] if isinstance(meant, str) else meant
    assert isinstance(value, int)
    return value


def _all(each: Iterable[Bits], start: Bits = -1) -> Bits:
    for one in each:
        start &= one
    return start


def _some(each: Iterable[Bits]) -> Bits:
    found = 0
    for one in each:
        found |= one
    return found


_SIGNS: dict[str, Callable[[int, int], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    "≥": lambda a, b: a >= b,
}

__all__ = ["Draw", "World"]
