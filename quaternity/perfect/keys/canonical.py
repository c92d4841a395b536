"""Canonical states: one key for all states that have the same future, apart from names.

Two states have the same key exactly if some renaming of cards, sets and players makes their
possible deals, points and players to move equal. The key is found in four steps:

- Close the state: make all possible owners and all minimums as tight as the possible deals allow.
- Drop completed sets, which then count only as points.
- Sort the cards within each set, and the sets within the state.
- Assign a role to each player, such that the key is the smallest possible. The player to move has
  role 0.

Only the tie-break `first-in-order` distinguishes players by their order. While this order can
matter (see `Rules.order_matters`), the players who hold cards keep it. With the tie-break
`fewest-sets` and four or more players, chance may decide who is to move. Such a position also has a
key.

When all sets are completed, there is no player to move, and only the points count. So the game
4-3-3 (set size, sets, players) has three final states, with the points 3-0-0, 2-1-0 and 1-1-1.

A key has a few dozen bytes. It contains, in this order: the field `place` of `StateParts`, which
says whose turn it is; the hands and points of the roles 1, 2, ...; and the kinds of the sets in
play, in ascending order. The hand and points of role 0 follow from the sizes of the game. Each
field has a fixed width and lies within one 64-bit word of the key. So keys can be compared as bytes
or as words, with the same result as comparing their fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import chain, permutations, product
from operator import index
from struct import Struct
from typing import Any, NamedTuple

from quaternity.base.errors import InputError, LimitError
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.game.transition import out_of_play, tied_players
from quaternity.perfect.keys.kinds import MAX_KEY_PLAYERS, KindBook, NumberedKind, Roles, kind_book
from solvers.coalition_tables import layout_for
from solvers.problem import DealProblem, SetConstraint

Key = bytes
"""Identifier of a state, which stays the same if the players, sets and cards are renumbered."""


class StateParts(NamedTuple):
    """The parts of a canonical state. Players are numbered by their roles. Role 0 is to move.

    Attributes:
        place: the number of players with cards who come before role 0, or 0 if the order of the
            players cannot matter. If chance draws the player to move, it is the number of players.
        hands, points: the number of cards and of completed sets of each role.
        kinds: numbers that describe the sets in play (see `quaternity.perfect.keys.kinds`),
            ascending.
    """

    place: int
    hands: tuple[int, ...]
    points: tuple[int, ...]
    kinds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a game that determine which states can follow from a state.

    The rules do not include the sizes of hands, which may differ from each other.

    >>> Rules.of(Settings(4, 3, 3)) == Rules(4, 3, 3)
    True
    """

    set_size: int
    sets: int
    players: int
    tie_break: TieBreak = TieBreak.FIRST_IN_ORDER
    brisk: bool = False

    @classmethod
    def of(cls, game: Settings | State) -> Rules:
        """Return the rules of the game that a state or settings belong to.

        With up to three players, the tie-break never matters (see `order_matters`), so the result
        is the same for all tie-breaks.
        """
        tie_break = game.tie_break if game.players > 3 else TieBreak.FIRST_IN_ORDER
        return cls(game.set_size, game.sets, game.players, tie_break, game.brisk)

    def document(self) -> dict[str, Any]:
        """Return the rules as plain values for JSON. Only brisk games have the key `brisk`."""
        document = asdict(self) | {"tie_break": str(self.tie_break)}
        if not self.brisk:
            del document["brisk"]
        return document

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> Rules:
        """Create the rules from a dictionary that the method `document` has returned.

        Raises:
            KeyError, TypeError, ValueError: If the document is not valid.
        """
        sizes = ("set_size", "sets", "players")
        set_size, sets, players = (index(document[name]) for name in sizes)
        brisk = document.get("brisk", False)
        if type(brisk) is not bool:
            raise ValueError(f"brisk: must be true or false, not {brisk!r}")
        return cls(set_size, sets, players, TieBreak(document["tie_break"]), brisk)

    def order_matters(self, hands: Sequence[int]) -> bool:
        """Return whether the order of the players can still decide who is to move.

        This is possible with the tie-break `first-in-order`, while four or more have cards.

        >>> Rules(2, 4, 4).order_matters([3, 2, 1, 0]), Rules(2, 4, 4).order_matters([2, 2, 2, 2])
        (False, True)
        """
        # The tie-break decides if neither the asker nor the asked player has cards. A player with
        # an empty hand never holds cards again, because only the player to move receives cards and
        # already has some. If only three players hold cards, the tie-break can only choose the
        # third.
        return self.tie_break is TieBreak.FIRST_IN_ORDER and len(hands) - hands.count(0) >= 4


