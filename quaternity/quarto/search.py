"""Perfect play on bits: does the attacker win within so many placements?

One player attacks and wants a quarto; both hand over and place pieces in turn. *Within* counts the
placements to come, of both players, and its parity says who attacks: who places next when it is
odd, who hands over next when it is even, for the last of them is to be the attacker's. With as many
placements as there are empty cells the answer is the outcome: the player on turn wins or not, the
opponent wins or not, and what is left is a draw. With fewer it is a distance.

A position to hand over a piece in is three integers: the rows' marks (see `lines`), the empty cells
and the pieces left; all pieces that lose at once are found by one look-up. What a piece does to the
threats on each cell is prepared once for all pieces. Among the cells for a piece, those that leave
the fewest safe pieces (with many pieces left: the fewest good answers) are tried first: there a
"no" is soonest complete, and a "yes" often near.
With three empty cells left, four fifths of all positions, nothing is remembered: the end is counted
out in less time than a look-up and the memory it takes.

Positions that are one another's images under a symmetry, or differ in properties that nobody can
complete any more, are told apart: among all that one search of 11 empty cells meets, symmetries
find none alike before the last four cells, and the properties one of seven with four cells left, at
more than the cost of searching it. Both serve where one asks: see `Lines.form`.
"""

from __future__ import annotations

from quaternity.base.errors import LimitError
from quaternity.quarto.lines import Lines, members
from quaternity.quarto.pieces import MARKS, PIECES, SHARING

MAX_CACHED_POSITIONS = 500_000
"""Maximum number of positions, 110 bytes each, that a search caches per horizon; then all are
dropped."""

FAR = 7
"""With so many pieces left it pays to look one move further for the best order of cells."""

Cell = tuple[int, int, int, int]
"""A cell: the threats that stay, those that the piece placed there has to share, the cell, the
other empty cells."""


class Search:
    """A search with its memory, for any number of positions of one game without a quarto.

    `remaining` are the pieces left to hand over, without the one in hand. `most` is how many
    positions all questions may look into together (LimitError above); None for no limit.
    """

    __slots__ = ("_known", "_lines", "_open", "_size")

    def __init__(self, lines: Lines, most: int | None = None) -> None:
        self._lines, self._size = lines, len(lines.cells)
        self._open = most
        self._known: list[dict[int, bool]] = [{} for _ in range(PIECES + 1)]

    def wins_giving(self, rows: int, empty: int, remaining: int, within: int) -> bool:
        """Return whether the attacker wins when a piece is to be handed over."""
        threat = self._lines.threats(rows, empty)
        safe = remaining & ~SHARING[threat]
        if not safe:
            return bool(remaining) and within % 2 == 1
        return self._attacker_wins(rows, empty, remaining, safe, threat, within)

    def wins_placing(self, rows: int, empty: int, remaining: int, piece: int, within: int) -> bool:
        """Return whether the attacker wins when a piece is in hand."""
        attacking = within % 2 == 1
        threat = self._lines.threats(rows, empty)
        if MARKS[piece] & threat:
            return attacking
        cells = self._cells(rows, empty, threat)
        return self._placer_succeeds(rows, cells, remaining, piece, within - 1) == attacking

    def distance(
        self, rows: int, empty: int, remaining: int, piece: int, *, attacking: bool
    ) -> int:
        """Return in how many placements the attacker, who must be winning, wins.

        A piece is in hand; `attacking` is whether the attacker places it.
        """
        last = most_within(empty.bit_count(), attacking)
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
        for cell, still_empty, complete, crossing in self._lines.around(empty):
            shared = 0
            for index in crossing:
                shared |= marks[index]
            staying = threat
            if complete is not None:
                staying = 0
                for index in complete:
                    staying |= marks[index]
            cells.append((staying, shared, cell, still_empty))
        return cells

    def _attacker_wins(
        self, rows: int, empty: int, remaining: int, safe: int, threat: int, within: int
    ) -> bool:
        if within < 2:
            return False
        if within == 3 and remaining.bit_count() == 3:
            return self._wins_with_last(rows, empty, remaining, safe)
        position = rows << 32 | empty << 16 | remaining
        remembered = self._known[within]
        known = remembered.get(position)
        if known is not None:
            return known
        attacking = within % 2 == 0
        wins = not attacking
        cells = self._cells(rows, empty, threat)
        for piece in members(safe):
            if not self._placer_succeeds(rows, cells, remaining ^ 1 << piece, piece, within - 1):
                wins = attacking
                break
        self._keep(remembered, position, wins)
        return wins

    def _keep(self, remembered: dict[int, bool], position: int, wins: bool) -> None:
        if self._open is not None:
            self._open -= 1
            if self._open < 0:
                raise LimitError("the position is not solved with so little effort")
        if len(remembered) >= MAX_CACHED_POSITIONS:
            remembered.clear()
        remembered[position] = wins

    def _placer_succeeds(
        self, rows: int, cells: list[Cell], remaining: int, piece: int, within: int
    ) -> bool:
        """Return whether a player who places a piece that completes no quarto gets what they want.

        That is a win for the attacker (`within` after it is even), no win of the attacker for the
        defender.
        """
        mark = MARKS[piece]
        if within < 2:
            # The attacker has no more placement; they have one; or they have none and place now.
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
        far = remaining.bit_count() >= FAR
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
                # No row can become a quarto any more: a draw, whatever is played.
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
        """Answer as `_attacker_wins` for three cells, of which the attacker fills the last.

        The attacker fills one cell and hands over a safe piece; the defender has two cells for it,
        and on the other one the last piece must complete a quarto.
        """
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
            given, last = members(remaining ^ 1 << piece)
            mine, their = MARKS[given], MARKS[last]
            for first, to_first, second, to_second, both, to_both in cells:
                on_first, on_second = first | to_first & placed, second | to_second & placed
                threat = on_first | on_second
                if (both | to_both & placed) & mine & their:
                    if not (mine & threat and their & threat):
                        break
                elif mine & threat:
                    if not their & threat and mine & on_first and mine & on_second:
                        break
                elif their & on_first and their & on_second:
                    break
            else:
                return False
        return True


def most_within(placements: int, odd: bool) -> int:
    """Return the largest odd, or even, number of placements up to so many."""
    return placements - (placements % 2 != odd)
