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

from collections.abc import Iterable, Iterator
from typing import NamedTuple

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

Answers = tuple[Answer, ...]

ANSWERS: tuple[Answers, ...] = ((), (Answer.NO,), (Answer.YES,), (Answer.NO, Answer.YES))
"""Legal answers by number: 1 for no, plus 2 for yes."""


class Entry(NamedTuple):
    """What asking somebody for any of some interchangeable cards leads to.

    Attributes:
        asked: the asked player.
        mask: the owner mask of the cards.
        no, yes: the set's table after each answer, or `IMPOSSIBLE`. In `yes` the change of hands
            is included, moved to the tables' side of the comparison.
    """

    asked: int
    mask: int
    no: int
    yes: int


class Asks(NamedTuple):
    """All that one asker may ask about a set, as far as the set alone can tell.

    Attributes:
        entries: the questions with their outcomes.
        floor: per lane the lowest value in any outcome: where this much is enough, all are legal.
        answers: per entry its answers when all outcomes are legal.
    """

    entries: list[Entry]
    floor: int
    answers: list[Answers]


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
            # Of the two tables of an entry about half are shared with other entries.
            _KINDS.charge(200 + len(asks.entries) * (lanes + 150))
        return asks

    def _made(self, asker: int) -> Asks:
        layout, owners = self.layout, self.constraint.owners
        entries, answers, tables = [], [], set()
        for asked, mask, no, yes in self._outcomes(asker, dict.fromkeys(owners)):
            if no != IMPOSSIBLE:
                tables.add(no)
            if yes != IMPOSSIBLE:
                yes += layout.member[asked] - layout.member[asker]
                tables.add(yes)
            if no != IMPOSSIBLE or yes != IMPOSSIBLE:
                entries.append(Entry(asked, mask, no, yes))
                answers.append(ANSWERS[(no != IMPOSSIBLE) + 2 * (yes != IMPOSSIBLE)])
        floor = layout.ones * ((1 << (layout.width - 1)) - 1)
        for table in tables:
            floor = layout.lower(floor, table)
        return Asks(entries, floor, answers)

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
        ranks = layout.meetings(constraint.owners)
        asking = list(constraint.low)
        asking[asker] = max(1, asking[asker])
        receiving = list(asking)
        receiving[asker] += 1
        mine = layout.meeting(1 << asker)
        for mask in masks:
            if mask == 1 << asker:
                continue
            rest = ranks - layout.meeting(mask)
            nos: dict[int, int] = {}
            given = layout.settled(rest + mine, receiving, size)
            for asked in others:
                left = mask & ~(1 << asker | 1 << asked)
                if left not in nos:
                    nos[left] = (
                        layout.settled(rest + layout.meeting(left), asking, size)
                        if left
                        else IMPOSSIBLE
                    )
                yes = IMPOSSIBLE
                if mask >> asked & 1:
                    yes = given
                    if receiving[asked]:
                        receiving[asked] -= 1
                        yes = layout.settled(rest + mine, receiving, size)
                        receiving[asked] += 1
                yield asked, mask, nos[left], yes


class Row:
    """One set of a state: its constraint, its kind, and its cards by owner mask."""

    __slots__ = ("_all", "cards", "constraint", "kind")

    def __init__(self, constraint: SetConstraint, kind: Kind) -> None:
        self.constraint = constraint
        self.kind = kind
        cards: dict[int, list[int]] = {}
        for card, mask in enumerate(constraint.owners):
            cards.setdefault(mask, []).append(card)
        self.cards = {mask: tuple(alike) for mask, alike in cards.items()}
        self._all: list[list[tuple[int, tuple[int, ...], Answers]] | None]
        self._all = [None] * len(constraint.low)

    def everything(self, asker: int) -> list[tuple[int, tuple[int, ...], Answers]]:
        """(asked, cards, answers) of all questions the set alone allows."""
        found = self._all[asker]
        if found is None:
            asks = self.kind.asks(asker)
            found = self._all[asker] = [
                (entry.asked, self.cards[entry.mask], answers)
                for entry, answers in zip(asks.entries, asks.answers, strict=True)
            ]
        return found


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
        players, masks = layout.players, len(found.cards)
        size = 800 + 100 * constraint.size + 75 * players * (players - 1) * masks
        if found.kind is _KINDS.entries.get((layout, found.kind.constraint)):
            _ROWS.keep((layout, constraint), found, size)
    return found


__all__ = [
    "ANSWERS", "IMPOSSIBLE", "KIND_BYTES", "ROW_BYTES", "Answers", "Asks", "Entry", "Kind", "Row",
    "row",
]  # fmt: skip
