"""Numbered kinds of sets. Sets that differ only in the order of their cards are of one kind.

A *kind* describes what is known about one set of cards. It consists of an owner mask for each card,
in any order, and the minimum number of cards of each player. An owner mask is the bit mask of the
players who may own a card.

For a given set size and number of players, every kind has a number, which is the same in every
process and version of Python. Number 0 is the completed set. The number of any other kind combines
the ranks of two multisets. Each has one element for every card of the set. The first multiset
contains the owner masks. The second contains each player once for every card of the player's
minimum, and is filled up with the element "unclaimed". A rank is the position in the list of all
multisets of that size (combinatorial number system).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations as all_orders
from math import comb

from quaternity.game.transition import after_answer
from solvers.coalition_tables import IMPOSSIBLE, LaneLayout, SetShape
from solvers.filtering import filter_set

MAX_KEY_PLAYERS = 7
"""Maximum number of players in a canonical state. With more, trying all orders of players with
equal hands and points would take too long."""

MAX_CACHED_CLOSURES = 1 << 18
"""Maximum number of cached results of `KindBook.close`, which tightens the possible owners and
minimums of a set. The least recently used result is dropped."""

MAX_CACHED_KINDS = 1 << 17
"""Maximum number of kinds (sets of cards without the order of the cards) that a `KindBook` caches
before it clears the cache. A kind takes about 2 kB, or 8 kB for sets of ten."""

OWNER_WEIGHT = 1 << 16
"""Weight of each possible owner of a card in `NumberedKind.uncertainty`. It is larger than
any sum of the minimums, which have weight 1."""

Roles = tuple[int, ...]
"""Assignment of roles to players: `roles[role]` is the player with this role."""


@lru_cache(maxsize=MAX_KEY_PLAYERS)
def role_orders(players: int) -> tuple[tuple[Roles, ...], dict[Roles, int]]:
    """Return a sorted tuple of all orders of the players, and the index of each order.

    >>> role_orders(3)[0][:3], role_orders(3)[1][2, 0, 1]
    (((0, 1, 2), (0, 2, 1), (1, 0, 2)), 4)
    """
    orders = tuple(all_orders(range(players)))
    return orders, {order: number for number, order in enumerate(orders)}


def multiset_rank(values: Sequence[int]) -> int:
    """Return the position of a multiset in the list of all multisets of its size.

    The multiset is given as an ascending sequence of numbers >= 0.

    >>> [multiset_rank(values) for values in [(0, 0), (0, 1), (1, 1), (0, 2)]]
    [0, 1, 2, 3]
    """
    return sum(comb(value + place, place + 1) for place, value in enumerate(values))


def multiset_of_rank(rank: int, length: int) -> tuple[int, ...]:
    """Return the multiset of a given size and position, as an ascending sequence of numbers.

    This is the inverse of `multiset_rank`.

    >>> multiset_of_rank(3, 2)
    (0, 2)
    """
    values = []
    for place in range(length, 0, -1):
        value = place - 1
        while comb(value + 1, place) <= rank:
            value += 1
        rank -= comb(value, place)
        values.append(value - place + 1)
    return tuple(reversed(values))


class NumberedKind(SetShape):
    """A kind of set: what is known about a set of cards, regardless of their order.

    Its number is the same in every process. A `KindBook` usually has one object for equal kinds.

    Attributes:
        number: the number of the kind (see the module).
        masks: for each card, the bit mask of the players who may own it, ascending. There are none
            for a completed set.
        low: the minimum number of cards of each player.
        owner: the only player who may own any card of the set, or None.
    """

    __slots__ = (
        "_book", "_questions", "low", "masks", "number", "owner", "renamings"
    )  # fmt: skip

    def __init__(
        self, book: KindBook, number: int, masks: tuple[int, ...], low: tuple[int, ...]
    ) -> None:
        super().__init__(book.layout, (masks, low, (len(masks),) * len(low)))
        self._book = book
        self.number = number
        self.masks = masks
        self.low = low
        alone = masks and masks[0] == masks[-1] and masks[0].bit_count() == 1
        self.owner = masks[0].bit_length() - 1 if alone else None
        self.renamings: dict[Roles, NumberedKind] = {}
        self._questions: list[tuple[int, NumberedKind | None, NumberedKind | None, int]] | None = (
            None
        )

    def rename(self, roles: Roles) -> NumberedKind:
        """Return the kind with other player numbers: `roles[role]` gets the number `role`."""
        kind = self.renamings.get(roles)
        if kind is None:
            names = [roles.index(player) for player in range(len(roles))]
            masks = [
                sum(1 << names[player] for player in range(len(roles)) if mask >> player & 1)
                for mask in self.masks
            ]
            kind = self._book.kind(masks, tuple([self.low[player] for player in roles]))
            self.renamings[roles] = kind
        return kind

    def close(self, slack: int) -> NumberedKind:
        """Return the kind with its possible owners and minimums tightened as far as possible.

        `slack` says how many more cards each group of players could own than it holds
        (`solvers.coalition_tables.LaneLayout.slack`).
        """
        return self._book.close(self, slack)

    def questions(self) -> list[tuple[int, NumberedKind | None, NumberedKind | None, int]]:
        """Return the questions that player 0 can ask about the set, and what each answer reveals.

        An entry is a tuple: the asked player, what is known about the set after no and after yes
        (as a `NumberedKind`), and the number of interchangeable cards. A kind is None if the set
        alone makes this answer impossible. The owners and minimums of the kinds may still be
        tightened (see `close`).
        """
        if self._questions is None:
            self._questions = []
            for mask in sorted(set(self.masks) - {1}):
                for asked in range(1, len(self.low)):
                    no = self._after(asked, mask, False)
                    yes = self._after(asked, mask, True) if mask >> asked & 1 else None
                    if no is not None or yes is not None:
                        self._questions.append((asked, no, yes, self.masks.count(mask)))
        return self._questions

    def _after(self, asked: int, mask: int, answer: bool) -> NumberedKind | None:
        card = self.masks.index(mask)
        constraint = after_answer(self.constraint, 0, asked, card, answer)
        kind = self._book.kind(constraint.owners, constraint.low)
        return kind if kind.table != IMPOSSIBLE else None

    @property
    def uncertainty(self) -> int:
        """Return a number that measures how much is unknown about the set.

        The sum over all sets of a state never grows in a game. A completed set has the measure 0.
        """
        # Possible owners count first, then minimums. An answer removes deals, so cards keep their
        # possible owners or lose some, and the minimums of players stay or rise. A card that
        # changes hands has one owner afterwards, and moves one card from one minimum to another.
        return sum(mask.bit_count() for mask in self.masks) * OWNER_WEIGHT - sum(self.low)

    def __repr__(self) -> str:
        return f"<Kind {self.number}: {self.constraint}>"


class KindBook:
    """All kinds (states of knowledge about one set) for one set size and number of players.

    Kinds are created when they are first needed, and cached.

    Attributes:
        total: the highest number of a kind. Kinds are numbered from 0 (completed) to `total`.
        completed: kind 0.
    """

    def __init__(self, set_size: int, layout: LaneLayout) -> None:
        players = layout.players
        self.set_size, self.players, self.layout = set_size, players, layout
        self._lows = comb(set_size + players, set_size)
        self.total = comb(2**players - 2 + set_size, set_size) * self._lows
        self._by_form: dict[tuple[tuple[int, ...], tuple[int, ...]], NumberedKind] = {}
        self._by_number: dict[int, NumberedKind] = {}
        self.close = lru_cache(MAX_CACHED_CLOSURES)(self._close)
        self.completed = NumberedKind(self, 0, (), (0,) * players)
        self._by_form[(), self.completed.low] = self._by_number[0] = self.completed

    def kind(self, masks: Sequence[int], low: tuple[int, ...]) -> NumberedKind:
        """Return the kind of a set, given the possible owners of its cards, and its minimums."""
        form = (tuple(sorted(masks)), low)
        kind = self._by_form.get(form)
        if kind is None:
            if len(self._by_form) >= MAX_CACHED_KINDS:
                self._clear()
            kind = self._by_form[form] = NumberedKind(self, self._number(*form), *form)
            if kind.number:
                self._by_number[kind.number] = kind
        return kind

    def _clear(self) -> None:
        # Kinds in use stay valid.
        self._by_form.clear()
        self._by_number.clear()
        self.close.cache_clear()
        self._by_form[(), self.completed.low] = self._by_number[0] = self.completed

    def _number(self, masks: tuple[int, ...], low: tuple[int, ...]) -> int:
        # The number is 0 if the set cannot be dealt even by itself.
        if 0 in masks or sum(low) > self.set_size:
            return 0
        shares = [player for player, least in enumerate(low) for _ in range(least)]
        shares += [self.players] * (self.set_size - len(shares))
        return 1 + multiset_rank([mask - 1 for mask in masks]) * self._lows + multiset_rank(shares)

    def by_number(self, number: int) -> NumberedKind:
        """Return the kind of set (state of knowledge) with this number, from 0 to `total`."""
        kind = self._by_number.get(number)
        if kind is None:
            masks, shares = divmod(number - 1, self._lows)
            players = multiset_of_rank(shares, self.set_size)
            kind = self.kind(
                [value + 1 for value in multiset_of_rank(masks, self.set_size)],
                tuple([players.count(player) for player in range(self.players)]),
            )
        return kind

    def _close(self, kind: NumberedKind, slack: int) -> NumberedKind:
        tight = filter_set(self.layout, slack, kind.constraint)
        return self.kind(tight.owners, tight.low)


@lru_cache(maxsize=8)
def kind_book(set_size: int, layout: LaneLayout) -> KindBook:
    """Return the cached `KindBook` for a set size and a number of players.

    `layout` is the format of coalition tables for this number of players.
    """
    return KindBook(set_size, layout)
