"""Request handlers of the JSON API, which other programs and the scripts of the pages use."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from quaternity.base.text_format import quote_value
from quaternity.table.games import game_names, registration
from quaternity.web.clock import read_clock
from quaternity.web.drawing.frame import qr_svg
from quaternity.web.drawing.words import seat_names
from quaternity.web.forms import form_fields
from quaternity.web.http_errors import HttpError
from quaternity.web.middleware import (
    COOKIE,
    answer,
    body_of,
    caller_of,
    document_of,
    is_browser,
    new_cookie,
    query_of,
    root_of,
    seat_of,
    set_cookie,
)
from quaternity.web.new_table import NewTable, check_name, decks_of, known_players, read_form
from quaternity.web.rate_limits import RateLimits
from quaternity.web.seats import Caller, Visitor, hash_token
from quaternity.web.store import retry_if_stale
from quaternity.web.streams import Stream
from quaternity.web.table import Table
from quaternity.web.table_view import TableView
from quaternity.web.tables import MOVING_SECONDS, SeatTicket, Tables

MAX_LISTED_MOVES = 500
"""Maximum number of legal moves in the JSON description of a table."""

MAX_FORM_FIELDS = 100
"""Maximum number of fields in a submitted form."""

MAX_MOVE_LENGTH = 200
MAX_ID_LENGTH = 64
_NOTHING: Any = object()

Value = TypeVar("Value")
Handler = Callable[[Request], Awaitable[Any]]


class _Endpoint:
    """An ASGI application that calls a handler, with less overhead per request than Starlette's."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Call the whole handler again after a conflict, because another server may have given the
        # caller's seat away in the meantime.
        response = await retry_if_stale(lambda: self.handler(Request(scope, receive, send)))
        await response(scope, receive, send)


