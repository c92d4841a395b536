"""The JSON API, for programs and for the scripts of the pages.

This module contains the routes, and the handlers of requests for one table. The module `lobby_api`
contains the handlers of requests that make tables or change seats.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from quaternity.web.actor import LiveTable
from quaternity.web.changes import MAX_TRIES, VersionConflict
from quaternity.web.documents import document_text
from quaternity.web.drawing.words import seat_names
from quaternity.web.http_errors import HttpError
from quaternity.web.lobby_api import LobbyApi
from quaternity.web.middleware import answer, query_of
from quaternity.web.move_commands import Move, VoteUndo
from quaternity.web.new_table import check_name
from quaternity.web.rate_limits import RateLimits
from quaternity.web.request_fields import (
    MarkFields,
    MoveFields,
    ReactionFields,
    TalkFields,
    UndoFields,
)
from quaternity.web.requests import Handlers, base_of
from quaternity.web.seats import default_name
from quaternity.web.streams import Stream
from quaternity.web.tables import Tables
from quaternity.web.view import record_of, view_table

MAX_MOVE_LENGTH = 200
"""Maximum length of a move that is written as text, in characters."""

MAX_ID_LENGTH = 64
"""Maximum length of the id that a client gives to a move, in characters."""

Handler = Callable[[Request], Awaitable[Any]]


class _Endpoint:
    """An ASGI application that calls a function for each request, faster than Starlette does."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # After a conflict, call the whole handler again, because another server may have given the
        # caller's seat to somebody else in the meantime.
        response = await self._answer(Request(scope, receive, send))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Any:
        for _ in range(MAX_TRIES):
            with suppress(VersionConflict):
                return await self.handler(request)
        return await self.handler(request)


class TableApi(Handlers):
    """The functions that answer requests for one table and its game."""

    async def look(self, request: Request) -> Response:
        """`GET /api/tables/T`: return the table and its game, as the caller may see them."""
        table, visitor = await self.open_table(request)
        sight, base = view_table(table, visitor), base_of(request)
        text = await self.tables.thinking.draw(sight.is_large, document_text, sight, base)
        return Response(text, media_type="application/json")

    async def move(self, request: Request) -> Response:
        """`POST /api/tables/T/moves`: make a move."""
        sent = await self.read(request, MoveFields)
        if not 0 < len(sent.id) <= MAX_ID_LENGTH or not sent.id.isprintable():
            raise HttpError(422, f"id: must have 1 to {MAX_ID_LENGTH} printable characters")
        if len(sent.move) > MAX_MOVE_LENGTH:
            raise HttpError(422, f"move: must have at most {MAX_MOVE_LENGTH} characters")
        table, seat = await self.require_seat(request, sent.seat)
        command = Move(seat, table.state.seats[seat].token, sent.version, sent.id, sent.move)
        return answer({"version": await table.submit(command)})

    async def undo(self, request: Request) -> Response:
        """`POST /api/tables/T/undo`: vote to take the last moves back, or withdraw the vote."""
        sent = await self.read(request, UndoFields)
        table, seat = await self.require_seat(request, sent.seat)
        command = VoteUndo(seat, table.state.seats[seat].token, sent.version, sent.agree)
        version = await table.submit(command)
        return answer({"version": version, "agreed": sorted(table.state.votes.undo)})

    async def marks(self, request: Request) -> Response:
        """`GET /api/tables/T/marks`: return the caller's private notes about who has which card."""
        table, seat = await self.require_seat(request, None)
        return answer({"marks": await self.tables.assistance.marks(table.state, seat)})

    async def mark(self, request: Request) -> Response:
        """`POST /api/tables/T/marks`: store or remove a note about who has a card."""
        sent = await self.read(request, MarkFields)
        table, seat = await self.require_seat(request, sent.seat)
        await self.tables.assistance.mark(table, seat, (sent.player, sent.card), sent.mark)
        return answer({"marks": await self.tables.assistance.marks(table.state, seat)})

    async def say(self, request: Request) -> Response:
        """`POST /api/tables/T/talk`: send a chat line."""
        sent = await self.read(request, TalkFields)
        table, seat, name = await self._speaker(request, sent)
        await table.say(seat, name, sent.text)
        return answer({})

    async def react(self, request: Request) -> Response:
        """`POST /api/tables/T/reactions`: send an emoji to everybody at the table."""
        sent = await self.read(request, ReactionFields)
        table, seat, name = await self._speaker(request, sent)
        table.talk.react(table.state, seat, name, sent.reaction)
        return answer({})

    async def talk(self, request: Request) -> Response:
        """`GET /api/tables/T/talk?after=N`: return the chat lines with numbers greater than N."""
        after = request.query_params.get("after", "0")
        table, visitor = await self.open_table(request)
        lines = await table.talk.lines(
            table.state, visitor, int(after) if after.isdecimal() and len(after) < 10 else 0
        )
        return answer({"lines": [line._asdict() for line in lines]})

    async def _speaker(
        self, request: Request, sent: TalkFields | ReactionFields
    ) -> tuple[LiveTable, int | None, str]:
        """Return the table of a request, and the seat and the name of the sender of a chat line.

        The seat is None if the sender is a bystander. Bystanders choose a name in each request.
        """
        table, visitor = await self.open_table(request, sent.seat)
        seat = visitor.looking if visitor.looking in visitor.seats else None
        self.admission.count("words", None if seat is None else (table.state.id, seat))
        if seat is None:
            return table, None, check_name(sent.name, 0)
        # Sign a chat line with the name of the person who owns the seat, even while a program plays
        # there.
        people = [s._replace(name=s.person) if s.is_held else s for s in table.state.seats]
        usual = default_name(seat)  # which each page translates
        return table, seat, usual if people[seat].name == usual else seat_names(people)[seat]

    async def record(self, request: Request) -> Response:
        """`GET /api/tables/T/record`: return what the caller may see of the game, as text."""
        table, visitor = await self.open_table(request)
        name = f'attachment; filename="{table.state.stored.game}.record"'
        return PlainTextResponse(
            await record_of(table.state, visitor, self.tables.thinking),
            headers={"content-disposition": name},
        )

    async def events(self, request: Request) -> Stream | Response:
        """`GET /api/tables/T/events`: open a stream of the events at the table."""
        last = request.headers.get("last-event-id", request.query_params.get("after", ""))
        table, visitor = await self.open_table(request)
        streams = self.tables.streams
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        if streams.ending:
            raise HttpError(503, "the server is shutting down")
        # A visitor who sees a finished game from another player's seat counts as a bystander.
        seat = visitor.looking if visitor.looking in visitor.seats else None
        network = self.admission.check_stream(seat, table.presence.streams, streams.open)
        stream = Stream(seat, table.presence.streams, streams, network)
        table.listen(stream, int(last) if last.isdecimal() and len(last) < 10 else None)
        return stream

    async def help(self, request: Request) -> Response:
        """`GET /api/tables/T/help/WORD`: return help such as a hint. See `quaternity.web.hints`."""
        asked = query_of(request)
        table, visitor = await self.open_table(request)
        word = request.path_params["word"]
        return answer(await self.tables.assistance.help(table, visitor, word, asked))


