"""Explanations of the quartos on a board, and of why a game cannot reach a board."""

from __future__ import annotations

from typing import Any, NamedTuple

from quaternity.base.text_format import join_words
from quaternity.quarto.board import Board, as_board
from quaternity.quarto.rows import cell_name


class Quarto(NamedTuple):
    """Four pieces in a row that share a property.

    `pieces` contains names, and `cells` contains numbers from 0 to 15.
    """

    row: str
    cells: tuple[int, ...]
    pieces: tuple[str, ...]
    shared: str

    def __str__(self) -> str:
        cells = join_words([cell_name(cell) for cell in self.cells])
        return f"{self.row}: the pieces {join_words(self.pieces)} on {cells} are all {self.shared}"

    def document(self) -> dict[str, Any]:
        """Return the quarto as a JSON object."""
        cells = [cell_name(cell) for cell in self.cells]
        return {"row": self.row, "cells": cells, "pieces": self.pieces, "property": self.shared}


def explain_quartos(board: Board) -> tuple[Quarto, ...]:
    """Return every quarto with its cells and pieces, once for each shared property.

    The quartos are sorted by row in the order `H1`..`H4`, `V1`..`V4`, `D1`, `D2`, and then by
    feature.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> pieces = read_pieces(example_pieces())
    >>> for quarto in explain_quartos(Board.parse('N?BI??JO?FDLMEAG', pieces)):
    ...     print(quarto)
    H4: the pieces M, E, A and G on H4V1, H4V2, H4V3 and H4V4 are all big
    V3: the pieces B, J, D and A on H1V3, H2V3, H3V3 and H4V3 are all square
    D2: the pieces I, J, F and M on H1V4, H2V3, H3V2 and H4V1 are all red
    """
    names = as_board(board).pieces.names
    return tuple(
        Quarto(
            row.name,
            row.cells,
            tuple(names[piece] for cell in row.cells if (piece := board.cells[cell]) is not None),
            word,
        )
        for row, mark in board.quartos()
        for word in board.pieces.words(mark)
    )


def is_reachable(board: Board) -> bool:
    """Return whether a game can reach this board, given that the first quarto ends the game.

    The last piece placed must have completed all quartos together, so its cell must be in the rows
    of all quartos. The other pieces can be placed in any order.
    """
    rows = [set(row.cells) for row, _ in as_board(board).quartos()]
    return not rows or bool(set.intersection(*rows))


def why_unreachable(board: Board) -> str | None:
    """Return the reason why no game can reach this board. Return None if the board is reachable."""
    if is_reachable(board):
        return None
    rows = [row.name for row, _ in board.quartos()]
    return (
        f"{join_words(rows)} have no cell in common, so one of these quartos was completed earlier "
        "and would have ended the game"
    )