class Api:
    """The handlers of the JSON API."""

    def __init__(self, tables: Tables, admission: RateLimits) -> None:
        self.tables, self.admission, self.limits = tables, admission, admission.limits

    def routes(self) -> list[BaseRoute]:
        """Return the routes of the API."""
        base = "/api/tables/{table}"
        posts: list[tuple[str, Handler]] = [
            # Starlette tries routes in order, so moves, the most frequent requests, come first.
            (f"{base}/moves", self.move),
            ("/api/tables", self.make),
            ("/new", self.make_by_form),
            ("/api/seats", self.join),
            ("/api/seats/move", self.move_seat),
            ("/api/seats/back", self.back),
            ("/api/records", self.upload),
            (f"{base}/undo", self.undo),
            (f"{base}/hand-over", self.hand_over),
            (f"{base}/again", self.again),
            (f"{base}/start", self.start),
            (f"{base}/ready", self.ready),
            (f"{base}/leave", self.leave),
            (f"{base}/talk", self.say),
            (f"{base}/reactions", self.react),
            (f"{base}/elsewhere", self.elsewhere),
            (f"{base}/code", self.code),
            (f"{base}/marks", self.mark),
        ]
        gets: list[tuple[str, Handler]] = [
            ("/api/games", self.games),
            (base, self.look),
            (f"{base}/events", self.events),
            (f"{base}/record", self.record),
            (f"{base}/help/{{word}}", self.help),
            (f"{base}/marks", self.marks),
            (f"{base}/talk", self.talk),
        ]
        return [
            *(Route(path, _Endpoint(handler), methods=["POST"]) for path, handler in posts),
            *(Route(path, _Endpoint(handler), methods=["GET"]) for path, handler in gets),
        ]

    # ------------------------------------------------------------------ tables and seats

    async def make(self, request: Request) -> Response:
        """`POST /api/tables`: make a table."""
        self._count()
        sent = await document_of(request, self.limits.body)
        # Refuse unknown fields, because they may be misspelled.
        if unknown := sent.keys() - set(NewTable._fields):
            known = ", ".join(NewTable._fields)
            raise HttpError(
                422, f"{quote_value(min(unknown), str)} is unknown; choose from {known}"
            )
        seats = read_field(sent, "seats", list)
        if not all(isinstance(seat, str) for seat in seats):
            raise HttpError(422, "seats: must be a list of strings")
        seed = read_field(sent, "seed", int, None)
        if seed is not None and not 0 <= seed < 1 << 64:
            raise HttpError(422, "seed: must be a whole number from 0 to 2**64 - 1")
        new = NewTable(
            read_field(sent, "game", str), read_field(sent, "settings", dict, {}), seats,
            read_field(sent, "name", str, None), read_field(sent, "help", bool, False), seed,
            read_field(sent, "deck", str, None), read_field(sent, "chat", bool, False),
            read_clock(read_field(sent, "clock", dict, None)), read_field(sent, "visitors", bool,
            False),
        )  # fmt: skip
        (table, invitation, seated), cookie = await self._make(request, new)
        base = _base(request)
        document = {
            "table": table,
            "invitation": invitation and f"{base}/join/{invitation}",
            "seats": [
                {
                    "seat": seat.seat,
                    "token": seat.token,
                    "invitation": seat.invitation and f"{base}/join/{seat.invitation}",
                }
                for seat in seated
            ],
            "watch": f"{base}/t/{table}",
        }
        return _created(request, document, cookie)

    async def make_by_form(self, request: Request) -> Response:
        """`POST /new`: make a table from the form of the page, which needs no script."""
        self._count()
        try:
            sent = (await body_of(request, self.limits.body)).decode()
            form = parse_qs(sent, keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS)
        except ValueError:
            raise HttpError(400, "the body is not a form in UTF-8") from None
        (table, _, _), cookie = await self._make(request, read_form(form))
        response = RedirectResponse(f"{root_of(request)}/t/{table}", 303)
        if cookie is not None:
            set_cookie(response, request, cookie)
        return response

    async def _make(
        self, request: Request, new: NewTable
    ) -> tuple[tuple[str, str | None, list[SeatTicket]], str | None]:
        """Make a table for the caller. Return the result of `Tables.make`, and a new cookie."""
        await self._check_stored_tables()
        caller, cookie = await self._with_cookie(request)
        return await self.tables.make(new, caller), cookie

    async def join(self, request: Request) -> Response:
        """`POST /api/seats`: take the seat of an invitation."""
        self._count()
        sent = await document_of(request, self.limits.body)
        invitation = read_field(sent, "invitation", str).rpartition("/")[2]
        caller, cookie = await self._with_cookie(request)
        name = read_field(sent, "name", str, None)
        wanted = read_field(sent, "seat", int, None)
        table, seat = await self.tables.join(invitation, name, caller, wanted)
        return _created(
            request, {"table": table, "seat": seat.seat, "token": seat.token}, cookie
        )  # fmt: skip

    async def move_seat(self, request: Request) -> Response:
        """`POST /api/seats/move`: move a seat to this device by a link."""
        self._count()
        sent = await document_of(request, self.limits.body)
        link = read_field(sent, "link", str).rpartition("/")[2]
        caller, cookie = await self._with_cookie(request)
        table, seat = await self.tables.move_seat(link, caller)
        seated = {"table": table, "seat": seat.seat, "token": seat.token}
        return _created(request, seated, cookie)

    async def back(self, request: Request) -> Response:
        """`POST /api/seats/back`: restore a seat by its code."""
        self._count()
        sent = await document_of(request, self.limits.body)
        code = read_field(sent, "code", str)
        caller, cookie = await self._with_cookie(request)
        table, seat = await self.tables.restore_seat(code, caller)
        seated = {"table": table, "seat": seat.seat, "token": seat.token}
        return _created(request, seated, cookie)

    async def elsewhere(self, request: Request) -> Response:
        """`POST /api/tables/T/elsewhere`: make a link that moves the seat to another device."""
        self._count()
        sent = await document_of(request, self.limits.body)
        table, seat = await self._require_seat(request, read_field(sent, "seat", int, None))
        link = f"{_base(request)}/move/{await self.tables.moving_link(table, seat)}"
        return answer({"link": link, "qr": str(qr_svg(link)), "seconds": MOVING_SECONDS}, 201)

    async def code(self, request: Request) -> Response:
        """`POST /api/tables/T/code`: make a code that restores a seat."""
        self._count()
        sent = await document_of(request, self.limits.body)
        table, seat = await self._require_seat(request, read_field(sent, "seat", int, None))
        return answer({"code": await self.tables.fresh_code(table, seat)}, 201)

    async def upload(self, request: Request) -> Response:
        """`POST /api/records`: make a table from an uploaded record."""
        self._count()
        await self._check_stored_tables()
        data = await body_of(request, self.limits.record)
        caller, cookie = await self._with_cookie(request)
        table = await self.tables.upload(data, caller)
        return _created(request, {"table": table, "watch": f"{_base(request)}/t/{table}"}, cookie)

    # ------------------------------------------------------------------ one table

    async def look(self, request: Request) -> Response:
        """`GET /api/tables/T`: return the description of a table."""
        table, visitor = await self._open_table(request)
        sight, base = table.sight(visitor), _base(request)
        text = await self.tables.thinking.draw(sight.is_large, document_text, sight, base)
        return Response(text, media_type="application/json")

    async def move(self, request: Request) -> Response:
        """`POST /api/tables/T/moves`: make a move."""
        sent = await document_of(request, self.limits.body)
        version, text = read_field(sent, "version", int), read_field(sent, "move", str)
        identity = read_field(sent, "id", str)
        if not 0 < len(identity) <= MAX_ID_LENGTH or not identity.isprintable():
            raise HttpError(422, f"id: must have 1 to {MAX_ID_LENGTH} printable characters")
        if len(text) > MAX_MOVE_LENGTH:
            raise HttpError(422, f"move: must have at most {MAX_MOVE_LENGTH} characters")
        table, seat = await self._require_seat(request, read_field(sent, "seat", int, None))
        return answer({"version": await table.play(seat, version, identity, text)})

    async def undo(self, request: Request) -> Response:
        """`POST /api/tables/T/undo`: agree to take the last move back, or withdraw this."""
        sent = await document_of(request, self.limits.body)
        version, agree = read_field(sent, "version", int), read_field(sent, "agree", bool)
        table, seat = await self._require_seat(request, read_field(sent, "seat", int, None))
        version = await table.agree_to_undo(seat, version, agree)
        return answer({"version": version, "agreed": sorted(table.undo)})

    async def marks(self, request: Request) -> Response:
        """`GET /api/tables/T/marks`: return the pencil marks of the caller's seat."""
        table, seat = await self._require_seat(request, None)
        return answer({"marks": await self.tables.marks(table, seat)})

    async def mark(self, request: Request) -> Response:
        """`POST /api/tables/T/marks`: set a pencil mark, or remove it if the mark is `none`."""
        sent = await document_of(request, self.limits.body)
        player, card = read_field(sent, "player", int), read_field(sent, "card", str)
        sign = read_field(sent, "mark", str)
        table, seat = await self._require_seat(request, read_field(sent, "seat", int, None))
        await self.tables.mark(table, seat, player, card, sign)
        return answer({"marks": await self.tables.marks(table, seat)})

    async def hand_over(self, request: Request) -> Response:
        """`POST /api/tables/T/hand-over`: give a seat to a program, to its owner or to nobody."""
        sent = await document_of(request, self.limits.body)
        number, player = read_field(sent, "seat", int), read_field(sent, "player", str)
        self._count()
        table, visitor = await self._open_table(request)
        invitation = await self.tables.hand_over(table, visitor, number, player)
        link = invitation and f"{_base(request)}/join/{invitation}"
        return answer({"version": table.version, "invitation": link})

    async def again(self, request: Request) -> Response:
        """`POST /api/tables/T/again`: return the table of the rematch, which is made if needed."""
        self._count()
        table, visitor = await self._open_table(request)
        if table.again is None:
            await self._check_stored_tables()
        name = await self.tables.again(table, visitor)
        return answer({"table": name, "watch": f"{_base(request)}/t/{name}"}, 201)

    async def start(self, request: Request) -> Response:
        """`POST /api/tables/T/start`: start the game at a waiting table."""
        sent = await document_of(request, self.limits.body)
        fill = read_field(sent, "fill", str, None)
        self._count()
        table, visitor = await self._open_table(request)
        await self.tables.start(table, visitor, fill)
        return answer({"version": table.version})

    async def ready(self, request: Request) -> Response:
        """`POST /api/tables/T/ready`: set whether a player is ready."""
        sent = await document_of(request, self.limits.body)
        ready = read_field(sent, "ready", bool)
        table, seat = await self._require_seat(request, read_field(sent, "seat", int, None))
        await self.tables.set_ready(table, seat, ready)
        return answer({"version": table.version})

    async def leave(self, request: Request) -> Response:
        """`POST /api/tables/T/leave`: leave a seat before the game begins."""
        sent = await document_of(request, self.limits.body)
        table, seat = await self._require_seat(request, read_field(sent, "seat", int, None))
        await self.tables.leave(table, seat)
        return answer({"version": table.version})

    async def say(self, request: Request) -> Response:
        """`POST /api/tables/T/talk`: send a chat line."""
        sent = await document_of(request, self.limits.body)
        text = read_field(sent, "text", str)
        table, seat, name = await self._speaker(request, sent)
        await table.say(seat, name, text)
        return answer({})

    async def react(self, request: Request) -> Response:
        """`POST /api/tables/T/reactions`: send a reaction."""
        sent = await document_of(request, self.limits.body)
        reaction = read_field(sent, "reaction", str)
        table, seat, name = await self._speaker(request, sent)
        table.react(seat, name, reaction)
        return answer({})

    async def talk(self, request: Request) -> Response:
        """`GET /api/tables/T/talk?after=N`: return the chat lines with numbers greater than N."""
        after = request.query_params.get("after", "0")
        table, visitor = await self._open_table(request)
        lines = await table.lines(
            visitor, int(after) if after.isdecimal() and len(after) < 10 else 0
        )
        return answer({"lines": [line._asdict() for line in lines]})

    async def _speaker(
        self, request: Request, sent: dict[str, Any]
    ) -> tuple[Table, int | None, str]:
        """Return the table of a request, and the seat and the name of the author of a chat line.

        The seat is None for a bystander.
        """
        table, visitor = await self._open_table(request, read_field(sent, "seat", int, None))
        seat = visitor.looking if visitor.looking in visitor.seats else None
        self.admission.count("words", None if seat is None else (table.stored.id, seat))
        if seat is None:
            return table, None, check_name(read_field(sent, "name", str, "somebody"), 0)
        # A chat line is signed with the name of the person who owns the seat, even while a program
        # plays for them.
        people = [s._replace(name=s.person) if s.is_held else s for s in table.seats]
        return table, seat, seat_names(people)[seat]

    async def record(self, request: Request) -> Response:
        """`GET /api/tables/T/record`: return the record of the game."""
        table, visitor = await self._open_table(request)
        name = f'attachment; filename="{table.stored.game}.record"'
        return PlainTextResponse(await table.record(visitor), headers={"content-disposition": name})

    async def events(self, request: Request) -> Stream | Response:
        """`GET /api/tables/T/events`: return the event stream of a table."""
        last = request.headers.get("last-event-id", request.query_params.get("after", ""))
        table, visitor = await self._open_table(request)
        streams = self.tables.streams
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        if streams.ending:
            raise HttpError(503, "the server is shutting down")
        # A visitor who sees the game from another player's seat counts as a bystander.
        seat = visitor.looking if visitor.looking in visitor.seats else None
        network = self.admission.check_stream(seat, table.streams, streams.open)
        stream = Stream(seat, table.streams, streams, network)
        table.listen(stream, int(last) if last.isdecimal() and len(last) < 10 else None)
        return stream

    async def help(self, request: Request) -> Response:
        """`GET /api/tables/T/help/WORD`: return the requested help (see `quaternity.web.hints`)."""
        asked = query_of(request)
        table, visitor = await self._open_table(request)
        word = request.path_params["word"]
        return answer(await self.tables.help(table, visitor, word, asked))

    async def games(self, request: Request) -> Response:
        """`GET /api/games`: return all games with their settings, programs and decks."""
        del request
        self.admission.count("page")
        more = self.tables.thinking.players
        return answer({"games": [game_document(game, more) for game in game_names()]})

    # ------------------------------------------------------------------ callers

    async def _open_table(
        self, request: Request, seat: int | None = None, kind: str = "page"
    ) -> tuple[Table, Visitor]:
        """Return the table and the visitor of a request."""
        caller = caller_of(request)
        asked = seat_of(request)
        seat = seat if asked is None else asked
        return await self.tables.open_for(request.path_params["table"], caller, seat, kind)

    async def _require_seat(self, request: Request, seat: int | None) -> tuple[Table, int]:
        """Return the table of a request and the caller's seat.

        Raises `HttpError` if the caller has no seat at the table.
        """
        table, visitor = await self._open_table(request, seat, "move")
        if visitor.looking is None or visitor.looking not in visitor.seats:
            raise HttpError(403, "only players who have a seat can do that")
        return table, visitor.looking

    async def _with_cookie(self, request: Request) -> tuple[Caller, str | None]:
        """Return the caller, and a new cookie for a browser without a valid cookie, or None."""
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

    def _count(self) -> None:
        self.admission.count("table")

    async def _check_stored_tables(self) -> None:
        """Raise `HttpError` if the maximum number of tables is already stored."""
        ((kept,),) = await self.tables.store.rows("SELECT COUNT(*) FROM tables")
        self.admission.check_stored_tables(kept)


