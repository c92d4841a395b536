"""Reviews of finished games at tables, each computed once and shared by all viewers."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from quaternity.review.reviewing import Review, review
from quaternity.web.actor import LiveTable
from quaternity.web.background import BackgroundWork
from quaternity.web.http_errors import HttpError
from quaternity.web.seats import Visitor
from quaternity.web.view import record_of

REVIEW_SECONDS, REVIEW_PATIENCE = 8.0, 2.0
"""Limit on the processor time of a review in seconds, and the factor by which its wall-clock time
may be longer."""

MAX_REVIEWS = 50
"""Maximum number of cached reviews. A cached review looks the same each time it is shown."""


class Reviews:
    """The reviews of finished games. Simultaneous requests share one computation."""

    def __init__(self, thinking: BackgroundWork) -> None:
        self._thinking = thinking
        self._kept: OrderedDict[tuple[str, int], asyncio.Task[Review]] = OrderedDict()
        """The latest reviews, by table and version."""

    async def review(self, table: LiveTable, visitor: Visitor) -> Review:
        """Return the review of a finished game.

        Raises `HttpError` if the game is not over, or if the review cannot be computed.
        """
        state = table.state
        state.check_begun()
        if state.rules.to_act(state.history.position):
            reason = "there is no review before the game is over"
            raise HttpError(409, reason, version=state.version)
        key = state.id, state.version
        task = self._kept.get(key)
        if task is None:
            record = await record_of(state, visitor, self._thinking)
            task = self._kept.setdefault(key, asyncio.create_task(self._compute(record)))
            while len(self._kept) > MAX_REVIEWS:
                self._kept.popitem(last=False)
        try:
            # A viewer who leaves must not stop the computation for the others.
            done = await asyncio.shield(task)
        except HttpError:
            self._kept.pop(key, None)
            raise
        if done.is_timed_out:
            self._kept.pop(key, None)
        return done

    async def _compute(self, record: str) -> Review:
        done: Review = await self._thinking.count(
            review, record, None, REVIEW_SECONDS, 0, REVIEW_PATIENCE, kind="review"
        )
        return done
