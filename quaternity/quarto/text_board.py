"""A board as text."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import east_asian_width

from quaternity.quarto.board import Board, as_board
from quaternity.quarto.rows import CELLS, SIDE, Row


def board_text(board: Board, quartos: Iterable[Row] | None = None) -> str:
    """The board in five lines of plain text, the pieces of quartos in brackets.

    Args:
        quartos: the rows or squares that are one; without, the rows of the board that are.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> print(board_text(Board.parse('N?BI??JO?FDLMEAG', read_pieces(example_pieces()))))
         V1  V2  V3  V4
    H1    N   .  [B] [I]
    H2    .   .  [J]  O
    H3    .  [F] [D]  L
    H4   [M] [E] [A] [G]
    """
    if quartos is None:
        quartos = [row for row, _ in as_board(board).quartos()]
    marked = {cell for row in quartos for cell in row.cells}
    blank = "." if "." not in board.pieces.names else board.blank
    lines = ["     " + "  ".join(f"V{column + 1}" for column in range(SIDE))]
    for start in range(0, CELLS, SIDE):
        fields = []
        for cell in range(start, start + SIDE):
            piece = board.cells[cell]
            name = blank if piece is None else board.pieces.names[piece]
            field = f"[{name}]" if cell in marked else f" {name} "
            # Some names are as wide as two letters on a terminal.
            fields.append(field if east_asian_width(name) in "WF" else f"{field} ")
        lines.append(f"H{start // SIDE + 1}   {''.join(fields)}".rstrip())
    return "\n".join(lines)


__all__ = ["board_text"]
