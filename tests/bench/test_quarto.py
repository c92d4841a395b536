"""Quarto: perfect play with nine empty cells, and each pair of methods against one another."""

import time
from collections.abc import Callable
from random import Random
from statistics import median

import pytest

from quaternity.quarto import Board, drawn_completions, solve
from tests.quarto.boards import random_open_board
from tests.quarto.minimax import Minimax


def cost(work: Callable[..., object], *arguments: object) -> float:
    """Seconds of processor time."""
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def random_boards(seed: int, boards: int, empty: int) -> list[Board]:
    random = Random(seed)
    return [random_open_board(random, empty) for _ in range(boards)]


@pytest.mark.bench
def test_nine_empty_cells() -> None:
    """A hundred random positions, with and without a piece in hand, with all best moves."""
    for piece_in_hand in (False, True):
        seconds = [
            cost(solve, board, board.left[0] if piece_in_hand else None)
            for board in random_boards(9, 100, 9)
        ]
        measured = f"median {median(seconds):.4f} s, slowest {max(seconds):.3f} s"
        assert median(seconds) < 0.05, measured
        assert max(seconds) < 1, measured


@pytest.mark.bench
def test_alpha_beta_is_faster_than_minimax() -> None:
    plain = quick = 0.0
    for board in random_boards(5, 20, 5):
        plain += cost(Minimax(board).solve, None)
        quick += cost(solve, board)
    assert plain > 20 * quick, f"{plain / quick:.1f} times as fast"


@pytest.mark.bench
def test_backtracking_counts_faster_than_cp_sat() -> None:
    boards = random_boards(8, 10, 8)
    drawn_completions(boards[0], "cp-sat")  # from here on OR-Tools is loaded
    cp_sat = sum(cost(drawn_completions, board, "cp-sat") for board in boards)
    backtracking = sum(cost(drawn_completions, board, "backtracking") for board in boards)
    assert cp_sat > backtracking, f"{cp_sat / backtracking:.1f} times as fast"
