"""Drawn completions by OR-Tools' CP-SAT.

A boolean for each empty cell and piece left: exactly one piece on a cell, exactly one cell for a
piece; and for each row and each property that the pieces already on it share, a piece without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaternity.quarto.marks import ANY, MARK_BITS, MARKS, BoardBits, members
from quaternity.quarto.rows import ROW_CELLS
from solvers.interruptible import searched

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

SECONDS = 60.0
"""Time limit of one solve. The largest boards take some hundredths of a second."""


def _model(board: BoardBits) -> cp_model.CpModel:
    """The model; a board with a quarto gives one without a solution."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    cells, pieces = members(board.empty), members(board.left)
    on = {(cell, piece): model.new_bool_var("") for cell in cells for piece in pieces}
    for cell in cells:
        model.add_exactly_one(on[cell, piece] for piece in pieces)
    for piece in pieces:
        model.add_exactly_one(on[cell, piece] for cell in cells)
    for index, row in enumerate(ROW_CELLS):
        shared = board.rows >> MARK_BITS * index & ANY
        for bit in range(MARK_BITS):
            if shared >> bit & 1:
                model.add_bool_or(
                    on[cell, piece]
                    for cell in members(row & board.empty)
                    for piece in pieces
                    if not MARKS[piece] >> bit & 1
                )
    return model


def can_draw(board: BoardBits, *, seconds: float = SECONDS) -> bool:
    """Whether the board can be filled without a quarto.

    Raises:
        SolverTimeout: no answer within `seconds`.
    """
    text = f"CP-SAT has not found within {seconds} s whether the board can draw"
    return searched(_model(board), seconds, lambda: text) is not None


def count(board: BoardBits, *, seconds: float = SECONDS) -> int:
    """The number of ways to fill the board without a quarto, by enumerating them all.

    Raises:
        SolverTimeout: not all found within `seconds`.
    """
    from ortools.sat.python import cp_model

    class Counter(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]  # OR-Tools is untyped
        """Counts the solutions it is told."""

        def __init__(self) -> None:
            super().__init__()
            self.solutions = 0

        def on_solution_callback(self) -> None:
            self.solutions += 1

    counter = Counter()
    text = f"CP-SAT has not found all completions within {seconds} s"
    searched(
        _model(board), seconds, lambda: text,
        callback=counter, is_whole=True, enumerate_all_solutions=True,
    )  # fmt: skip
    return counter.solutions


__all__ = ["SECONDS", "can_draw", "count"]
