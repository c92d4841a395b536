"""A game of Kwartet as an immutable value."""

from __future__ import annotations

from dataclasses import dataclass

from quaternity.game.question import Question
from quaternity.kwartet.rules import KwartetPosition, KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.view import View
from quaternity.table.played_game import PlayedGame


@dataclass(frozen=True, slots=True, repr=False)
class KwartetGame(PlayedGame[KwartetSettings, KwartetPosition, Question, View]):
    """A running or finished game of Kwartet, including the hidden hands.

    >>> game = KwartetGame.start(KwartetSettings(players=3, sets=2), seed=1)
    >>> request = next(iter(game.legal_moves))
    >>> game.play(str(request)) == game.play(request)
    True
    """

    rules_class = KwartetRules
    settings_class = KwartetSettings
    move_class = Question

    def svg(self, seat: int | None = None) -> str:
        """Return an SVG drawing of what a seat, or a bystander (None), can know about the hands."""
        return self.view(seat).picture().svg()
