"""What can be asked about one set, prepared once for all states in which the set looks alike.

A question touches one set only. So for a set that looks a certain way (the multiset of owner masks,
and the bounds) and an asker, the table of the set after every question and answer can be made in
advance; in a state it then takes one addition and one mask to see whether the answer is possible
(`solvers.coalition_tables`). Cards with equal owners are interchangeable and share one entry. And
where even the lowest lanes of all these tables suffice, one test serves them all.

What grows: an entry costs two tables of 2^P lanes; a set has (P - 1) x (distinct owner masks)
entries per asker, made when first asked for. Kinds and rows are kept within `KIND_BYTES` and
`ROW_BYTES`; when a budget is spent, that memo starts anew, and the rows with the kinds they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from quaternity.listed import Listed
from quaternity.question import Answer
from quaternity.transition import answered
from solvers.coalition_tables import Lanes
from solvers.memo import Memo, bytes_of_numbers
from solvers.problem import SetConstraint, players_in

KIND_BYTES = 192 * 2**20
"""About how much memory prepared kinds may take, over all games of a process."""

ROW_BYTES = 64 * 2**20
"""About how much memory prepared rows may take, over all games of a process."""

IMPOSSIBLE = -1
"""Stands for the table of a set that no deal fits."""

Ask = tuple[int, int, int, int]
"""Asking somebody for any of some interchangeable cards: the asked player, the owner mask of the
cards, and for no and for yes the bit of its outcome in `Asks.outcomes`, 0 where the set rules it
out."""


class Asks(NamedTuple):
    """All that one asker may ask about a set, as far as the set alone can tell.

    Attributes:
        asks: the questions. Many have outcomes in common.
        outcomes: the different tables that the set may have afterwards. After a yes the change of
            hands is included, moved to the tables' side of the comparison.
    """

    asks: list[Ask]
    outcomes: list[int]

    def possible(self, rest: int, guard: int) -> int:
        """The outcomes that fit with the other sets and the hands, a bit each.

        Args:
            rest: the slack of the state less the table of the set.
        """
        found, bit = 0, 1
        for table in self.outcomes:
            if (rest + table) & guard == guard:
                found |= bit
            bit += bit
        return found


class Kind:
    """Sets that look alike up to the order of their cards.

    Attributes:
        constraint: the set, its cards sorted by owners.
        table: the packed coalition table, or `IMPOSSIBLE`.
        owned: the player who owns every card whatever the other sets are, or None.
        holders: per player who may own all cards, the table in which that player does not.
    """

    __slots__ = ("_asks", "constraint", "holders", "layout", "owned", "table")

    def __init__(self, layout: Lanes, constraint: SetConstraint) -> None:
        self.layout = layout
        self.constraint = constraint
        self.table = layout.table(*constraint)
        self._asks: list[Asks | None] = [None] * layout.players
        self.owned: int | None = None
        self.holders: list[tuple[int, int]] = []
        size = constraint.size
        if not size or self.table == IMPOSSIBLE:
            return
        common = layout.everybody
        for mask in constraint.owners:
            common &= mask
        held = sum(constraint.low)
        for player in players_in(common):
            if constraint.low[player] == held and constraint.high[player] >= size:
                high = list(constraint.high)
                high[player] = size - 1
                table = layout.table(constraint.owners, constraint.low, tuple(high))
                if table == IMPOSSIBLE:
                    self.owned = player
                else:
                    self.holders.append((player, table))

    def asks(self, asker: int) -> Asks:
        """What an asker may ask about the set."""
        asks = self._asks[asker]
        if asks is None:
            asks = self._asks[asker] = self._made(asker)
            lanes = (self.layout.width << self.layout.players) // 8
            _KINDS.charge(250 + 120 * len(asks.asks) + len(asks.outcomes) * (lanes + 50))
        return asks

    def _made(self, asker: int) -> Asks:
        layout = self.layout
        bits = {IMPOSSIBLE: 0}
        asks = []
        for asked, mask, no, yes in self._outcomes(asker, dict.fromkeys(self.constraint.owners)):
            after_no = bits.setdefault(no, 1 << len(bits) - 1)
            after_yes = 0
            if yes != IMPOSSIBLE:
                yes += layout.member[asked] - layout.member[asker]
                after_yes = bits.setdefault(yes, 1 << len(bits) - 1)
            if after_no or after_yes:
                asks.append((asked, mask, after_no, after_yes))
        return Asks(asks, list(bits)[1:])

    def _outcomes(self, asker: int, masks: Iterable[int]) -> Iterator[tuple[int, int, int, int]]:
        """Per asked player and owner mask the set's tables after no and after yes.

        The rules are those of `quaternity.transition.answered`, which serves sets with upper
        bounds. Without any, most tables are shared: a no of somebody who may not own the card says
        only what the question said, and a yes takes a minimum only from who had one.
        """
        layout, constraint = self.layout, self.constraint
        size, others = constraint.size, [p for p in range(layout.players) if p != asker]
        if min(constraint.high) < size:
            for mask in masks:
                card = constraint.owners.index(mask)
                for asked in others:
                    no, yes = (
                        layout.table_of(answered(constraint, asker, asked, card, answer))
                        for answer in Answer
                    )
                    yield asked, mask, no, yes
            return
        ranks, meeting, mine = layout.meetings(constraint.owners), layout.meeting, 1 << asker
        low = list(constraint.low)
        low[asker] = low[asker] or 1
        refusing = layout.settling(low, size)
        asked_for = refusing(ranks)
        if asked_for == IMPOSSIBLE:
            return
        low[asker] += 1
        giving = layout.settling(low, size)
        # Who had a minimum has one less after giving a card.
        sparing = {
            asked: layout.settling(_less(low, asked), size) for asked in others if low[asked]
        }
        for mask in masks:
            if mask == mine:
                continue
            left, rest = mask & ~mine, ranks - meeting[mask]
            moved, given = rest + meeting[mine], None
            refused = asked_for if left == mask else refusing(rest + meeting[left])
            for asked in others:
                if not mask >> asked & 1:
                    yield asked, mask, refused, IMPOSSIBLE
                    continue
                fewer = left ^ 1 << asked
                no = refusing(rest + meeting[fewer]) if fewer else IMPOSSIBLE
                if asked in sparing:
                    yes = sparing[asked](moved)
                else:
                    if given is None:
                        given = giving(moved)
                    yes = given
                yield asked, mask, no, yes


def _less(low: Sequence[int], player: int) -> list[int]:
    less = list(low)
    less[player] -= 1
    return less


class Row:
    """One set of a state: its constraint, its kind, and its cards by owner mask."""

    __slots__ = ("_listed", "cards", "constraint", "kind")

    def __init__(self, constraint: SetConstraint, kind: Kind) -> None:
        self.constraint = constraint
        self.kind = kind
        cards: dict[int, list[int]] = {}
        for card, mask in enumerate(constraint.owners):
            cards.setdefault(mask, []).append(card)
        self.cards = {mask: tuple(alike) for mask, alike in cards.items()}
        self._listed: dict[tuple[int, int, int, int], Listed] = {}

    def listed(self, asker: int, set_index: int, possible: int, bare: int) -> Listed:
        """The legal questions about the set.

        Args:
            set_index: where the set is in the state.
            possible: the possible outcomes, see `Asks.possible`.
            bare: the players without cards, a bit each.
        """
        key = (asker, set_index, possible, bare)
        listed = self._listed.get(key)
        if listed is None:
            cards, groups = self.cards, []
            for asked, mask, no, yes in self.kind.asks(asker).asks:
                legal = (possible & no > 0) + 2 * (possible & yes > 0)
                if legal and not bare >> asked & 1:
                    groups.append((asked, cards[mask], legal))
            listed = self._listed[key] = Listed(asker, set_index, groups)
            _ROWS.charge(listed.bytes)
        return listed


_KINDS: Memo[tuple[Lanes, SetConstraint], Kind] = Memo(KIND_BYTES)
_ROWS: Memo[tuple[Lanes, SetConstraint], Row] = Memo(ROW_BYTES)


def _kind(layout: Lanes, constraint: SetConstraint) -> Kind:
    ordered = SetConstraint.trusted(
        tuple(sorted(constraint.owners)), constraint.low, constraint.high
    )
    kind = _KINDS.entries.get((layout, ordered))
    if kind is None:
        kind = Kind(layout, ordered)
        size = _kind_bytes(layout, constraint)
        if _KINDS.spent + size > KIND_BYTES:
            # Rows hold their kinds, which would stay in memory.
            _ROWS.forget()
        _KINDS.keep((layout, ordered), kind, size)
    return kind


def _kind_bytes(layout: Lanes, constraint: SetConstraint) -> int:
    """About how much memory the kind of a set takes, its questions not counted."""
    lanes = (layout.width << layout.players) // 8
    holders = (layout.players + 1) * (lanes + 90)
    return 700 + holders + bytes_of_numbers(constraint.size, layout.everybody)


def row(layout: Lanes, constraint: SetConstraint) -> Row:
    """The prepared row of a set."""
    found = _ROWS.entries.get((layout, constraint))
    if found is None:
        found = Row(constraint, _kind(layout, constraint))
        size = 800 + 100 * constraint.size
        if found.kind is _KINDS.entries.get((layout, found.kind.constraint)):
            _ROWS.keep((layout, constraint), found, size)
    return found


__all__ = [
    "IMPOSSIBLE", "KIND_BYTES", "ROW_BYTES", "Ask", "Asks", "Kind", "Row", "row",
]  # fmt: skip
