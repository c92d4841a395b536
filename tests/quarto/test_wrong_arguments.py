"""Every public function of `quaternity.quarto` with wrong arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quaternity import quarto
from quaternity.base.errors import InputError
from quaternity.quarto import Board, PieceSet
from tests.quarto.boards import EXAMPLE
from tests.wrong_arguments import PublicFunctions, Values

FEATURES = quarto.read_pieces(quarto.example_pieces())
PROPERTIES = quarto.piece_properties(FEATURES)
CONFIGURATION = "KFPIJMNEC????H??"

TEXT = Values(
    lambda: CONFIGURATION,
    wrong=("", "ABC", "A" * 16, "A" * 17, None, 5, list(CONFIGURATION), CONFIGURATION.encode()),
)
PIECES = Values(
    lambda: FEATURES,
    wrong=(PROPERTIES, None, 5, "pieces", [1], {"a": {"b"}}, {1: {"b": {"A"}}},
           {"a": {"b": "ABC"}}, {"a": {2: {"A"}}}, {"a": {"b": {3}}}),
)  # fmt: skip
GIVEN_PROPERTIES = Values(
    lambda: PROPERTIES,
    wrong=(FEATURES, None, 5, "ABC", ["A"], {"A": "big"}, {"A": None}, {1: {"big"}}, {"A": {1}},
           {"A": ["big"]}, {"AB": {"big"}}),
)  # fmt: skip
BOARD = Values(
    lambda: Board.parse(CONFIGURATION, EXAMPLE), wrong=(None, CONFIGURATION, 5, ["A"], FEATURES)
)
NAME = Values(lambda: "A", wrong=("", "K", "x", "AB", 0, None, ["A"], True))
IN_HAND = Values(lambda: None, wrong=("", "K", "x", "AB", 0, ["A"], True))
CELL = Values(lambda: 9, same=(np.int64(9),), wrong=(-1, 16, 9.0, "9", None, True, [9]))
METHOD = Values(lambda: "backtracking", same=("cp-sat",), wrong=("guess", None, 3, []))


def on_board(method: str) -> Any:
    return lambda **arguments: getattr(Board.parse(CONFIGURATION, EXAMPLE), method)(**arguments)


FUNCTIONS = PublicFunctions(
    quarto,
    {
        "Board": (
            Board,
            {
                "pieces": Values(lambda: EXAMPLE, wrong=(None, FEATURES, "pieces")),
                "cells": Values(
                    lambda: (3, *(None,) * 15),
                    same=([np.int64(3), *(None,) * 15],),
                    wrong=((3,) * 16, (16, *(None,) * 15), (-1, *(None,) * 15),
                           (1.0, *(None,) * 15), (True, *(None,) * 15), ("A", *(None,) * 15)),
                ),
            },
        ),
        "Board.parse": (Board.parse, {"configuration": TEXT, "pieces": PIECES}),
        "Board.after": (
            on_board("after"),
            {
                "cell": Values(lambda: 9, same=(np.int64(9),), wrong=(0, *CELL.wrong)),
                "piece": Values(
                    lambda: EXAMPLE.piece("A"),
                    same=("A", np.int64(EXAMPLE.piece("A"))),
                    wrong=(16, -1, "x", "K", 1.0, True, ["A"]),
                ),
            },
        ),
        "Board.piece_left": (on_board("piece_left"), {"name": NAME}),
        "PieceSet": (
            PieceSet,
            {
                "features": Values(lambda: EXAMPLE.features, wrong=("abcd", (1, 2, 3, 4), None)),
                "properties": Values(
                    lambda: EXAMPLE.properties,
                    wrong=(("ab", "cd", "ef", "gh"), (("a", 1),) * 4, ((1, 2),), None, 5),
                ),
                "names": Values(lambda: EXAMPLE.names, wrong=("ABC", "A" * 16, None, 5, [1])),
            },
        ),
        "PieceSet.of": (PieceSet.of, {"pieces": PIECES}),
        "PieceSet.piece": (EXAMPLE.piece, {"name": Values(lambda: "A", wrong=("", "AB", 3, None))}),
        "PieceSet.words_of": (
            EXAMPLE.words_of,
            {"piece": Values(lambda: 3, same=(np.int64(3),), wrong=(-1, 16, 3.0, "A", None, True))},
        ),
        "board_svg": (quarto.board_svg, {"board": BOARD}),
        "board_text": (quarto.board_text, {"board": BOARD}),
        "can_draw": (quarto.can_draw, {"board": BOARD, "method": METHOD}),
        "cell_name": (quarto.cell_name, {"cell": CELL}),
        "create_grid": (
            quarto.create_grid, {"configuration": TEXT, "properties": GIVEN_PROPERTIES}
        ),
        "drawn_completions": (quarto.drawn_completions, {"board": BOARD, "method": METHOD}),
        "explain_quartos": (quarto.explain_quartos, {"board": BOARD}),
        "is_reachable": (quarto.is_reachable, {"board": BOARD}),
        "line_of_play": (quarto.line_of_play, {"board": BOARD, "in_hand": IN_HAND}),
        "parse_pieces": (
            lambda text: quarto.parse_pieces(text),
            {"text": Values(Path(quarto.example_pieces()).read_text, wrong=(None, 5, ["piece"]))},
        ),
        "piece_properties": (quarto.piece_properties, {"pieces": PIECES}),
        "quarto": (quarto.quarto, {"configuration": TEXT, "properties": GIVEN_PROPERTIES}),
        "rated_moves": (quarto.rated_moves, {"board": BOARD, "in_hand": IN_HAND}),
        "read_pieces": (
            quarto.read_pieces,
            {"location": Values(quarto.example_pieces, wrong=(None, 5, ["a"], "nowhere.txt"))},
        ),
        "safe_pieces": (quarto.safe_pieces, {"board": BOARD}),
        "solve": (quarto.solve, {"board": BOARD, "in_hand": IN_HAND}),
        "why_unreachable": (quarto.why_unreachable, {"board": BOARD}),
        "winning_cells": (quarto.winning_cells, {"board": BOARD, "name": NAME}),
    },
    others=frozenset(
        {
            *("COMPLETIONS_LIMIT", "DRAW_METHODS", "ROWS", "SOLVE_LIMIT", "PiecesFileError"),
            # Types of results.
            *("QuartoMove", "QuartoPosition", "Outcome", "Quarto", "RatedMove", "Row", "Solution"),
            "example_pieces",
            *("QuartoGame", "QuartoSettings"),  # tests/table/test_played_game.py
        }
    ),
)  # fmt: skip


def test_the_wrong_one_of_two_dictionaries_is_refused() -> None:
    with pytest.raises(InputError, match="the name of a piece must be one character"):
        quarto.quarto("N?BI??JO?FDLMEAG", FEATURES)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="is not a dictionary of the two properties of a feature"):
        quarto.piece_properties(PROPERTIES)  # type: ignore[arg-type]
