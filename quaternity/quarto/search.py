"""Search for perfect play in Quarto: whether a player can win within a number of placements.

The search asks whether one player, the attacker, can complete a quarto. The number *within* limits
the remaining placements of both players together. The attacker makes the last of them. So the
attacker is the player who places the next piece if *within* is odd, and the player who hands over
the next piece if it is even. The outcome of the game (a win for either player, or a draw) follows
from one search for each player, with the largest possible value of *within*. Searches with smaller
values give the length of a win.

When a piece must be handed over, a position consists of three integers: the marks of the rows (see
`lines`), the empty cells and the pieces left. When a piece must be placed, the search tries the
most forcing cells first. These leave the opponent the fewest safe pieces to hand over or, if many
pieces are left, the fewest good replies. Positions with three empty cells are not cached, because
solving them is faster than a lookup.

The search does not identify symmetric positions, or positions that differ only in properties that
cannot become a quarto. This would cost more than it saves. `Lines.canonical_form` identifies both,
to compare moves.
"""

from __future__ import annotations

from quaternity.base.errors import LimitError
from quaternity.quarto.lines import Lines, members
from quaternity.quarto.pieces import MARKS, PIECES, SHARING

MAX_CACHED_POSITIONS = 500_000
"""Maximum number of positions in a cache. There is one cache for each value of *within* (the limit
on the remaining placements). A position takes 110 bytes. A full cache is cleared."""

LOOKAHEAD_PIECES = 7
"""Minimum number of pieces left for which cells are sorted by looking one move further ahead."""

Cell = tuple[int, int, int, int]
"""An empty cell on which a piece can be placed. A threat is a property with which the next piece
completes a quarto. The tuple contains the threats that remain after a piece is placed here, the
properties that become threats if the piece has them, the number of the cell, and the other empty
cells. All but the number are bit masks."""


