"""The first version of `quaternity.quarto.search`, as a reference for tests and benchmarks.

A value is 1 (the player to move wins), 0 (draw) or -1. With three values, alpha-beta search comes
down to two yes-or-no questions, "can the player reach 1?" and "can the player reach 0?". Each is
answered with the narrowest window: the first move that reaches the goal ends the search.

Two things make it fast. A position in which a piece is handed over is three integers (see `lines`):
the marks of the rows, the empty cells and the pieces left. One look-up finds all pieces that lose
at once. And the cells that leave the fewest safe pieces are tried first: they are the quickest to
refute, and the goal is often near.
"""

from __future__ import annotations

from quaternity.quarto import Board, Outcome
from quaternity.quarto.lines import Lines, members
from quaternity.quarto.lines import lines as lines_of
from quaternity.quarto.pieces import ANY, SHARING


class AlphaBeta:
    """A search with a cache, for any number of positions.

    A position must not have a quarto. `left` are the pieces left to hand over, without the piece in
    hand.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        # goal -> position in which a piece is handed over -> whether the goal is reached
        self._known: dict[int, dict[tuple[int, int, int], bool]] = {0: {}, 1: {}}

    def giver_reaches(self, rows: int, empty: int, left: int, goal: int) -> bool:
        """Return whether the player who hands over a piece can reach the goal.

        Args:
            goal: 1, to win; or 0, at least to draw.
        """
        if not left:
            return goal == 0
        safe = left & ~SHARING[self.lines.threats(rows, empty)]
        return bool(safe) and self._safe_giver_reaches(rows, empty, left, safe, goal)

    def placer_reaches(self, rows: int, empty: int, left: int, piece: int, goal: int) -> bool:
        """Return whether the player who places the piece in hand can reach the goal."""
        if any(
            rows & self.lines.after[piece][cell] & self.lines.completed_by(cell, empty)
            for cell in members(empty)
        ):
            return True
        return self._placer_without_quarto_reaches(rows, empty, left, piece, goal)

    def _safe_giver_reaches(self, rows: int, empty: int, left: int, safe: int, goal: int) -> bool:
        """Return the same as `giver_reaches`; `safe` are the pieces that do not lose at once."""
        known = self._known[goal]
        position = (rows, empty, left)
        reached = known.get(position)
        if reached is not None:
            return reached
        for piece in members(safe):
            # The goal is reached if the opponent cannot get more than its opposite.
            if not self._placer_without_quarto_reaches(
                rows, empty, left ^ (1 << piece), piece, 1 - goal
            ):
                known[position] = True
                return True
        known[position] = False
        return False

    def _placer_without_quarto_reaches(
        self, rows: int, empty: int, left: int, piece: int, goal: int
    ) -> bool:
        """Return the same as `placer_reaches`, for a piece that does not complete a quarto."""
        if not left & (left - 1) and (goal == 1 or not left):
            # At most one more piece follows, and the opponent places it.
            return goal == 0
        replies = []
        after = self.lines.after[piece]
        for cell in members(empty):
            rows_after = rows & after[cell]
            if not rows_after:
                # No row can become a quarto any more, so every continuation is a draw.
                if goal == 0:
                    return True
                continue
            empty_after = empty ^ (1 << cell)
            # `threats`, inlined, because this is the innermost loop.
            mark = 0
            for index in self.lines.almost_complete(empty_after):
                mark |= rows_after >> 8 * index
            safe = left & ~SHARING[mark & ANY]
            if safe:
                replies.append((safe.bit_count(), rows_after, empty_after, safe))
        replies.sort()
        for _, rows_after, empty_after, safe in replies:
            if self._safe_giver_reaches(rows_after, empty_after, left, safe, goal):
                return True
        return False


def plain_best(
    board: Board, in_hand: str | None, squares: bool
) -> tuple[Outcome, set[tuple[int | None, str | None]]]:
    """Return the outcome of a position that is not over, and every move that keeps it."""
    lines = lines_of(squares)
    search = AlphaBeta(lines)
    rows, empty, left = board.in_bits(squares)
    if in_hand is None:
        boards: list[tuple[int | None, tuple[int, int, int]]] = [(None, (rows, empty, left))]
    else:
        piece = board.pieces.piece(in_hand)
        if winning := lines.completing(rows, empty, piece):
            return Outcome.WIN, {(cell, None) for cell in members(winning)}
        after, left = lines.after[piece], left ^ 1 << piece
        boards = [(c, (rows & after[c], empty ^ 1 << c, left)) for c in members(empty)]
    for goal in (1, 0):
        if any(search.giver_reaches(*after, goal) for _, after in boards):
            break
    else:
        goal = -1
    best_moves: set[tuple[int | None, str | None]] = set()
    for cell, (rows, empty, left) in boards:
        if goal == 0 and not left:
            best_moves.add((cell, None))
        best_moves |= {
            (cell, board.pieces.names[next_piece])
            for next_piece in members(left)
            if goal == -1
            or not search.placer_reaches(rows, empty, left ^ 1 << next_piece, next_piece, 1 - goal)
        }
    return Outcome(goal), best_moves
