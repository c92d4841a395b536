"""Reviews of finished games at tables, and puzzles from them, computed once for all viewers."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from quaternity.base.errors import LimitError
from quaternity.puzzles.from_games import make_from_game
from quaternity.puzzles.puzzle import Puzzle
from quaternity.review.reviewing import Review, review
from quaternity.web.background import BackgroundWork
from quaternity.web.core import TableState
from quaternity.web.http_errors import HttpError
from quaternity.web.seats import Visitor
from quaternity.web.shared_tasks import SharedTasks
from quaternity.web.view import record_of

REVIEW_SECONDS, REVIEW_PATIENCE = 8.0, 2.0
"""Limit on the processor time of a review in seconds, and the factor by which its wall-clock time
may be longer."""

PUZZLE_SECONDS = 5.0
"""Limit on the time to make a puzzle from a game, in seconds."""

MAX_REVIEWS = 100
"""Maximum number of cached reviews and puzzles. A cached review looks the same each time it is
shown."""


class Reviews:
    """The reviews of finished games, and puzzles from them.

    Simultaneous requests share one computation.
    """

    def __init__(self, thinking: BackgroundWork) -> None:
        self._thinking = thinking
        self._tasks: SharedTasks[tuple[str, str, int]] = SharedTasks(MAX_REVIEWS)
        """The latest reviews and puzzles, by kind, table and version."""

    async def review(self, state: TableState, visitor: Visitor) -> Review:
        """Return the review of a finished game. All viewers get the same review.

        Raises an exception if the game is not over, or if the review cannot be computed.
        """
        _check_over(state, "there is no review before the game is over")
        key = "review", state.id, state.version
        done: Review = await self._tasks.result(key, partial(self._review, state, visitor))
        return done

    async def puzzle(self, state: TableState, visitor: Visitor) -> Puzzle | None:
        """Return the puzzle made from a finished game, or None if no puzzle was found in time.

        All viewers get the same puzzle.

        Raises an exception if the game is not over, or if the puzzle cannot be computed.
        """
        _check_over(state, "there is no puzzle before the game is over")
        key = "puzzle", state.id, state.version
        made: Puzzle | None = await self._tasks.result(key, partial(self._puzzle, state, visitor))
        return made

    async def _review(self, state: TableState, visitor: Visitor) -> Review:
        record = await record_of(state, visitor, self._thinking)
        done: Review = await self._thinking.count(
            review, record, None, REVIEW_SECONDS, 0, REVIEW_PATIENCE, kind="review"
        )
        return done

    async def _puzzle(self, state: TableState, visitor: Visitor) -> Puzzle | None:
        record, made = await record_of(state, visitor, self._thinking), None
        with suppress(LimitError):
            made = await self._thinking.count(
                make_from_game, state.rules, record, state.id, PUZZLE_SECONDS, kind="puzzle"
            )
        return made


def _check_over(state: TableState, reason: str) -> None:
    """Raise `HttpError` with a reason if the game is not over."""
    state.check_begun()
    if state.rules.to_act(state.history.position):
        raise HttpError(409, reason, version=state.version)
