"""What one can hand over: pieces with which the opponent completes a quarto at once, or not."""

from __future__ import annotations

from quaternity.quarto.board import Board, as_board
from quaternity.quarto.marks import AFTER, SHARING, completed_by, members, threats


def safe_pieces(board: Board) -> tuple[str, ...]:
    """The pieces that one can hand over without losing at once.

    These are the pieces left that complete no quarto on any empty cell. A board with a quarto, or
    without an empty cell, has none: the game is over and nothing is handed over.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> board = Board.parse('AGH.............', read_pieces(example_pieces()))
    >>> safe_pieces(board)  # the fourth piece of row H1 must not be hollow
    ('I', 'J', 'K', 'L', 'M', 'N', 'O', 'P')
    """
    bits = as_board(board).in_bits()
    if bits.has_quarto:
        return ()
    safe = bits.left & ~SHARING[threats(bits.rows, bits.empty)]
    return tuple(board.pieces.names[piece] for piece in members(safe))


def winning_cells(board: Board, name: str) -> tuple[int, ...]:
    """The empty cells on which a piece completes a quarto.

    A board with a quarto has none: the game is over.

    Raises:
        InputError: there is no piece of this name, or it is on the board.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> winning_cells(Board.parse('AGH.............', read_pieces(example_pieces())), 'E')
    (3,)
    """
    piece = as_board(board).piece_left(name)
    bits = board.in_bits()
    if bits.has_quarto:
        return ()
    return tuple(
        cell
        for cell in board.empty
        if bits.rows & AFTER[piece][cell] & completed_by(cell, bits.empty)
    )


__all__ = ["safe_pieces", "winning_cells"]
