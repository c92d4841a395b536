"""Many games of Quarto at once, in NumPy; `quaternity.environments.batch` makes them.

The rules are few enough for arrays: per row what its pieces have in common, and how many they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quaternity.base.many import checked_actions, checked_games, refuse_illegal
from quaternity.quarto.encoded import QuartoEncoded
from quaternity.quarto.pieces import FEATURES, PIECES
from quaternity.quarto.rows import CELLS, ROWS, SQUARES
from quaternity.quarto.rules import QuartoSettings

_EACH, _LENGTH = PIECES + 1, len(ROWS[0].cells)
_FIRST = CELLS * _EACH
_SEEN = np.zeros((PIECES + 1, 1 + FEATURES), np.float32)
"""What is seen of each piece: that it is there, and its bits; in the last row of none."""

_SEEN[:-1] = np.arange(PIECES)[:, None] * 2 + 1 >> np.arange(1 + FEATURES) & 1
_SHARED = np.array([piece | (PIECES - 1 - piece) << FEATURES for piece in range(PIECES)], np.uint8)
"""Per piece the features that it has, and those that it lacks: a quarto has one in common."""


class QuartoBatch:
    """Games of Quarto that are played together.

    Attributes:
        cells: [game, cell] the piece there, -1 for none.
        in_hand: the piece that each game's player has to place, -1 for none.
        turn: the player on turn, or who moved last.
        over: whether each game is over; such games stand still until they are reset.
        winner: the player who won, -1 for nobody yet, or a draw.
    """

    actions = QuartoEncoded.actions
    size = sum(count for _, count, _ in QuartoEncoded.entries)
    """Numbers of an observation."""

    def __init__(self, games: int, squares: bool = False) -> None:
        """Begin so many games; `squares` as in `QuartoSettings`.

        Raises:
            InputError: there are too many, or a value is wrong.
        """
        self.games = checked_games(games, self.actions, self.size)
        self.squares = QuartoSettings(squares).squares
        rows = [row.cells for row in ((*ROWS, *SQUARES) if self.squares else ROWS)]
        self._through = np.array([[cell in row for cell in range(CELLS)] for row in rows])
        most = int(self._through.sum(0).max())
        # [nth, cell] where the rows of a cell begin; one with fewer has one more, never filled.
        self._rows_of = np.full((most, CELLS), len(rows))
        for cell in range(CELLS):
            own = np.nonzero(self._through[:, cell])[0]
            self._rows_of[: len(own), cell] = own
        self._rows_of *= self.games
        self._every = np.arange(self.games)
        self.cells = np.empty((self.games, CELLS), np.int8)
        self.in_hand, self.turn, self.winner = (np.empty(self.games, np.int8) for _ in range(3))
        self.over = np.zeros(self.games, bool)
        # The pieces that are neither on the board nor in hand, as bits.
        self._free = np.empty(self.games, np.int32)
        self._common = np.empty((len(rows) + 1, self.games), np.uint8)
        self._filled = np.empty((len(rows) + 1, self.games), np.int8)
        self.reset()

    def reset(self, which: ArrayLike | None = None) -> None:
        """Begin some games anew, by a mask or their numbers; by default all."""
        chosen: Any = slice(None) if which is None else np.array(which)
        self.cells[chosen] = self.in_hand[chosen] = self.winner[chosen] = -1
        self.turn[chosen] = self.over[chosen] = 0
        self._free[chosen] = (1 << PIECES) - 1
        self._common[:, chosen] = 255
        self._filled[:, chosen] = 0

    def step(self, actions: ArrayLike) -> None:
        """Make a move in each game that is not over; others pass over theirs.

        Cost: some 0.3 microseconds a game.

        Raises:
            InputError: an action is not legal; it names the game, and nothing is played.
        """
        given, action = checked_actions(actions, self.games, self.actions)
        cell, piece = action // _EACH, action % _EACH
        first = self.in_hand < 0
        inside = (action >= 0) & (action < _FIRST)
        if first.any():
            piece = np.where(first, action - _FIRST, piece)
            inside = np.where(first, (action >= _FIRST) & (piece < PIECES), inside)
        cell = np.where(inside & ~first, cell, 0)
        marks = _SHARED[self.in_hand]
        changes = []
        won = np.zeros(self.games, bool)
        for rows in self._rows_of:
            at = rows[cell] + self._every
            common, filled = self._common.ravel()[at] & marks, self._filled.ravel()[at] + 1
            won |= (filled == _LENGTH) & (common != 0)
            changes.append((at, common, filled))
        places = ~(self.over | first)
        ends = places & (won | (self._free == 0))
        bit = np.left_shift(1, piece.clip(0, PIECES), dtype=np.int32)
        legal = inside & np.where(ends, piece == PIECES, self._free & bit != 0)
        spot = self._every * CELLS + cell
        legal &= first | (self.cells.ravel()[spot] < 0)
        refuse_illegal(given, legal | self.over)
        at_once = bool(places.all())
        chosen: Any = slice(None) if at_once else places
        self.cells.ravel()[spot[chosen]] = self.in_hand[chosen]
        for at, common, filled in changes:
            self._common.ravel()[at[chosen]] = common[chosen]
            self._filled.ravel()[at[chosen]] = filled[chosen]
        self._filled[-1] = 0
        goes_on = ~(self.over | ends)
        self._free &= ~np.where(goes_on, bit, 0)
        self.in_hand = np.where(self.over | ends, -1, piece).astype(np.int8)
        np.copyto(self.winner, self.turn, where=ends & won)
        self.turn ^= goes_on
        self.over |= ends

    def points(self) -> NDArray[np.float32]:
        """Return [game, player]: 1 for a win, a half each for a draw, 0 before the end."""
        points = np.where(self.over & (self.winner < 0), 0.5, 0.0)[:, None].repeat(2, 1)
        won = np.nonzero(self.winner >= 0)[0]
        points[won, self.winner[won]] = 1.0
        return points.astype(np.float32)

    def masks(self) -> NDArray[np.uint8]:
        """Return [game, action], 1 for what is legal; nothing is when a game is over.

        Cost: about a microsecond a game.
        """
        mask = np.zeros((self.games, self.actions), np.uint8)
        first = (self.in_hand < 0) & ~self.over
        free = self._free_pieces()
        np.multiply(free, first[:, None], out=mask[:, _FIRST:])
        empty = (self.cells < 0) & (self.in_hand >= 0)[:, None]
        hot = (self._filled[:-1] == _LENGTH - 1) & (self._common[:-1] & _SHARED[self.in_hand] != 0)
        ending = (self._free == 0)[:, None].repeat(CELLS, 1)
        for row, cells in zip(hot, self._through, strict=True):
            ending[:, cells] |= row[:, None]
        placing = mask[:, :_FIRST].reshape(self.games, CELLS, _EACH)
        going_on = (empty & ~ending).view(np.uint8)
        np.multiply(going_on[:, :, None], free[:, None, :], out=placing[:, :, :PIECES])
        placing[:, :, PIECES] = empty & ending
        return mask

    def _free_pieces(self) -> NDArray[np.uint8]:
        """Return [game, piece], 1 for those that are neither on the board nor in hand."""
        whole = self._free.astype("<u2").view(np.uint8).reshape(self.games, 2)
        return np.unpackbits(whole, axis=1, bitorder="little")

    def observations(self) -> NDArray[np.float32]:
        """Return [game, number]: what the player on turn sees; see `QuartoEncoded.entries`.

        Cost: about a microsecond a game.
        """
        seen = np.empty((self.games, self.size), np.float32)
        end = 2 + CELLS * (1 + FEATURES)
        seen[:, 0], seen[:, 1] = self.turn == 0, self.turn == 1
        seen[:, 2:end] = _SEEN[self.cells].reshape(self.games, -1)
        seen[:, end : end + 1 + FEATURES] = _SEEN[self.in_hand]
        seen[:, -PIECES:] = self._free_pieces()
        return seen