def read_field(
    sent: dict[str, Any], name: str, kind: type[Value], missing: Any = _NOTHING
) -> Value:
    """Return a field of a request's document, or `missing` if the field is absent.

    Raises `HttpError` if the value is not of type `kind`, or is absent and no `missing` is passed.
    """
    value = sent.get(name, missing)
    if value is missing and missing is not _NOTHING:
        return missing  # type: ignore[no-any-return]  # the caller's default
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        if value is None and missing is None:
            return None  # type: ignore[return-value]  # null counts as absent
        raise HttpError(422, f"{name}: must be {_WORDS[kind]}")
    return value


_WORDS: dict[type, str] = {
    str: "a string", int: "a whole number", bool: "true or false", list: "a list",
    dict: "an object",
}  # fmt: skip


def document(sight: TableView, base: str) -> dict[str, Any]:
    """Return the description of a table as a JSON document. Its links begin with `base`."""
    rules, seat = sight.rules, sight.seat
    may_move = seat in sight.to_act and seat in sight.own_seats and not sight.empty_seats
    listed = list(islice(rules.moves(sight.view), MAX_LISTED_MOVES + 1)) if may_move else []
    outcome = None if sight.places is None else {"places": sight.places, "points": sight.points}
    return {
        "table": sight.table,
        "game": sight.game,
        "settings": sight.settings,
        "deck": sight.deck,
        "version": sight.version,
        "seat": seat,
        "begun": sight.begun,
        "invitation": sight.invitation and f"{base}/join/{sight.invitation}",
        "seats": [
            {"name": s.name, "kind": s.kind, "present": s.present, "ready": s.ready}
            for s in sight.seats
        ],
        "to_act": sight.to_act,
        "awaited": sight.empty_seats,
        "view": rules.view_json(sight.view) if sight.begun else None,
        "moves": [rules.write(move) for move in listed[:MAX_LISTED_MOVES]],
        **({"more": True} if len(listed) > MAX_LISTED_MOVES else {}),
        "points": sight.points,
        "outcome": outcome,
        "help": sight.help,
        "practice": sight.practice,
        "thinking": sight.thinking,
        "undo": sight.undo,
        "notice": sight.notice,
        "again": sight.rematch,
        "chat": sight.chat,
        "clock": None
        if sight.clock is None
        else {
            **sight.clock._asdict(),
            "left": [round(left, 1) for left in sight.times_left],
        },
        "evening": [score._asdict() for score in sight.series],
    }


