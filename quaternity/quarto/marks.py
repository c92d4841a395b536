"""Pieces and rows in bits.

- A **piece** is a number from 0 to 15: four bits, one for each feature.
- A **mark** has eight bits, one for each property: bits 0 to 3 are the properties of a piece's
  ones, bits 4 to 7 those of its zeros. The AND of pieces' marks is what these pieces share.
- **Rows** are ten marks in one integer: of each row the AND of the marks of the pieces on it (all
  ones when there are none). A complete row is a quarto if and only if its mark is not zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from quaternity.quarto.rows import CELLS, ROW_CELLS, ROWS, ROWS_THROUGH

FEATURES = 4
PIECES = 2**FEATURES
MARK_BITS = 2 * FEATURES
ANY = (1 << MARK_BITS) - 1
"""The mark with every property: what no pieces share."""

ALL = (1 << PIECES) - 1
"""All pieces, or all cells, as a mask of 16 bits."""

MARKS = tuple(piece | (~piece & 0b1111) << 4 for piece in range(PIECES))
"""The mark of every piece."""

SHARING = tuple(
    sum(1 << piece for piece, mark in enumerate(MARKS) if mark & wanted)
    for wanted in range(ANY + 1)
)
"""For every mark the pieces with at least one of its properties, as a mask of 16 bits."""

NO_PIECES = (1 << MARK_BITS * len(ROWS)) - 1
"""The rows of the empty board."""


class BoardBits(NamedTuple):
    """A board in bits.

    Attributes:
        rows: the rows' marks.
        empty: the empty cells, a mask of 16 bits.
        left: the pieces that are not on the board, a mask of 16 bits.
    """

    rows: int
    empty: int
    left: int

    @property
    def has_quarto(self) -> bool:
        """Whether a complete row has a property in common."""
        complete = (index for index, cells in enumerate(ROW_CELLS) if not cells & self.empty)
        return bool(self.rows & row_bits(complete))


def _after(piece: int, cell: int) -> int:
    """All ones but in the rows through the cell, which have the piece's mark."""
    return sum(
        (MARKS[piece] if index in ROWS_THROUGH[cell] else ANY) << MARK_BITS * index
        for index in range(len(ROWS))
    )


AFTER = tuple(tuple(_after(piece, cell) for cell in range(CELLS)) for piece in range(PIECES))
"""`rows & AFTER[piece][cell]` are the rows with one more piece."""


@cache
def members(mask: int) -> tuple[int, ...]:
    """The cells or pieces of a mask of 16 bits, in order."""
    return tuple(index for index in range(PIECES) if mask >> index & 1)


@cache
def almost_complete(empty: int) -> tuple[int, ...]:
    """Where in the rows' integer the marks of the rows with one empty cell begin.

    Args:
        empty: the empty cells, a mask of 16 bits.
    """
    return tuple(
        MARK_BITS * index
        for index, cells in enumerate(ROW_CELLS)
        if (cells & empty).bit_count() == 1
    )


def threats(rows: int, empty: int) -> int:
    """The mark of all properties with which one more piece completes a quarto."""
    mark = 0
    for shift in almost_complete(empty):
        mark |= rows >> shift
    return mark & ANY


def completed_by(cell: int, empty: int) -> int:
    """Ones in the marks of the rows whose last empty cell is this one; zeros elsewhere."""
    return row_bits(index for index in ROWS_THROUGH[cell] if ROW_CELLS[index] & empty == 1 << cell)


def row_bits(indices: Iterable[int]) -> int:
    """Ones in the marks of these rows, zeros elsewhere."""
    return sum(ANY << MARK_BITS * index for index in indices)


__all__ = [
    "AFTER",
    "ALL",
    "ANY",
    "FEATURES",
    "MARKS",
    "MARK_BITS",
    "NO_PIECES",
    "PIECES",
    "SHARING",
    "BoardBits",
    "almost_complete",
    "completed_by",
    "members",
    "row_bits",
    "threats",
]
