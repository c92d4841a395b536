"""A game of SET as one immutable object."""

from __future__ import annotations

from dataclasses import dataclass

from quaternity.table.played_game import PlayedGame
from quaternity.ternary.rules import SetMove, SetPosition, SetRules, SetSettings, SetView
from quaternity.ternary.table_picture import table_svg


@dataclass(frozen=True, slots=True, repr=False)
class SetGame(PlayedGame[SetSettings, SetPosition, SetMove, SetView]):
    """A running or finished game of SET. Any seat may claim, so `play` requires the seat.

    >>> game = SetGame.start(SetSettings(seats=2), seed=1)
    >>> game = game.play(SetMove(game.view().threes[0]), seat=1)
    >>> game.turn, game.points
    (None, (0, 1))
    """

    rules_class = SetRules
    settings_class = SetSettings
    move_class = SetMove

    def svg(self, seat: int | None = None) -> str:
        """Return a picture of the cards on the table as an SVG document."""
        return table_svg(self.view(seat).places)
