"""Drawn completions: CP-SAT, backtracking and plain permutations give one answer."""

from collections.abc import Callable
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError, LimitError
from quaternity.quarto import DRAW_METHODS, Board, can_draw, drawn_completions
from quaternity.quarto.pieces import MARKS
from quaternity.quarto.rows import shared_in_rows
from tests.agreement import agree
from tests.quarto.boards import EXAMPLE, boards, random_open_board
from tests.quarto.symmetries import board_symmetries, moved, piece_symmetries
from tests.sizes import examples

UNDRAWABLE = "ABC?D?M??N??????"
"""Six pieces, no quarto and no possible draw; no board with fewer pieces is like that."""


def _by(method: str, ask: Callable[[Board, str], int]) -> Callable[[Board], int]:
    return lambda board: ask(board, method)


COUNTS = {method: _by(method, drawn_completions) for method in DRAW_METHODS}
CAN = {method: _by(method, can_draw) for method in DRAW_METHODS}


def plain_count(board: Board) -> int:
    """Count the draws by trying every order of the remaining pieces on the empty cells."""
    left = [EXAMPLE.piece(name) for name in board.left]
    count = 0
    for order in permutations(left):
        rest = iter(order)
        filled = [next(rest) if piece is None else piece for piece in board.cells]
        count += not shared_in_rows([MARKS[piece] for piece in filled])
    return count


@given(boards(max_empty=5))
@settings(max_examples=examples(60))
def test_three_ways_to_count(board: Board) -> None:
    count = agree({**COUNTS, "plain": plain_count}, board)
    assert agree({**CAN, "count": lambda board: count > 0}, board) == (count > 0)


def test_counting_methods_agree_on_larger_boards() -> None:
    random = Random(5)
    counts = [
        agree(COUNTS, random_open_board(random, empty)) for empty in (6, 7, 7, 8) for _ in range(5)
    ]
    assert len(set(counts)) > 10


@given(boards())
@settings(max_examples=examples(40))
def test_whether_a_draw_is_left(board: Board) -> None:
    agree(CAN, board)


def test_undrawable_boards_with_many_empty_cells() -> None:
    random = Random(11)
    board = Board.parse(UNDRAWABLE, EXAMPLE)
    assert not board.quartos()
    assert not agree(CAN, board)
    assert drawn_completions(board) == 0
    answers = [agree(CAN, random_open_board(random, 5)) for _ in range(60)]
    assert 10 < sum(answers) < 50


@given(boards(max_empty=8), st.sampled_from(range(32)), st.sampled_from(range(384)))
@settings(max_examples=examples(50))
def test_symmetries_change_nothing(board: Board, cells: int, pieces: int) -> None:
    other = moved(board, board_symmetries()[cells], piece_symmetries()[pieces])
    assert drawn_completions(other) == drawn_completions(board)


@given(boards(min_empty=1, max_empty=8))
@settings(max_examples=examples(50))
def test_the_completions_are_those_after_each_piece_on_a_cell(board: Board) -> None:
    cell = board.empty[0]
    after = [board.after(cell, EXAMPLE.piece(name)) for name in board.left]
    assert drawn_completions(board) == sum(map(drawn_completions, after))


@pytest.mark.parametrize(("method", "limit"), [("backtracking", 10), ("cp-sat", 8)])
def test_counting_has_a_limit_of_empty_cells(method: str, limit: int) -> None:
    board = Board(EXAMPLE, (*range(15 - limit), *(None,) * (limit + 1)))
    with pytest.raises(LimitError) as error:
        drawn_completions(board, method)
    assert str(error.value) == (
        f"the board has {limit + 1} empty cells: method {method} counts the draws of boards "
        f"with at most {limit} empty cells"
    )


def test_an_unknown_method_is_refused() -> None:
    board = Board(EXAMPLE, (None,) * 16)
    for ask in (can_draw, drawn_completions):
        with pytest.raises(
            InputError, match="unknown method 'magic'; choose from backtracking, cp-sat"
        ):
            ask(board, "magic")
