"""A game of Quarto as an immutable value."""

from __future__ import annotations

from dataclasses import dataclass

from quaternity.quarto.drawing import board_svg
from quaternity.quarto.rules import QuartoPosition, QuartoRules, QuartoSettings
from quaternity.quarto.solving import QuartoMove
from quaternity.table.played_game import PlayedGame


@dataclass(frozen=True, slots=True, repr=False)
class QuartoGame(PlayedGame[QuartoSettings, QuartoPosition, QuartoMove, QuartoPosition]):
    """A running or finished game of Quarto.

    >>> game = QuartoGame.start().play("A").play("H1V1 B")
    >>> game.turn, game.position.in_hand, len(game.legal_moves)
    (0, 'B', 210)
    """

    rules_class = QuartoRules
    settings_class = QuartoSettings
    move_class = QuartoMove

    def svg(self, seat: int | None = None) -> str:
        """Return an SVG drawing of the board, which is the same for all seats."""
        view = self.view(seat)
        return board_svg(view.board, view.squares)
