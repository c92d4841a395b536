"""Quarto: perfect play with nine empty cells, and the methods compared in pairs."""

import time
from collections.abc import Callable
from functools import partial
from random import Random
from statistics import median

import pytest

from quaternity.quarto import Board, drawn_completions, solve
from quaternity.quarto.players import Careful
from quaternity.quarto.rules import QuartoPosition, QuartoRules, QuartoSettings
from quaternity.quarto.solving import best_move
from tests.quarto.boards import random_open_board
from tests.quarto.minimax import Minimax

pytestmark = pytest.mark.bench


def random_boards(seed: int, boards: int, empty: int) -> list[Board]:
    random = Random(seed)
    return [random_open_board(random, empty) for _ in range(boards)]


def seconds_to_solve(board: Board, in_hand: str | None) -> float:
    """Return the processor time to solve a board, including all best moves."""
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
    label = f"Quarto, {empty} empty cells, {task}"
    goals = ("0.05 s", "1 s") if empty == 9 else ("", "")
    note(f"{label}, median of {boards}", f"{median(seconds):.4f} s", goals[0])
    note(f"{label}, slowest of {boards}", f"{max(seconds):.3f} s", goals[1])


def careful_position(random: Random, empty: int, squares: bool) -> QuartoPosition:
    """Return a position of a game between careful players."""
    rules = QuartoRules(QuartoSettings(squares))
    while True:
        position = rules.start(random)
        while not position.is_over and len(position.board.empty) > empty:
            seat = rules.to_act(position)[0]
            position = rules.after(position, seat, Careful().choose(position, random))
        if not position.is_over:
            return position


def seconds(ask: Callable[[], object]) -> float:
    start = time.process_time()
    ask()
    return time.process_time() - start


KINDS = [
    pytest.mark.parametrize("squares", [False, True], ids=["rows", "squares"]),
    pytest.mark.parametrize("careful", [False, True], ids=["random", "careful"]),
    pytest.mark.parametrize("placing", [False, True], ids=["handing over", "placing"]),
]


def positions(
    empty: int, count: int, squares: bool, careful: bool, placing: bool
) -> tuple[str, list[tuple[Board, str | None, bool]]]:
    """Return the name of a kind of positions, and some of these positions."""
    random, result = Random(empty), []
    for _ in range(count):
        if careful:
            position = careful_position(random, empty, squares)
            board, in_hand = position.board, position.in_hand
        else:
            board = random_open_board(random, empty, squares)
            in_hand = random.choice(board.left)
        result.append((board, in_hand if placing else None, squares))
    kind = f"{'squares' if squares else 'rows'}, {'careful' if careful else 'random'}"
    return f"Quarto, {empty} cells, {'placing' if placing else 'handing over'}, {kind}", result


def every_kind(test: Callable[..., None]) -> Callable[..., None]:
    for mark in KINDS:
        test = mark(test)
    return test


@every_kind
def test_eleven_empty_cells(
    squares: bool, careful: bool, placing: bool, note: Callable[..., None]
) -> None:
    label, asked = positions(11, 3, squares, careful, placing)
    for name, ask in (("all best moves", solve), ("one", partial(best_move, random=Random(1)))):
        times = [
            seconds(partial(ask, board, in_hand, squares=squares)) for board, in_hand, _ in asked
        ]
        figures = f"{min(times):.2f} / {median(times):.2f} / {max(times):.2f} s"
        note(f"{label}: {name}, least, median, most", figures, "5 s")


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