def document_text(sight: TableView, base: str) -> str:
    """Return the description of a table as JSON text."""
    return json.dumps(document(sight, base), separators=(",", ":"))


def game_document(game: str, more: Any) -> dict[str, Any]:
    """Return the values that a form for a new table needs: settings, programs and decks of a game.

    `more` maps the programs that the operator has added.
    """
    return {
        "game": game,
        "settings": [form_field._asdict() for form_field in form_fields(game)],
        "players": known_players(game, more),
        "levels": [level._asdict() for level in registration(game).levels],
        "decks": [deck.name for deck in decks_of(game)],
    }


def _base(request: Request) -> str:
    """Return the scheme, host and path prefix with which all links in a response begin."""
    return str(request.base_url).rstrip("/")


def _created(request: Request, document: Any, cookie: str | None) -> Response:
    response = answer(document, 201)
    if cookie is not None:
        set_cookie(response, request, cookie)
    return response


def error_response(request: Request, error: Exception) -> Response:
    """Return the JSON response to a request that raised `HttpError`."""
    del request
    assert isinstance(error, HttpError), "this handler is registered only for HttpError"
    # Drop the traceback, whose frames would keep the body of the request in memory.
    error.__traceback__ = error.__context__ = None
    return answer(error.document, error.status, error.headers)
