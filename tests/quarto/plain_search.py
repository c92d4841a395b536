"""The plain search: what `quaternity.quarto.search` was at first, to measure and test it against.

A value is 1 (the player to move wins), 0 (draw) or -1. With three values the whole of alpha-beta
is two yes-or-no questions, "can the player reach 1?" and "can the player reach 0?", and each is
answered with the narrowest window: the first move that reaches the goal ends the search.

Two things make it fast. A position to hand over a piece in is three integers (see `lines`): the
rows' marks, the empty cells and the pieces left; all pieces that lose at once are found by one
look-up. And among the cells for a piece, those that leave the fewest safe pieces are tried first:
there a "no" is soonest complete, and a "yes" often near.
"""

from __future__ import annotations

from quaternity.quarto import Board, Outcome
from quaternity.quarto.lines import Lines, members
from quaternity.quarto.lines import lines as lines_of
from quaternity.quarto.pieces import ANY, SHARING


class AlphaBeta:
    """A search with its memory, for any number of positions.

    A position must have no quarto. `left` are the pieces left to hand over, the one in hand not
    among them.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        # goal -> position with a piece to hand over -> is the goal reached?
        self._known: dict[int, dict[tuple[int, int, int], bool]] = {0: {}, 1: {}}

    def giver_reaches(self, rows: int, empty: int, left: int, goal: int) -> bool:
        """Whether who now hands over a piece can reach the goal.

        Args:
            goal: 1, to win; or 0, at least to draw.
        """
        if not left:
            return goal == 0
        safe = left & ~SHARING[self.lines.threats(rows, empty)]
        return bool(safe) and self._safe_giver_reaches(rows, empty, left, safe, goal)

    def placer_reaches(self, rows: int, empty: int, left: int, piece: int, goal: int) -> bool:
        """Whether who now places the piece in hand can reach the goal."""
        if any(
            rows & self.lines.after[piece][cell] & self.lines.completed_by(cell, empty)
            for cell in members(empty)
        ):
            return True
        return self._placer_without_quarto_reaches(rows, empty, left, piece, goal)

    def _safe_giver_reaches(self, rows: int, empty: int, left: int, safe: int, goal: int) -> bool:
        """As `giver_reaches`, given the pieces that do not lose at once, at least one."""
        known = self._known[goal]
        position = (rows, empty, left)
        reached = known.get(position)
        if reached is not None:
            return reached
        for piece in members(safe):
            # The goal is reached when the opponent cannot get one more than its opposite.
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
        """As `placer_reaches`, given that the piece completes no quarto."""
        if not left & (left - 1) and (goal == 1 or not left):
            # After this piece at most one more follows, and that one is the opponent's to place.
            return goal == 0
        replies = []
        after = self.lines.after[piece]
        for cell in members(empty):
            rows_after = rows & after[cell]
            if not rows_after:
                # No row can become a quarto any more: a draw, whatever is played.
                if goal == 0:
                    return True
                continue
            empty_after = empty ^ (1 << cell)
            # `threats`, written out: this is the innermost loop.
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
    """The outcome, and every move that keeps it, of a position that is not over."""
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
    found: set[tuple[int | None, str | None]] = set()
    for cell, (rows, empty, left) in boards:
        if goal == 0 and not left:
            found.add((cell, None))
        found |= {
            (cell, board.pieces.names[given])
            for given in members(left)
            if goal == -1
            or not search.placer_reaches(rows, empty, left ^ 1 << given, given, 1 - goal)
        }
    return Outcome(goal), found
