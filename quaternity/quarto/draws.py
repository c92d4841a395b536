"""Can the game still end in a draw, and in how many ways? Two methods behind one door.

A completion puts every piece left on an empty cell; it is drawn when no row is a quarto. Which
player places which piece does not matter, for every piece may go to every cell.

*Backtracking* fills the empty cells in an order that completes rows early; a piece that completes a
quarto is given up at once. What can follow depends only on the rows' marks and the pieces left, so
it is remembered. *CP-SAT* has a boolean for each empty cell and piece left: exactly
one piece on a cell, exactly one cell for a piece; and for each row and each property that the
pieces already on it share, a piece without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from quaternity.base.errors import LimitError
from quaternity.base.interruptible import searched
from quaternity.base.plain_values import named
from quaternity.quarto.board import Board, as_board
from quaternity.quarto.lines import BoardBits, lines, members
from quaternity.quarto.pieces import ANY, MARK_BITS, MARKS

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


class DrawMethod(NamedTuple):
    """A way to find drawn completions, for boards without a quarto.

    `completions` returns 0 or 1 when only the first is wanted; `limit` is the most empty cells for
    which all are counted.
    """

    completions: Callable[[BoardBits, bool], int]
    limit: int


SECONDS = 60.0
"""Time limit of one solve. The largest boards take some hundredths of a second."""


def _plan(empty: int) -> list[tuple[int, int]]:
    """Return the empty cells in the order to fill them, with the bits of rows completed."""
    plan = []
    while empty:
        # Next the cell whose rows have the fewest empty cells.
        cell = min(
            members(empty),
            key=lambda cell: sorted(
                (row & empty).bit_count() for row in lines().cells if row >> cell & 1
            ),
        )
        plan.append((cell, lines().completed_by(cell, empty)))
        empty ^= 1 << cell
    return plan


def count_by_backtracking(board: BoardBits, only_first: bool) -> int:
    """Give the number of ways to fill the board without a quarto; 1 if only the first is wanted."""
    plan = _plan(board.empty)
    known: dict[tuple[int, int], int] = {}

    def search(depth: int, rows: int, remaining: int) -> int:
        if depth == len(plan):
            return 1
        total = known.get((rows, remaining))
        if total is None:
            total = 0
            cell, complete = plan[depth]
            for piece in members(remaining):
                after = rows & lines().after[piece][cell]
                if not after & complete:
                    total += search(depth + 1, after, remaining ^ (1 << piece))
                    if only_first and total:
                        return 1
            known[rows, remaining] = total
        return total

    return search(0, board.rows, board.left)


def _model(board: BoardBits) -> cp_model.CpModel:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    cells, pieces = members(board.empty), members(board.left)
    on = {(cell, piece): model.new_bool_var("") for cell in cells for piece in pieces}
    for cell in cells:
        model.add_exactly_one(on[cell, piece] for piece in pieces)
    for piece in pieces:
        model.add_exactly_one(on[cell, piece] for cell in cells)
    for index, row in enumerate(lines().cells):
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


def _count_by_cp_sat(board: BoardBits, only_first: bool, *, seconds: float = SECONDS) -> int:
    """Count as `count_by_backtracking`, by listing them all; or raise SolverTimeout."""
    solutions: list[object] = []  # something for each solution
    text = f"CP-SAT has not found {'a' if only_first else 'every'} completion within {seconds} s"
    searched(
        _model(board), seconds, lambda: text,
        on_solution=solutions.append, is_whole=not only_first,
        enumerate_all_solutions=not only_first,
    )  # fmt: skip
    return len(solutions)


DRAW_METHODS: Mapping[str, DrawMethod] = {
    "backtracking": DrawMethod(count_by_backtracking, limit=10),
    "cp-sat": DrawMethod(_count_by_cp_sat, limit=8),
}
"""Every method by name, the default first."""

COMPLETIONS_LIMIT = DRAW_METHODS["backtracking"].limit
"""Most empty cells for which drawn completions are counted."""


def can_draw(board: Board, method: str = "backtracking") -> bool:
    """Return whether the board can be filled without a quarto, so that the game can end in a draw.

    There is no limit of size: the slowest board takes a tenth of a second.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> pieces = read_pieces(example_pieces())
    >>> can_draw(Board.parse('.' * 16, pieces)), can_draw(Board.parse('N?BI??JO?FDLMEAG', pieces))
    (True, False)
    """
    completions = named(DRAW_METHODS, method).completions
    return not as_board(board).quartos() and bool(completions(board.in_bits(), True))


def drawn_completions(board: Board, method: str = "backtracking") -> int:
    """Return the number of ways to fill the board without a quarto.

    By backtracking up to 10 empty cells (half a second at most), by CP-SAT up to 8; LimitError
    above.
    """
    chosen, empty = named(DRAW_METHODS, method), len(as_board(board).empty)
    if empty > chosen.limit:
        raise LimitError(
            f"{empty} empty cells: drawn completions are counted ({method}) "
            f"up to {chosen.limit} empty cells"
        )
    return 0 if board.quartos() else chosen.completions(board.in_bits(), False)
