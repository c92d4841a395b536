"""NumPy arrays of canonical states and of kinds of sets, to process many states at once.

A canonical state is identified by its key (`quaternity.perfect.keys.canonical`). Sorting an array
of keys puts the keys in ascending order. A kind is a set without the order of its cards
(`quaternity.perfect.keys.kinds`). `KindArrays` stores the properties of kinds. The *place* of a
kind is its index in these arrays, and place 0 is the completed set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.perfect.keys.canonical import Key, KeyCodec
from quaternity.perfect.keys.kinds import KindBook, NumberedKind, role_orders
from solvers.coalition_tables import IMPOSSIBLE
from solvers.problem import players_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


Keys = Any
"""One-dimensional array of keys. The data type is uint64, or bytes if the keys do not fit in 64
bits. Sorting either type puts the keys in numerical order."""


def key_array(code: KeyCodec, keys: Iterable[Key]) -> Keys:
    """Convert the keys of canonical states to a NumPy array, which can be sorted and searched."""
    words = np.frombuffer(b"".join(keys), ">u8").reshape(-1, code.words)
    return from_words(words.astype(np.uint64))


def key_bytes(keys: Keys) -> list[Key]:
    """Convert an array of keys to a list of bytes objects."""
    data = keys.astype(">u8").tobytes() if keys.dtype.kind == "u" else keys.tobytes()
    size = keys.dtype.itemsize
    return [data[start : start + size] for start in range(0, len(data), size)]


def from_words(words: NDArray[Any]) -> Keys:
    """Convert an array of 64-bit words, [key, word], to a one-dimensional array of keys."""
    if words.shape[1] == 1:
        return np.ascontiguousarray(words[:, 0])
    return words.astype(">u8", order="C").view(f"S{8 * words.shape[1]}")[:, 0]


def to_words(keys: Keys) -> NDArray[Any]:
    """Convert a one-dimensional array of keys to an array of 64-bit words, [key, word]."""
    if keys.dtype.kind == "u":
        return np.asarray(keys).reshape(-1, 1)
    return np.asarray(
        np.ascontiguousarray(keys).view(">u8").reshape(len(keys), keys.dtype.itemsize // 8),
        np.uint64,
    )


def search_keys(known: Keys, keys: Keys) -> NDArray[Any]:
    """Return the index of each key in an ascending array.

    For a missing key, this is the index at which the key would be inserted.
    """
    return np.asarray(np.searchsorted(known, keys))


def contains(known: Keys, keys: Keys) -> NDArray[Any]:
    """Return, for each key, whether an ascending array contains it."""
    if not len(known):
        return np.zeros(len(keys), bool)
    place = search_keys(known, keys)
    place[place == len(known)] = 0
    return np.asarray(known[place] == keys)


def sort_unique(keys: Keys) -> Keys:
    """Return the distinct keys in ascending order. The argument is sorted in place."""
    keys.sort()
    return keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys


def unique_rows(words: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct keys in ascending order, and the index of each given key among them.

    Keys are given and returned as arrays of 64-bit words, [word, key].
    """
    # Most keys are matched with a hash table that has one entry per bucket: the last key assigned
    # to the bucket. Only keys that collide with a different key are sorted with all their
    # repetitions.
    bits = words.shape[1].bit_length() + 2
    mixed = words[0] * np.uint64(_HASH_FACTOR)
    for column in words[1:]:
        mixed = (mixed ^ mixed >> np.uint64(32) ^ column) * np.uint64(_HASH_FACTOR)
    slots = (mixed >> np.uint64(64 - bits)).astype(np.int64)
    table = np.zeros(1 << bits, np.int32)
    table[slots] = np.arange(len(slots), dtype=np.int32)
    match = table[slots]
    other = np.nonzero((words[:, match] != words).any(0))[0]
    _, first, inverse = np.unique(
        from_words(words[:, other].T), return_index=True, return_inverse=True
    )
    match[other] = other[first][inverse]
    rank = np.zeros(len(slots), np.int64)
    rank[match] = 1
    rows = np.nonzero(rank)[0]
    rows = rows[np.argsort(from_words(words[:, rows].T))]
    rank[rows] = np.arange(len(rows))
    return words[:, rows], rank[match]


