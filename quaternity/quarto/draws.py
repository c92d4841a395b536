"""Can the game still end in a draw, and in how many ways? Two methods behind one door.

A completion puts every piece left on an empty cell; it is drawn when no row is a quarto. Which
player places which piece does not matter, for every piece may go to every cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from quaternity.errors import LimitError
from quaternity.quarto import draws_by_backtracking, draws_by_cp_sat
from quaternity.quarto.board import Board, as_board
from quaternity.quarto.marks import BoardBits
from solvers.plain_values import named


class DrawMethod(NamedTuple):
    """A way to find drawn completions.

    Attributes:
        can_draw: whether there is one.
        count: how many there are.
        limit: the most empty cells for which `count` is asked.
    """

    can_draw: Callable[[BoardBits], bool]
    count: Callable[[BoardBits], int]
    limit: int


DRAW_METHODS: Mapping[str, DrawMethod] = {
    "backtracking": DrawMethod(
        draws_by_backtracking.can_draw, draws_by_backtracking.count, limit=10
    ),
    "cp-sat": DrawMethod(draws_by_cp_sat.can_draw, draws_by_cp_sat.count, limit=8),
}
"""Every method by name, the default first."""

COMPLETIONS_LIMIT = DRAW_METHODS["backtracking"].limit
"""Most empty cells for which drawn completions are counted."""


def can_draw(board: Board, method: str = "backtracking") -> bool:
    """Whether the game can still end in a draw: the board can be filled without a quarto.

    There is no limit of size. Up to five pieces without a quarto a draw is always left, and is
    found at once; of all boards with six pieces the slowest takes 50 000 steps by backtracking (a
    tenth of a second), and more pieces leave less to search. CP-SAT takes hundredths of a second.

    Raises:
        InputError: not a board, or there is no such method.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> pieces = read_pieces(example_pieces())
    >>> can_draw(Board.parse('.' * 16, pieces)), can_draw(Board.parse('N?BI??JO?FDLMEAG', pieces))
    (True, False)
    """
    return named(DRAW_METHODS, method).can_draw(as_board(board).in_bits())


def drawn_completions(board: Board, method: str = "backtracking") -> int:
    """The number of ways to fill the board without a quarto.

    By backtracking up to 10 empty cells (half a second at most), by CP-SAT up to 8.

    Raises:
        InputError: not a board, or there is no such method.
        LimitError: more empty cells than that.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> drawn_completions(Board.parse('AGDPMJCF.E......', read_pieces(example_pieces())))
    524
    """
    chosen, empty = named(DRAW_METHODS, method), len(as_board(board).empty)
    if empty > chosen.limit:
        raise LimitError(
            f"{empty} empty cells: drawn completions are counted ({method}) "
            f"up to {chosen.limit} empty cells"
        )
    return chosen.count(board.in_bits())


__all__ = ["COMPLETIONS_LIMIT", "DRAW_METHODS", "DrawMethod", "can_draw", "drawn_completions"]
