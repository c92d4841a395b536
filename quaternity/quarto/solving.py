"""Perfect play in Quarto: outcomes, best moves and lines of play."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from random import Random
from typing import Any, NamedTuple

from quaternity.base.errors import InputError, LimitError
from quaternity.base.names import code_name
from quaternity.quarto.board import Board, as_board, winning_cells
from quaternity.quarto.lines import BoardBits, lines, members
from quaternity.quarto.rows import cell_name
from quaternity.quarto.search import Search, largest_with_parity

SOLVE_LIMIT = 11
"""Maximum number of empty cells in a position that can be solved."""

MAX_SEARCHED_POSITIONS = 1_000_000
"""Maximum number of positions visited to find one best move, which takes a few seconds."""

SYMMETRIC_FROM = 9
"""Minimum number of remaining pieces for which it saves time to recognize symmetric moves."""


class Outcome(IntEnum):
    """The result for the player to move if both players play perfectly: win, draw or loss."""

    __repr__ = code_name

    LOSS = -1
    DRAW = 0
    WIN = 1


class QuartoMove(NamedTuple):
    """A move, which places the piece in hand and then hands over the next piece.

    `cell` is None if there is no piece to place, and `hand_over` is None if the game ends.
    """

    cell: int | None
    hand_over: str | None

    def __str__(self) -> str:
        steps = []
        if self.cell is not None:
            steps.append(f"place it on {cell_name(self.cell)}")
        if self.hand_over is not None:
            steps.append(f"hand over {self.hand_over}")
        return ", ".join(steps)

    def document(self) -> dict[str, Any]:
        """Return the move as a JSON object."""
        cell = None if self.cell is None else cell_name(self.cell)
        return {"cell": cell, "hand_over": self.hand_over}


@dataclass(frozen=True, slots=True)
class Solution:
    """The outcome and the best moves of a position.

    Attributes:
        outcome: the outcome for the player to move, or for the player who made the last move once
            the game is over.
        moves: all moves that lead to this outcome. The fastest wins, or the slowest losses, come
            first. Equal moves are sorted by cell and piece. If the piece in hand can complete a
            quarto, only such moves are listed. There are none once the game is over.
        distances: for each of these moves, the number of placements by both players until the game
            ends, including its own. The winner plays for a short game and the loser for a long
            game.
    """

    outcome: Outcome
    moves: tuple[QuartoMove, ...]
    distances: tuple[int, ...] = field(default=(), compare=False)


def solve(board: Board, in_hand: str | None = None, squares: bool = False) -> Solution:
    """Solve a position with at most `SOLVE_LIMIT` empty cells.

    Solving takes a few tenths of a second for 10 empty cells. For 11 empty cells, it takes two
    seconds (median) to six seconds (maximum), and at most 100 MB of memory. If squares count, it
    takes a fraction of this time.

    Args:
        in_hand: the name of the piece that the player to move must place, or None if this player
            only hands over a piece (at the start, or after placing a piece).
        squares: whether four pieces in a square of 2 x 2 cells are a quarto too.

    Raises:
        InputError: If the piece in hand is unknown or on the board, or if the game is over.
        LimitError: If there are more empty cells than `SOLVE_LIMIT`.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> board = Board.parse('??HPF?N?M?A?ED??', read_pieces(example_pieces()))
    >>> solve(board).outcome.name, [str(move) for move in solve(board).moves]
    ('WIN', ['hand over C'])
    """
    piece = _check_position(board, in_hand, squares)
    return _solve_checked(_Solver(squares), board, piece, squares)


def _solve_checked(solver: _Solver, board: Board, piece: int | None, squares: bool) -> Solution:
    if board.quartos(squares):
        return Solution(Outcome.WIN, ())
    if not board.empty:
        return Solution(Outcome.DRAW, ())
    if piece is not None:
        winning = winning_cells(board, board.pieces.names[piece], squares)
        if winning:
            moves = tuple(QuartoMove(cell, None) for cell in winning)
            return Solution(Outcome.WIN, moves, (1,) * len(moves))
    bits = board.in_bits(squares)
    outcome = solver.outcome(bits, piece)
    pairs = [
        (distance + (piece is not None), placed.move(board))
        for placed in solver.moves(bits, piece)
        if (distance := solver.placements_to_end(placed, outcome)) is not None
    ]
    # Sorting is stable, so moves with equal distances remain sorted by cell and piece.
    pairs.sort(key=lambda pair: outcome * pair[0])
    return Solution(
        outcome, tuple(move for _, move in pairs), tuple(distance for distance, _ in pairs)
    )


def best_move(
    board: Board,
    in_hand: str | None,
    random: Random,
    squares: bool = False,
    max_positions: int = MAX_SEARCHED_POSITIONS,
) -> QuartoMove | None:
    """Return a random move that wins or, if none wins, draws. Return None if every move loses.

    This takes about a fifth of the time of `solve`, and raises the same errors. It also raises
    LimitError if searching `max_positions` positions is not enough.
    """
    piece = _check_position(board, in_hand, squares)
    solver, bits = _Solver(squares, max_positions), board.in_bits(squares)
    if piece is not None:
        winning = winning_cells(board, board.pieces.names[piece], squares)
        if winning:
            return QuartoMove(random.choice(winning), None)
    outcome = solver.outcome(bits, piece)
    if outcome == Outcome.LOSS:
        return None
    moves = solver.moves(bits, piece)
    good_moves = (
        move for move in random.sample(moves, len(moves)) if solver.keeps_outcome(move, outcome)
    )
    return next(good_moves).move(board)


class RatedMove(NamedTuple):
    """A move, its outcome for the player who makes it, and the number of placements to the end."""

    move: QuartoMove
    outcome: Outcome
    distance: int

    def document(self) -> dict[str, Any]:
        """Return the move as a JSON object."""
        rating = {"outcome": self.outcome.name.lower(), "distance": self.distance}
        return self.move.document() | rating


def rated_moves(
    board: Board, in_hand: str | None = None, squares: bool = False
) -> tuple[RatedMove, ...]:
    """Return every legal move with its outcome and distance. The best moves come first.

    The arguments are the same as for `solve`.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> board = Board.parse('??HPF?N?M?A?ED??', read_pieces(example_pieces()))
    >>> for move, outcome, distance in rated_moves(board)[:3]:
    ...     print(f"{move}: {outcome.name.lower()} after {distance}")
    hand over C: win after 8
    hand over L: draw after 8
    hand over K: loss after 7
    """
    piece = _check_position(board, in_hand, squares)
    if board.quartos(squares) or not board.empty:
        return ()
    winning = () if in_hand is None else winning_cells(board, in_hand, squares)
    rated = [RatedMove(QuartoMove(cell, None), Outcome.WIN, 1) for cell in winning]
    solver = _Solver(squares)
    for placed in solver.moves(board.in_bits(squares), piece):
        for outcome in (Outcome.WIN, Outcome.DRAW, Outcome.LOSS):
            distance = solver.placements_to_end(placed, outcome)
            if distance is not None:
                total = distance + (piece is not None)
                rated.append(RatedMove(placed.move(board), outcome, total))
                break
    # Sorting is stable, so equally good moves remain sorted by cell and piece.
    rated.sort(key=lambda move: (-move.outcome, move.outcome * move.distance))
    return tuple(rated)


def line_of_play(
    board: Board, in_hand: str | None = None, squares: bool = False
) -> tuple[QuartoMove, ...]:
    """Return the moves until the end of the game if both players play perfectly.

    Each move is the first move that `solve` returns. The arguments are those of `solve`.
    """
    piece, solver = _check_position(board, in_hand, squares), _Solver(squares)
    line: list[QuartoMove] = []
    while moves := _solve_checked(solver, board, piece, squares).moves:
        line.append(moves[0])
        if moves[0].cell is not None and piece is not None:
            board = board.after(moves[0].cell, piece)
        if moves[0].hand_over is None:
            break
        piece = board.piece_left(moves[0].hand_over)
    return tuple(line)


def _check_position(board: Board, in_hand: str | None, squares: bool) -> int | None:
    piece = None if in_hand is None else as_board(board).piece_left(in_hand)
    over, count = bool(as_board(board).quartos(squares)), len(board.empty)
    if over and piece is not None:
        raise InputError(f"the game is over, because {board} has a quarto: no piece can be in hand")
    if count > SOLVE_LIMIT and not over:
        raise LimitError(
            f"the board has {count} empty cells: only boards with at most {SOLVE_LIMIT} can be "
            "solved"
        )
    return piece


class _Solver:
    def __init__(self, squares: bool, max_positions: int | None = None) -> None:
        self._lines = lines(squares)
        self._search = Search(self._lines, max_positions)
        self._known: dict[tuple[Outcome, object], int | None] = {}

    def outcome(self, bits: BoardBits, piece: int | None) -> Outcome:
        rows, empty, remaining = bits
        if piece is None:
            if self._search.wins_giving(
                *bits, largest_with_parity(remaining.bit_count(), odd=False)
            ):
                return Outcome.WIN
            lost = self._search.wins_giving(
                *bits, largest_with_parity(remaining.bit_count(), odd=True)
            )
        else:
            position, cells = (rows, empty, remaining ^ 1 << piece, piece), empty.bit_count()
            if self._search.wins_placing(*position, largest_with_parity(cells, odd=True)):
                return Outcome.WIN
            lost = self._search.wins_placing(*position, largest_with_parity(cells, odd=False))
        return Outcome.LOSS if lost else Outcome.DRAW

    def moves(self, bits: BoardBits, piece: int | None) -> list[_Placement]:
        boards: list[tuple[int | None, BoardBits]] = [(None, bits)]
        if piece is not None:
            rows, empty, remaining = bits
            after, remaining = self._lines.after[piece], remaining ^ 1 << piece
            winning = self._lines.completing(rows, empty, piece)
            boards = [
                (cell, BoardBits(rows & after[cell], empty ^ 1 << cell, remaining))
                for cell in members(empty & ~winning)
            ]
        return [
            _Placement(cell, board, hand_over)
            for cell, board in boards
            for hand_over in members(board.left) or (None,)
        ]

    def placements_to_end(self, placed: _Placement, outcome: Outcome) -> int | None:
        """Return the number of placements after a move, or None if it does not give `outcome`."""
        _, after, hand_over = placed
        if hand_over is None:
            return self._count_placements(placed, outcome)
        large = after.left.bit_count() >= SYMMETRIC_FROM
        form: object = self._lines.canonical_form(after, hand_over) if large else placed[1:]
        if (outcome, form) not in self._known:
            self._known[outcome, form] = self._count_placements(placed, outcome)
        return self._known[outcome, form]

    def keeps_outcome(self, placed: _Placement, outcome: Outcome) -> bool:
        _, (rows, empty, remaining), hand_over = placed
        if hand_over is None:
            return outcome == Outcome.DRAW
        within = largest_with_parity(empty.bit_count(), odd=outcome == Outcome.DRAW)
        won = self._search.wins_placing(rows, empty, remaining ^ 1 << hand_over, hand_over, within)
        return won == (outcome == Outcome.WIN)

    def _count_placements(self, placed: _Placement, outcome: Outcome) -> int | None:
        if outcome != Outcome.LOSS and not self.keeps_outcome(placed, outcome):
            return None
        _, (rows, empty, remaining), hand_over = placed
        if hand_over is None or outcome == Outcome.DRAW:
            return empty.bit_count()
        return self._search.distance(
            rows, empty, remaining ^ 1 << hand_over, hand_over, attacking=outcome == Outcome.LOSS
        )


class _Placement(NamedTuple):
    cell: int | None
    board: BoardBits
    hand_over: int | None

    def move(self, board: Board) -> QuartoMove:
        return QuartoMove(
            self.cell, None if self.hand_over is None else board.pieces.names[self.hand_over]
        )