def narrow(numbers: NDArray[Any]) -> NDArray[Any]:
    """Convert whole numbers >= 0 to the narrowest integer type that holds them all."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


class Uncertainty:
    """Computes how much is unknown in each of many states (see `NumberedKind.uncertainty`)."""

    def __init__(self, code: KeyCodec) -> None:
        self._code = code
        # The numbers of the kinds seen so far, in ascending order, and the uncertainty of each
        # kind.
        self._known = np.zeros(1, np.uint64), np.zeros(1, np.int64)

    def of(self, keys: Keys) -> NDArray[Any]:
        """Return, for each state with one of these keys, how much is unknown about its sets."""
        words, code = to_words(keys), self._code
        result = np.zeros(len(words), np.int64)
        for field in range(-code.rules.sets, 0):
            (word, shift), width = code.fields[field], code.widths[field]
            result += self._of_kinds(words[:, word] >> np.uint64(shift) & np.uint64(2**width - 1))
        return result

    def _of_kinds(self, numbers: NDArray[Any]) -> NDArray[Any]:
        known, values = self._known
        place = np.searchsorted(known, numbers)
        place[place == len(known)] = 0
        new = numbers[known[place] != numbers]
        if len(new):
            known = np.union1d(known, new)
            kinds = [self._code.book.by_number(number) for number in known.tolist()]
            values = np.array([kind.uncertainty for kind in kinds])
            self._known = known, values
            place = np.searchsorted(known, numbers)
        return np.asarray(values[place])


_HASH_FACTOR = 0x9E3779B97F4A7C15
"""Multiplier of Knuth's multiplicative hashing. It is odd, and its multiples spread widely."""

MAX_ARRAY_PLAYERS = 5
"""Maximum number of players in a game whose states are processed in arrays. The tables have a
number for each of the 32 groups of five players, and would be too large for more players."""


def array_fault(book: KindBook) -> str | None:
    """Return why the sets of a game cannot be described in arrays, or None if they can.

    `book` is the `KindBook` of the game: all states of knowledge about one set.
    """
    lanes, size = 2**book.players, book.set_size
    if book.players > MAX_ARRAY_PLAYERS:
        return f"arrays allow at most {MAX_ARRAY_PLAYERS} players, not {book.players}"
    if book.layout.width != 8:
        return "the number of cards of a group of players needs more than 8 bits"
    kinds = book.total.bit_length()
    if kinds > 24:
        return f"the {book.total} possible states of a set are too many for arrays"
    if (size + 1) ** (lanes - 2) >= 2 ** (63 - kinds):
        return "the minimums of all coalitions in a set do not fit in 64 bits"
    if kinds + book.players * (size + size.bit_length()) > 63:
        return "the owners and minimums of a set do not fit in 64 bits"
    return None


_BY_PLACE = ("number", "uncertainty", "lanes", "owner", "lowered", "first", "count")
_BY_LAST_PLACE = ("table", "renaming")
_UNKNOWN_AT_FIRST = ("owner", "renaming", "first")


