"""Drawn completions by backtracking.

The empty cells are filled in an order that completes rows early; a piece that completes a quarto
is given up at once. What can follow depends only on the rows' marks and the pieces left, so both
searches remember it.
"""

from __future__ import annotations

from quaternity.quarto.marks import AFTER, BoardBits, completed_by, members
from quaternity.quarto.rows import ROW_CELLS, ROWS_THROUGH


def _plan(empty: int) -> list[tuple[int, int]]:
    """The empty cells in the order to fill them, each with the bits of the rows it completes."""
    plan = []
    while empty:
        # Next the cell whose rows have the fewest empty cells.
        cell = min(
            members(empty),
            key=lambda cell: sorted(
                (ROW_CELLS[index] & empty).bit_count() for index in ROWS_THROUGH[cell]
            ),
        )
        plan.append((cell, completed_by(cell, empty)))
        empty ^= 1 << cell
    return plan


def can_draw(board: BoardBits) -> bool:
    """Whether the board can be filled without a quarto."""
    plan = _plan(board.empty)
    hopeless: set[tuple[int, int]] = set()

    def search(depth: int, rows: int, left: int) -> bool:
        if depth == len(plan):
            return True
        if (rows, left) in hopeless:
            return False
        cell, complete = plan[depth]
        for piece in members(left):
            after = rows & AFTER[piece][cell]
            if not after & complete and search(depth + 1, after, left ^ (1 << piece)):
                return True
        hopeless.add((rows, left))
        return False

    return not board.has_quarto and search(0, board.rows, board.left)


def count(board: BoardBits) -> int:
    """The number of ways to fill the board without a quarto."""
    plan = _plan(board.empty)
    known: dict[tuple[int, int], int] = {}

    def search(depth: int, rows: int, left: int) -> int:
        if depth == len(plan):
            return 1
        total = known.get((rows, left))
        if total is None:
            total = 0
            cell, complete = plan[depth]
            for piece in members(left):
                after = rows & AFTER[piece][cell]
                if not after & complete:
                    total += search(depth + 1, after, left ^ (1 << piece))
            known[rows, left] = total
        return total

    return 0 if board.has_quarto else search(0, board.rows, board.left)


__all__ = ["can_draw", "count"]
