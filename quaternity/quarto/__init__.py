"""The board game Quarto: rules, solver and pictures, and functions for boards given as text."""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.quarto.board import Board, safe_pieces, winning_cells
from quaternity.quarto.drawing import board_svg, board_text
from quaternity.quarto.draws import COMPLETIONS_LIMIT, DRAW_METHODS, can_draw, drawn_completions
from quaternity.quarto.explanation import Quarto, explain_quartos, is_reachable, why_unreachable
from quaternity.quarto.game import QuartoGame
from quaternity.quarto.grid import create_grid, quarto
from quaternity.quarto.pieces import PieceSet, piece_properties
from quaternity.quarto.pieces_file import PiecesFileError, example_pieces, parse_pieces, read_pieces
from quaternity.quarto.rows import ROWS, Row, cell_name
from quaternity.quarto.rules import QuartoPosition, QuartoSettings
from quaternity.quarto.solving import (
    SOLVE_LIMIT,
    Outcome,
    QuartoMove,
    RatedMove,
    Solution,
    line_of_play,
    rated_moves,
    solve,
)

__all__ = [
    "COMPLETIONS_LIMIT",
    "DRAW_METHODS",
    "ROWS",
    "SOLVE_LIMIT",
    "Board",
    "Outcome",
    "PieceSet",
    "PiecesFileError",
    "Quarto",
    "QuartoGame",
    "QuartoMove",
    "QuartoPosition",
    "QuartoSettings",
    "RatedMove",
    "Row",
    "Solution",
    "board_svg",
    "board_text",
    "can_draw",
    "cell_name",
    "create_grid",
    "drawn_completions",
    "example_pieces",
    "explain_quartos",
    "is_reachable",
    "line_of_play",
    "parse_pieces",
    "piece_properties",
    "quarto",
    "rated_moves",
    "read_pieces",
    "safe_pieces",
    "solve",
    "why_unreachable",
    "winning_cells",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(
        globals(), {"Move": "QuartoMove", "explain": "explain_quartos"}
    )
