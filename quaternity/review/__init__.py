"""After a game: what could be known, what moves were worth, and what decided it.

`reviewing` makes a review of a record, `played` reads it, `chances` imagines how games go on.
`judge` says what a game knows about its positions; `asking` and `open_table` are those of the games
here, which their registrations name. `drawing` draws the curve.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.review.reviewing import Review, review

__all__ = ["Review", "review"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