def field_layout(widths: Iterable[int]) -> list[tuple[int, int]]:
    """Return where each field of a key is stored in its 64-bit words, as pairs (word, shift).

    `widths` contains the width of each field in bits. No field extends over two words.

    >>> field_layout([60, 3, 2])
    [(0, 4), (0, 1), (1, 62)]
    """
    fields = []
    word, free = 0, 64
    for width in widths:
        if width > free:
            word, free = word + 1, 64
        free -= width
        fields.append((word, free))
    return fields


class KeyCodec:
    """Converter between the parts of a canonical state and its key (a few dozen bytes).

    Raises:
        LimitError: If there are too many players, or a set has too many kinds to number them with
            64 bits (as with sets of 11 or more and seven players).

    Attributes:
        fields: the (word, shift) of each field. The fields are the place, the hands of the roles
            from 1, the points of the roles from 1, and the kinds, which begin with a 0 for each
            completed set.
        widths: the width of each field, in bits.
        words: number of 64-bit words of a key.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        players, sets = rules.players, rules.sets
        # Check this before laying out the tables, because their size doubles with every player.
        if players > MAX_KEY_PLAYERS:
            raise LimitError(
                f"canonical states have at most {MAX_KEY_PLAYERS} players, not {players}"
            )
        self.book: KindBook = kind_book(
            rules.set_size, layout_for(players, rules.set_size * sets, rules.set_size)
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
                f"sets of {rules.set_size} with {players} players have no canonical states: the "
                f"{self.book.total:,} possible states of a set are too many for 64 bits"
            )
        self.fields = field_layout(self.widths)
        self.words = self.fields[-1][0] + 1
        self._struct = Struct(f">{self.words}Q")

    def key(self, parts: StateParts) -> Key:
        """Return the key that encodes the parts of a canonical state."""
        words = [0] * self.words
        fields = iter(self.fields)
        sets_done = self.rules.sets - len(parts.kinds)
        values = (parts.place, *parts.hands[1:], *parts.points[1:], *[0] * sets_done, *parts.kinds)
        for (word, shift), value in zip(fields, values, strict=True):
            words[word] |= value << shift
        return self._struct.pack(*words)

    def parts(self, key: Key) -> StateParts:
        """Return the parts of a canonical state, decoded from its key.

        Raises:
            InputError: If it is not a key of this game.
        """
        if len(key) != 8 * self.words:
            raise InputError(f"key: must have {8 * self.words} bytes, not {len(key)}")
        words = self._struct.unpack(key)
        values = [
            words[word] >> shift & ((1 << width) - 1)
            for (word, shift), width in zip(self.fields, self.widths, strict=True)
        ]
        others = self.rules.players - 1
        hands, points = values[1 : 1 + others], values[1 + others : 1 + 2 * others]
        kinds = tuple([number for number in values[1 + 2 * others :] if number])
        hand = self.rules.set_size * len(kinds) - sum(hands)
        own_points = self.rules.sets - len(kinds) - sum(points)
        if min(hand, own_points) < 0 or max(kinds, default=0) > self.book.total:
            raise InputError(f"{key.hex()} is not a key of {self.rules}")
        return StateParts(values[0], (hand, *hands), (own_points, *points), kinds)

    def state(self, key: Key) -> State:
        """Return a state with this key, with the players in the order that `order` returns.

        Raises:
            InputError: If it is not a key of this game, or chance draws the player to move.
        """
        parts = self.parts(key)
        players = self.rules.players
        if parts.place == players:
            raise InputError("this key has no state, because chance chooses the player to move")
        order = self.order(parts)
        names = [order.index(role) for role in range(players)]
        kinds: list[NumberedKind] = [
            self.book.by_number(number).rename(order) for number in parts.kinds
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
            brisk=self.rules.brisk,
        )

    def order(self, parts: StateParts) -> tuple[int, ...]:
        """Return the roles (numbers in the canonical state) in the order in which the players sit.

        If the order of the players does not matter, return the roles in ascending order.
        """
        if 0 < parts.place < self.rules.players:
            return (
                *range(1, parts.place + 1), 0, *range(parts.place + 1, self.rules.players)
            )  # fmt: skip
        return tuple(range(self.rules.players))


@lru_cache(maxsize=32)
def coding(rules: Rules) -> KeyCodec:
    """Return the cached `KeyCodec` (converter of keys) for a game, or raise its `LimitError`."""
    return KeyCodec(rules)


class Canonical(NamedTuple):
    """A canonical state, which is the same for all states that differ only in names.

    Attributes:
        roles: `roles[role]` is the real player with this role (number in the canonical state). Role
            0 is to move.
    """

    key: Key
    roles: Roles


def canonical(state: State) -> Canonical:
    """Return the canonical form of a state.

    States that differ only in the names of cards, sets and players have the same key. The form also
    says which player has which role.

    Raises:
        InputError: If the state is impossible, has no player to move, has upper bounds that no game
            leads to, or is not settled (see `State.settle`).
        LimitError: If there are more than `quaternity.perfect.keys.kinds.MAX_KEY_PLAYERS` players.

    >>> from quaternity import Answer, Card, Question, Settings
    >>> state = State.start(Settings(set_size=2, sets=3, players=3))
    >>> first, second = (state.after(Question(0, asked, Card(1, 0)), Answer.NO) for asked in (1, 2))
    >>> canonical(first).key == canonical(second).key
    True
    >>> canonical(first).roles, canonical(second).roles
    ((1, 0, 2), (2, 0, 1))
    """
    code = coding(Rules.of(state))
    kinds = closed_kinds(code, state)
    points = state.points
    if not kinds:
        return canonical_end(code, points)
    if state.turn is None:
        raise InputError("turn: missing, but needed for a canonical state")
    if not state.hands[state.turn] or any(kind.owner is not None for kind in kinds):
        raise InputError(
            "no game leads to this state; use State.settle() to put down sets and pass the turn"
        )
    return canonical_form(code, kinds, state.problem.hands, points, state.turn)


def closed_kinds(code: KeyCodec, state: State) -> list[NumberedKind]:
    """Return what is known about each set in play, with the tightest owners and minimums.

    Raises:
        InputError: If the state is impossible, or has upper bounds that no game leads to.
    """
    slack = state.slack()
    if slack is None:
        raise InputError("the state is impossible, so it has no canonical form")
    book = code.book
    kinds = []
    for row in state.rows():
        owners, low, high = row.kind.key
        if owners:
            if min(high) < len(owners):
                raise InputError("a canonical state cannot have upper bounds below the set size")
            kinds.append(book.kind(owners, low).close(slack))
    return kinds


def canonical_form(
    code: KeyCodec,
    kinds: Sequence[NumberedKind],
    hands: Sequence[int],
    points: Sequence[int],
    turn: int,
) -> Canonical:
    """Return the canonical form of a state, given the sets in play and the player to move.

    The possible owners and minimums of the sets must already be as tight as possible. The players
    may have any numbers, unless their order matters.
    """
    if len(hands) >= 4 and code.rules.order_matters(hands):
        holding = [player for player, hand in enumerate(hands) if hand]
        bare = [player for player, hand in enumerate(hands) if not hand]
        bare.sort(key=points.__getitem__)
        others = [player for player in holding if player != turn]
        return _smallest_form(
            code, kinds, hands, points, [(turn, *others, *bare)], holding.index(turn)
        )
    return _smallest_form(code, kinds, hands, points, _role_orders(hands, points, turn), 0)


def canonical_end(code: KeyCodec, points: Sequence[int]) -> Canonical:
    """Return the canonical form of a finished game. The player with most points has role 0."""
    players = len(points)
    best = max(range(players), key=points.__getitem__)
    return _smallest_form(
        code, (), (0,) * players, points, _role_orders((0,) * players, points, best), 0
    )


def canonical_chance(
    code: KeyCodec,
    kinds: Sequence[NumberedKind],
    hands: Sequence[int],
    points: Sequence[int],
    tied: Iterable[int],
) -> Canonical:
    """Return the canonical form of a position in which chance chooses the player to move.

    Chance chooses one of the players `tied`. One of them has role 0 in the canonical form.
    """
    orders = chain.from_iterable(_role_orders(hands, points, player) for player in tied)
    return _smallest_form(code, kinds, hands, points, orders, len(hands))


def _role_orders(hands: Sequence[int], points: Sequence[int], first: int) -> Iterable[Roles]:
    """Yield orders of the players that begin with `first`. One of them gives the smallest key."""
    # The other players are sorted by the number of cards, then by points. Players with equal
    # numbers of cards and points come in every order, unless they have no cards.
    others = [player for player in range(len(hands)) if player != first]
    others.sort(key=lambda player: (hands[player], points[player]))
    groups: list[list[Roles]] = []
    start = 0
    for end in range(1, len(others) + 1):
        lowest = others[start]
        if end < len(others):
            other = others[end]
            if hands[lowest] == hands[other] and points[lowest] == points[other]:
                continue
        group = tuple(others[start:end])
        groups.append(list(permutations(group)) if hands[lowest] else [group])
        start = end
    for choice in product(*groups):
        yield (first, *chain.from_iterable(choice))


def symmetric_roles(code: KeyCodec, key: Key) -> tuple[int, ...]:
    """Return, for each role, the smallest role that is interchangeable with it in a state.

    Interchangeable roles can be renamed to each other without changing the state, so these players
    have the same prospects.
    """
    parts = code.parts(key)
    hands, points = parts.hands, parts.points
    smallest = list(range(len(hands)))
    if parts.kinds and not code.rules.order_matters(hands):
        kinds = [code.book.by_number(number) for number in parts.kinds]
        chance = parts.place == len(hands)
        for first in tied_players(hands, points) if chance else (0,):
            for roles in _role_orders(hands, points, first):
                if tuple(sorted([kind.rename(roles).number for kind in kinds])) == parts.kinds:
                    for role, other in enumerate(roles):
                        smallest[other] = min(smallest[other], role)
    bare = {(0, points[role]): role for role in reversed(range(len(hands))) if not hands[role]}
    return tuple(
        [
            bare.get((hand, point), least)
            for hand, point, least in zip(hands, points, smallest, strict=True)
        ]
    )


def _smallest_form(
    code: KeyCodec,
    kinds: Sequence[NumberedKind],
    hands: Sequence[int],
    points: Sequence[int],
    orders: Iterable[Roles],
    place: int,
) -> Canonical:
    best: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None = None
    best_roles: Roles = ()
    for roles in orders:
        form = (
            tuple([hands[player] for player in roles[1:]]),
            tuple([points[player] for player in roles[1:]]),
            tuple(sorted([kind.rename(roles).number for kind in kinds])),
        )
        if best is None or form < best:
            best, best_roles = form, roles
    assert best is not None, "there must be at least one order"
    first = best_roles[0]
    parts = StateParts(place, (hands[first], *best[0]), (points[first], *best[1]), best[2])
    return Canonical(code.key(parts), best_roles)
