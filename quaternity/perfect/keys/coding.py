"""Keys of canonical states: a few dozen bytes that are equal exactly when the states are.

A key holds, in this order: who is on turn where that is not simply role 0 (`place`), the hands and
points of the roles 1, 2, ..., and the kinds of the sets in play, ascending. Role 0 is on turn; its
hand and points follow from the sizes. Each field has a fixed width in bits and stays within one of
the 64-bit words of the key, so that keys of one game compare like the fields, in bytes and in
words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from operator import index
from struct import Struct
from typing import Any, NamedTuple

from quaternity.errors import InputError, LimitError
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.game.transition import out_of_play
from quaternity.perfect.keys.kinds import KindBook, NumberedKind, kind_book
from solvers.coalition_tables import lanes_for
from solvers.problem import DealProblem, SetConstraint

Key = bytes
"""The key of a canonical state."""


class Parts(NamedTuple):
    """A canonical state, taken apart.

    Attributes:
        place: 0 when the order of players cannot matter any more; otherwise how many players with
            cards come before role 0 in it, or, when chance decides who is on turn, the number of
            players.
        hands, points: per role.
        kinds: the numbers of the kinds of the sets in play, ascending.
    """

    place: int
    hands: tuple[int, ...]
    points: tuple[int, ...]
    kinds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """What canonical states and their graph depend on: sizes and tie-break.

    Attributes:
        set_size, sets, players: as in `Settings`. The cards may be shared unevenly.
        tie_break: the rule of the game.

    >>> Rules.of(Settings(4, 3, 3))
    Rules(set_size=4, sets=3, players=3, tie_break=<TieBreak.FIRST_IN_ORDER: 'first-in-order'>)
    """

    set_size: int
    sets: int
    players: int
    tie_break: TieBreak = TieBreak.FIRST_IN_ORDER

    @classmethod
    def of(cls, game: Settings | State) -> Rules:
        """The rules of a state's or settings' game.

        With up to three players no tie-break ever has a choice (see `order_matters`), so there the
        rules do not tell them apart.
        """
        tie_break = game.tie_break if game.players > 3 else TieBreak.FIRST_IN_ORDER
        return cls(game.set_size, game.sets, game.players, tie_break)

    def document(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return asdict(self) | {"tie_break": str(self.tie_break)}

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> Rules:
        """The rules that `document` was made of.

        Raises:
            KeyError, TypeError, ValueError: they are not.
        """
        sizes = ("set_size", "sets", "players")
        set_size, sets, players = (index(document[name]) for name in sizes)
        return cls(set_size, sets, players, TieBreak(document["tie_break"]))

    def order_matters(self, hands: Sequence[int]) -> bool:
        """Whether the order of the players can still decide something.

        The tie-break speaks when asker and asked are both without cards. Nobody whose hand is empty
        ever holds cards again (only the player on turn receives any, and he has some). With three
        players holding cards the tie-break can choose only the third; so it takes four.

        >>> Rules(2, 4, 4).order_matters([3, 2, 1, 0]), Rules(2, 4, 4).order_matters([2, 2, 2, 2])
        (False, True)
        """
        return self.tie_break is TieBreak.FIRST_IN_ORDER and len(hands) - hands.count(0) >= 4


class Coding:
    """Turns the parts of a canonical state into its key and back.

    Raises:
        LimitError: too many players, or a set can look too many ways for a word to number them:
            from sets of 11 at seven players on.

    Attributes:
        rules: of the game.
        book: its kinds.
        fields: per field (word, shift): where its value goes. The fields are place, hands of the
            roles from 1, points of the roles from 1, kinds (0 for completed sets, first).
        widths: per field its bits.
        words: number of 64-bit words of a key.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        players, sets = rules.players, rules.sets
        self.book: KindBook = kind_book(
            rules.set_size, lanes_for(players, rules.set_size * sets, rules.set_size)
        )
        self.cards = rules.set_size * sets
        others = players - 1
        self.widths = (
            [players.bit_length() if players >= 4 else 0]
            + [self.cards.bit_length()] * others
            + [sets.bit_length()] * others
            + [self.book.total.bit_length()] * sets
        )
        if max(self.widths) > 64:
            raise LimitError(
                f"canonical states are not made for sets of {rules.set_size} and {players} players:"
                f" a set can look {self.book.total:,} ways, and 64 bits number them"
            )
        self.fields: list[tuple[int, int]] = []
        word, free = 0, 64
        for width in self.widths:
            if width > free:
                word, free = word + 1, 64
            free -= width
            self.fields.append((word, free))
        self.words = word + 1
        self._struct = Struct(f">{self.words}Q")

    def key(self, parts: Parts) -> Key:
        """The key of a canonical state."""
        words = [0] * self.words
        fields = iter(self.fields)
        sets_done = self.rules.sets - len(parts.kinds)
        values = (parts.place, *parts.hands[1:], *parts.points[1:], *[0] * sets_done, *parts.kinds)
        for (word, shift), value in zip(fields, values, strict=True):
            words[word] |= value << shift
        return self._struct.pack(*words)

    def parts(self, key: Key) -> Parts:
        """A key taken apart.

        Raises:
            InputError: it is not a key of this game.
        """
        if len(key) != 8 * self.words:
            raise InputError(f"a key of {len(key)} bytes: expected {8 * self.words}")
        words = self._struct.unpack(key)
        values = [
            words[word] >> shift & ((1 << width) - 1)
            for (word, shift), width in zip(self.fields, self.widths, strict=True)
        ]
        others = self.rules.players - 1
        hands, points = values[1 : 1 + others], values[1 + others : 1 + 2 * others]
        kinds = tuple([number for number in values[1 + 2 * others :] if number])
        hand = self.rules.set_size * len(kinds) - sum(hands)
        mine = self.rules.sets - len(kinds) - sum(points)
        if min(hand, mine) < 0 or max(kinds, default=0) > self.book.total:
            raise InputError(f"{key.hex()} is not a key of {self.rules}")
        return Parts(values[0], (hand, *hands), (mine, *points), kinds)

    def state(self, key: Key) -> State:
        """A state with this key: the players in their order where it matters, else role 0 first.

        Raises:
            InputError: not a key of this game, or one of a state in which chance is on turn.
        """
        parts = self.parts(key)
        players = self.rules.players
        if parts.place == players:
            raise InputError("chance decides who is on turn: no state says that")
        order = self.order(parts)
        names = [order.index(role) for role in range(players)]
        kinds: list[NumberedKind] = [
            self.book.numbered(number).renamed(order) for number in parts.kinds
        ]
        done = [names[role] for role, points in enumerate(parts.points) for _ in range(points)]
        sets: list[SetConstraint] = [out_of_play(players)] * len(done)
        sets += [kind.constraint for kind in kinds]
        return State(
            DealProblem([parts.hands[role] for role in order], sets),
            names[0],
            (*done, *[None] * len(kinds)),
            self.rules.set_size,
            self.rules.tie_break,
        )

    def order(self, parts: Parts) -> tuple[int, ...]:
        """The roles in the order of the players; role 0 first where the order does not matter."""
        if 0 < parts.place < self.rules.players:
            return (
                *range(1, parts.place + 1), 0, *range(parts.place + 1, self.rules.players)
            )  # fmt: skip
        return tuple(range(self.rules.players))


@lru_cache(maxsize=32)
def coding(rules: Rules) -> Coding:
    """The one coding of a game.

    Raises:
        LimitError: too many players (`quaternity.perfect.keys.kinds.MOST_PLAYERS`), or sets of many
            cards with many players (see `Coding`).
    """
    return Coding(rules)


__all__ = ["Coding", "Key", "Parts", "Rules", "coding"]