class KindArrays:
    """Arrays that describe *kinds* of sets: each kind is a state of knowledge about one set.

    The *place* of a kind is its index in these arrays. Kinds are placed in the order in which they
    are added. Adding kinds may replace the arrays. A *coalition* is a group of players. The
    coalition table of a set says how many of its cards each coalition can hold at most.

    Attributes:
        number: number of the kind in its `KindBook` (int64).
        uncertainty: how much is unknown about the set (int64).
        table: packed coalition tables, [word, place] (uint64).
        lanes: the coalition tables unpacked, [place, coalition] (int16).
        owner: the only player who may own any card of the set, or -1 (int8).
        lowered: [place, distinct mask, player], a bitmask of coalitions (uint64). Bit A is set if
            giving one card with this owner mask to the player lowers the number of cards that
            coalition A can hold. All bits are set if the player cannot own the card.
        renaming: [order of roles, place], the place of the renamed kind, or -1 if it is unknown
            (int32).
        first, count: the index of the first question by role 0 about each kind in `asked`, `no` and
            `yes`, and the number of these questions.
        asked: the asked role of each question (uint8).
        no, yes: the place of the kind after the answer to each question, before `close` tightens
            it, or -1 if the answer is impossible (int32).
        guard, member: as in `solvers.coalition_tables.LaneLayout`, split into words.
    """

    def __init__(self, book: KindBook) -> None:
        self.book = book
        layout, players, size = book.layout, book.players, book.set_size
        self.words = max(1, 2**players // 8)
        self.guard = self._split_words(layout.guard)
        self.member = np.array([self._split_words(member) for member in layout.member])
        self.orders = role_orders(players)[0]
        self._kinds: list[NumberedKind] = []
        self._closings: dict[int, int] = {}
        self.number, self.uncertainty = np.zeros((2, 64), np.int64)
        self.table = np.zeros((self.words, 64), np.uint64)
        self.lanes = np.zeros((64, 2**players), np.int16)
        self.owner = np.full(64, -1, np.int8)
        self.lowered = np.zeros((64, size, players), np.uint64)
        self.renaming = np.full((len(self.orders), 64), -1, np.int32)
        self.first = np.full(64, -1, np.int64)
        self.count = np.zeros(64, np.int64)
        self._entries: list[tuple[int, int, int]] = []
        self.asked = np.zeros(0, np.uint8)
        self.no = self.yes = np.zeros(0, np.int32)
        self._place_of_number = np.full(book.total + 1, -1, np.int32)
        self.place(book.completed)

    def _split_words(self, packed: int) -> NDArray[Any]:
        return np.frombuffer(packed.to_bytes(8 * self.words, "little"), "<u8").astype(np.uint64)

    def place(self, kind: NumberedKind) -> int:
        """Return the index of a kind of set in the arrays. If it is new, add it."""
        place = int(self._place_of_number[kind.number])
        if place < 0:
            place = len(self._kinds)
            self._kinds.append(kind)
            self._add(place, kind)
        return place

    def _add(self, place: int, kind: NumberedKind) -> None:
        if place == len(self.number):
            for name in (*_BY_PLACE, *_BY_LAST_PLACE):
                column = getattr(self, name)
                fill = -1 if name in _UNKNOWN_AT_FIRST else 0
                more = np.full(column.shape, fill, column.dtype)
                axis = -1 if name in _BY_LAST_PLACE else 0
                setattr(self, name, np.concatenate([column, more], axis))
        layout = self.book.layout
        self.number[place], self.uncertainty[place] = kind.number, kind.uncertainty
        self.table[:, place] = self._split_words(kind.table)
        lanes = [layout.lane(kind.table, coalition) for coalition in range(2**layout.players)]
        self.lanes[place] = lanes
        self.owner[place] = -1 if kind.owner is None else kind.owner
        self._place_of_number[kind.number] = place
        for index, (_, cuts) in enumerate(kind.single_owner_tables()):
            self.lowered[place, index] = 2 ** (2**layout.players) - 1
            for player, cut in cuts:
                if cut != IMPOSSIBLE:
                    self.lowered[place, index, player] = sum(
                        1 << coalition
                        for coalition, maximum in enumerate(lanes)
                        if layout.lane(cut, coalition) < maximum
                    )

    def places_of(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return the indices in the arrays of the kinds with the given numbers."""
        places: NDArray[Any] = self._place_of_number[numbers]
        if (places < 0).any():
            for number in np.unique(numbers[places < 0]).tolist():
                self.place(self.book.by_number(number))
            places = self._place_of_number[numbers]
        return places

    def rename(self, places: NDArray[Any], order: int) -> NDArray[Any]:
        """Rename the players in kinds of sets, and return the indices of the resulting kinds.

        `places` contains the indices of the kinds. `order` is the index of an order in `orders`.
        """
        names = self.renaming[order][places]
        if (names < 0).any():
            roles = self.orders[order]
            for place in np.unique(places[names < 0]).tolist():
                renamed = self.place(self._kinds[place].rename(roles))
                self.renaming[order, place] = renamed
            names = self.renaming[order][places]
        return np.asarray(names)

    def rank_numbers(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the sorted numbers of all kinds, and the index of each kind among them.

        The indices are in the order in which the kinds were added to the arrays.
        """
        numbers = self.number[: len(self._kinds)]
        turn = np.argsort(numbers)
        rank = np.empty(len(turn), np.uint64)
        rank[turn] = np.arange(len(turn))
        return numbers[turn].astype(np.uint64), rank

    # ------------------------------------------------------------------ questions

    def questions(self, places: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the index of the first question about each kind, and the number of questions.

        Kinds are given by their indices. The results are indices in `asked`, `no` and `yes`.
        """
        if (self.first[places] < 0).any():
            for place in np.unique(places[self.first[places] < 0]).tolist():
                self._make_questions(place)
            entries = np.array(self._entries, np.int32).reshape(-1, 3)
            self.asked = entries[:, 0].astype(np.uint8)
            self.no, self.yes = entries[:, 1].copy(), entries[:, 2].copy()
        return self.first[places], self.count[places]

    def _make_questions(self, place: int) -> None:
        kind = self._kinds[place]
        first = len(self._entries)
        for asked, no, yes, _ in kind.questions():
            after = [-1 if k is None else self.place(k) for k in (no, yes)]
            self._entries.append((asked, after[0], after[1]))
        self.first[place] = first
        self.count[place] = len(self._entries) - first

    # ------------------------------------------------------------------ closing

    def close(self, places: NDArray[Any], needs: NDArray[Any]) -> NDArray[Any]:
        """Tighten the possible owners and minimums of sets as far as the other sets allow.

        Args:
            places: the indices of the kinds of the sets in these arrays.
            needs: [set, group of players], the number of cards of the set that the group needs,
                because the other sets cannot fill its hands. It is at least 0.

        Returns:
            The indices of the resulting kinds.
        """
        # The other sets of each state are given by `needs`. Let f be the coalition table of the
        # set. The slack of the state is f - needs wherever it can matter. So the minimum of player
        # p is the maximum of needs(A + p) - f(A) over the coalitions A without p. A player can own
        # a card unless that lowers f where the slack is 0 (`solvers.filtering`).
        players, size = self.book.players, self.book.set_size
        lanes = self.lanes[places]
        tight = ((lanes == needs) << np.arange(2**players, dtype=np.uint64)).sum(1, np.uint64)
        result = places.astype(np.int64)
        for player in range(players):
            having = [mask for mask in range(2**players) if mask >> player & 1]
            fewest = (needs[:, having] - lanes[:, [mask ^ 1 << player for mask in having]]).max(1)
            result = result << size.bit_length() | fewest
        lowered = self.lowered[places]
        for index in range(size):
            for player in range(players):
                result = result << 1 | (lowered[:, index, player] & tight == 0)
        different, inverse = np.unique(result, return_inverse=True)
        closed = [self._closing(digits) for digits in different.tolist()]
        return np.array(closed, np.int32)[inverse]

    def _closing(self, result: int) -> int:
        place = self._closings.get(result)
        if place is None:
            players, size = self.book.players, self.book.set_size
            digits = result
            bits = [bool(digits >> shift & 1) for shift in reversed(range(size * players))]
            digits >>= size * players
            low = []
            for _ in range(players):
                low.append(digits & ((1 << size.bit_length()) - 1))
                digits >>= size.bit_length()
            kind = self._kinds[digits]
            distinct = sorted(set(kind.masks))
            masks = []
            for mask in kind.masks:
                index = distinct.index(mask)
                owners = bits[index * players : (index + 1) * players]
                masks.append(sum(1 << player for player in players_in(mask) if owners[player]))
            closed = self.book.kind(masks, tuple(reversed(low)))
            place = self._closings[result] = self.place(closed)
        return place


CACHE_BITS = 20
"""Base-2 logarithm of the number of entries in a `ClosureCache`. An entry takes 12 bytes."""


class ClosureCache:
    """A cache for the results of `KindArrays.close`.

    A result depends on the set, and on how many of its cards each group of players needs. The
    cache is a hash table with one entry per bucket, so a new entry replaces the old one.
    """

    def __init__(self, kinds: KindArrays) -> None:
        self._kinds = kinds
        size, lanes = kinds.book.set_size, 2**kinds.book.players
        self._base, self._kinds_base = np.uint64(size + 1), np.uint64((size + 1) ** (lanes - 2))
        # Mask of all lanes except those of the empty coalition and of the coalition of all players.
        bytes_ = bytes([0, *[255] * (lanes - 2), 0]).ljust(8 * kinds.words, b"\0")
        self._some = np.frombuffer(bytes_, "<u8").astype(np.uint64)
        self._known = np.full(1 << CACHE_BITS, -1, np.int64)
        self._closed = np.zeros(1 << CACHE_BITS, np.int32)

    def get(self, places: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
        """Tighten the possible owners and minimums of sets. Return the indices of the new kinds.

        Sets are given as indices in `KindArrays`. `others` is [word, set]: how many cards the other
        sets can give each group of players, minus the cards in the group's hands. If this is
        negative, the group needs cards of the set. The numbers are packed as in
        `solvers.coalition_tables`.
        """
        needs = self._needs(others)
        alike = self._number(places, needs)
        slots = ((alike * np.uint64(_HASH_FACTOR)) >> np.uint64(64 - CACHE_BITS)).astype(np.int64)
        closed: NDArray[Any] = self._closed[slots]
        missing = np.nonzero(self._known[slots] != alike.view(np.int64))[0]
        if len(missing):
            numbers, chosen, inverse = np.unique(
                alike[missing], return_index=True, return_inverse=True
            )
            rows = missing[chosen]
            lanes = np.ascontiguousarray(needs[:, rows].T).astype("<u8").view(np.uint8)
            lanes = lanes[:, : 2**self._kinds.book.players].astype(np.int16)
            # All players together hold all cards of the set.
            lanes[:, -1] = self._kinds.book.set_size
            new = self._kinds.close(places[rows], lanes)
            closed[missing] = new[inverse]
            self._known[slots[rows]] = numbers.view(np.int64)
            self._closed[slots[rows]] = new
        return closed

    def _needs(self, others: NDArray[Any]) -> NDArray[Any]:
        below = ~others & _HIGH
        every = (below >> np.uint64(7)) * np.uint64(255)
        return np.asarray((_HIGH - (others & ~_HIGH)) & every & self._some[:, None])

    def _number(self, places: NDArray[Any], needs: NDArray[Any]) -> NDArray[Any]:
        number = places.astype(np.uint64) * self._kinds_base
        weight = np.uint64(1)
        for word, lanes in enumerate(needs):
            shift = np.uint64(0 if word else 8)
            digits, base = lanes >> shift, self._base
            for bits, mask in _HALVES:
                digits = (digits & mask) + (digits >> bits & mask) * base
                base = base * base
            number += digits * weight
            weight *= self._base ** np.uint64(8 if word else 7)
        return number


_HIGH = np.uint64(0x8080808080808080)

_HALVES = [
    (np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(32), np.uint64(0x00000000FFFFFFFF)),
]
"""Shifts and masks that combine the eight bytes of a word into one number, in three steps."""
