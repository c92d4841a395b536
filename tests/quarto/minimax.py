"""Plain minimax: try every move to the end, on sets of words and rows of coordinates."""

from __future__ import annotations

from quaternity.quarto import Board

Grid = dict[tuple[int, int], frozenset[str]]
Move = tuple[int | None, str | None]


def completes(grid: Grid, row: int, column: int, squares: bool = False) -> bool:
    """Return whether the piece on this cell completes a quarto."""
    lines = [[(row, index) for index in range(4)], [(index, column) for index in range(4)]]
    if row == column:
        lines.append([(index, index) for index in range(4)])
    if row + column == 3:
        lines.append([(index, 3 - index) for index in range(4)])
    if squares:
        lines += [
            [(top + i, left + j) for i in (0, 1) for j in (0, 1)]
            for top in (row - 1, row)
            for left in (column - 1, column)
        ]
    return any(
        all(cell in grid for cell in line)
        and bool(frozenset.intersection(*(grid[cell] for cell in line)))
        for line in lines
    )


class Minimax:
    """Values and best moves: 1 is a win for the player to move, -1 a loss."""

    def __init__(self, board: Board, squares: bool = False) -> None:
        self.squares = squares
        words = {
            name: frozenset(board.pieces.words_of(piece))
            for piece, name in enumerate(board.pieces.names)
        }
        self.words = words
        self.grid: Grid = {
            divmod(cell, 4): words[board.pieces.names[piece]]
            for cell, piece in enumerate(board.cells)
            if piece is not None
        }
        self.left = frozenset(board.left)

    def empty(self) -> list[tuple[int, int]]:
        return [divmod(cell, 4) for cell in range(16) if divmod(cell, 4) not in self.grid]

    def solve(self, in_hand: str | None) -> tuple[int, list[Move]]:
        """Return the value and the best moves: those that win at once, if there are some."""
        rated = self.rate_moves(in_hand)
        best = max((value for value, _ in rated.values()), default=0)
        winning = [move for move, value in rated.items() if value == (1, 1) and move[1] is None]
        return best, winning or [move for move, (value, _) in rated.items() if value == best]

    def rate_moves(self, in_hand: str | None) -> dict[Move, tuple[int, int]]:
        """Return the value and the distance of every move."""
        if in_hand is None:
            return {(None, name): self._rate_handing_over(name) for name in sorted(self.left)}
        self.left -= {in_hand}
        moves: dict[Move, tuple[int, int]] = {}
        for row, column in self.empty():
            self.grid[row, column] = self.words[in_hand]
            cell = 4 * row + column
            if completes(self.grid, row, column, self.squares):
                moves[cell, None] = (1, 1)
            elif not self.left:
                moves[cell, None] = (0, 1)
            else:
                for name in sorted(self.left):
                    value, distance = self._rate_handing_over(name)
                    moves[cell, name] = (value, distance + 1)
            del self.grid[row, column]
        self.left |= {in_hand}
        return moves

    def _rate_handing_over(self, name: str) -> tuple[int, int]:
        """Return value and distance after handing over a piece: the opponent's best, negated."""
        value, distance = max(self.rate_moves(name).values(), key=lambda v: (v[0], -v[0] * v[1]))
        return -value, distance
