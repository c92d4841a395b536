"""Bit representation of a Quarto board: its rows, its empty cells and the pieces left.

A **mark** is a set of properties as eight bits (see `pieces`). The mark of a row (or of a 2 × 2
square, if squares count) contains the properties that all its pieces share. It is the AND of their
marks, or all ones without pieces. A complete row is a quarto if and only if its mark is not zero.
The **rows** of a board are one integer that contains the marks of all rows, so that a single AND
gives the rows after placing a piece.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import permutations
from typing import NamedTuple

from quaternity.quarto.pieces import ANY, FEATURES, MARK_BITS, MARKS, PIECES, SHARING
from quaternity.quarto.rows import CELLS, ROWS, SIDE, SQUARES

ALL = (1 << PIECES) - 1
"""Bit mask of all pieces, or of all cells (16 bits)."""


class BoardBits(NamedTuple):
    """A board as integers: the shared properties of its rows, its empty cells, the pieces left."""

    rows: int
    empty: int
    left: int


class CellBits(NamedTuple):
    """An empty cell, and the rows that will have a single empty cell once this cell is filled.

    With these rows, the search finds the pieces that can then complete a quarto.

    Attributes:
        rest: bit mask of the other empty cells.
        complete: the rows whose single empty cell is another cell. None stands for all rows with a
            single empty cell.
        crossing: the rows with two empty cells, one of them this cell.
    """

    cell: int
    rest: int
    complete: tuple[int, ...] | None
    crossing: tuple[int, ...]


LastRows = tuple[tuple[int, ...], ...]
"""Rows that matter when only three cells are empty: A, which is filled next, B and C. The tuple
contains six lists of rows. Their empty cells are: B; A and B; C; A and C; B and C; A, B and C."""


class Lines:
    """The rows (and squares) in which a quarto counts, with operations on boards as bit masks.

    Attributes:
        cells: for each row (and square), the bit mask of its cells.
        empty_rows: the shared properties of each row on the empty board, as one integer.
        after: `rows & after[piece][cell]` are the rows after placing a piece on a cell.
    """

    def __init__(self, squares: bool) -> None:
        lines = (*ROWS, *SQUARES) if squares else ROWS
        self.cells = tuple(sum(1 << cell for cell in row.cells) for row in lines)
        self.empty_rows = (1 << MARK_BITS * len(lines)) - 1
        self.after = tuple(
            tuple(self._after(piece, cell) for cell in range(CELLS)) for piece in range(PIECES)
        )
        self.almost_complete = cache(lambda empty: self._lacking(empty, 1))
        self.threat_rows = cache(self._find_threat_rows)
        self.last = cache(self._last)

    def _after(self, piece: int, cell: int) -> int:
        return sum(
            (MARKS[piece] if cells >> cell & 1 else ANY) << MARK_BITS * index
            for index, cells in enumerate(self.cells)
        )

    def bits(self, cells: Iterable[int | None]) -> BoardBits:
        """Return a board as bit masks. `cells` contains the piece on each cell, or None."""
        rows, empty, remaining = self.empty_rows, ALL, ALL
        for cell, piece in enumerate(cells):
            if piece is not None:
                rows &= self.after[piece][cell]
                empty ^= 1 << cell
                remaining ^= 1 << piece
        return BoardBits(rows, empty, remaining)

    def threats(self, rows: int, empty: int) -> int:
        """Return a bit mask of properties: a piece with one of them can complete a quarto."""
        mark = 0
        for index in self.almost_complete(empty):
            mark |= rows >> MARK_BITS * index
        return mark & ANY

    def safe(self, board: BoardBits) -> int:
        """Return the bit mask of the remaining pieces that cannot complete a quarto."""
        return board.left & ~SHARING[self.threats(board.rows, board.empty)]

    def completed_by(self, cell: int, empty: int) -> int:
        """Return a bit mask for `rows` that selects the rows whose only empty cell is `cell`."""
        return sum(ANY << MARK_BITS * index for index in self._lacking_only(1 << cell, empty))

    def completing(self, rows: int, empty: int, piece: int) -> int:
        """Return the bit mask of the cells on which a given piece completes a quarto."""
        after = self.after[piece]
        return sum(
            1 << cell
            for cell in members(empty)
            if rows & after[cell] & self.completed_by(cell, empty)
        )

    def _lacking(self, empty: int, count: int) -> tuple[int, ...]:
        return tuple(
            index for index, cells in enumerate(self.cells) if (cells & empty).bit_count() == count
        )

    def _lacking_only(self, wanted: int, empty: int) -> tuple[int, ...]:
        return tuple(index for index, cells in enumerate(self.cells) if cells & empty == wanted)

    def _find_threat_rows(self, empty: int) -> tuple[CellBits, ...]:
        lacking_one, two = self._lacking(empty, 1), self._lacking(empty, 2)
        cells = []
        for cell in members(empty):
            complete = tuple(index for index in lacking_one if not self.cells[index] >> cell & 1)
            crossing = tuple(index for index in two if self.cells[index] >> cell & 1)
            kept = None if len(complete) == len(lacking_one) else complete
            cells.append(CellBits(cell, empty ^ 1 << cell, kept, crossing))
        return tuple(cells)

    def _last(self, empty: int) -> tuple[LastRows, ...]:
        pairs = []
        for cell in members(empty):
            first, other = (1 << last for last in members(empty ^ 1 << cell))
            pairs.append(
                tuple(
                    self._lacking_only(cells | filled, empty)
                    for cells in (first, other, first | other)
                    for filled in (0, 1 << cell)
                )
            )
        return tuple(pairs)

    @property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """All permutations of the cells that map every row to a row, and every square to a square.

        Each permutation is a tuple that contains the new place of every cell. There are 32
        symmetries if only rows count, and 8 if squares count too.
        """
        return _symmetries(self.cells)

    def canonical_form(self, board: BoardBits, hand: int) -> tuple[int, ...]:
        """Return a form by which symmetric positions can be recognized.

        `hand` is the piece in hand. The pieces left include it. Positions with the same form differ
        only by symmetries of the board, by exchanged features or properties, and by properties that
        no longer matter. A property does not matter in a row with more empty cells than there are
        pieces left with the property. The form is the smallest result of 32 x 384 permutations of
        cells and features. To save time, some permutations are not tried, so some symmetric
        positions have different forms.
        """
        rows, empty, remaining = board
        marks = [
            self._completable(index, rows, empty, remaining) for index in range(len(self.cells))
        ]
        crossed = 0
        for cells, mark in zip(self.cells, marks, strict=True):
            crossed |= cells if mark else 0
        images = [_map_mask(empty & crossed, symmetry) for symmetry in self.symmetries]
        smallest = min(images)
        return smallest, *min(
            _sort_features(self._by_feature(marks, symmetry), remaining, hand)
            for symmetry, image in zip(self.symmetries, images, strict=True)
            if image == smallest
        )

    def _completable(self, index: int, rows: int, empty: int, remaining: int) -> int:
        lacking = (self.cells[index] & empty).bit_count()
        mark = rows >> MARK_BITS * index & ANY if lacking else 0
        return sum(
            1 << bit
            for bit in range(MARK_BITS)
            if mark >> bit & 1 and (remaining & SHARING[1 << bit]).bit_count() >= lacking
        )

    def _by_feature(self, marks: list[int], symmetry: tuple[int, ...]) -> list[tuple[int, int]]:
        places = [0] * MARK_BITS
        for cells, mark in zip(self.cells, marks, strict=True):
            if mark:
                place = 1 << self.cells.index(_map_mask(cells, symmetry))
                for bit in range(MARK_BITS):
                    places[bit] |= place if mark >> bit & 1 else 0
        return list(zip(places[:FEATURES], places[FEATURES:], strict=True))


def _sort_features(by_feature: list[tuple[int, int]], remaining: int, hand: int) -> tuple[int, ...]:
    """Return a form of a position that does not depend on the order of features or properties.

    `by_feature` contains two bit masks for each feature: for each of its two properties, the rows
    that can still become a quarto with this property.
    """
    order = []
    for feature, (ones, zeros) in enumerate(by_feature):
        if not ones and not zeros:
            continue  # Pieces that differ only in this feature are treated as equal.
        bit = hand >> feature & 1
        flipped = ones < zeros or (ones == zeros and not bit)
        order.append((max(ones, zeros), min(ones, zeros), bit ^ flipped, feature, flipped))
    order.sort()

    def name(piece: int) -> int:
        return sum(
            (piece >> feature & 1 ^ flipped) << place
            for place, (_, _, _, feature, flipped) in enumerate(order)
        )

    return (
        *(part for first, second, _, _, _ in order for part in (first, second)),
        -1, name(hand), *sorted(name(piece) for piece in members(remaining)),
    )  # fmt: skip


@cache
def lines(squares: bool = False) -> Lines:
    """Return the ten rows of the board and, if `squares` is true, the nine squares too."""
    return Lines(squares)


@cache
def _symmetries(cells: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    wanted = set(cells)
    turns = [*permutations(range(SIDE))]
    symmetries = []
    for rows in turns:
        for columns in turns:
            plain = tuple(SIDE * rows[cell // SIDE] + columns[cell % SIDE] for cell in range(CELLS))
            if {_map_mask(line, plain) for line in cells} == wanted:
                symmetries += [plain, tuple(SIDE * (cell % SIDE) + cell // SIDE for cell in plain)]
    return tuple(symmetries)


def _map_mask(mask: int, symmetry: tuple[int, ...]) -> int:
    return sum(1 << symmetry[cell] for cell in members(mask))


@cache
def members(mask: int) -> tuple[int, ...]:
    """Return the cells or pieces in a bit mask, in ascending order."""
    return tuple(index for index in range(PIECES) if mask >> index & 1)
