"""Batches of Quarto games in NumPy arrays, which `quaternity.environments.batch` creates.

For each row of a board, the arrays store the number of pieces and their common properties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quaternity.base.batch_checks import check_actions, check_games, check_legal
from quaternity.quarto.encoded import QuartoEncoded
from quaternity.quarto.pieces import FEATURES, PIECES
from quaternity.quarto.rows import CELLS, ROWS, SQUARES
from quaternity.quarto.rules import QuartoSettings

_ACTIONS_PER_CELL, _LENGTH = PIECES + 1, len(ROWS[0].cells)
_FIRST = CELLS * _ACTIONS_PER_CELL
_PIECE_NUMBERS = np.zeros((PIECES + 1, 1 + FEATURES), np.float32)
"""Array [piece, number] that encodes a piece in an observation as 1 and the bits of the piece. The
last row stands for no piece and is all 0."""

_PIECE_NUMBERS[:-1] = np.arange(PIECES)[:, None] * 2 + 1 >> np.arange(1 + FEATURES) & 1
_MARKS = np.array([piece | (PIECES - 1 - piece) << FEATURES for piece in range(PIECES)], np.uint8)
"""Properties of each piece, with one bit for each of the eight properties. Four pieces in a row are
a quarto if they have a bit in common."""


class QuartoBatch:
    """A batch of Quarto games that are played together.

    Attributes:
        cells: The piece on each cell, or -1 if the cell is empty, as an array [game, cell].
        in_hand: For each game, the piece that the player to move must place, or -1.
        turn: For each game, the player to move, or the player of the last move if the game is over.
        over: For each game, whether it is over. Such a game does not change until it is reset.
        winner: For each game, the player who won, or -1 during the game and after a draw.
    """

    actions = QuartoEncoded.actions
    size = sum(count for _, count, _ in QuartoEncoded.entries)
    """Number of values in an observation."""

    def __init__(self, games: int, squares: bool = False) -> None:
        """Start the given number of games. If `squares` is true, 2 x 2 squares count as rows.

        Raises:
            InputError: If there are too many games, or if an argument is invalid.
        """
        self.games = check_games(games, self.actions, self.size)
        self.squares = QuartoSettings(squares).squares
        rows = [row.cells for row in ((*ROWS, *SQUARES) if self.squares else ROWS)]
        self._through = np.array([[cell in row for cell in range(CELLS)] for row in rows])
        rows_per_cell = int(self._through.sum(0).max())
        # [nth, cell]: the rows through each cell. Missing rows are replaced by a dummy row.
        self._rows_of = np.full((rows_per_cell, CELLS), len(rows))
        for cell in range(CELLS):
            numbers = np.nonzero(self._through[:, cell])[0]
            self._rows_of[: len(numbers), cell] = numbers
        self._rows_of *= self.games
        self._all_games = np.arange(self.games)
        self.cells = np.empty((self.games, CELLS), np.int8)
        self.in_hand, self.turn, self.winner = (np.empty(self.games, np.int8) for _ in range(3))
        self.over = np.zeros(self.games, bool)
        # For each game, the bit mask of the pieces that are neither on the board nor in hand.
        self._free = np.empty(self.games, np.int32)
        self._common = np.empty((len(rows) + 1, self.games), np.uint8)
        self._filled = np.empty((len(rows) + 1, self.games), np.int8)
        self.reset()

    def reset(self, which: ArrayLike | None = None) -> None:
        """Restart all games, or the games selected by a boolean mask or by indices."""
        chosen: Any = slice(None) if which is None else np.array(which)
        self.cells[chosen] = self.in_hand[chosen] = self.winner[chosen] = -1
        self.turn[chosen] = self.over[chosen] = 0
        self._free[chosen] = (1 << PIECES) - 1
        self._common[:, chosen] = 255
        self._filled[:, chosen] = 0

    def step(self, actions: ArrayLike) -> None:
        """Make one move in each game that is not over. Actions for other games are ignored.

        A step takes about 0.3 microseconds per game.

        Raises:
            InputError: If an action is illegal. The message names the game, and no game is changed.
        """
        raw, action = check_actions(actions, self.games, self.actions)
        cell, piece = action // _ACTIONS_PER_CELL, action % _ACTIONS_PER_CELL
        first = self.in_hand < 0
        inside = (action >= 0) & (action < _FIRST)
        if first.any():
            piece = np.where(first, action - _FIRST, piece)
            inside = np.where(first, (action >= _FIRST) & (piece < PIECES), inside)
        cell = np.where(inside & ~first, cell, 0)
        marks = _MARKS[self.in_hand]
        changes = []
        won = np.zeros(self.games, bool)
        for rows in self._rows_of:
            at = rows[cell] + self._all_games
            common, filled = self._common.ravel()[at] & marks, self._filled.ravel()[at] + 1
            won |= (filled == _LENGTH) & (common != 0)
            changes.append((at, common, filled))
        places = ~(self.over | first)
        ends = places & (won | (self._free == 0))
        bit = np.left_shift(1, piece.clip(0, PIECES), dtype=np.int32)
        legal = inside & np.where(ends, piece == PIECES, self._free & bit != 0)
        spot = self._all_games * CELLS + cell
        legal &= first | (self.cells.ravel()[spot] < 0)
        check_legal(raw, legal | self.over)
        at_once = bool(places.all())
        chosen: Any = slice(None) if at_once else places
        self.cells.ravel()[spot[chosen]] = self.in_hand[chosen]
        for at, common, filled in changes:
            self._common.ravel()[at[chosen]] = common[chosen]
            self._filled.ravel()[at[chosen]] = filled[chosen]
        self._filled[-1] = 0
        running = ~(self.over | ends)
        self._free &= ~np.where(running, bit, 0)
        self.in_hand = np.where(self.over | ends, -1, piece).astype(np.int8)
        np.copyto(self.winner, self.turn, where=ends & won)
        self.turn ^= running
        self.over |= ends

    def points(self) -> NDArray[np.float32]:
        """Return an array [game, player] of points: 1 for a win, 0.5 for a draw, otherwise 0."""
        points = np.where(self.over & (self.winner < 0), 0.5, 0.0)[:, None].repeat(2, 1)
        won = np.nonzero(self.winner >= 0)[0]
        points[won, self.winner[won]] = 1.0
        return points.astype(np.float32)

    def masks(self) -> NDArray[np.uint8]:
        """Return an array [game, action] that is 1 for each legal action and 0 for the others.

        No action is legal once a game is over. A call takes about a microsecond per game.
        """
        mask = np.zeros((self.games, self.actions), np.uint8)
        first = (self.in_hand < 0) & ~self.over
        free = self._free_pieces()
        np.multiply(free, first[:, None], out=mask[:, _FIRST:])
        empty = (self.cells < 0) & (self.in_hand >= 0)[:, None]
        hot = (self._filled[:-1] == _LENGTH - 1) & (self._common[:-1] & _MARKS[self.in_hand] != 0)
        ending = (self._free == 0)[:, None].repeat(CELLS, 1)
        for row, cells in zip(hot, self._through, strict=True):
            ending[:, cells] |= row[:, None]
        placing = mask[:, :_FIRST].reshape(self.games, CELLS, _ACTIONS_PER_CELL)
        going_on = (empty & ~ending).view(np.uint8)
        np.multiply(going_on[:, :, None], free[:, None, :], out=placing[:, :, :PIECES])
        placing[:, :, PIECES] = empty & ending
        return mask

    def _free_pieces(self) -> NDArray[np.uint8]:
        mask_bytes = self._free.astype("<u2").view(np.uint8).reshape(self.games, 2)
        return np.unpackbits(mask_bytes, axis=1, bitorder="little")

    def observations(self) -> NDArray[np.float32]:
        """Return what the player to move sees, as an array [game, number].

        `QuartoEncoded.entries` explains the numbers. A call takes about a microsecond per game.
        """
        seen = np.empty((self.games, self.size), np.float32)
        end = 2 + CELLS * (1 + FEATURES)
        seen[:, 0], seen[:, 1] = self.turn == 0, self.turn == 1
        seen[:, 2:end] = _PIECE_NUMBERS[self.cells].reshape(self.games, -1)
        seen[:, end : end + 1 + FEATURES] = _PIECE_NUMBERS[self.in_hand]
        seen[:, -PIECES:] = self._free_pieces()
        return seen
