"""Programs that play Quarto."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from quaternity.errors import InputError, LimitError
from quaternity.quarto.marks import MARKS, members
from quaternity.quarto.rows import CELLS, ROWS, SQUARES
from quaternity.quarto.rules import QuartoPosition, QuartoRules
from quaternity.quarto.solving import SOLVE_LIMIT, Move, solve

PLAYOUTS = 2_000
"""Games that `search` imagines for a move, where it cannot see the end."""


class Careful:
    """Completes a quarto when it can, and hands over no piece that loses when it need not."""

    def choose(self, view: QuartoPosition, random: Random) -> Move:
        """A move that is drawn evenly from those which keep to that."""
        return random.choice(careful_moves(view))


def careful_moves(view: QuartoPosition) -> list[Move]:
    """The moves that win at once, else those that do not lose at once, else all of them."""
    if view.in_hand is None:
        return _safe(view, [Move(None, name) for name in view.board.left])
    moves, safe = [], []
    for cell in view.board.empty:
        after = view.placed(cell)
        if after.quartos:
            return [Move(cell, None)]
        here = [Move(cell, name) for name in after.board.left] or [Move(cell, None)]
        moves += here
        safe += _safe(after, here, strictly=True)
    return safe or moves


def _safe(after: QuartoPosition, moves: list[Move], strictly: bool = False) -> list[Move]:
    """The moves whose piece completes no quarto on any empty cell; where there is none, all."""
    lines = _Lines(after)
    losing = lines.losing()
    piece = after.board.pieces.piece
    safe = [
        move
        for move in moves
        if move.hand_over is None or not MARKS[piece(move.hand_over)] & losing
    ]
    return safe if strictly else safe or moves


class _Lines:
    """The rows (and squares) of a board, by what their pieces share and how many there are."""

    __slots__ = ("counts", "empty", "through", "total")

    def __init__(self, position: QuartoPosition) -> None:
        rows = (*ROWS, *SQUARES) if position.squares else ROWS
        self.through = _through(position.squares)
        self.total = [(1 << 8) - 1] * len(rows)
        self.counts = [0] * len(rows)
        self.empty = 0
        for cell, piece in enumerate(position.board.cells):
            if piece is None:
                self.empty |= 1 << cell
            else:
                self.place(cell, MARKS[piece])

    def place(self, cell: int, mark: int) -> bool:
        """Put a piece down; whether it completes a quarto."""
        done = False
        for row in self.through[cell]:
            self.total[row] &= mark
            self.counts[row] += 1
            done = done or (self.counts[row] == 4 and self.total[row] != 0)
        self.empty &= ~(1 << cell)
        return done

    def losing(self) -> int:
        """The mark of all properties with which one more piece completes a quarto."""
        mark = 0
        for total, count in zip(self.total, self.counts, strict=True):
            if count == 3:
                mark |= total
        return mark

    def wins(self, cell: int, mark: int) -> bool:
        """Whether a piece would complete a quarto on an empty cell."""
        return any(self.counts[row] == 3 and self.total[row] & mark for row in self.through[cell])


def _through(squares: bool) -> list[list[int]]:
    rows = (*ROWS, *SQUARES) if squares else ROWS
    return [[i for i, row in enumerate(rows) if cell in row.cells] for cell in range(CELLS)]


class Search:
    """Plays perfectly where the end is near, and before that what wins most imagined games.

    Imagined games are played carefully; half of the moves go after every round of them (sequential
    halving: Karnin, Koren and Somekh 2013).
    """

    def __init__(self, playouts: int = PLAYOUTS) -> None:
        self.playouts = playouts

    def choose(self, view: QuartoPosition, random: Random) -> Move:
        """A best move where the position is solved, else the one that did best."""
        if len(view.board.empty) <= SOLVE_LIMIT and not view.squares:
            try:
                return random.choice(solve(view.board, view.in_hand).moves)
            except LimitError:
                pass
        moves = careful_moves(view)
        if view.in_hand is None and len(view.board.empty) == CELLS:
            return random.choice(moves)  # all pieces are alike
        random.shuffle(moves)
        scores = dict.fromkeys(range(len(moves)), 0.0)
        played = dict.fromkeys(range(len(moves)), 0)
        left = list(scores)
        rounds = max(1, (len(moves) - 1).bit_length())
        while len(left) > 1:
            each = max(1, self.playouts // (rounds * len(left)))
            for index in left:
                scores[index] += sum(
                    self._imagined(view, moves[index], random) for _ in range(each)
                )
                played[index] += each
            left.sort(key=lambda index: -scores[index] / played[index])
            left = left[: (len(left) + 1) // 2]
        return moves[left[0]]

    def _imagined(self, view: QuartoPosition, move: Move, random: Random) -> float:
        """How a careful random game ends after a move: 1 won, 0 lost, a half drawn."""
        pieces = view.board.pieces
        lines = _Lines(view)
        left = sum(1 << pieces.piece(name) for name in view.board.left)
        if move.cell is not None and view.in_hand is not None:
            left &= ~(1 << pieces.piece(view.in_hand))
            if lines.place(move.cell, MARKS[pieces.piece(view.in_hand)]):
                return 1.0
        if move.hand_over is None:
            return 0.5
        piece, mine = pieces.piece(move.hand_over), False
        while True:
            left &= ~(1 << piece)
            mark = MARKS[piece]
            cells = members(lines.empty)
            if any(lines.wins(cell, mark) for cell in cells):
                return float(mine)
            lines.place(random.choice(cells), mark)
            if not left:
                return 0.5
            losing = lines.losing()
            options: Sequence[int] = members(left)
            piece = random.choice([one for one in options if not MARKS[one] & losing] or options)
            mine = not mine


def careful(rules: QuartoRules, argument: str | None) -> Careful:
    """The player `careful`."""
    del rules
    if argument is not None:
        raise InputError(f"player 'careful' takes no {argument!r}")
    return Careful()


def search(rules: QuartoRules, argument: str | None) -> Search:
    """The player `search`, or `search:N` for N imagined games a move."""
    del rules
    if argument is None:
        return Search()
    if not argument.isascii() or not argument.isdigit() or not 1 <= int(argument) <= 10**7:
        raise InputError(f"player 'search:{argument}': the games to imagine are 1..10000000")
    return Search(int(argument))


__all__ = ["PLAYOUTS", "Careful", "Search", "careful", "careful_moves", "search"]