def routes(tables: Tables, admission: RateLimits) -> list[BaseRoute]:
    """Return the routes of the JSON API, and the route that receives the form for a new table."""
    table, lobby = TableApi(tables, admission), LobbyApi(tables, admission)
    base = "/api/tables/{table}"
    posts: list[tuple[str, Handler]] = [
        # Starlette tries the routes in order, so moves come first: they are the most frequent.
        (f"{base}/moves", table.move),
        ("/api/tables", lobby.make),
        ("/new", lobby.make_by_form),
        ("/api/seats", lobby.join),
        ("/api/seats/move", lobby.move_seat),
        ("/api/seats/back", lobby.back),
        ("/api/records", lobby.upload),
        (f"{base}/undo", table.undo),
        (f"{base}/hand-over", lobby.hand_over),
        (f"{base}/again", lobby.again),
        (f"{base}/start", lobby.start),
        (f"{base}/ready", lobby.ready),
        (f"{base}/leave", lobby.leave),
        (f"{base}/talk", table.say),
        (f"{base}/reactions", table.react),
        (f"{base}/elsewhere", lobby.elsewhere),
        (f"{base}/code", lobby.code),
        (f"{base}/marks", table.mark),
    ]
    gets: list[tuple[str, Handler]] = [
        ("/api/games", lobby.games),
        (base, table.look),
        (f"{base}/events", table.events),
        (f"{base}/record", table.record),
        (f"{base}/help/{{word}}", table.help),
        (f"{base}/marks", table.marks),
        (f"{base}/talk", table.talk),
    ]
    return [
        *(Route(path, _Endpoint(handler), methods=["POST"]) for path, handler in posts),
        *(Route(path, _Endpoint(handler), methods=["GET"]) for path, handler in gets),
    ]
