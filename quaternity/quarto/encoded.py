"""Encoding of Quarto as actions and observations for learning agents.

The interface is described in `quaternity.environments.episode.Encoded`.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache
from random import Random

from quaternity.base.errors import InputError
from quaternity.quarto.lines import lines, members
from quaternity.quarto.pieces import FEATURES, PIECES, SHARING
from quaternity.quarto.rows import CELLS
from quaternity.quarto.rules import QuartoPosition, QuartoRules
from quaternity.quarto.solving import QuartoMove

_ACTIONS_PER_CELL: int = PIECES + 1
"""Number of actions that place a piece on a given cell. They differ in the piece handed over."""

_FIRST = CELLS * _ACTIONS_PER_CELL
"""Number of the first action that hands over a piece without placing one."""


class QuartoEncoded:
    """Encoder that represents the moves and positions of Quarto as numbers.

    Pieces are numbered by their bits, and cells row by row from the top. Action `17 * c + p` places
    the piece in hand on cell c and hands over piece p. Action `17 * c + 16` places it on cell c and
    hands over nothing, because the game is over. Action `272 + p` is the first move of a game and
    only hands over piece p.
    """

    actions = _FIRST + PIECES
    points = (0.0, 1.0)
    outcomes: tuple[tuple[str, int, str], ...] = ()
    entries: tuple[tuple[str, int, str], ...] = (
        ("seat", 2, "1 for the player to move"),
        (
            "board",
            CELLS * (1 + FEATURES),
            f"for each cell, 1 if there is a piece on it, then the {FEATURES} bits of the piece",
        ),
        ("in hand", 1 + FEATURES, "1 if there is a piece to place, then its bits"),
        ("left", PIECES, "1 for each piece that is neither on the board nor in hand"),
    )

    def __init__(self, rules: QuartoRules) -> None:
        self.rules = rules

    def action(self, move: QuartoMove | None, view: QuartoPosition) -> int:
        """Return the action number of a move."""
        if move is None:
            raise InputError("a player of Quarto cannot wait: choose a legal move")
        piece: int = PIECES if move.hand_over is None else view.board.pieces.piece(move.hand_over)
        return _FIRST + piece if move.cell is None else move.cell * _ACTIONS_PER_CELL + piece

    def move(self, action: int, view: QuartoPosition) -> QuartoMove:
        """Return the move that an action number stands for."""
        if not 0 <= action < self.actions:
            raise InputError(f"action {action} is out of range 0..{self.actions - 1}")
        names = view.board.pieces.names
        if action >= _FIRST:
            return QuartoMove(None, names[action - _FIRST])
        cell, piece = divmod(action, _ACTIONS_PER_CELL)
        return QuartoMove(cell, None if piece == PIECES else names[piece])

    def mask(self, view: QuartoPosition) -> bytes:
        """Return one byte per action, which is 1 if the action is legal and 0 otherwise."""
        if view.is_over:
            return bytes(self.actions)
        rows, empty, remaining = view.board.in_bits(view.squares)
        if view.in_hand is None:
            return bytes(_FIRST) + _choices(remaining)[:PIECES]
        piece = view.board.pieces.piece(view.in_hand)
        remaining ^= 1 << piece
        counting = lines(view.squares)
        ending = 0 if remaining else empty
        if SHARING[counting.threats(rows, empty)] >> piece & 1:
            ending |= counting.completing(rows, empty, piece)
        taken, hand_over, end = bytes(_ACTIONS_PER_CELL), _choices(remaining), bytes(PIECES) + b"\1"
        return b"".join(
            [
                end if ending >> cell & 1 else hand_over if empty >> cell & 1 else taken
                for cell in range(CELLS)
            ]
        ) + bytes(PIECES)

    def numbers(self, view: QuartoPosition) -> memoryview[float]:
        """Return the position as numbers 0 and 1, in the order described by `entries`."""
        piece = None if view.in_hand is None else view.board.pieces.piece(view.in_hand)
        remaining = bytearray(b"\1" * PIECES)
        for used in (*view.board.cells, piece):
            if used is not None:
                remaining[used] = 0
        parts = [array("f", [view.turn == 0, view.turn == 1]).tobytes()]
        parts += map(_piece_numbers, view.board.cells)
        parts += (_piece_numbers(piece), array("f", list(remaining)).tobytes())
        return memoryview(b"".join(parts)).cast("f")

    def outcome(self, before: QuartoPosition, after: QuartoPosition) -> bytes:
        """Return empty bytes, because the move determines its outcome."""
        del before, after
        return b""

    def chance(self, drawn: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Return an empty sequence, because the game has no chance events."""
        del drawn
        return ()

    def initial_position(self, drawn: Sequence[int]) -> QuartoPosition:
        """Return the position at the start of the game, with an empty board."""
        del drawn
        return self.rules.start(Random(0))


@cache
def _choices(pieces: int) -> bytes:
    mask = bytearray(_ACTIONS_PER_CELL)
    for piece in members(pieces):
        mask[piece] = 1
    return bytes(mask)


@cache
def _piece_numbers(piece: int | None) -> bytes:
    bits = [0] * FEATURES if piece is None else [piece >> bit & 1 for bit in range(FEATURES)]
    return array("f", [piece is not None, *bits]).tobytes()