class Search:
    """A cached game-tree search for forced wins, from positions without a quarto.

    `lines` defines the rows in which quartos count. `max_positions` limits the number of positions
    searched in all calls together. Above this limit, a search raises LimitError. None means no
    limit. The attacker is the player for whom a win is searched. The argument `remaining` is the
    bit mask of the pieces that can be handed over later, without the piece in hand.
    """

    __slots__ = ("_caches", "_lines", "_positions_left", "_size")

    def __init__(self, lines: Lines, max_positions: int | None = None) -> None:
        self._lines, self._size = lines, len(lines.cells)
        self._positions_left = max_positions
        self._caches: list[dict[int, bool]] = [{} for _ in range(PIECES + 1)]

    def wins_giving(self, rows: int, empty: int, remaining: int, within: int) -> bool:
        """Return whether the attacker can force a win when a piece must be handed over next.

        At most `within` pieces may be placed, counting those of both players. The attacker is the
        player who would place the last of them.
        """
        threat = self._lines.threats(rows, empty)
        safe = remaining & ~SHARING[threat]
        if not safe:
            return bool(remaining) and within % 2 == 1
        return self._attacker_wins(rows, empty, remaining, safe, threat, within)

    def wins_placing(self, rows: int, empty: int, remaining: int, piece: int, within: int) -> bool:
        """Return whether the attacker can force a win when `piece` must be placed next.

        At most `within` pieces may be placed, counting those of both players. The attacker is the
        player who would place the last of them.
        """
        attacking = within % 2 == 1
        threat = self._lines.threats(rows, empty)
        if MARKS[piece] & threat:
            return attacking
        cells = self._cells(rows, empty, threat)
        return self._placer_succeeds(rows, cells, remaining, piece, within - 1) == attacking

    def distance(
        self, rows: int, empty: int, remaining: int, piece: int, *, attacking: bool
    ) -> int:
        """Return the number of placements until the attacker wins. There must be a forced win.

        `piece` must be placed next. `attacking` says whether the attacker places it. The attacker
        wins as fast as possible, and the opponent delays the win.
        """
        last = largest_with_parity(empty.bit_count(), attacking)
        return next(
            (
                within
                for within in range(1 if attacking else 2, last, 2)
                if self.wins_placing(rows, empty, remaining, piece, within)
            ),
            last,
        )

    def _cells(self, rows: int, empty: int, threat: int) -> list[Cell]:
        cells = []
        marks = rows.to_bytes(self._size, "little")
        for cell, still_empty, complete, crossing in self._lines.threat_rows(empty):
            shared = 0
            for index in crossing:
                shared |= marks[index]
            remaining_threat = threat
            if complete is not None:
                remaining_threat = 0
                for index in complete:
                    remaining_threat |= marks[index]
            cells.append((remaining_threat, shared, cell, still_empty))
        return cells

    def _attacker_wins(
        self, rows: int, empty: int, remaining: int, safe: int, threat: int, within: int
    ) -> bool:
        if within < 2:
            return False
        if within == 3 and remaining.bit_count() == 3:
            return self._wins_with_last(rows, empty, remaining, safe)
        position = rows << 32 | empty << 16 | remaining
        cache = self._caches[within]
        known = cache.get(position)
        if known is not None:
            return known
        attacking = within % 2 == 0
        wins = not attacking
        cells = self._cells(rows, empty, threat)
        for piece in members(safe):
            if not self._placer_succeeds(rows, cells, remaining ^ 1 << piece, piece, within - 1):
                wins = attacking
                break
        self._cache_result(cache, position, wins)
        return wins

    def _cache_result(self, cache: dict[int, bool], position: int, wins: bool) -> None:
        if self._positions_left is not None:
            self._positions_left -= 1
            if self._positions_left < 0:
                raise LimitError(
                    "the search reached its limit of positions before it solved the board"
                )
        if len(cache) >= MAX_CACHED_POSITIONS:
            cache.clear()
        cache[position] = wins

    def _placer_succeeds(
        self, rows: int, cells: list[Cell], remaining: int, piece: int, within: int
    ) -> bool:
        """Return whether the player who places `piece` next can reach their goal.

        The piece cannot complete a quarto. `within` is the maximum number of placements after this
        one. If it is even, the goal is to win. If it is odd, the goal is to prevent a win.
        """
        mark = MARKS[piece]
        if within < 2:
            # The attacker has no placement left (-1), no placement after this one (0), or one
            # more placement (1).
            return within < 0 or (
                within == 1
                and any(
                    remaining & ~SHARING[staying | shared & mark] for staying, shared, _, _ in cells
                )
            )
        after, attacking = self._lines.after[piece], within % 2 == 0
        if within == 3 and remaining.bit_count() == 3:
            for staying, shared, cell, still_empty in cells:
                safe = remaining & ~SHARING[staying | shared & mark]
                if safe and not self._wins_with_last(
                    rows & after[cell], still_empty, remaining, safe
                ):
                    return True
            return False
        far = remaining.bit_count() >= LOOKAHEAD_PIECES
        replies = []
        for staying, shared, cell, still_empty in cells:
            threat = staying | shared & mark
            safe = remaining & ~SHARING[threat]
            if safe:
                order = safe.bit_count()
                if far:
                    order = self._answers(rows & after[cell], still_empty, remaining, safe, threat)
                replies.append((order, cell, still_empty, safe, threat))
        replies.sort()
        for _, cell, still_empty, safe, threat in replies:
            rows_after = rows & after[cell]
            if not rows_after:
                # No row can become a quarto any more, so the attacker cannot win.
                if attacking:
                    continue
                return True
            won = self._attacker_wins(rows_after, still_empty, remaining, safe, threat, within)
            if won == attacking:
                return True
        return False

    def _answers(self, rows: int, empty: int, remaining: int, safe: int, threat: int) -> int:
        cells = self._cells(rows, empty, threat)
        return sum(
            bool((remaining ^ 1 << piece) & ~SHARING[staying | shared & MARKS[piece]])
            for piece in members(safe)
            for staying, shared, _, _ in cells
        )

    def _wins_with_last(self, rows: int, empty: int, remaining: int, safe: int) -> bool:
        marks = rows.to_bytes(self._size, "little")
        cells = []
        for rows_of in self._lines.last(empty):
            cell_marks = []
            for indices in rows_of:
                mark = 0
                for index in indices:
                    mark |= marks[index]
                cell_marks.append(mark)
            cells.append(cell_marks)
        for piece in members(safe):
            placed = MARKS[piece]
            handed_over, last_piece = members(remaining ^ 1 << piece)
            own, last_mark = MARKS[handed_over], MARKS[last_piece]
            for first, to_first, second, to_second, both, to_both in cells:
                on_first, on_second = first | to_first & placed, second | to_second & placed
                threat = on_first | on_second
                if (both | to_both & placed) & own & last_mark:
                    if not (own & threat and last_mark & threat):
                        break
                elif own & threat:
                    if not last_mark & threat and own & on_first and own & on_second:
                        break
                elif last_mark & on_first and last_mark & on_second:
                    break
            else:
                return False
        return True


def largest_with_parity(placements: int, odd: bool) -> int:
    """Return the largest number <= `placements` that is odd or, if `odd` is false, even."""
    return placements - (placements % 2 != odd)
