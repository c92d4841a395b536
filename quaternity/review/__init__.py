"""Reviews of games: what players could have known, the values of moves, and the decisive moves.

`reviewing` creates the review of a record, which `recorded_game` reads. Judges evaluate positions
and moves: `judge` defines their interface, and `asking` and `perfect_information` contain the
judges of the built-in games. `chances` estimates each seat's chance to win from simulated games,
and `drawing` draws these chances over the course of a game.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.review.reviewing import Review, review

__all__ = ["Review", "review"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
