"""Games of Quarto, played step by step by Hypothesis beside a plain board."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from quaternity.quarto import QuartoGame
from quaternity.quarto.rules import QuartoPosition
from quaternity.quarto.solving import QuartoMove
from tests.sizes import thorough
from tests.table.machine import TableMachine

PLACE = "place it on {}"
CELL, HANDED = re.compile(r"H\dV\d"), re.compile("over (.)")
PIECES = "ABCDEFGHIJKLMNOP"
WORDS = {
    "big": "ACEGIKMO", "small": "BDFHJLNP", "red": "ABEFIJMN", "blue": "CDGHKLOP",
    "square": "ABCDIJKL", "circular": "EFGHMNOP", "hollow": "ABCDEFGH", "solid": "IJKLMNOP",
}  # fmt: skip
CELLS = [f"H{down}V{right}" for down, right in product(range(1, 5), repeat=2)]
LINES = {
    **{f"H{i}": [f"H{i}V{j}" for j in range(1, 5)] for i in range(1, 5)},
    **{f"V{j}": [f"H{i}V{j}" for i in range(1, 5)] for j in range(1, 5)},
    "D1": ["H1V1", "H2V2", "H3V3", "H4V4"],
    "D2": ["H1V4", "H2V3", "H3V2", "H4V1"],
}
SQUARES = {
    f"S{i}{j}": [f"H{i + a}V{j + b}" for a, b in product((0, 1), repeat=2)]
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
        lines = {**LINES, **(SQUARES if self.squares else {})}
        shared = {}
        for name, line in lines.items():
            pieces = {cells.get(cell) for cell in line}
            shared[name] = [word for word, have in WORDS.items() if pieces.issubset(have)]
        return {name: words for name, words in shared.items() if words}

    @property
    def left(self) -> list[str]:
        return [p for p in PIECES if p != self.in_hand and p not in dict(self.board).values()]

    @property
    def is_over(self) -> bool:
        return len(self.board) == 16 or bool(self.quartos)

    @property
    def acting(self) -> tuple[int, ...]:
        return () if self.is_over else (self.turn,)

    @property
    def points(self) -> tuple[float, ...]:
        won = (0, 1) if self.turn else (1, 0)
        return won if self.quartos else (0.5, 0.5) if self.is_over else (0, 0)

    def moves(self, seat: int) -> list[str]:
        if self.in_hand is None:
            return [f"hand over {piece}" for piece in self.left]
        moves = []
        for cell in CELLS:
            if cell not in dict(self.board):
                place = PLACE.format(cell)
                over = replace(self, board=(*self.board, (cell, self.in_hand))).is_over
                moves += [place] if over else [f"{place}, hand over {p}" for p in self.left]
        return moves

    def likely_move(self, seat: int) -> st.SearchStrategy[str]:
        moves = self.moves(seat)
        on = [move for move in moves if HANDED.search(move)] or moves
        return st.sampled_from(on) | st.sampled_from([m for m in moves if m not in on] or moves)

    def any_move(self) -> st.SearchStrategy[str]:
        moves = self.moves(0)
        ends = [move for move in moves if not HANDED.search(move)] or moves
        cells = [cell for move in ends for cell in CELL.findall(move)]
        place = st.sampled_from(sorted({*cells}) or CELLS) | st.sampled_from(CELLS)
        piece = st.sampled_from(PIECES) | st.just(self.in_hand or "A")
        hand, place = piece.map("hand over {}".format), place.map(PLACE.format)
        return hand | place | st.builds("{}, {}".format, place, hand)

    def after(self, seat: int, move: str) -> QuartoModel:
        place, piece = CELL.findall(move), HANDED.findall(move)
        board = (*self.board, *((cell, str(self.in_hand)) for cell in place))
        events = [f"player {seat} places {self.in_hand} on {cell}" for cell in place]
        events += [f"player {seat} hands over {name}" for name in piece]
        turn, in_hand = (1 - seat, piece[0]) if piece else (seat, None)
        after = QuartoModel(self.squares, f"{self.record}{seat} {move}\n", board, in_hand, turn)
        for line, words in after.quartos.items():
            shared = ", ".join(words[:-1]) + " and " * (len(words) > 1) + words[-1]
            events.append(f"player {seat} has a quarto: {line}, all {shared}")
        draw = ["the board is full without a quarto: a draw"]
        return replace(after, events=(*events, *draw * (after.points == (0.5, 0.5))))

    def document(self, seat: int | None) -> dict[str, Any]:
        return {
            "board": [dict(self.board).get(cell) for cell in CELLS], "in_hand": self.in_hand,
            "turn": self.turn, "left": self.left, "quartos": list(self.quartos),
            "over": self.is_over,
        }  # fmt: skip

    def may_be(self, position: QuartoPosition, seat: int | None) -> bool:
        return str(position.board) == "".join(dict(self.board).get(cell, "?") for cell in CELLS)


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
    starts = st.builds(
        starts, st.booleans(), st.permutations(CELLS), st.sampled_from([*range(17), 16])
    )

    @staticmethod
    def move_of(text: str) -> QuartoMove:
        cell, piece = CELL.findall(text), HANDED.findall(text)
        return QuartoMove(CELLS.index(cell[0]) if cell else None, piece[0] if piece else None)


QuartoMachine.TestCase.settings = settings(max_examples=thorough(30, 1200), stateful_step_count=15)
TestGames = QuartoMachine.TestCase
