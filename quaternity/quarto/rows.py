"""The ten rows of four cells on the Quarto board, the names of the cells, and shared properties.

Cells are numbered from 0 to 15, row by row from the top, and from left to right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quaternity.base.validation import check_int

SIDE = 4
CELLS = SIDE * SIDE


class Row(NamedTuple):
    """Four cells in a line.

    The horizontal rows `H1`..`H4` are counted from the top, and the vertical rows `V1`..`V4` from
    the left. The diagonal `D1` begins at the top left, and `D2` begins at the top right. The cells
    of a row are listed from left to right or from top to bottom.
    """

    name: str
    cells: tuple[int, ...]


def _rows() -> tuple[Row, ...]:
    line = range(SIDE)
    horizontal = [Row(f"H{i + 1}", tuple(SIDE * i + j for j in line)) for i in line]
    vertical = [Row(f"V{j + 1}", tuple(SIDE * i + j for i in line)) for j in line]
    return (
        *horizontal,
        *vertical,
        Row("D1", tuple(SIDE * i + i for i in line)),
        Row("D2", tuple(SIDE * i + SIDE - 1 - i for i in line)),
    )


ROWS = _rows()
"""All ten rows, in the order `H1`..`H4`, `V1`..`V4`, `D1`, `D2`."""

SQUARES = tuple(
    Row(
        f"S{top + 1}{column + 1}",
        tuple(SIDE * (top + i) + column + j for i in (0, 1) for j in (0, 1)),
    )
    for top in range(SIDE - 1)
    for column in range(SIDE - 1)
)
"""The nine squares of 2 x 2 cells, which count in a variant of the game. They are named from `S11`
at the top left to `S33` at the bottom right."""


def cell_name(cell: int) -> str:
    """Return the name of a cell, which consists of its two rows, such as `H1V1` or `H2V4`."""
    cell = check_int(cell, 0, CELLS - 1, f"a cell 0..{CELLS - 1}", "cell")
    return f"H{cell // SIDE + 1}V{cell % SIDE + 1}"


def shared_in_rows(marks: Sequence[int], rows: Sequence[Row] = ROWS) -> list[tuple[Row, int]]:
    """Return each row whose four cells have bits in common, together with the common bits.

    `marks` contains, for each cell, the properties of its piece as bits, or 0 if the cell is empty.
    The function does not depend on the meaning of the bits.
    """
    shared = []
    for row in rows:
        first, second, third, fourth = row.cells
        common = marks[first] & marks[second] & marks[third] & marks[fourth]
        if common:
            shared.append((row, common))
    return shared
