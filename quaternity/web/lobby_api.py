"""Request handlers of the JSON API that make tables and change seats."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quaternity.base.text_format import quote_value
from quaternity.table.games import game_names
from quaternity.web.clock import read_clock
from quaternity.web.documents import game_document
from quaternity.web.drawing.frame import qr_svg
from quaternity.web.http_errors import HttpError
from quaternity.web.middleware import answer, body_of, document_of, root_of, set_cookie
from quaternity.web.new_table import NewTable, Permissions
from quaternity.web.requests import Handlers, base_of, created, read_field
from quaternity.web.seat_commands import SeatTicket
from quaternity.web.seat_links import MOVING_SECONDS
from quaternity.web.table_form import MAX_FORM_FIELDS, read_form

TABLE_FIELDS = (
    "game", "settings", "seats", "name", "help", "seed", "deck", "chat", "clock", "visitors",
)  # fmt: skip
"""The fields of a request for a new table."""


class LobbyApi(Handlers):
    """The handlers of requests for new tables and for seats."""

    async def make(self, request: Request) -> Response:
        """`POST /api/tables`: make a table."""
        self.count()
        sent = await document_of(request, self.limits.body)
        # Refuse unknown fields, because they may be misspelled.
        if unknown := sent.keys() - set(TABLE_FIELDS):
            known = ", ".join(TABLE_FIELDS)
            raise HttpError(
                422, f"{quote_value(min(unknown), str)} is unknown; choose from {known}"
            )
        seats = read_field(sent, "seats", list)
        if not all(isinstance(seat, str) for seat in seats):
            raise HttpError(422, "seats: must be a list of strings")
        seed = read_field(sent, "seed", int, None)
        if seed is not None and not 0 <= seed < 1 << 64:
            raise HttpError(422, "seed: must be a whole number from 0 to 2**64 - 1")
        allowed = (read_field(sent, name, bool, False) for name in Permissions._fields)
        new = NewTable(
            read_field(sent, "game", str), read_field(sent, "settings", dict, {}), seats,
            read_field(sent, "name", str, None), seed, read_field(sent, "deck", str, None),
            read_clock(read_field(sent, "clock", dict, None)), Permissions(*allowed),
        )  # fmt: skip
        await self.check_stored_tables()
        caller, cookie = await self.with_cookie(request)
        table, invitation, seated = await self.tables.lobby.make(new, caller)
        base = base_of(request)
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
        return created(request, document, cookie)

    async def make_by_form(self, request: Request) -> Response:
        """`POST /new`: make a table from the form of the page, which needs no script."""
        self.count()
        try:
            sent = (await body_of(request, self.limits.body)).decode()
            form = parse_qs(sent, keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS)
        except ValueError:
            raise HttpError(400, "the body is not a form in UTF-8") from None
        new = read_form(form)
        await self.check_stored_tables()
        caller, cookie = await self.with_cookie(request)
        table, _, _ = await self.tables.lobby.make(new, caller, ready=False)
        response = RedirectResponse(f"{root_of(request)}/t/{table}", 303)
        if cookie is not None:
            set_cookie(response, request, cookie)
        return response

    async def join(self, request: Request) -> Response:
        """`POST /api/seats`: take the seat of an invitation."""
        self.count()
        sent = await document_of(request, self.limits.body)
        invitation = read_field(sent, "invitation", str).rpartition("/")[2]
        caller, cookie = await self.with_cookie(request)
        name = read_field(sent, "name", str, None)
        wanted = read_field(sent, "seat", int, None)
        ready = read_field(sent, "ready", bool, True)
        table, seat = await self.tables.lobby.join(invitation, name, caller, wanted, ready)
        return _answer_seat(request, table, seat, cookie)

    async def move_seat(self, request: Request) -> Response:
        """`POST /api/seats/move`: move a seat to this device by a link."""
        self.count()
        sent = await document_of(request, self.limits.body)
        link = read_field(sent, "link", str).rpartition("/")[2]
        caller, cookie = await self.with_cookie(request)
        table, seat = await self.tables.links.move_seat(link, caller)
        return _answer_seat(request, table, seat, cookie)

    async def back(self, request: Request) -> Response:
        """`POST /api/seats/back`: restore a seat by its code."""
        self.count()
        sent = await document_of(request, self.limits.body)
        code = read_field(sent, "code", str)
        caller, cookie = await self.with_cookie(request)
        table, seat = await self.tables.links.restore_seat(code, caller)
        return _answer_seat(request, table, seat, cookie)

    async def elsewhere(self, request: Request) -> Response:
        """`POST /api/tables/T/elsewhere`: make a link that moves the seat to another device."""
        self.count()
        sent = await document_of(request, self.limits.body)
        table, seat = await self.require_seat(request, read_field(sent, "seat", int, None))
        link = f"{base_of(request)}/move/{await self.tables.links.moving_link(table, seat)}"
        return answer({"link": link, "qr": str(qr_svg(link)), "seconds": MOVING_SECONDS}, 201)

    async def code(self, request: Request) -> Response:
        """`POST /api/tables/T/code`: make a code that restores a seat."""
        self.count()
        sent = await document_of(request, self.limits.body)
        table, seat = await self.require_seat(request, read_field(sent, "seat", int, None))
        return answer({"code": await self.tables.links.fresh_code(table, seat)}, 201)

    async def upload(self, request: Request) -> Response:
        """`POST /api/records`: make a table from an uploaded record."""
        self.count()
        await self.check_stored_tables()
        data = await body_of(request, self.limits.record)
        caller, cookie = await self.with_cookie(request)
        table = await self.tables.lobby.upload(data, caller)
        return created(request, {"table": table, "watch": f"{base_of(request)}/t/{table}"}, cookie)

    async def hand_over(self, request: Request) -> Response:
        """`POST /api/tables/T/hand-over`: give a seat to a program, to its owner or to nobody."""
        sent = await document_of(request, self.limits.body)
        number, player = read_field(sent, "seat", int), read_field(sent, "player", str)
        self.count()
        table, visitor = await self.open_table(request)
        invitation = await self.tables.lobby.hand_over(table, visitor, number, player)
        link = invitation and f"{base_of(request)}/join/{invitation}"
        return answer({"version": table.state.version, "invitation": link})

    async def again(self, request: Request) -> Response:
        """`POST /api/tables/T/again`: return the table of the rematch, which is made if needed."""
        self.count()
        table, visitor = await self.open_table(request)
        if table.state.stored.again is None:
            await self.check_stored_tables()
        name = await self.tables.lobby.again(table, visitor)
        return answer({"table": name, "watch": f"{base_of(request)}/t/{name}"}, 201)

    async def start(self, request: Request) -> Response:
        """`POST /api/tables/T/start`: start the game at a waiting table."""
        sent = await document_of(request, self.limits.body)
        fill = read_field(sent, "fill", str, None)
        self.count()
        table, visitor = await self.open_table(request)
        await self.tables.lobby.start(table, visitor, fill)
        return answer({"version": table.state.version})

    async def ready(self, request: Request) -> Response:
        """`POST /api/tables/T/ready`: set whether a player is ready."""
        sent = await document_of(request, self.limits.body)
        ready, later = (
            read_field(sent, "ready", bool), read_field(sent, "countdown", bool, False)
        )  # fmt: skip
        table, seat = await self.require_seat(request, read_field(sent, "seat", int, None))
        await self.tables.lobby.set_ready(table, seat, ready, later)
        return answer({"version": table.state.version})

    async def leave(self, request: Request) -> Response:
        """`POST /api/tables/T/leave`: leave a seat before the game begins."""
        sent = await document_of(request, self.limits.body)
        table, seat = await self.require_seat(request, read_field(sent, "seat", int, None))
        await self.tables.lobby.leave(table, seat)
        return answer({"version": table.state.version})

    async def games(self, request: Request) -> Response:
        """`GET /api/games`: return all games with their settings, programs and decks."""
        del request
        self.admission.count("page")
        more = self.tables.thinking.players
        return answer({"games": [game_document(game, more) for game in game_names()]})


def _answer_seat(request: Request, table: str, seat: SeatTicket, cookie: str | None) -> Response:
    """Return the response to a caller who has got a seat."""
    return created(request, {"table": table, "seat": seat.seat, "token": seat.token}, cookie)
