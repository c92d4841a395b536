"""Perfect play: who wins, and with which moves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from quaternity.errors import InputError, LimitError
from quaternity.quarto.alpha_beta import AlphaBeta
from quaternity.quarto.board import Board
from quaternity.quarto.handing_over import winning_cells
from quaternity.quarto.marks import AFTER, BoardBits, members
from quaternity.quarto.rows import cell_name

SOLVE_LIMIT = 10
"""Most empty cells of a position that is solved."""


class Outcome(IntEnum):
    """How the game ends with perfect play, for the player whose move it is."""

    LOSS = -1
    DRAW = 0
    WIN = 1


class Move(NamedTuple):
    """What a player does: place the piece in hand, hand over the next one, or both in this order.

    Attributes:
        cell: where the piece in hand goes; None when there is none.
        hand_over: the name of the piece for the opponent; None when the game ends first.
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


@dataclass(frozen=True, slots=True)
class Solution:
    """The value of a position.

    Attributes:
        outcome: for the player whose move it is; when the game is over, for who placed last.
        moves: all best moves: those that keep the outcome, by cell and then by piece. When the
            piece in hand completes a quarto, only the moves that do so. In a lost position these
            are all moves; none when the game is over.
    """

    outcome: Outcome
    moves: tuple[Move, ...]


def solve(board: Board, in_hand: str | None = None) -> Solution:
    """Solve a position.

    Args:
        board: the pieces placed; at most `SOLVE_LIMIT` empty cells.
        in_hand: the piece that the player whose move it is has been handed and now places;
            None when this player is to hand over a piece (at the start, or having placed).

    Raises:
        InputError: the piece in hand is none, is on the board, or the game is over.
        LimitError: more empty cells than `SOLVE_LIMIT`.

    Cost, in pure Python, all best moves included: with 9 empty cells some hundredths of a second
    (median; half a second at most), with 10 some tenths (some seconds at most).

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> board = Board.parse('??HPF?N?M?A?ED??', read_pieces(example_pieces()))
    >>> solve(board).outcome.name, [str(move) for move in solve(board).moves]
    ('WIN', ['hand over C'])
    >>> solve(board, 'B').outcome.name, [str(move) for move in solve(board, 'B').moves]
    ('WIN', ['place it on H1V1'])
    """
    bits = board.in_bits()
    piece = None if in_hand is None else board.piece_left(in_hand)
    if bits.has_quarto:
        if piece is not None:
            raise InputError(f"the game is over, so no piece is in hand: {board} has a quarto")
        return Solution(Outcome.WIN, ())
    if not bits.empty:
        return Solution(Outcome.DRAW, ())
    count = bits.empty.bit_count()
    if count > SOLVE_LIMIT:
        raise LimitError(
            f"{count} empty cells: positions are solved up to {SOLVE_LIMIT} empty cells"
        )
    search = AlphaBeta()
    if in_hand is None or piece is None:
        outcome = _giver_outcome(search, bits)
        moves = [Move(None, name) for name in _best_to_give(search, bits, outcome, board)]
        return Solution(outcome, tuple(moves))
    winning = winning_cells(board, in_hand)
    if winning:
        return Solution(Outcome.WIN, tuple(Move(cell, None) for cell in winning))
    return _best_placements(search, bits, piece, board)


def _giver_outcome(search: AlphaBeta, bits: BoardBits) -> Outcome:
    """The outcome for who hands over a piece."""
    if search.giver_reaches(*bits, goal=1):
        return Outcome.WIN
    return Outcome.DRAW if search.giver_reaches(*bits, goal=0) else Outcome.LOSS


def _best_to_give(search: AlphaBeta, bits: BoardBits, outcome: Outcome, board: Board) -> list[str]:
    """The names of all pieces that keep the outcome of who hands one over."""
    rows, empty, left = bits
    return [
        board.pieces.names[piece]
        for piece in members(left)
        if outcome == Outcome.LOSS
        or not search.placer_reaches(rows, empty, left ^ (1 << piece), piece, 1 - outcome)
    ]


def _best_placements(search: AlphaBeta, bits: BoardBits, piece: int, board: Board) -> Solution:
    """The solution with a piece in hand that completes no quarto."""
    left = bits.left ^ (1 << piece)
    boards = {
        cell: BoardBits(bits.rows & AFTER[piece][cell], bits.empty ^ (1 << cell), left)
        for cell in members(bits.empty)
    }
    outcome, best = Outcome.LOSS, list(boards)
    for goal in (Outcome.WIN, Outcome.DRAW):
        reaching = [cell for cell in boards if search.giver_reaches(*boards[cell], goal)]
        if reaching:
            outcome, best = goal, reaching
            break
    moves = [
        Move(cell, name)
        for cell in best
        for name in (_best_to_give(search, boards[cell], outcome, board) if left else [None])
    ]
    return Solution(outcome, tuple(moves))


__all__ = ["SOLVE_LIMIT", "Move", "Outcome", "Solution", "solve"]
