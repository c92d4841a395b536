"""The kinds of a game as arrays, for work on many states at once.

Kinds get consecutive *places* in the order in which they are met; place 0 is the completed set.
Every array here is indexed by place. Coalition tables are cut into words of eight lanes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.perfect.keys.kinds import KindBook, NumberedKind, role_orders
from solvers.coalition_tables import IMPOSSIBLE
from solvers.problem import players_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PLAYERS = 5
"""Most players: the lanes of a table are 32 bits of a mask."""


def array_fault(book: KindBook) -> str | None:
    """Why the kinds of a book cannot be put in arrays, or None."""
    lanes, size = 2**book.players, book.set_size
    if book.players > MOST_PLAYERS:
        return f"{book.players} players are more than {MOST_PLAYERS}"
    if book.layout.width != 8:
        return "the coalition tables need more than 8 bits a lane"
    kinds = book.total.bit_length()
    if kinds > 24:
        return f"a set can look like {book.total} kinds"
    if (size + 1) ** (lanes - 2) >= 2 ** (63 - kinds):
        return "what the other sets need does not fit in a word"
    if kinds + book.players * (size + size.bit_length()) > 63:
        return "owners and minimums of a set do not fit in a word"
    return None


class _Grown:
    """An array that grows at its end; new entries hold `fill`."""

    def __init__(self, dtype: str, *shape: int, fill: int = 0) -> None:
        self._shape, self._dtype, self._fill = shape, dtype, fill
        self.data: NDArray[Any] = np.full((64, *shape), fill, dtype)

    def need(self, length: int) -> None:
        if length > len(self.data):
            more = np.full((length, *self._shape), self._fill, self._dtype)
            self.data = np.concatenate([self.data, more])


class KindArrays:
    """Arrays over the kinds met so far. They grow: take them afresh after adding kinds.

    Attributes:
        number: of the kind in its book (int64).
        table: packed coalition tables, [place, word] (uint64).
        lanes: the same numbers one by one, [place, coalition] (int16).
        owner: the player who alone may own every card, or -1 (int8).
        lowered: [place, distinct mask, player], the coalitions (as bits) that could hold fewer
            cards were one such card the player's; all bits when it cannot be his (uint64).
        renamed: [place, order of roles], the place of the kind under these names, or -1 (int32).
        first, count: which entries of `asked`, `no`, `yes` belong to questions by role 0.
        asked: per question the asked role (uint8).
        no, yes: per question the kind after the answer, or -1 (int32). Not closed.
        guard, member: as in `solvers.coalition_tables.Lanes`, in words.
    """

    def __init__(self, book: KindBook) -> None:
        self.book = book
        layout, players, size = book.layout, book.players, book.set_size
        self.words = max(1, 2**players // 8)
        self.guard = self._cut(layout.guard)
        self.member = np.array([self._cut(member) for member in layout.member])
        self.orders = role_orders(players)[0]
        self._kinds: list[NumberedKind] = []
        self._closings: dict[int, int] = {}
        self._number = _Grown("i8")
        self._table = _Grown("u8", self.words)
        self._lanes = _Grown("i2", 2**players)
        self._owner = _Grown("i1", fill=-1)
        self._lowered = _Grown("u8", size, players)
        self._renamed = _Grown("i4", len(self.orders), fill=-1)
        self._first = _Grown("i8", fill=-1)
        self._count = _Grown("i8")
        self._entries: list[tuple[int, int, int]] = []
        self._asked = np.zeros(0, np.uint8)
        self._no = self._yes = np.zeros(0, np.int32)
        self._place_of_number = np.full(book.total + 1, -1, np.int32)
        self.place(book.completed)

    def _cut(self, packed: int) -> NDArray[Any]:
        return np.frombuffer(packed.to_bytes(8 * self.words, "little"), "<u8").astype(np.uint64)

    def place(self, kind: NumberedKind) -> int:
        """The place of a kind, added when it is new."""
        place = int(self._place_of_number[kind.number])
        if place < 0:
            place = len(self._kinds)
            self._kinds.append(kind)
            self._add(place, kind)
        return place

    def _add(self, place: int, kind: NumberedKind) -> None:
        columns = (self._number, self._table, self._lanes, self._owner, self._lowered)
        for column in (*columns, self._renamed, self._first, self._count):
            column.need(place + 1)
        layout = self.book.layout
        self._number.data[place] = kind.number
        self._table.data[place] = self._cut(kind.table)
        lanes = [layout.lane(kind.table, coalition) for coalition in range(2**layout.players)]
        self._lanes.data[place] = lanes
        self._owner.data[place] = -1 if kind.owner is None else kind.owner
        self._place_of_number[kind.number] = place
        for index, (_, cuts) in enumerate(kind.cuts()):
            self._lowered.data[place, index] = 2 ** (2**layout.players) - 1
            for player, cut in cuts:
                if cut != IMPOSSIBLE:
                    self._lowered.data[place, index, player] = sum(
                        1 << coalition
                        for coalition, most in enumerate(lanes)
                        if layout.lane(cut, coalition) < most
                    )

    # ------------------------------------------------------------------ the arrays

    @property
    def number(self) -> NDArray[Any]:
        """See the class."""
        return self._number.data

    @property
    def table(self) -> NDArray[Any]:
        """See the class."""
        return self._table.data

    @property
    def lanes(self) -> NDArray[Any]:
        """See the class."""
        return self._lanes.data

    @property
    def owner(self) -> NDArray[Any]:
        """See the class."""
        return self._owner.data

    @property
    def lowered(self) -> NDArray[Any]:
        """See the class."""
        return self._lowered.data

    def places_of(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """The places of kinds given by number, in any shape."""
        places: NDArray[Any] = self._place_of_number[numbers]
        if (places < 0).any():
            for number in np.unique(numbers[places < 0]).tolist():
                self.place(self.book.numbered(number))
            places = self._place_of_number[numbers]
        return places

    def renamed(self, places: NDArray[Any], order: int) -> NDArray[Any]:
        """The places of the kinds under the names of one order of roles."""
        names = self._renamed.data[:, order][places]
        if (names < 0).any():
            roles = self.orders[order]
            for place in np.unique(places[names < 0]).tolist():
                renamed = self.place(self._kinds[place].renamed(roles))
                self._renamed.data[place, order] = renamed
            names = self._renamed.data[:, order][places]
        return np.asarray(names)

    # ------------------------------------------------------------------ questions

    def questions(self, places: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Where the questions of role 0 about these kinds begin, and how many there are."""
        if (self._first.data[places] < 0).any():
            for place in np.unique(places[self._first.data[places] < 0]).tolist():
                self._make_questions(place)
            entries = np.array(self._entries, np.int32).reshape(-1, 3)
            self._asked = entries[:, 0].astype(np.uint8)
            self._no, self._yes = entries[:, 1].copy(), entries[:, 2].copy()
        return self._first.data[places], self._count.data[places]

    @property
    def asked(self) -> NDArray[Any]:
        """See the class."""
        return self._asked

    @property
    def no(self) -> NDArray[Any]:
        """See the class."""
        return self._no

    @property
    def yes(self) -> NDArray[Any]:
        """See the class."""
        return self._yes

    def _make_questions(self, place: int) -> None:
        kind = self._kinds[place]
        first = len(self._entries)
        for asked, no, yes in kind.questions():
            after = [-1 if one is None else self.place(one) for one in (no, yes)]
            self._entries.append((asked, after[0], after[1]))
        self._first.data[place] = first
        self._count.data[place] = len(self._entries) - first

    # ------------------------------------------------------------------ closing

    def closed(self, places: NDArray[Any], needs: NDArray[Any]) -> NDArray[Any]:
        """The closed kinds of sets, given what the other sets leave to them.

        Args:
            places: of the kinds.
            needs: [set, coalition], the fewest cards of the set that the coalition must hold
                because the other sets cannot fill its hands, 0 at least.

        With f the table of the set, its slack in the state is f - needs wherever it can matter, so
        a player's fewest cards are max over A without p of needs(A + p) - f(A), and a card can be a
        player's unless that lowers f where the slack is 0 (`solvers.filtering`).
        """
        players, size = self.book.players, self.book.set_size
        lanes = self.lanes[places]
        tight = ((lanes == needs) << np.arange(2**players, dtype=np.uint64)).sum(1, np.uint64)
        result = places.astype(np.int64)
        for player in range(players):
            having = [one for one in range(2**players) if one >> player & 1]
            fewest = (needs[:, having] - lanes[:, [one ^ 1 << player for one in having]]).max(1)
            result = result << size.bit_length() | fewest
        lowered = self.lowered[places]
        for index in range(size):
            for player in range(players):
                result = result << 1 | (lowered[:, index, player] & tight == 0)
        found, inverse = np.unique(result, return_inverse=True)
        closed = [self._closing(one) for one in found.tolist()]
        return np.array(closed, np.int32)[inverse]

    def _closing(self, result: int) -> int:
        """The place of a closed kind from the numbers that `closed` puts together."""
        place = self._closings.get(result)
        if place is None:
            players, size = self.book.players, self.book.set_size
            rest = result
            bits = [bool(rest >> shift & 1) for shift in reversed(range(size * players))]
            rest >>= size * players
            low = []
            for _ in range(players):
                low.append(rest & ((1 << size.bit_length()) - 1))
                rest >>= size.bit_length()
            kind = self._kinds[rest]
            distinct = sorted(set(kind.masks))
            masks = []
            for mask in kind.masks:
                index = distinct.index(mask)
                owners = bits[index * players : (index + 1) * players]
                masks.append(sum(1 << player for player in players_in(mask) if owners[player]))
            closed = self.book.kind(masks, tuple(reversed(low)))
            place = self._closings[result] = self.place(closed)
        return place


__all__ = ["MOST_PLAYERS", "KindArrays", "array_fault"]
