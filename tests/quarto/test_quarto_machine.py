"""Games of Quarto, played step by step by Hypothesis beside a plain board."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from quaternity.quarto import QuartoGame
from quaternity.quarto.rules import QuartoPosition
from quaternity.quarto.solving import QuartoMove
from tests.sizes import examples
from tests.table.machine import TableMachine

PIECES = "ABCDEFGHIJKLMNOP"
WORDS = (("big", "small"), ("red", "blue"), ("square", "circular"), ("hollow", "solid"))
"""The property of a piece for each bit of its number, as 0 or 1."""

CELLS = [f"H{down}V{right}" for down, right in product(range(1, 5), repeat=2)]
LINES = {
    **{f"H{i}": [f"H{i}V{j}" for j in range(1, 5)] for i in range(1, 5)},
    **{f"V{j}": [f"H{i}V{j}" for i in range(1, 5)] for j in range(1, 5)},
    "D1": ["H1V1", "H2V2", "H3V3", "H4V4"],
    "D2": ["H1V4", "H2V3", "H3V2", "H4V1"],
}
SQUARES = {
    f"S{i}{j}": [f"H{i + down}V{j + right}" for down, right in product((0, 1), repeat=2)]
    for i, j in product(range(1, 4), repeat=2)
}

DRAW = dict(zip(CELLS, "CDGJAPBFKOMHNELI", strict=True))
"""A full board without a line or square that shares a property."""


@dataclass(frozen=True)
class QuartoModel:
    """A board as a table of cells; every question about rows is answered by looking at all."""

    squares: bool
    record: str
    board: tuple[tuple[str, str], ...] = ()
    in_hand: str | None = None
    turn: int = 0
    events: tuple[str, ...] = ()
    seats = 2

    @property
    def quartos(self) -> dict[str, list[str]]:
        """The properties that the four pieces of a line share, for each line that has some."""
        cells = dict(self.board)
        found = {}
        for name, line in {**LINES, **(SQUARES if self.squares else {})}.items():
            pieces = [PIECES.index(cells[cell]) for cell in line if cell in cells]
            for bit, words in enumerate(WORDS):
                values = {piece >> bit & 1 for piece in pieces}
                if len(pieces) == 4 and len(values) == 1:
                    found.setdefault(name, []).append(words[values.pop()])
        return found

    @property
    def left(self) -> list[str]:
        """The pieces that can be handed over."""
        return [p for p in PIECES if p != self.in_hand and p not in dict(self.board).values()]

    @property
    def is_over(self) -> bool:
        return bool(self.quartos) or len(self.board) == 16

    @property
    def acting(self) -> tuple[int, ...]:
        return () if self.is_over else (self.turn,)

    @property
    def points(self) -> tuple[float, ...]:
        won = [0.0, 0.0]
        if self.quartos:
            won[self.turn] = 1
        return tuple(won) if self.quartos or not self.is_over else (0.5, 0.5)

    def moves(self, seat: int) -> list[str]:
        del seat
        if self.in_hand is None:
            return [f"hand over {piece}" for piece in self.left]
        moves = []
        for cell in CELLS:
            if cell not in dict(self.board):
                place = f"place it on {cell}"
                over = replace(self, board=(*self.board, (cell, self.in_hand))).is_over
                moves += [place] if over else [f"{place}, hand over {p}" for p in self.left]
        return moves

    def likely_move(self, seat: int) -> st.SearchStrategy[str]:
        """Return legal moves, most of which do not end the game if others exist."""
        moves = self.moves(seat)
        on = st.sampled_from([move for move in moves if "hand over" in move] or moves)
        return st.one_of(on, on, on, st.sampled_from(moves))

    def any_move(self) -> st.SearchStrategy[str]:
        hand = st.sampled_from(PIECES).map("hand over {}".format)
        place = st.sampled_from(CELLS).map("place it on {}".format)
        return hand | place | st.builds("{}, {}".format, place, hand)

    def after(self, seat: int, move: str) -> QuartoModel:
        place, _, piece = move.removeprefix("place it on ").rpartition("hand over ")
        cell = (place or piece)[:4] if move.startswith("place") else None
        piece = "" if cell == piece else piece
        events, board = [], self.board
        if cell:
            assert self.in_hand is not None
            board = (*board, (cell, self.in_hand))
            events.append(f"player {seat} places {self.in_hand} on {cell}")
        if piece:
            events.append(f"player {seat} hands over {piece}")
        record = f"{self.record}{seat} {move}\n"
        turn = 1 - seat if piece else seat
        after = QuartoModel(self.squares, record, board, piece or None, turn)
        for line, words in after.quartos.items():
            shared = " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
            events.append(f"player {seat} has a quarto: {line}, all {shared}")
        draw = ["the board is full without a quarto: a draw"] if after.is_over and not after.quartos else []
        return replace(after, events=(*events, *draw))

    def document(self, seat: int | None) -> dict[str, Any]:
        del seat
        return {
            "board": [dict(self.board).get(cell) for cell in CELLS],
            "in_hand": self.in_hand,
            "turn": self.turn,
            "left": self.left,
            "quartos": list(self.quartos),
            "over": self.is_over,
        }

    def may_be(self, position: QuartoPosition, seat: int | None) -> bool:
        del seat
        return str(position.board).replace("?", "") == "".join(
            dict(self.board).get(cell, "") for cell in CELLS
        )


def starts(squares: bool, cells: list[str], moves: int) -> list[QuartoModel]:
    """Return the first positions of a game that leads to the draw, with its cells in an order."""
    models = [QuartoModel(squares, f"quarto 1\nsquares {'yes' if squares else 'no'}\n")]
    for number in range(moves):
        place = f"place it on {cells[number - 1]}, " if number else ""
        move = f"{place}hand over {DRAW[cells[number]]}"
        models.append(models[-1].after(models[-1].turn, move))
    return models


class QuartoMachine(TableMachine):
    """The rules of Quarto and a plain board play the same game."""

    kind = QuartoGame
    max_opening = 5
    starts = st.builds(starts, st.booleans(), st.permutations(CELLS), st.integers(0, 15))

    @staticmethod
    def move_of(text: str) -> QuartoMove:
        piece = text[-1] if "hand" in text else None
        return QuartoMove(CELLS.index(text[12:16]) if "place" in text else None, piece)


QuartoMachine.TestCase.settings = settings(max_examples=examples(600), stateful_step_count=15)
TestGames = QuartoMachine.TestCase
