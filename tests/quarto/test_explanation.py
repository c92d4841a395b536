"""Quartos in words; reachable boards, compared with playing out every order of moves."""

from random import Random

from hypothesis import given

from quaternity.quarto import (
    ROWS,
    Board,
    explain_quartos,
    is_reachable,
    piece_properties,
    quarto,
    read_pieces,
    why_unreachable,
)
from quaternity.quarto.pieces_file import example_pieces
from tests.quarto.boards import EXAMPLE, boards, random_board
from tests.sizes import thorough

PROPERTIES = piece_properties(read_pieces(example_pieces()))


@given(boards(max_empty=8))
def test_explain_says_what_quarto_finds(board: Board) -> None:
    explained = explain_quartos(board)
    assert {(quarto.row, quarto.shared) for quarto in explained} == quarto(str(board), PROPERTIES)
    for entry in explained:
        assert entry.cells == next(row.cells for row in ROWS if row.name == entry.row)
        assert "".join(entry.pieces) == "".join(str(board)[cell] for cell in entry.cells)
        assert all(entry.shared in PROPERTIES[name] for name in entry.pieces)


def test_explain_in_words() -> None:
    both = explain_quartos(Board.parse("A...B...C...D...", EXAMPLE))
    assert [str(entry) for entry in both] == [
        "V1: the pieces A, B, C and D on H1V1, H2V1, H3V1 and H4V1 are all square",
        "V1: the pieces A, B, C and D on H1V1, H2V1, H3V1 and H4V1 are all hollow",
    ]


def reachable_by_play(board: Board) -> bool:
    """Return whether some order of placing the pieces has no quarto before the last piece."""
    pieces = {cell: name for cell, name in enumerate(str(board)) if name in EXAMPLE.names}
    goal = frozenset(pieces)
    reached = {frozenset[int]()}
    for _ in goal:
        unfinished = []
        for cells in reached:
            configuration = "".join(pieces[c] if c in cells else "?" for c in range(16))
            if not quarto(configuration, PROPERTIES):
                unfinished.append(cells)
        reached = {cells | {cell} for cells in unfinished for cell in goal - cells}
    return goal in reached


def boards_with_quartos(random: Random, count: int) -> list[Board]:
    """Return boards of two or three full rows, at least one of which is a quarto."""
    kept_boards: list[Board] = []
    while len(kept_boards) < count:
        rows = random.sample(ROWS, random.choice([2, 2, 3]))
        cells = sorted({cell for row in rows for cell in row.cells})
        placed = dict(zip(cells, random.sample(range(16), len(cells)), strict=True))
        board = Board(EXAMPLE, tuple(placed.get(cell) for cell in range(16)))
        # Most random boards have one quarto: half of those kept have more.
        if len(board.quartos()) > (len(kept_boards) % 2):
            kept_boards.append(board)
    return kept_boards


def test_reachable_boards_are_those_that_a_game_comes_to() -> None:
    random = Random(17)
    sample = boards_with_quartos(random, thorough(12, 60))
    sample += [
        random_board(random, empty)
        for empty in (16, 15, *thorough((7,), (12, 10, 9, 8, 8, 7, 7, 6, 6)))
    ]
    answers = [is_reachable(board) for board in sample]
    assert answers == [reachable_by_play(board) for board in sample]
    several = [
        answer for board, answer in zip(sample, answers, strict=True) if len(board.quartos()) > 1
    ]
    assert several.count(True) >= thorough(2, 5)
    assert several.count(False) >= thorough(2, 5)


@given(boards(max_empty=8))
def test_every_unreachable_board_has_a_reason(board: Board) -> None:
    assert (why_unreachable(board) is None) == is_reachable(board)


def test_three_quartos_through_one_cell_can_come_at_once() -> None:
    board = Board.parse("ABCDEJ..I.K.M..L", EXAMPLE)
    assert [row.name for row, _ in board.quartos()] == ["H1", "V1", "D1"]
    assert is_reachable(board)
    assert reachable_by_play(board)
    assert not Board.parse(".BCDEJ..I.K.M..L", EXAMPLE).quartos()


def test_two_parallel_quartos_cannot_come_at_once() -> None:
    board = Board.parse("ABCDEFGH........", EXAMPLE)
    assert not is_reachable(board)
    assert not reachable_by_play(board)
    assert why_unreachable(board) == (
        "H1 and H2 have no cell in common, so one of these quartos was completed earlier "
        "and would have ended the game"
    )
