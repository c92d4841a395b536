"""Quarto: perfect play with nine empty cells, and each pair of methods against one another."""

import time
from collections.abc import Callable
from random import Random
from statistics import median

import pytest

from quaternity.quarto import Board, drawn_completions, solve
from tests.quarto.boards import random_open_board
from tests.quarto.minimax import Minimax

pytestmark = pytest.mark.bench


def random_boards(seed: int, boards: int, empty: int) -> list[Board]:
    random = Random(seed)
    return [random_open_board(random, empty) for _ in range(boards)]


def seconds_to_solve(board: Board, in_hand: str | None) -> float:
    """Processor time, all best moves included."""
    start = time.process_time()
    solve(board, in_hand)
    return time.process_time() - start


@pytest.mark.parametrize("piece_in_hand", [False, True], ids=["handing over", "placing"])
@pytest.mark.parametrize(("empty", "boards"), [(9, 100), (10, 20)])
def test_perfect_play(
    empty: int, boards: int, piece_in_hand: bool, note: Callable[..., None]
) -> None:
    seconds = [
        seconds_to_solve(board, board.left[0] if piece_in_hand else None)
        for board in random_boards(empty, boards, empty)
    ]
    task = "placing" if piece_in_hand else "handing over"
    what = f"Quarto, {empty} empty cells, {task}"
    goals = ("0.05 s", "1 s") if empty == 9 else ("", "")
    note(f"{what}, median of {boards}", f"{median(seconds):.4f} s", goals[0])
    note(f"{what}, slowest of {boards}", f"{max(seconds):.3f} s", goals[1])


def test_alpha_beta_against_minimax(race: Callable[..., float]) -> None:
    boards = random_boards(5, 5, 5)
    race(
        "Quarto, 5 empty cells: alpha-beta, minimax",
        lambda: [solve(board) for board in boards],
        lambda: [Minimax(board).solve(None) for board in boards],
        per=len(boards),
        rounds=3,
        goal=20,
    )


def test_backtracking_against_cp_sat(race: Callable[..., float]) -> None:
    boards = random_boards(8, 10, 8)
    race(
        "Quarto, completions of 8 empty cells: backtracking, CP-SAT",
        lambda: [drawn_completions(board, "backtracking") for board in boards],
        lambda: [drawn_completions(board, "cp-sat") for board in boards],
        per=len(boards),
        rounds=3,
    )
