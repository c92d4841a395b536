"""How soon can a win be forced? Searches for a win within so many placements.

One player attacks and wants a quarto, both hands over and place pieces in turn. *Within* counts the
placements to come, of both players. It is the search of `alpha_beta` with a horizon: a horizon
below the real distance cuts it off early, so horizons are tried from the nearest on.
"""

from __future__ import annotations

from quaternity.quarto.marks import (
    AFTER,
    ANY,
    SHARING,
    almost_complete,
    completed_by,
    members,
)

Reply = tuple[int, int, int, int]
"""A cell for a piece: how many pieces are safe then, the rows, the empty cells, the safe pieces."""


class Distances:
    """A search with its memory, for any number of positions without a quarto."""

    __slots__ = ("_attacker", "_defender")

    def __init__(self) -> None:
        # within -> position where the attacker (the defender) hands over -> does the attacker win?
        self._attacker: dict[tuple[int, int, int, int], bool] = {}
        self._defender: dict[tuple[int, int, int, int], bool] = {}

    def of_win(self, rows: int, empty: int, left: int, piece: int) -> int:
        """In how many placements the attacker, who places the piece in hand, wins.

        The attacker has to be winning; this is not checked.
        """
        if any(rows & AFTER[piece][cell] & completed_by(cell, empty) for cell in members(empty)):
            return 1
        last = (empty.bit_count() - 1) | 1  # the attacker's last placement
        return next(
            (
                within
                for within in range(3, last, 2)
                if self._attacker_places(rows, empty, left, piece, within)
            ),
            last,
        )

    def of_loss(self, rows: int, empty: int, left: int, piece: int) -> int:
        """In how many placements the defender, who places the piece in hand, loses.

        The defender has to be losing; this is not checked.
        """
        last = empty.bit_count() & ~1
        return next(
            (
                within
                for within in range(2, last, 2)
                if self._defender_places(rows, empty, left, piece, within)
            ),
            last,
        )

    def _attacker_places(self, rows: int, empty: int, left: int, piece: int, within: int) -> bool:
        """Whether the attacker wins by placing a piece that completes no quarto."""
        replies = sorted(_replies(rows, empty, left, piece))
        return any(
            self._attacker_gives(after, cells, left, safe, within - 1)
            for _, after, cells, safe in replies
            if safe and after
        )

    def _attacker_gives(self, rows: int, empty: int, left: int, safe: int, within: int) -> bool:
        key = (within, rows, empty, left)
        found = self._attacker.get(key)
        if found is None:
            found = self._attacker[key] = any(
                self._defender_places(rows, empty, left ^ (1 << piece), piece, within)
                for piece in members(safe)
            )
        return found

    def _defender_places(self, rows: int, empty: int, left: int, piece: int, within: int) -> bool:
        """Whether the attacker wins after the defender placed a piece that completes no quarto."""
        if not left:
            return False  # it was the last piece
        replies = _replies(rows, empty, left, piece)
        if any(safe and (within == 2 or not after) for _, after, _, safe in replies):
            return False
        # Where the defender has most to choose from, a way out is found soonest.
        return all(
            self._defender_gives(after, cells, left, safe, within - 1)
            for _, after, cells, safe in sorted(replies, reverse=True)
            if safe
        )

    def _defender_gives(self, rows: int, empty: int, left: int, safe: int, within: int) -> bool:
        key = (within, rows, empty, left)
        found = self._defender.get(key)
        if found is None:
            found = self._defender[key] = all(
                self._attacker_places(rows, empty, left ^ (1 << piece), piece, within)
                for piece in members(safe)
            )
        return found


def _replies(rows: int, empty: int, left: int, piece: int) -> list[Reply]:
    """What each cell for a piece leads to."""
    replies = []
    after = AFTER[piece]
    for cell in members(empty):
        rows_after, empty_after = rows & after[cell], empty ^ (1 << cell)
        # `threats`, written out: this is the innermost loop.
        mark = 0
        for shift in almost_complete(empty_after):
            mark |= rows_after >> shift
        safe = left & ~SHARING[mark & ANY]
        replies.append((safe.bit_count(), rows_after, empty_after, safe))
    return replies


__all__ = ["Distances"]
