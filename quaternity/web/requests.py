"""The base class of request handlers, which finds the table and the sender of a request."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from quaternity.web.actor import LiveTable
from quaternity.web.http_errors import HttpError
from quaternity.web.middleware import (
    COOKIE,
    answer,
    caller_of,
    document_of,
    is_browser,
    new_cookie,
    seat_of,
    set_cookie,
)
from quaternity.web.rate_limits import RateLimits
from quaternity.web.request_fields import Fields, read_fields
from quaternity.web.seats import Caller, Visitor, hash_token
from quaternity.web.tables import Tables


class Handlers:
    """Base class of the objects that answer requests. It finds the table and the sender.

    Attributes:
        tables: All tables of the server.
        admission: The rate limits, with the recent use of each client.
        limits: The values of all limits.
    """

    def __init__(self, tables: Tables, admission: RateLimits) -> None:
        self.tables, self.admission, self.limits = tables, admission, admission.limits

    async def read(self, request: Request, kind: type[Fields]) -> Fields:
        """Check the JSON body of a request, and return it as an object of the class `kind`.

        Raises `HttpError` if the body is not a JSON object, or a field is missing or not valid.
        """
        return read_fields(await document_of(request, self.limits.body), kind)

    async def open_table(
        self, request: Request, seat: int | None = None, kind: str = "page"
    ) -> tuple[LiveTable, Visitor]:
        """Return the table that the path of a request names, and the visitor who sent the request.

        The visitor sees the game from the seat in the query `?seat=`, or else from `seat`. If both
        are missing, `TableState.visitor` chooses the seat. `kind` says which rate limit applies
        (see `LiveTables.open_for`).

        Raises `HttpError` if there is no such table, a rate limit is exceeded, or the visitor may
        not see the game from the seat.
        """
        caller = caller_of(request)
        asked = seat_of(request)
        seat = seat if asked is None else asked
        return await self.tables.live.open_for(request.path_params["table"], caller, seat, kind)

    async def require_seat(self, request: Request, seat: int | None) -> tuple[LiveTable, int]:
        """Return the table of a request, and the seat for which its sender acts.

        See `open_table` for the meaning of `seat` and the errors. This method also raises
        `HttpError` if the sender does not own the seat.
        """
        table, visitor = await self.open_table(request, seat, "move")
        if visitor.looking is None or visitor.looking not in visitor.seats:
            raise HttpError(403, "only players who have a seat can do that")
        return table, visitor.looking

    async def with_cookie(self, request: Request) -> tuple[Caller, str | None]:
        """Return the sender of a request, and the cookie that the response must set.

        A browser that sends no valid cookie gets a new one, which identifies the sender from now
        on. Otherwise the returned cookie is None.
        """
        browser, unsigned = (
            caller_of(request).cookie_hash,
            hash_token(request.cookies.get(COOKIE, "")[:22]),
        )
        known = (
            "SELECT 1 FROM seats WHERE browser = ? UNION ALL "
            "SELECT 1 FROM tables WHERE maker = ? LIMIT 1"
        )
        if browser == unsigned and not await self.tables.store.rows(known, browser, browser):
            browser = None
        if browser is None and is_browser(request.headers):
            token = new_cookie(request)
            return Caller(cookie_hash=hash_token(token)), token
        return Caller(cookie_hash=browser), None

    def count(self) -> None:
        """Count a request that makes a table or changes seats, for the rate limit of its address.

        Raises `HttpError` if the rate limit is exceeded.
        """
        self.admission.count("table")

    async def check_stored_tables(self) -> None:
        """Raise `HttpError` if the store already contains the maximum number of tables."""
        ((kept,),) = await self.tables.store.rows("SELECT COUNT(*) FROM tables")
        self.admission.check_stored_tables(kept)


def base_of(request: Request) -> str:
    """Return the address with which complete links to this server begin, without a final slash."""
    return str(request.base_url).rstrip("/")


def answer_with_cookie(request: Request, document: Any, cookie: str | None) -> Response:
    """Return a response with status 201 and a JSON document.

    The response also sets the cookie of the browser to `cookie`, unless this is None.
    """
    response = answer(document, 201)
    if cookie is not None:
        set_cookie(response, request, cookie)
    return response
