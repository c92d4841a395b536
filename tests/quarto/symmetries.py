"""The symmetries of the board, found by exhaustive search, and those of the pieces."""

from __future__ import annotations

from functools import cache
from itertools import permutations

from quaternity.quarto import ROWS, Board
from quaternity.quarto.rows import SQUARES

Renaming = tuple[int, ...]


@cache
def board_symmetries() -> list[Renaming]:
    """Return all permutations of the cells that map rows to rows: `symmetry[cell]` is the image."""
    rows = {frozenset(row.cells) for row in ROWS}
    in_line = [{c for row in ROWS if cell in row.cells for c in row.cells} for cell in range(16)]
    symmetries: list[Renaming] = []

    def extend(images: Renaming) -> None:
        cell = len(images)
        if cell == 16:
            if {frozenset(images[c] for c in row.cells) for row in ROWS} == rows:
                symmetries.append(images)
            return
        for image in range(16):
            # Cells of one row must stay in one row, and others must not get into one.
            if image not in images and all(
                (earlier in in_line[cell]) == (its_image in in_line[image])
                for earlier, its_image in enumerate(images)
            ):
                extend((*images, image))

    extend(())
    return symmetries


@cache
def square_symmetries() -> list[Renaming]:
    """Return the symmetries that also map squares of 2 x 2 cells to such squares."""
    squares = {frozenset(square.cells) for square in SQUARES}
    return [
        images
        for images in board_symmetries()
        if {frozenset(images[cell] for cell in square) for square in squares} == squares
    ]


@cache
def piece_symmetries() -> list[Renaming]:
    """Return all 384 exchanges of features and of the two properties of a feature."""
    return [
        tuple(
            sum((piece >> bit & 1) << places[bit] for bit in range(4)) ^ flipped
            for piece in range(16)
        )
        for places in permutations(range(4))
        for flipped in range(16)
    ]


def moved(board: Board, cells: Renaming, pieces: Renaming) -> Board:
    """Return the board with its cells permuted and its pieces renamed."""
    changed: list[int | None] = [None] * 16
    for cell, piece in enumerate(board.cells):
        changed[cells[cell]] = None if piece is None else pieces[piece]
    return Board(board.pieces, tuple(changed))
