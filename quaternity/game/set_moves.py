"""What can be asked about one set, prepared once for all states in which the set looks alike.

A question touches one set only. So for a set that looks a certain way (the multiset of owner masks,
and the bounds) and an asker, the table of the set given every question and answer can be made in
advance; in a state it then takes one addition and one mask to see whether the answer is possible
(`solvers.coalition_tables`). Cards with equal owners are interchangeable and share one entry, and
many questions share their outcomes, so there are far fewer tables than answers.

What grows: a table has 2^P lanes; a set has at most 2 (P - 1) x (distinct owner masks) different
outcomes per asker, made when first asked for. Kinds, outcomes and rows are kept within
`KIND_BYTES`, `ASK_BYTES` and `ROW_BYTES`; when a budget is spent, that memo starts anew, and with
the kinds all that holds them. States hold their rows and kinds, but no outcomes.
Where the outcomes of one asker could take more than `ASKER_BYTES` (11 players or more, and hundreds
of distinct owner masks), they are made, tried and dropped one after another.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from quaternity.game.question import Answer
from quaternity.game.question_groups import Groups
from quaternity.game.transition import claimed
from solvers.coalition_tables import Lanes, Set
from solvers.memo import Memo, bytes_of_numbers
from solvers.problem import SetConstraint, players_in

KIND_BYTES = 64 * 2**20
"""About how much memory prepared kinds may take, over all games of a process."""

ASK_BYTES = 192 * 2**20
"""About how much memory what may be asked about them, with its outcomes, may take."""

ROW_BYTES = 128 * 2**20
"""About how much memory prepared rows may take, over all games of a process."""

FEW_CARDS = 64
"""Up to so many interchangeable cards are one and the same tuple in all rows: 4096 tuples are kept,
at most about 11 MiB."""

ASKER_BYTES = ASK_BYTES // 4
"""About how much memory what one asker may ask about a set may take to be prepared."""

IMPOSSIBLE = -1
"""Stands for the table of a set that no deal fits."""

Ask = tuple[int, int, int, int]
"""Asking somebody for any of some interchangeable cards: the asked player, the owner mask of the
cards, and for no and for yes the bit of its outcome among the outcomes, 0 where the set rules it
out."""

Asks = tuple[tuple[Ask, ...], tuple[int, ...]]
"""All that one asker may ask about a set, as far as the set alone can tell: the questions, and the
different tables that an answer may leave the set with, which many of them share. They are tables
of the set as it was before a card moved, so that the hands are those of the state.

