"""Known numbers of Quarto."""

from itertools import combinations, permutations

import pytest

from quaternity.quarto.draws import count_by_backtracking
from quaternity.quarto.lines import ALL, BoardBits, lines
from quaternity.quarto.pieces import MARKS
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
