"""Quarto in numbers, for learning programs; see `quaternity.environments.episode.Encoded`."""

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

_EACH: int = PIECES + 1
"""Per cell what may be handed over after it: a piece, or nothing."""

_FIRST = CELLS * _EACH
"""The first action that places nothing."""


class QuartoEncoded:
    """Moves and positions of Quarto as numbers; pieces in the order of their bits.

    Actions: placing on cell c (from the top, row by row) and handing over piece p is `17 * c + p`;
    placing on it and handing over nothing, as that ends the game, is `17 * c + 16`; handing over
    piece p alone, as the first move, is `272 + p`.
    """

    actions = _FIRST + PIECES
    points = (0.0, 1.0)
    outcomes: tuple[tuple[str, int, str], ...] = ()
    entries: tuple[tuple[str, int, str], ...] = (
        ("seat", 2, "1 for the player on turn"),
        (
            "board",
            CELLS * (1 + FEATURES),
            f"per cell 1 when there is a piece on it, and the {FEATURES} bits of the piece",
        ),
        ("in hand", 1 + FEATURES, "1 when there is a piece to place, and its bits"),
        ("left", PIECES, "per piece 1 when it is neither on the board nor in hand"),
    )

    def __init__(self, rules: QuartoRules) -> None:
        self.rules = rules

    def action(self, move: QuartoMove | None, view: QuartoPosition) -> int:
        """Return the number of a move."""
        if move is None:
            raise InputError("Quarto has no waiting: choose a legal move")
        given: int = PIECES if move.hand_over is None else view.board.pieces.piece(move.hand_over)
        return _FIRST + given if move.cell is None else move.cell * _EACH + given

    def move(self, action: int, view: QuartoPosition) -> QuartoMove:
        """Return the move of a number."""
        if not 0 <= action < self.actions:
            raise InputError(f"action {action} is out of range 0..{self.actions - 1}")
        names = view.board.pieces.names
        if action >= _FIRST:
            return QuartoMove(None, names[action - _FIRST])
        cell, given = divmod(action, _EACH)
        return QuartoMove(cell, None if given == PIECES else names[given])

    def mask(self, view: QuartoPosition) -> bytes:
        """Per action 1 when it is legal, else 0."""
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
        none, given, end = bytes(_EACH), _choices(remaining), bytes(PIECES) + b"\1"
        return b"".join(
            [
                end if ending >> cell & 1 else given if empty >> cell & 1 else none
                for cell in range(CELLS)
            ]
        ) + bytes(PIECES)

    def numbers(self, view: QuartoPosition) -> memoryview[float]:
        """Return the position; see `entries`. All are 0 or 1."""
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
        """Return nothing: a move says all."""
        del before, after
        return b""

    def chance(self, drawn: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Nothing is left to chance."""
        del drawn
        return ()

    def dealt(self, drawn: Sequence[int]) -> QuartoPosition:
        """Return the empty board."""
        del drawn
        return self.rules.start(Random(0))


@cache
def _choices(pieces: int) -> bytes:
    mask = bytearray(_EACH)
    for piece in members(pieces):
        mask[piece] = 1
    return bytes(mask)


@cache
def _piece_numbers(piece: int | None) -> bytes:
    bits = [0] * FEATURES if piece is None else [piece >> bit & 1 for bit in range(FEATURES)]
    return array("f", [piece is not None, *bits]).tobytes()
