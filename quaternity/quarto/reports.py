"""Reports on a board of Quarto: possible draws, completed quartos, and the best moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quaternity.quarto.board import Board, safe_pieces, winning_cells
from quaternity.quarto.draws import COMPLETIONS_LIMIT, can_draw, drawn_completions
from quaternity.quarto.explanation import Quarto, explain_quartos, is_reachable, why_unreachable
from quaternity.quarto.rows import cell_name
from quaternity.quarto.solving import (
    QuartoMove,
    RatedMove,
    Solution,
    line_of_play,
    rated_moves,
    solve,
)


@dataclass(frozen=True, slots=True)
class BoardReport:
    """A report that says whether a game can still end in a draw.

    `completions` is the number of ways to fill the board without a quarto. It is None if the board
    has too many empty cells to count them.
    """

    board: Board
    can_draw: bool
    completions: int | None

    def document(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        words_of = self.board.pieces.words_of
        cells = [[] if piece is None else sorted(words_of(piece)) for piece in self.board.cells]
        return {
            "grid": [cells[start : start + 4] for start in range(0, 16, 4)],
            "quartos": [(quarto.row, quarto.shared) for quarto in explain_quartos(self.board)],
            "reachable": is_reachable(self.board),
            "can_draw": self.can_draw,
            "drawn_completions": self.completions,
        }


def report_board(board: Board) -> BoardReport:
    """Return a report that says whether the game can end in a draw, and in how many ways."""
    few = len(board.empty) <= COMPLETIONS_LIMIT
    return BoardReport(board, can_draw(board), drawn_completions(board) if few else None)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The quartos of a board, and the cells on which each remaining piece completes a quarto."""

    board: Board
    quartos: tuple[Quarto, ...]
    winning: dict[str, list[str]]

    def document(self) -> dict[str, Any]:
        """Return the explanation as a JSON object."""
        return {
            "quartos": [quarto.document() for quarto in self.quartos],
            "reachable": is_reachable(self.board),
            "why_unreachable": why_unreachable(self.board),
            "safe_pieces": safe_pieces(self.board),
            "winning_cells": self.winning,
        }


def explain_board(board: Board) -> Explanation:
    """Return the quartos of a board, and where each remaining piece completes a quarto."""
    winning = {name: [*map(cell_name, winning_cells(board, name))] for name in board.left}
    return Explanation(board, explain_quartos(board), winning)


@dataclass(frozen=True, slots=True)
class SolutionReport:
    """The solution of a position, and a line of perfect play.

    Attributes:
        in_hand: the piece to place, or None if there is none.
        rated: the ratings of all moves, or None if they were not requested.
    """

    board: Board
    solution: Solution
    in_hand: str | None
    line: tuple[QuartoMove, ...]
    rated: tuple[RatedMove, ...] | None

    def document(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        solution = self.solution
        best = zip(solution.moves, solution.distances, strict=True)
        document = {
            "outcome": solution.outcome.name.lower(),
            "over": not solution.moves,
            "in_hand": self.in_hand,
            "moves": [move.document() | {"distance": distance} for move, distance in best],
            "line": [move.document() for move in self.line],
        }
        if self.rated is not None:
            document["all_moves"] = [move.document() for move in self.rated]
        return document


def report_solution(
    board: Board, in_hand: str | None, squares: bool, every: bool
) -> SolutionReport:
    """Return the solution of a position, with the ratings of all moves if `every` is true.

    `in_hand` is the piece to place, or None. If `squares` is true, 2 x 2 squares count as rows.
    """
    position = board, in_hand, squares
    rated = rated_moves(*position) if every else None
    return SolutionReport(board, solve(*position), in_hand, line_of_play(*position), rated)
