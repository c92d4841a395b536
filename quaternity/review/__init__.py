"""Reviews of finished games: what players could have known, move values, and decisive moves.

`reviewing` creates the review of a record, `recorded_game` reads the record, and `chances`
estimates the chances of winning from simulated games. `judge` is the interface of a game's
knowledge about its positions; `asking` and `perfect_information` implement it for the built-in
games, whose registrations name the classes. `drawing` draws the curve of chances.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.review.reviewing import Review, review

__all__ = ["Review", "review"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
