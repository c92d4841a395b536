"""Known numbers of Quarto."""

from itertools import combinations, permutations

import pytest

from quaternity.quarto.draws import count_by_backtracking
from quaternity.quarto.lines import ALL, BoardBits, lines
from quaternity.quarto.pieces import MARKS
from quaternity.quarto.rows import ROWS
from tests.quarto.boards import has_quarto
from tests.quarto.symmetries import board_symmetries, piece_symmetries


def test_32_symmetries_of_the_board() -> None:
    symmetries = board_symmetries()
    assert len(symmetries) == len(set(symmetries)) == 32


def test_384_symmetries_of_the_pieces() -> None:
    symmetries = piece_symmetries()
    assert len(symmetries) == len(set(symmetries)) == 384
    shared = {frozenset(four) for four in combinations(range(16), 4) if _share(four)}
    for symmetry in symmetries:
        assert {frozenset(symmetry[piece] for piece in four) for four in shared} == shared


def _share(four: tuple[int, ...]) -> bool:
    first, second, third, fourth = (MARKS[piece] for piece in four)
    return bool(first & second & third & fourth)


def test_536_of_1820_subsets_of_four_pieces_share_a_property() -> None:
    subsets = list(combinations(range(16), 4))
    assert len(subsets) == 1820
    assert sum(map(_share, subsets)) == 536


@pytest.mark.slow
def test_up_to_five_pieces_a_draw_is_always_left() -> None:
    """Check all boards of five pieces up to symmetry; fewer pieces leave a draw all the more."""
    places = {
        min(tuple(sorted(symmetry[cell] for cell in cells)) for symmetry in board_symmetries())
        for cells in combinations(range(16), 5)
    }
    exchanges = [symmetry for symmetry in piece_symmetries() if symmetry[0] == 0]
    # A symmetry maps the first piece to 0, and the others to the least of their kind.
    rests = [
        rest
        for rest in permutations(range(1, 16), 4)
        if all(rest <= tuple(exchange[piece] for piece in rest) for exchange in exchanges)
    ]
    boards = 0
    for cells in places:
        for rest in rests:
            rows, empty, left = lines().empty_rows, ALL, ALL
            for cell, piece in zip(cells, (0, *rest), strict=True):
                rows, empty, left = (
                    rows & lines().after[piece][cell],
                    empty ^ 1 << cell,
                    left ^ 1 << piece,
                )
            board = BoardBits(rows, empty, left)
            if not has_quarto(board):
                boards += 1
                assert count_by_backtracking(board, only_first=True), (cells, rest)
    assert boards == 262080


@pytest.mark.slow
def test_full_boards_without_a_quarto() -> None:
    """Count 414,298,141,056 of 16! boards: combine the upper and the lower half of the board.

    The eight pieces of the upper half are taken up to symmetry. For every arrangement of a half,
    the marks of the six rows that cross the middle are packed in one integer. A board has no quarto
    if the integers of its halves have no bit in common.
    """
    import numpy as np

    crossing = [row.cells for row in ROWS if {cell // 8 for cell in row.cells} == {0, 1}]
    assert len(crossing) == 6

    def halves(pieces: tuple[int, ...], first: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the distinct packed marks of the arrangements of a half, and their counts."""
        marks = np.array(MARKS, dtype=np.uint64)[np.array(list(permutations(pieces)))]
        inner = np.bitwise_and.reduce(marks.reshape(-1, 2, 4), axis=2)
        marks = marks[~inner.any(axis=1)]
        packed = np.zeros(len(marks), dtype=np.uint64)
        for index, cells in enumerate(crossing):
            first_cell, second_cell = (cell - first for cell in cells if 0 <= cell - first < 8)
            packed |= (marks[:, first_cell] & marks[:, second_cell]) << np.uint64(8 * index)
        return np.unique(packed, return_counts=True)

    total, seen = 0, set[frozenset[int]]()
    for subset in combinations(range(16), 8):
        if frozenset(subset) in seen:
            continue
        orbit = {frozenset(symmetry[p] for p in subset) for symmetry in piece_symmetries()}
        seen |= orbit
        upper, upper_counts = halves(subset, 0)
        rest = tuple(piece for piece in range(16) if piece not in subset)
        lower, lower_counts = halves(rest, 8)
        ways = sum(
            int(count) * int(lower_counts[(lower & packed) == 0].sum())
            for packed, count in zip(upper, upper_counts, strict=True)
        )
        total += ways * len(orbit)
    assert len(seen) == 12870
    assert total == 414_298_141_056
