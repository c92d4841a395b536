"""Reviews of finished games at tables, and puzzles from them, computed once for all viewers."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any

from quaternity.base.errors import LimitError, QuaternityError
from quaternity.puzzles.from_games import make_from_game
from quaternity.puzzles.puzzle import Puzzle
from quaternity.review.reviewing import Review, review
from quaternity.web.actor import LiveTable
from quaternity.web.background import BackgroundWork
from quaternity.web.core import TableState
from quaternity.web.http_errors import HttpError
from quaternity.web.seats import Visitor
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
        self._kept: OrderedDict[tuple[str, str, int], asyncio.Task[Any]] = OrderedDict()
        """The latest reviews and puzzles, by kind, table and version."""

    async def review(self, table: LiveTable, visitor: Visitor) -> Review:
        """Return the review of a finished game.

        Raises `HttpError` if the game is not over, or if the review cannot be computed.
        """
        state = table.state
        _check_over(state, "there is no review before the game is over")
        done: Review = await self._share("review", state, visitor, self._review)
        if done.is_timed_out:
            self._kept.pop(("review", state.id, state.version), None)
        return done

    async def puzzle(self, table: LiveTable, visitor: Visitor) -> Puzzle | None:
        """Return the puzzle made from a finished game, or None if no puzzle was found in time.

        Raises `HttpError` if the game is not over, or if the puzzle cannot be computed.
        """
        state = table.state
        _check_over(state, "there is no puzzle before the game is over")
        try:
            made: Puzzle | None = await self._share("puzzle", state, visitor, self._puzzle)
        except LimitError:
            return None
        return made

    async def _share(
        self,
        kind: str,
        state: TableState,
        visitor: Visitor,
        compute: Callable[[TableState, str], Coroutine[Any, Any, Any]],
    ) -> Any:
        """Return the result of a computation, which all viewers of a table share."""
        key = kind, state.id, state.version
        task = self._kept.get(key)
        if task is None:
            record = await record_of(state, visitor, self._thinking)
            # Another request may have begun the computation in the meantime.
            task = self._kept.get(key) or asyncio.create_task(compute(state, record))
            self._kept[key] = task
            while len(self._kept) > MAX_REVIEWS:
                self._kept.popitem(last=False)
        try:
            # A viewer who leaves must not stop the computation for the others.
            return await asyncio.shield(task)
        except QuaternityError:
            self._kept.pop(key, None)
            raise

    async def _review(self, state: TableState, record: str) -> Review:
        del state
        done: Review = await self._thinking.count(
            review, record, None, REVIEW_SECONDS, 0, REVIEW_PATIENCE, kind="review"
        )
        return done

    async def _puzzle(self, state: TableState, record: str) -> Puzzle | None:
        made: Puzzle | None = await self._thinking.count(
            make_from_game, state.rules, record, state.id, PUZZLE_SECONDS, kind="puzzle"
        )
        return made


def _check_over(state: TableState, reason: str) -> None:
    """Raise `HttpError` with a reason if the game is not over."""
    state.check_begun()
    if state.rules.to_act(state.history.position):
        raise HttpError(409, reason, version=state.version)
