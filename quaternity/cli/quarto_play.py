"""The commands `quarto play` and `quarto tournament`, and the texts of Quarto in the terminal."""

from __future__ import annotations

from typing import Any

from quaternity.cli.any_game import add_game_tournament, add_play
from quaternity.cli.drawing import picture_word
from quaternity.cli.match import GameWords
from quaternity.cli.quarto import quarto_app
from quaternity.cli.tournament import TournamentWords
from quaternity.quarto import board_svg
from quaternity.table.match import Match

RULES = """\
There are sixteen pieces, each big or small, red or blue, square or circular, hollow or solid, and a
board of 4 x 4 cells. Player 0 hands a piece to player 1, who places it and hands over the next one,
and so on. A player who completes a row, a column or a diagonal of four pieces with a common
property has a quarto and wins, without having to announce it. Sixteen pieces without a quarto are a
draw. With --squares, four pieces in a square of 2 x 2 cells count as well."""

MARKS = "On the board, a dot marks an empty cell, and brackets mark the pieces of a quarto."

FORMS = """\
Move:    H1V2 K   place the piece in hand on row H1, column V2, and hand over K
         H1V2     the same, if it ends the game
         K        hand over the first piece"""

add_play(
    quarto_app, "quarto", "random, careful, search, search:5000", ("you", "search"),
    "Player 0 hands over the first piece.",
)  # fmt: skip
add_game_tournament(
    quarto_app, "quarto",
    TournamentWords(
        ("quarto", "tournament"),
        "random, careful, search[:GAMES], package.module:name or cmd:COMMAND",
        "points",
        lambda rules: "Quarto with squares" if rules.settings.squares else "Quarto",
        "quarto tournament search careful random --games 60 --seed 1 --workers 2",
    ),
)  # fmt: skip


def quarto_words() -> GameWords:
    """Return the texts and commands that Quarto adds to the terminal."""
    words = picture_word(lambda view: board_svg(view.board, view.squares))
    return GameWords(RULES, FORMS, MARKS, words, remark=_remark)


def _remark(match: Match[Any, Any, Any]) -> str | None:
    return "four in a 2 x 2 square can also be a quarto" if match.rules.settings.squares else None
