"""The rules of Quarto, as an implementation of `quaternity.table.protocol.Rules`.

Player 0 hands over the first piece. From then on, the player to move places the piece in hand.
Unless this ends the game, the same player then hands over the next piece to the opponent. The
player who completes a quarto wins. A full board without a quarto is a draw. Nothing is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

from quaternity.base.errors import IllegalMove, InputError, NotUnderstood
from quaternity.base.lazy_names import public_only
from quaternity.base.names import to_nfc
from quaternity.base.text_format import quote_value
from quaternity.quarto.board import Board
from quaternity.quarto.drawing import board_text
from quaternity.quarto.pieces import PieceSet
from quaternity.quarto.pieces_file import example_pieces, read_pieces
from quaternity.quarto.rows import CELLS, SIDE, Row, cell_name
from quaternity.quarto.sentences import DRAW, HANDS_OVER, PLACES, QUARTO
from quaternity.quarto.solving import QuartoMove
from quaternity.table.plain_rules import PlainRules

_PLACE = re.compile(r"(?:place it on )?h([1-4])v([1-4])(?:,? *(?:hand over )?(\S))?", re.IGNORECASE)
_GIVE = re.compile(r"(?:hand over )?(\S)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuartoSettings:
    """The settings of Quarto, which say whether squares of 2 x 2 cells count as rows."""

    squares: bool = field(
        default=False,
        metadata={
            "label": "Squares count",
            "help": "Four in a square of 2 x 2 cells are a quarto too.",
        },
    )

    def __post_init__(self) -> None:
        if not isinstance(self.squares, bool):
            raise InputError(f"squares: must be True or False, not {quote_value(self.squares)}")


@dataclass(frozen=True, slots=True)
class QuartoPosition:
    """A position of Quarto, in which nothing is hidden.

    `in_hand` is the name of the piece that the player to move must place. It is None at the start
    and once the game is over. `turn` is the player to move (0 or 1), or the player who made the
    last move once the game is over.
    """

    board: Board
    in_hand: str | None
    turn: int
    squares: bool

    @property
    def quartos(self) -> list[tuple[Row, int]]:
        """The rows (and squares, if they count) that are quartos, with their shared properties."""
        return self.board.quartos(self.squares)

    @property
    def is_over(self) -> bool:
        """Whether there is a quarto or the board is full."""
        return None not in self.board.cells or _has_quarto(self.board, self.squares)

    def place(self, cell: int) -> QuartoPosition:
        """Return the position after the piece in hand is placed, before the next is handed over."""
        assert self.in_hand is not None, "a piece must be in hand"
        board = self.board.after(cell, self.board.pieces.piece(self.in_hand))
        return QuartoPosition(board, None, self.turn, self.squares)


@lru_cache(64)
def _has_quarto(board: Board, squares: bool) -> bool:
    return bool(board.quartos(squares))


@cache
def _pieces() -> PieceSet:
    return PieceSet.of(read_pieces(example_pieces()))


@dataclass(frozen=True, slots=True)
class QuartoRules(PlainRules[QuartoPosition, QuartoMove, QuartoPosition]):
    """The rules of Quarto with given settings (see `quaternity.table.protocol.Rules`)."""

    settings: QuartoSettings = QuartoSettings()

    name = "quarto"
    seats = 2
    hidden = False
    first_line = "quarto 1"

    def start(self, random: Random) -> QuartoPosition:
        """Return the position with an empty board, which does not depend on `random`."""
        del random
        return QuartoPosition(Board(_pieces(), (None,) * CELLS), None, 0, self.settings.squares)

    def to_act(self, position: QuartoPosition) -> tuple[int, ...]:
        """Return the player to move. Return an empty tuple once the game is over."""
        return () if position.is_over else (position.turn,)

    def view(self, position: QuartoPosition, seat: int | None) -> QuartoPosition:
        """Return the position itself, because nothing is hidden."""
        del seat
        return position

    def after(self, position: QuartoPosition, seat: int, move: QuartoMove) -> QuartoPosition:
        """Return the position after a move. Raise IllegalMove if the move is illegal."""
        faults = list(self.faults(position, move))
        if not position.is_over and seat != position.turn:
            faults.insert(0, f"it is player {position.turn}'s turn, not player {seat}'s")
        if faults:
            raise IllegalMove(f"{move} is not a legal move", faults)
        if move.cell is not None:
            position = position.place(move.cell)
        if move.hand_over is None:
            return position
        return QuartoPosition(position.board, move.hand_over, 1 - seat, position.squares)

    def events(
        self, before: QuartoPosition, seat: int, move: QuartoMove, after: QuartoPosition
    ) -> tuple[str, ...]:
        """Return messages about the pieces placed and handed over and about the end of the game."""
        events = []
        if move.cell is not None:
            events.append(PLACES(who=seat, piece=before.in_hand, cell=cell_name(move.cell)))
        if move.hand_over is not None:
            events.append(HANDS_OVER(who=seat, piece=move.hand_over))
        words = after.board.pieces.words
        events += [
            QUARTO(who=seat, row=row.name, shared=words(mark)) for row, mark in after.quartos
        ]
        if after.is_over and not after.quartos:
            events.append(DRAW())
        return tuple(events)

    def points(self, position: QuartoPosition) -> tuple[float, float]:
        """Return the points of both players: 1 for a win and 0.5 for a draw."""
        if not position.is_over:
            return 0.0, 0.0
        if not position.quartos:
            return 0.5, 0.5
        return (0.0, 1.0) if position.turn else (1.0, 0.0)

    def iter_moves(self, view: QuartoPosition) -> Iterator[QuartoMove]:
        """Yield the legal moves, sorted by cell and then by piece."""
        if view.is_over:
            return
        if view.in_hand is None:
            yield from (QuartoMove(None, name) for name in view.board.left)
            return
        for cell in view.board.empty:
            after = view.place(cell)
            if after.is_over:
                yield QuartoMove(cell, None)
            else:
                yield from (QuartoMove(cell, name) for name in after.board.left)

    def faults(self, view: QuartoPosition, move: QuartoMove) -> list[str]:
        """Return all reasons why a move is illegal. The list is empty if the move is legal."""
        if not isinstance(move, QuartoMove):
            return [f"{move!r} is not a move of Quarto"]
        board, (cell, piece) = view.board, move
        if view.is_over:
            return ["the game is over"]
        faults = []
        ends_game = False
        remaining = board.left
        if view.in_hand is None:
            if cell is not None:
                faults.append("there is no piece in hand to place: hand one over")
        elif cell is None:
            faults.append(f"piece {view.in_hand} is in hand: place it first")
        elif not isinstance(cell, int) or isinstance(cell, bool) or not 0 <= cell < CELLS:
            faults.append(f"cell {cell!r} is out of range 0..{CELLS - 1}")
        elif cell not in board.empty:
            faults.append(f"cell {cell_name(cell)} is taken")
        else:
            after = view.place(cell)
            remaining, ends_game = after.board.left, after.is_over
        if ends_game and piece is not None:
            faults.append("placing the piece there ends the game: do not hand over a piece")
        if not ends_game and piece is None:
            faults.append(f"hand over a piece as well: one of {' '.join(remaining)}")
        elif not ends_game and (
            not isinstance(piece, str) or len(piece) != 1 or piece not in remaining
        ):
            faults.append(
                f"piece {piece!r} cannot be handed over: the pieces left are {' '.join(remaining)}"
            )
        return faults

    def read(self, text: str, view: QuartoPosition) -> QuartoMove:
        """Parse a move such as `H1V2 K`, `place it on H1V2, hand over K` or `K`.

        If placing the piece ends the game, a piece to hand over in the text is ignored.
        """
        text = to_nfc(text).strip()
        names = view.board.pieces.names

        def piece(name: str | None) -> str | None:
            return name if name is None or name in names else name.upper()

        match = _PLACE.fullmatch(text)
        if match is not None:
            move = QuartoMove(SIDE * (int(match[1]) - 1) + int(match[2]) - 1, piece(match[3]))
            alone = QuartoMove(move.cell, None)
            known = move.hand_over is None or move.hand_over in names
            return alone if known and not self.faults(view, alone) else move
        match = _GIVE.fullmatch(text)
        if match is not None and view.in_hand is None:
            return QuartoMove(None, piece(match[1]))
        example = view.board.left[0] if view.board.left else "K"
        form = f"such as {example}" if view.in_hand is None else f"such as H1V2 {example}"
        raise NotUnderstood(f"{text!r} is not understood: type a move {form}")

    def show(self, view: QuartoPosition, width: int = 80) -> str:
        """Return a text with the board, the piece in hand, the pieces left and their properties."""
        words = view.board.pieces.words_of
        piece = view.board.pieces.piece
        lines = [board_text(view.board, [row for row, _ in view.quartos]), ""]
        remaining = view.board.left.replace(view.in_hand or " ", "")
        if view.in_hand is not None:
            lines.append(f"in hand  {view.in_hand} {' '.join(words(piece(view.in_hand)))}")
        table = [f"{name} {' '.join(words(piece(name)))}" for name in remaining]
        wide = max(map(len, table), default=0) + 3
        per_line = max(1, (width - 9 + 3) // wide)
        for first in range(0, len(table), per_line):
            head = "left     " if first == 0 else "         "
            row = table[first : first + per_line]
            lines.append(head + "".join(entry.ljust(wide) for entry in row).rstrip())
        return "\n".join(lines).rstrip()

    def view_json(self, view: QuartoPosition) -> dict[str, Any]:
        """Return the position as a JSON object, with names of pieces and of quarto rows."""
        names = view.board.pieces.names
        return {
            "board": [None if piece is None else names[piece] for piece in view.board.cells],
            "in_hand": view.in_hand,
            "turn": view.turn,
            "left": list(view.board.left.replace(view.in_hand or " ", "")),
            "quartos": [row.name for row, _ in view.quartos],
            "over": view.is_over,
        }

    def like(self, view: QuartoPosition, random: Random) -> QuartoPosition:
        """Return a position that fits a view: the view itself, because nothing is hidden."""
        del random
        return view


if not TYPE_CHECKING:  # An earlier guide used the name `Move`.
    __getattr__, _ = public_only(globals(), {"Move": "QuartoMove"})