Plain tuples of numbers, here and below: Python's garbage collector need not look at them again and
again, which would take longer than to make them."""

NOTHING: Asks = ((), ())


def possible(outcomes: tuple[int, ...], rest: int, guard: int) -> int:
    """The outcomes that fit with the other sets and the hands, a bit each.

    Args:
        outcomes: see `Asks`.
        rest: the slack of the state less the table of the set.
        guard: see `solvers.coalition_tables.Lanes`.
    """
    found, bit = 0, 1
    for table in outcomes:
        if (rest + table) & guard == guard:
            found |= bit
        bit += bit
    return found


class Kind:
    """Sets that look alike up to the order of their cards.

    Attributes:
        looks: the sorted owner masks, and the bounds.
        table: the packed coalition table, or `IMPOSSIBLE`.
        owned: the player who owns every card whatever the other sets are, or None.
        holders: per player who may own all cards, the table in which that player does not.
        heavy: whether what may be asked is too much to prepare, see `tried`.
    """

    __slots__ = ("_asks", "heavy", "holders", "layout", "looks", "owned", "table")

    def __init__(self, layout: Lanes, looks: Set) -> None:
        self.layout = layout
        self.looks = looks
        self.table = layout.table(*looks)
        self._asks: dict[int, Asks] = {}
        self.owned: int | None = None
        self.holders: tuple[tuple[int, int], ...] = ()
        owners, low, high = looks
        size = len(owners)
        different = 2 * (layout.players - 1) * len(set(owners))
        self.heavy = different * ((layout.width << layout.players) // 8) > ASKER_BYTES
        if not size or self.table == IMPOSSIBLE:
            return
        common = layout.everybody
        for mask in owners:
            common &= mask
        held = sum(low)
        for player in players_in(common):
            if low[player] == held and high[player] >= size:
                less = (*high[:player], size - 1, *high[player + 1 :])
                table = layout.table(owners, low, less)
                if table == IMPOSSIBLE:
                    self.owned = player
                else:
                    self.holders += ((player, table),)

    def asks(self, asker: int) -> Asks:
        """What an asker may ask about the set."""
        asks = self._asks.get(asker)
        if asks is None:
            asks = self._made(asker)
            lanes = (self.layout.width << self.layout.players) // 8
            size = 400 + 120 * len(asks[0]) + len(asks[1]) * (lanes + 50)
            if size <= _ASKS.budget:
                with _ASKS.changing:
                    _ASKS.keep(self, self._asks, size)
                    self._asks[asker] = asks
        return asks

    def tried(self, asker: int, rest: int) -> tuple[Ask, ...]:
        """What an asker may ask with answers that fit; keeps no table.

        The bits are 1 for a no that fits, and 2 for a yes.

        Args:
            rest: see `possible`.
        """
        guard, asks = self.layout.guard, []
        for asked, mask, *tables in self._outcomes(asker):
            no, yes = (table != IMPOSSIBLE and (rest + table) & guard == guard for table in tables)
            if no or yes:
                asks.append((asked, mask, int(no), 2 * yes))
        return tuple(asks)

    def tried_answers(self, asker: int, asked: int, mask: int, rest: int) -> int:
        """As `tried`, for one question: 1 for a no that fits, plus 2 for a yes."""
        layout, constraint = self.layout, SetConstraint.trusted(*self.looks)
        card, fitting = constraint.owners.index(mask), 0
        for answer in Answer:
            table = layout.table_of(claimed(constraint, asker, asked, card, answer))
            if table != IMPOSSIBLE and (rest + table) & layout.guard == layout.guard:
                fitting += 1 + answer
        return fitting

    def _made(self, asker: int) -> Asks:
        bits, asks = {IMPOSSIBLE: 0}, []
        for asked, mask, no, yes in self._outcomes(asker):
            if no not in bits:
                bits[no] = 1 << len(bits) - 1
            if yes not in bits:
                bits[yes] = 1 << len(bits) - 1
            if no != IMPOSSIBLE or yes != IMPOSSIBLE:
                asks.append((asked, mask, bits[no], bits[yes]))
        return (tuple(asks), tuple(bits)[1:]) if asks else NOTHING

    def _outcomes(self, asker: int) -> Iterator[tuple[int, int, int, int]]:
        """Per asked player and owner mask the set's tables given no and given yes.

        The rules are those of `quaternity.game.transition.claimed`, which serves sets with upper
        bounds. Without any, all that differs is who may own the card.
        """
        layout, (owners, minimums, high) = self.layout, self.looks
        size, players = len(owners), range(layout.players)
        if min(high) < size:
            constraint = SetConstraint.trusted(*self.looks)
            for mask in dict.fromkeys(owners):
                card = owners.index(mask)
                for asked in players:
                    if asked != asker:
                        no, yes = (
                            layout.table_of(claimed(constraint, asker, asked, card, answer))
                            for answer in Answer
                        )
                        yield asked, mask, no, yes
            return
        low = list(minimums)
        low[asker] = low[asker] or 1
        if sum(low) > size:
            return
        settled, meeting = layout.settling(low, size), layout.meeting
        ranks = layout.meetings(owners)
        said = settled(ranks)
        if said == IMPOSSIBLE:
            return
        for mask in dict.fromkeys(owners):
            left, rest = mask & ~(1 << asker), ranks - meeting[mask]
            if not left:
                continue
            refused = said if left == mask else settled(rest + meeting[left])
            for asked in players:
                bit = 1 << asked
                if left & bit:
                    no = settled(rest + meeting[left ^ bit]) if left != bit else IMPOSSIBLE
                    yield asked, mask, no, settled(rest + meeting[bit])
                elif asked != asker and refused != IMPOSSIBLE:
                    # A no of somebody who may not own the card tells nothing.
                    yield asked, mask, refused, IMPOSSIBLE


class Row:
    """One set of a state: its constraint, and its kind."""

    __slots__ = ("_cards", "_groups", "constraint", "kind")

    def __init__(self, constraint: SetConstraint, kind: Kind) -> None:
        self.constraint = constraint
        self._cards: dict[int, tuple[int, ...]] | None = None
        self.kind = kind
        self._groups: dict[tuple[int, int, int], Groups] = {}

    def groups(self, asker: int, fitting: int, bare: int) -> Groups:
        """The legal questions about the set.

        Args:
            fitting: the possible outcomes, see `possible`.
            bare: the players without cards, a bit each.
        """
        groups = self._groups.get((asker, fitting, bare))
        if groups is None:
            groups = self.among(self.kind.asks(asker)[0], fitting, bare)
            self._groups[asker, fitting, bare] = groups
            _ROWS.charge(200 + 90 * len(groups))
        return groups

    def among(self, asks: tuple[Ask, ...], fitting: int, bare: int) -> Groups:
        """As `groups`, of these asks."""
        if self._cards is None:
            self._cards = _alike(self.constraint.owners)
        cards = self._cards
        groups = []
        for asked, mask, no, yes in asks:
            legal = (fitting & no > 0) + 2 * (fitting & yes > 0)
            if legal and not bare >> asked & 1:
                groups.append((asked, cards[mask], legal))
        return tuple(groups)


def _alike(owners: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
    """The cards of every owner mask."""
    cards: dict[int, list[int]] = {}
    for card, mask in enumerate(owners):
        cards.setdefault(mask, []).append(card)
    return {
        mask: _shared(tuple(alike)) if len(alike) <= FEW_CARDS else tuple(alike)
        for mask, alike in cards.items()
    }


@lru_cache(maxsize=1 << 12)
def _shared(cards: tuple[int, ...]) -> tuple[int, ...]:
    """One and the same tuple for the same cards."""
    return cards


class _Asked(Memo[Kind, dict[int, Asks]]):
    """What kinds keep, by asker: taken from them when it is forgotten, whoever holds the kinds."""

    __slots__ = ()

    def forget(self) -> None:
        with self.changing:
            for asks in self.entries.values():
                asks.clear()
            super().forget()


class _KindsKept(Memo[tuple[int, *Set], Kind]):
    """Kinds, forgotten with the rows and outcomes that would hold them in memory."""

    __slots__ = ()

    def forget(self) -> None:
        with self.changing:
            _ROWS.forget()
            _ASKS.forget()
            super().forget()


# By lane width and looks; the players are as many as bounds.
_KINDS = _KindsKept(KIND_BYTES)
_ASKS = _Asked(ASK_BYTES)
_ROWS: Memo[tuple[int, *Set], Row] = Memo(ROW_BYTES)


def _kind(layout: Lanes, constraint: SetConstraint) -> Kind:
    looks = (tuple(sorted(constraint.owners)), constraint.low, constraint.high)
    key = (layout.width, *looks)
    kind = _KINDS.entries.get(key)
    if kind is None:
        kind = _KINDS.keep(key, Kind(layout, looks), _kind_bytes(layout, constraint))
    return kind


def _kind_bytes(layout: Lanes, constraint: SetConstraint) -> int:
    """About how much memory the kind of a set takes, its questions not counted."""
    lanes = (layout.width << layout.players) // 8
    holders = (layout.players + 1) * (lanes + 90)
    return 700 + holders + bytes_of_numbers(constraint.size, layout.everybody)


def row(layout: Lanes, constraint: SetConstraint) -> Row:
    """The prepared row of a set."""
    key = (layout.width, *constraint)
    found = _ROWS.entries.get(key)
    if found is None:
        found = Row(constraint, _kind(layout, constraint))
        with _KINDS.changing:
            if found.kind is _KINDS.entries.get((layout.width, *found.kind.looks)):
                _ROWS.keep(key, found, 1000 + 100 * constraint.size)
    return found


__all__ = [
    "ASK_BYTES", "IMPOSSIBLE", "KIND_BYTES", "ROW_BYTES",
    "Ask", "Asks", "Kind", "Row", "possible", "row",
]  # fmt: skip
