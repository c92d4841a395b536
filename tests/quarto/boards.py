"""Boards for tests: random ones, and a Hypothesis strategy."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from quaternity.quarto import Board, PieceSet, example_pieces, read_pieces
from quaternity.quarto.lines import BoardBits, lines
from quaternity.quarto.pieces import ANY, MARK_BITS

EXAMPLE = PieceSet.of(read_pieces(example_pieces()))


def random_board(random: Random, empty: int) -> Board:
    """Return a board with the given number of empty cells, with or without quartos."""
    count = 16 - empty
    placed = dict(
        zip(random.sample(range(16), count), random.sample(range(16), count), strict=True)
    )
    return Board(EXAMPLE, tuple(placed.get(cell) for cell in range(16)))


def random_open_board(random: Random, empty: int, squares: bool = False) -> Board:
    """Return a board with the given number of empty cells and without a quarto."""
    while (board := random_board(random, empty)).quartos(squares):
        pass
    return board


@st.composite
def boards(draw: st.DrawFn, min_empty: int = 0, max_empty: int = 16) -> Board:
    """Draw a board with any pieces on any cells; it shrinks towards many empty cells."""
    count = 16 - draw(st.integers(min_empty, max_empty).map(lambda n: max_empty + min_empty - n))
    cells = draw(st.permutations(range(16)))[:count]
    pieces = draw(st.permutations(range(16)))[:count]
    placed = dict(zip(cells, pieces, strict=True))
    return Board(EXAMPLE, tuple(placed.get(cell) for cell in range(16)))


def has_quarto(board: BoardBits) -> bool:
    """Return whether the mark of a complete row is not zero."""
    return any(
        board.rows >> MARK_BITS * index & ANY
        for index, cells in enumerate(lines().cells)
        if not cells & board.empty
    )
