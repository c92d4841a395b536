"""Two methods that compute whether a game can still end in a draw, and in how many ways.

A completion puts every remaining piece on an empty cell. It is a draw if no row is a quarto. It
does not matter which player places which piece, because every piece may go to every cell.

The *backtracking* method fills the empty cells one by one, and rejects a piece as soon as it
completes a quarto. It caches the number of completions, which depends only on the pieces left and
on the common properties of the pieces in each row. The *CP-SAT* method uses a boolean variable for
each empty cell and remaining piece. Each cell gets exactly one piece, and each piece goes to
exactly one cell. For each property that all pieces already in a row share, some new piece in the
row must lack this property.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from quaternity.base.cp_sat_search import run_search
from quaternity.base.errors import LimitError
from quaternity.base.validation import lookup
from quaternity.quarto.board import Board, as_board
from quaternity.quarto.lines import BoardBits, lines, members
from quaternity.quarto.pieces import ANY, MARK_BITS, MARKS

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


class DrawMethod(NamedTuple):
    """A method that counts the ways to fill a board without a quarto.

    `completions` takes a board, and whether to stop at the first way. It returns the number of ways
    found. `limit` is the maximum number of empty cells for which all ways can be counted.
    """

    completions: Callable[[BoardBits, bool], int]
    limit: int


SECONDS = 60.0
"""Time limit for one call of CP-SAT, in seconds. Even large boards take less than 0.1 seconds."""


def _plan(empty: int) -> list[tuple[int, int]]:
    """Return the empty cells in the order in which they are filled.

    Each item is a pair of a cell and the bit mask of the rows that this cell completes.
    """
    plan = []
    while empty:
        # Fill the cell whose rows have the fewest empty cells, so that rows are completed early.
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
    """Return the number of ways to fill the board without a quarto.

    If `only_first` is true, stop at the first way and return 1.
    """
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
    """Return the same number as `count_by_backtracking`, computed by CP-SAT."""
    solutions: list[object] = []  # one entry for each completion
    text = f"CP-SAT has not found {'a' if only_first else 'every'} completion within {seconds} s"
    run_search(
        _model(board), seconds, lambda: text,
        on_solution=solutions.append, is_whole=not only_first,
        enumerate_all_solutions=not only_first,
    )  # fmt: skip
    return len(solutions)


DRAW_METHODS: Mapping[str, DrawMethod] = {
    "backtracking": DrawMethod(count_by_backtracking, limit=10),
    "cp-sat": DrawMethod(_count_by_cp_sat, limit=8),
}
"""Methods that count draws, by name. The default method comes first."""

COMPLETIONS_LIMIT = DRAW_METHODS["backtracking"].limit
"""Maximum number of empty cells of a board for which `drawn_completions` counts the ways to fill
the board without a quarto."""


def can_draw(board: Board, method: str = "backtracking") -> bool:
    """Return whether the board can be filled without a quarto, so that the game ends in a draw.

    The board may have any number of empty cells. Even the slowest board takes only 0.1 seconds.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> pieces = read_pieces(example_pieces())
    >>> can_draw(Board.parse('.' * 16, pieces)), can_draw(Board.parse('N?BI??JO?FDLMEAG', pieces))
    (True, False)
    """
    completions = lookup(DRAW_METHODS, method).completions
    return not as_board(board).quartos() and bool(completions(board.in_bits(), True))


def drawn_completions(board: Board, method: str = "backtracking") -> int:
    """Return the number of ways to fill the board without a quarto.

    Backtracking supports up to 10 empty cells, which takes at most half a second. CP-SAT supports
    up to 8 empty cells.

    Raises:
        LimitError: If there are more empty cells.
    """
    draw_method, empty = lookup(DRAW_METHODS, method), len(as_board(board).empty)
    if empty > draw_method.limit:
        raise LimitError(
            f"the board has {empty} empty cells: method {method} counts the draws of boards with "
            f"at most {draw_method.limit} empty cells"
        )
    return 0 if board.quartos() else draw_method.completions(board.in_bits(), False)
