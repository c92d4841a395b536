"""Perfect play: who wins, and with which moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from quaternity.errors import InputError, LimitError
from quaternity.quarto.alpha_beta import AlphaBeta
from quaternity.quarto.board import Board, as_board
from quaternity.quarto.distances import Distances
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
        moves: all best moves: those that keep the outcome. The shortest win comes first, and in a
            lost position, where these are all moves, the longest resistance; then by cell and
            piece. When the piece in hand completes a quarto, only the moves that do so. None when
            the game is over.
        distances: for each of these moves, after how many placements of both players the game ends
            (the move's own included) when the winner wants it short and the loser long.
    """

    outcome: Outcome
    moves: tuple[Move, ...]
    distances: tuple[int, ...] = field(default=(), compare=False)


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
    piece = _checked(board, in_hand)
    bits = board.in_bits()
    if bits.has_quarto:
        return Solution(Outcome.WIN, ())
    if not bits.empty:
        return Solution(Outcome.DRAW, ())
    return _Solver().solved(board, bits, piece)


class RatedMove(NamedTuple):
    """A move and what comes of it with perfect play.

    Attributes:
        move: the move.
        outcome: for the player who makes it.
        distance: after how many placements, its own included, the game ends.
    """

    move: Move
    outcome: Outcome
    distance: int


def rated_moves(board: Board, in_hand: str | None = None) -> tuple[RatedMove, ...]:
    """Every legal move with its outcome and distance, the best first; none when the game is over.

    Arguments and errors are those of `solve`; the cost is some times that.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> board = Board.parse('??HPF?N?M?A?ED??', read_pieces(example_pieces()))
    >>> for move, outcome, distance in rated_moves(board)[:3]:
    ...     print(f"{move}: {outcome.name.lower()} after {distance}")
    hand over C: win after 8
    hand over L: draw after 8
    hand over K: loss after 7
    """
    piece = _checked(board, in_hand)
    bits = board.in_bits()
    if bits.has_quarto or not bits.empty:
        return ()
    return _Solver().rated(board, bits, piece)


def line_of_play(board: Board, in_hand: str | None = None) -> tuple[Move, ...]:
    """Perfect play to the end: the first best move of each player in turn (see `Solution`).

    Arguments, errors and cost (a little more) are those of `solve`.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> board = Board.parse('??HPF?N?M?A?ED??', read_pieces(example_pieces()))
    >>> [str(move) for move in line_of_play(board, 'B')]
    ['place it on H1V1']
    """
    solution, piece = solve(board, in_hand), None if in_hand is None else board.piece_left(in_hand)
    solver, line = _Solver(), []
    while solution.moves:
        move = solution.moves[0]
        line.append(move)
        if move.cell is not None and piece is not None:
            board = board.after(move.cell, piece)
        if move.hand_over is None:
            break
        piece = board.piece_left(move.hand_over)
        solution = solver.solved(board, board.in_bits(), piece)
    return tuple(line)


def _checked(board: Board, in_hand: str | None) -> int | None:
    """The piece in hand, if any; or see `solve` for what is refused."""
    piece = None if in_hand is None else as_board(board).piece_left(in_hand)
    over, count = as_board(board).in_bits().has_quarto, len(board.empty)
    if over and piece is not None:
        raise InputError(f"the game is over, so no piece is in hand: {board} has a quarto")
    if count > SOLVE_LIMIT and not over:
        raise LimitError(
            f"{count} empty cells: positions are solved up to {SOLVE_LIMIT} empty cells"
        )
    return piece


