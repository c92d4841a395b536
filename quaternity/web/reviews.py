"""Reviews of finished games, and puzzles made from finished games. Both are stored.

A review judges the moves of a game. It lists mistakes, and the moves after which the players'
chances to win changed a lot.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from quaternity.base.errors import LimitError
from quaternity.puzzles.from_games import make_from_game
from quaternity.puzzles.puzzle import Puzzle
from quaternity.review.reviewing import Review, review
from quaternity.web.background import BackgroundWork
from quaternity.web.core import TableState
from quaternity.web.http_errors import HttpError
from quaternity.web.seats import Visitor
from quaternity.web.shared_tasks import SharedTasks
from quaternity.web.store import Store
from quaternity.web.stored_values import dump_value, load_value
from quaternity.web.view import record_of

REVIEW_SECONDS, REVIEW_PATIENCE = 8.0, 2.0
"""Time limit of a review, in seconds of processor time. The elapsed time may be longer by the
factor `REVIEW_PATIENCE`."""

PUZZLE_SECONDS = 5.0
"""Time limit for making a puzzle from a game, in seconds."""

MAX_REVIEWS = 100
"""Maximum total number of reviews and puzzles in memory."""

STORED_VERSION = 5
"""Version of the format of stored reviews and puzzles. If a stored review or puzzle has another
version, it is computed again."""

SIGNATURE_BYTES = 32
"""Length of the signature of a stored result, in bytes."""

Compute = Callable[[], Coroutine[Any, Any, Any]]


class Reviews:
    """Makes, stores and returns the reviews of finished games, and the puzzles made from them.

    The first result for a game is stored with its table, so all viewers get the same result, even
    after a restart of the server. Simultaneous requests share one computation.
    """

    def __init__(self, store: Store, thinking: BackgroundWork) -> None:
        self._store, self._thinking = store, thinking
        self._tasks: SharedTasks[tuple[str, str, int]] = SharedTasks(MAX_REVIEWS)
        """The tasks that make the latest results. A key is the kind of result ("review" or
        "puzzle"), with the id and version of the table.
        """

    async def review(self, state: TableState, visitor: Visitor) -> Review:
        """Return the review of a finished game. All viewers get the same review.

        Raises `HttpError` if the game is not over. If the computation fails, its exception is
        raised.
        """
        _check_over(state, "there is no review before the game is over")
        done: Review = await self._result("review", state, partial(self._review, state, visitor))
        return done

    async def puzzle(self, state: TableState, visitor: Visitor) -> Puzzle | None:
        """Return the puzzle made from a finished game. Return None if no puzzle was found in time.

        All viewers get the same puzzle.

        Raises `HttpError` if the game is not over. If the computation fails, its exception is
        raised.
        """
        _check_over(state, "there is no puzzle before the game is over")
        compute = partial(self._puzzle, state, visitor)
        made: Puzzle | None = await self._result("puzzle", state, compute)
        return made

    async def _result(self, kind: str, state: TableState, compute: Compute) -> Any:
        key = kind, state.id, state.version
        return await self._tasks.result(key, partial(self._load_or_store, kind, state, compute))

    async def _load_or_store(self, kind: str, state: TableState, compute: Compute) -> Any:
        """Return the stored result for a game, or else compute it and store it.

        If several servers do this at the same time, all of them use the first stored result.
        """
        old, stored = await self._load(kind, state)
        if not stored:
            stored = (await compute(),)
            update = f"UPDATE tables SET {kind} = ? WHERE id = ? AND ({kind} IS NULL OR {kind} = ?)"
            try:
                value = dump_value(*stored)
            except TypeError:  # A game of a plug-in may have moves of other classes.
                return stored[0]
            with suppress(HttpError):  # Show the result even if it cannot be stored.
                new = self._sign(kind, state, value) + value
                await self._store.write((), [(update, (new, state.id, old))])
                stored = (await self._load(kind, state))[1] or stored
        return stored[0]

    async def _load(self, kind: str, state: TableState) -> tuple[bytes | None, tuple[Any, ...]]:
        rows = await self._store.rows(f"SELECT {kind} FROM tables WHERE id = ?", state.id)
        data: bytes | None = rows[0][0] if rows else None
        if data is None:
            return None, ()
        with suppress(Exception):  # a class of an earlier release may have changed
            signature, value = data[:SIGNATURE_BYTES], data[SIGNATURE_BYTES:]
            if signature == self._sign(kind, state, value):
                return data, (load_value(value),)
        return data, ()

    def _sign(self, kind: str, state: TableState, value: bytes) -> bytes:
        about = f"{kind} {STORED_VERSION} {state.id} {state.version} ".encode()
        return hmac.digest(self._store.secret, about + value, "sha256")

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
    state.check_begun()
    if state.rules.to_act(state.history.position):
        raise HttpError(409, reason, version=state.version)
