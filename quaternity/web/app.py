"""The application: requests and pages behind their guards.

For `quaternity serve`, and for those who run it themselves, with the folder of the tables or the
address of their database in `QUATERNITY_DATA`:

    uvicorn --factory quaternity.web.app:app
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from types import FrameType
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quaternity.web import pages
from quaternity.web.admission import Admission, Limits
from quaternity.web.api import Api
from quaternity.web.eyes import Eyes, Seen
from quaternity.web.guards import Guards, answer
from quaternity.web.keeping import Keep
from quaternity.web.languages import Spoken, spoken
from quaternity.web.refusal import FAILED, Refusal
from quaternity.web.store import InUse, Store
from quaternity.web.stores import opened_store
from quaternity.web.tables import Tables
from quaternity.web.thinking import Thinking

_log = logging.getLogger("uvicorn.error")


def app(
    data: str | None = None,
    hosts: Iterable[str] = (),
    players: Mapping[tuple[str, str], str] | None = None,
    limits: Limits | None = None,
    move_seconds: float = 20.0,
    keep: Keep | None = None,
    metrics_token: str | None = None,
) -> Starlette:
    """Yield an ASGI application.

    Args:
        data: where its tables are kept: a folder, or an address of PostgreSQL.
        hosts: further names of this server.
        players: per game and name, programs that may be asked for besides those of the games.
        move_seconds: the longest that a program may think about a move.
        keep: how long tables stay that nobody touches.
        metrics_token: what shows that somebody may read `/metrics`.
    """
    admission = Admission(limits)
    thinking = Thinking(move_seconds, players, admission)
    tables = Tables(_opened(data), thinking, keep)
    api, seen = Api(tables, admission), Seen(tables, admission, metrics_token)

    @asynccontextmanager
    async def lifespan(application: Starlette) -> AsyncIterator[None]:
        del application
        doing = [asyncio.create_task(tables.tick()), asyncio.create_task(tables.meet())]
        try:
            with _ending_streams(tables):
                yield
        finally:
            for task in doing:
                task.cancel()
            tables.end()
            await asyncio.to_thread(tables.store.close)

    async def refused(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            error = Refusal(error.status_code, error.detail.lower())
        assert isinstance(error, Refusal), "what this is registered for"
        path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
        if path.startswith("/api/"):
            document = error.document | {"error": spoken(error.args[0])}
            return answer(document, error.status, error.headers)
        return pages.refusal(request, error)

    application = Starlette(
        routes=[*api.routes(), *pages.routes(tables), *seen.routes()],
        middleware=[
            Middleware(Eyes, seen=seen),
            Middleware(Guards, hosts=hosts),
            Middleware(Spoken),
            Middleware(Failing, refused=refused),
        ],
        exception_handlers={Refusal: refused, HTTPException: refused},
        lifespan=lifespan,
    )
    seen.know(application.routes)
    application.state.tables, application.state.seen = tables, seen
    return application


class Failing:
    """An application that says in words that it failed, but not how: that may be secret."""

    def __init__(
        self, app: ASGIApp, refused: Callable[[Request, Exception], Awaitable[Response]]
    ) -> None:
        self.app, self.refused = app, refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with 500 where nothing was answered yet, and let the server log the rest."""
        begun = scope["type"] != "http"

        async def passed(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, passed)
        except Exception:  # it goes on to the server, which logs it
            if not begun:
                response = await self.refused(Request(scope), Refusal(500, FAILED))
                await response(scope, receive, send)
            raise


def _opened(data: str | None) -> Store:
    """Return all tables; where another process has them, end those that would start this anew."""
    try:
        return opened_store(data)
    except InUse as error:
        if multiprocessing.parent_process() is None:
            raise
        _log.error("%s; one process alone serves them: without --workers, --reload", error)
        os.kill(os.getppid(), signal.SIGTERM)
        raise SystemExit(2) from None


@contextmanager
def _ending_streams(tables: Tables) -> Iterator[None]:
    """Have streams end as soon as the server is asked to: it waits for open requests."""
    loop = asyncio.get_running_loop()
    before: dict[int, Any] = {}

    def ending(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(tables.streams.end)
        before[number](number, frame)

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            handler: Any = signal.getsignal(number)
            if callable(handler):
                before[number] = handler
                signal.signal(number, ending)
    try:
        yield
    finally:
        for changed, handler in before.items():
            signal.signal(changed, handler)