class _Solver:
    """The two searches, for outcomes and for distances, with their memories."""

    def __init__(self) -> None:
        self._search, self._distances = AlphaBeta(), Distances()

    def solved(self, board: Board, bits: BoardBits, piece: int | None) -> Solution:
        """The solution of a position that is not over."""
        if piece is None:
            outcome = _giver_outcome(self._search, bits)
            boards = _boards(bits, None)
        else:
            winning = winning_cells(board, board.pieces.names[piece])
            if winning:
                moves = tuple(Move(cell, None) for cell in winning)
                return Solution(Outcome.WIN, moves, (1,) * len(moves))
            outcome, boards = _best_placements(self._search, bits, piece)
        found = []
        for cell, after in boards.items():
            best = _best_to_give(self._search, after, outcome) if after.left else [None]
            for given in best:
                name = None if given is None else board.pieces.names[given]
                to_come = self._to_come(after, given, outcome)
                found.append((to_come + (cell is not None), Move(cell, name)))
        # Sorting is stable: equally long moves stay by cell and piece.
        found.sort(key=lambda one: outcome * one[0])
        return Solution(
            outcome, tuple(move for _, move in found), tuple(distance for distance, _ in found)
        )

    def rated(self, board: Board, bits: BoardBits, piece: int | None) -> tuple[RatedMove, ...]:
        """Every move of a position that is not over, the best first."""
        names = board.pieces.names
        winning = () if piece is None else winning_cells(board, names[piece])
        found = [RatedMove(Move(cell, None), Outcome.WIN, 1) for cell in winning]
        boards = _boards(bits, piece)
        for where in winning:
            del boards[where]
        for cell, after in boards.items():
            choices: Iterable[int | None] = members(after.left) or (None,)
            for given in choices:
                outcome = self._outcome(after, given)
                distance = self._to_come(after, given, outcome) + (cell is not None)
                name = None if given is None else names[given]
                found.append(RatedMove(Move(cell, name), outcome, distance))
        # Sorting is stable: moves that are equally good stay by cell and piece.
        found.sort(key=lambda one: (-one.outcome, one.outcome * one.distance))
        return tuple(found)

    def _outcome(self, after: BoardBits, given: int | None) -> Outcome:
        """The outcome for who handed over a piece."""
        if given is None:
            return Outcome.DRAW
        rows, empty, left = after
        for goal in (Outcome.WIN, Outcome.DRAW):
            if self._search.placer_reaches(rows, empty, left ^ (1 << given), given, goal):
                return Outcome(-goal)
        return Outcome.WIN

    def _to_come(self, after: BoardBits, given: int | None, outcome: Outcome) -> int:
        """How many placements follow when a piece was handed over."""
        rows, empty, left = after
        if given is None or outcome == Outcome.DRAW:
            return empty.bit_count()
        of = self._distances.of_loss if outcome == Outcome.WIN else self._distances.of_win
        return of(rows, empty, left ^ (1 << given), given)


def _boards(bits: BoardBits, piece: int | None) -> dict[int | None, BoardBits]:
    """The boards in which a piece is handed over next, by the cell for the piece in hand."""
    if piece is None:
        return {None: bits}
    left = bits.left ^ (1 << piece)
    return {
        cell: BoardBits(bits.rows & AFTER[piece][cell], bits.empty ^ (1 << cell), left)
        for cell in members(bits.empty)
    }


def _giver_outcome(search: AlphaBeta, bits: BoardBits) -> Outcome:
    """The outcome for who hands over a piece."""
    if search.giver_reaches(*bits, goal=1):
        return Outcome.WIN
    return Outcome.DRAW if search.giver_reaches(*bits, goal=0) else Outcome.LOSS


def _best_to_give(search: AlphaBeta, bits: BoardBits, outcome: Outcome) -> Sequence[int | None]:
    """All pieces that keep the outcome of who hands one over."""
    rows, empty, left = bits
    return [
        piece
        for piece in members(left)
        if outcome == Outcome.LOSS
        or not search.placer_reaches(rows, empty, left ^ (1 << piece), piece, 1 - outcome)
    ]


def _best_placements(
    search: AlphaBeta, bits: BoardBits, piece: int
) -> tuple[Outcome, dict[int | None, BoardBits]]:
    """The outcome with a piece in hand that completes no quarto, and the boards that keep it."""
    boards = _boards(bits, piece)
    for goal in (Outcome.WIN, Outcome.DRAW):
        reaching = {
            cell: after for cell, after in boards.items() if search.giver_reaches(*after, goal)
        }
        if reaching:
            return goal, reaching
    return Outcome.LOSS, boards


__all__ = [
    "SOLVE_LIMIT",
    "Move",
    "Outcome",
    "RatedMove",
    "Solution",
    "line_of_play",
    "rated_moves",
    "solve",
]
