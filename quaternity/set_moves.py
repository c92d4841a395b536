"""What can be asked about one set, prepared once for all states in which the set looks alike.

A question touches one set only. So for a set that looks a certain way (the multiset of owner masks,
and the bounds) and an asker, the table of the set after every question and answer can be made in
advance; in a state it then takes one addition and one mask to see whether the answer is possible
(`solvers.coalition_tables`). Cards with equal owners are interchangeable and share one entry.

What grows: an entry costs two tables of 2^P lanes; a set has (P - 1) x (distinct owner masks)
entries per asker, made when first asked for. The caches are bounded by number: at most
`MOST_ROWS` rows, and per layout as many kinds as fit in about `KIND_BYTES`, and at least 32.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from quaternity.transition import answered
from solvers.coalition_tables import Lanes
from solvers.problem import SetConstraint

MOST_ROWS = 1 << 15
"""Most sets with their cards in order (`Row`) that are kept."""

KIND_BYTES = 64 * 2**20
"""About how much memory the kinds of one layout may take."""

IMPOSSIBLE = -1
"""Stands for the table of a set that no deal fits."""

Entry = tuple[int, int, int, int]
"""(asked, owner mask of the cards, table after no, table after yes with the hands' change)."""


class Kind:
    """Sets that look alike up to the order of their cards.

    Attributes:
        table: the packed coalition table, or `IMPOSSIBLE`.
        owned: the player who owns every card whatever the other sets are, or None.
        holders: per player who may own all cards, the table in which that player does not.
    """

    __slots__ = ("_entries", "constraint", "holders", "layout", "owned", "table")

    def __init__(self, layout: Lanes, constraint: SetConstraint) -> None:
        self.layout = layout
        self.constraint = constraint
        self.table = layout.table(*constraint)
        self._entries: list[list[Entry] | None] = [None] * layout.players
        self.owned: int | None = None
        self.holders: list[tuple[int, int]] = []
        size = constraint.size
        if not size or self.table == IMPOSSIBLE:
            return
        common = layout.everybody
        for mask in constraint.owners:
            common &= mask
        for player in range(layout.players):
            others = any(low for other, low in enumerate(constraint.low) if other != player)
            if common >> player & 1 and not others and constraint.high[player] >= size:
                high = list(constraint.high)
                high[player] = size - 1
                table = layout.table(constraint.owners, constraint.low, tuple(high))
                if table == IMPOSSIBLE:
                    self.owned = player
                else:
                    self.holders.append((player, table))

    def entries(self, asker: int) -> list[Entry]:
        """All (asked, interchangeable cards, outcome tables) for an asker; see `Entry`."""
        entries = self._entries[asker]
        if entries is None:
            entries = self._entries[asker] = self._made(asker)
        return entries

    def _made(self, asker: int) -> list[Entry]:
        layout, constraint = self.layout, self.constraint
        entries = []
        for card, mask in enumerate(constraint.owners):
            if card and constraint.owners[card - 1] == mask:
                continue
            if mask == 1 << asker:
                continue
            for asked in range(layout.players):
                if asked == asker:
                    continue
                no = layout.table_of(answered(constraint, asker, asked, card, False))
                yes = IMPOSSIBLE
                if mask >> asked & 1:
                    yes = layout.table_of(answered(constraint, asker, asked, card, True))
                    if yes != IMPOSSIBLE:
                        # The hands' change, moved to this side of the comparison.
                        yes += layout.member[asked] - layout.member[asker]
                if no != IMPOSSIBLE or yes != IMPOSSIBLE:
                    entries.append((asked, mask, no, yes))
        return entries


class Row:
    """One set of a state: its constraint, its kind, and its cards by owner mask."""

    __slots__ = ("cards", "constraint", "kind", "table")

    def __init__(self, constraint: SetConstraint, kind: Kind) -> None:
        self.constraint = constraint
        self.kind = kind
        self.table = kind.table
        cards: dict[int, list[int]] = {}
        for card, mask in enumerate(constraint.owners):
            cards.setdefault(mask, []).append(card)
        self.cards = {mask: tuple(alike) for mask, alike in cards.items()}


@lru_cache(maxsize=16)
def _kinds(layout: Lanes) -> Callable[[SetConstraint], Kind]:
    """The bounded cache of one layout's kinds; they arrive with their cards sorted by owners."""
    lane_bytes = (layout.width << layout.players) // 8
    # Per kind: P askers x (P - 1) asked x about two owner masks x two tables.
    kind_bytes = 4 * layout.players * layout.players * (lane_bytes + 60)

    def kind(constraint: SetConstraint) -> Kind:
        return Kind(layout, constraint)

    return lru_cache(maxsize=max(32, KIND_BYTES // kind_bytes))(kind)


@lru_cache(maxsize=MOST_ROWS)
def row(layout: Lanes, constraint: SetConstraint) -> Row:
    """The prepared row of a set."""
    ordered = SetConstraint.trusted(
        tuple(sorted(constraint.owners)), constraint.low, constraint.high
    )
    return Row(constraint, _kinds(layout)(ordered))


__all__ = ["IMPOSSIBLE", "KIND_BYTES", "MOST_ROWS", "Entry", "Kind", "Row", "row"]
