"""Reviews of games: what players could have known, the values of moves, and the decisive moves.

`reviewing` creates the review of a record, `recorded_game` reads the record, and `chances`
estimates the chances of winning from simulated games. `judge` defines the interface of judges,
which evaluate the positions and moves of a game. `asking` and `perfect_information` contain the
judges of the built-in games, which the registrations of the games name. `drawing` draws the chances
over the course of a game.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.review.reviewing import Review, review

__all__ = ["Review", "review"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
