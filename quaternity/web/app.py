"""The ASGI application: the JSON API, the HTML pages and their middleware.

`quaternity serve` runs it. To run it in another ASGI server, set the environment variable
`QUATERNITY_DATA` to the folder that holds the tables, or to the URL of their database:

    uvicorn --factory quaternity.web.app:app
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import asynccontextmanager, contextmanager
from types import FrameType
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quaternity.web import api, pages
from quaternity.web.background import BackgroundWork
from quaternity.web.http_errors import FAILED, HttpError
from quaternity.web.languages import LanguageMiddleware, translate
from quaternity.web.metrics import RequestMetrics, ServerMetrics
from quaternity.web.middleware import RequestChecks, answer
from quaternity.web.open_store import open_store
from quaternity.web.rate_limits import Limits, RateLimits
from quaternity.web.reader import InUse
from quaternity.web.store import Store
from quaternity.web.stories import Stories
from quaternity.web.table_admin import Retention
from quaternity.web.tables import Tables

_log = logging.getLogger("uvicorn.error")


def app(
    data: str | None = None,
    hosts: Iterable[str] = (),
    players: Mapping[tuple[str, str], str] | None = None,
    limits: Limits | None = None,
    move_seconds: float = 20.0,
    keep: Retention | None = None,
    metrics_token: str | None = None,
) -> Starlette:
    """Return the ASGI application of the web server.

    Args:
        data: Where to store the tables: a folder, or the URL of a PostgreSQL database. If None, the
            environment variable `QUATERNITY_DATA` is used.
        hosts: Additional host names that requests may use for this server.
        players: Additional computer players. The keys are the game and the short name of a player,
            and the values are the names described in `quaternity.table.players`.
        limits: Rate limits and other limits. None uses the defaults.
        move_seconds: Time limit for a move of a computer player, in seconds.
        keep: Days without activity after which tables are deleted. None keeps all tables.
        metrics_token: Token with which a client may read `/metrics`. None switches the page off.
    """
    admission = RateLimits(limits)
    thinking = BackgroundWork(move_seconds, players, admission)
    tables = Tables(_open_store(data), thinking, keep)
    seen = ServerMetrics(tables, admission, metrics_token)
    site = pages.Pages(tables)
    stories = Stories(tables, admission, site.puzzles)

    @asynccontextmanager
    async def lifespan(application: Starlette) -> AsyncIterator[None]:
        del application
        async with _running(tables, site.puzzles.prepare()):
            yield

    pages_of_all = *site.routes(), *stories.routes(), *seen.routes()
    application = Starlette(
        routes=[*api.routes(tables, admission), *pages_of_all],
        middleware=[
            Middleware(RequestMetrics, seen=seen),
            Middleware(RequestChecks, hosts=hosts),
            Middleware(LanguageMiddleware),
            Middleware(ErrorMiddleware, refused=_respond_to_error),
        ],
        exception_handlers={HttpError: _respond_to_error, HTTPException: _respond_to_error},
        lifespan=lifespan,
    )
    seen.register_routes(application.routes)
    application.state.tables, application.state.seen = tables, seen
    return application


class ErrorMiddleware:
    """Middleware that sends a response with status 500 after an unexpected exception.

    The response does not quote the exception, because its text could reveal hidden cards.
    """

    def __init__(
        self, app: ASGIApp, refused: Callable[[Request, Exception], Awaitable[Response]]
    ) -> None:
        self.app, self.refused = app, refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the wrapped application. If it raises, send status 500 and re-raise the exception.

        If the response has already started, the status is not sent.
        """
        has_started = scope["type"] != "http"

        async def send_and_note(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        except Exception:
            # Raise the exception again, so that the ASGI server logs it.
            if not has_started:
                response = await self.refused(Request(scope), HttpError(500, FAILED))
                await response(scope, receive, send)
            raise


@asynccontextmanager
async def _running(tables: Tables, *more: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run the periodic tasks of all tables, and the coroutines `more`, during a `with` block."""
    tasks = tables.maintenance.tick(), tables.live.sync_presence(), *more
    doing = list(map(asyncio.create_task, tasks))
    try:
        with _end_streams_on_signal(tables):
            yield
    finally:
        for task in doing:
            task.cancel()
        tables.live.end()
        await asyncio.to_thread(tables.store.close)


async def _respond_to_error(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        error = HttpError(error.status_code, error.detail.lower())
    assert isinstance(error, HttpError), "this handler is registered only for HTTP errors"
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    if path.startswith("/api/"):
        document = error.document | {"error": translate(error.args[0])}
        return answer(document, error.status, error.headers)
    return pages.refusal(request, error)


def _open_store(data: str | None) -> Store:
    """Open the database or file with all game tables.

    Raise `InUse` if another process uses it and cannot share it. A worker process instead stops its
    parent process and exits, because the parent would otherwise start the worker again.
    """
    try:
        return open_store(data)
    except InUse as error:
        if multiprocessing.parent_process() is None:
            raise
        _log.error(
            "%s; only one process can serve these tables: omit --workers and --reload", error
        )
        os.kill(os.getppid(), signal.SIGTERM)
        raise SystemExit(2) from None


@contextmanager
def _end_streams_on_signal(tables: Tables) -> Iterator[None]:
    """End all event streams at SIGTERM or SIGINT, because the ASGI server waits for their end."""
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
