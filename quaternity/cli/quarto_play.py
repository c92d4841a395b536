"""`quarto play`: a game of Quarto at this terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.cli.options import MoveSeconds, Record, Seed, Traceback
from quaternity.cli.playing import Playing, play_match, seats_of
from quaternity.cli.quarto import quarto_app

if TYPE_CHECKING:
    from quaternity.cli.match import GameWords
    from quaternity.table.match import Match

RULES = """\
Sixteen pieces, each big or small, red or blue, square or circular, hollow or solid, and a board
of 4 x 4 cells. Player 0 hands a piece to player 1, who places it and hands over the next one,
and so on. Whoever places the fourth piece of a row, a column or a diagonal in which all four
have something in common has a quarto, and wins; that it is one need not be said. Sixteen pieces
without a quarto are a draw. With --squares four pieces in a square of 2 x 2 cells count as well."""

MARKS = "On the board a dot is an empty cell, and the pieces of a quarto are in brackets."

FORMS = """\
Move:    H1V2 K   place the piece in hand on row H1, column V2, and hand over K
         H1V2     the same when it ends the game
         K        hand over the first piece"""

DEFAULT = ("you", "search")


@quarto_app.command()
def play(
    seats: Annotated[
        str | None,
        typer.Option(
            help="Who plays: you, random, careful, search, search:5000, or package.module:name; "
            "player 0 hands over the first piece.  [default: you,search]"
        ),
    ] = None,
    squares: Annotated[
        bool | None,
        typer.Option("--squares/--no-squares", help="Four in a 2 x 2 square are a quarto too."),
    ] = None,
    record: Record = None,
    seed: Seed = None,
    move_seconds: MoveSeconds = None,
    traceback: Traceback = False,
) -> None:
    """Play Quarto at this terminal, with people and programs in the two seats.

    Example: quaternity quarto play --seats you,careful --record my.game
    """
    from quaternity.quarto.rules import QuartoRules, QuartoSettings

    play_match(
        QuartoRules, QuartoSettings, {"squares": squares}, quarto_words(),
        lambda rules: seats_of(seats), DEFAULT, Playing(record, seed, move_seconds, traceback),
    )  # fmt: skip


def quarto_words() -> GameWords:
    """Return what Quarto adds to the terminal."""
    from quaternity.cli.drawing import picture_word
    from quaternity.cli.match import GameWords
    from quaternity.quarto import board_svg

    words = picture_word(lambda view: board_svg(view.board, view.squares))
    return GameWords(RULES, FORMS, MARKS, words, remark=_remark)


def _remark(match: Match[Any, Any, Any]) -> str | None:
    """Which rule is played, where it is not the usual one."""
    return "four in a square of 2 x 2 are a quarto too" if match.rules.settings.squares else None


__all__ = ["FORMS", "MARKS", "RULES", "play"]
