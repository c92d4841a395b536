"""The JSON API for tables and seats: functions that answer requests to make or change them."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quaternity.table.games import game_names
from quaternity.web.clock import read_clock
from quaternity.web.documents import game_document
from quaternity.web.drawing.frame import qr_svg
from quaternity.web.http_errors import HttpError
from quaternity.web.middleware import answer, body_of, root_of, set_cookie
from quaternity.web.new_table import NewTable, Permissions
from quaternity.web.request_fields import (
    CodeFields,
    HandOverFields,
    JoinFields,
    LinkFields,
    ReadyFields,
    SeatFields,
    StartFields,
    TableFields,
)
from quaternity.web.requests import Handlers, answer_with_cookie, base_of
from quaternity.web.seat_commands import SeatTicket
from quaternity.web.seat_links import MOVING_SECONDS
from quaternity.web.table_form import MAX_FORM_FIELDS, read_form


class LobbyApi(Handlers):
    """The functions that answer requests to make tables and change seats."""

    async def make(self, request: Request) -> Response:
        """`POST /api/tables`: make a table."""
        self.count()
        sent = await self.read(request, TableFields)
        if sent.seed is not None and not 0 <= sent.seed < 1 << 64:
            raise HttpError(422, "seed: must be a whole number from 0 to 2**64 - 1")
        new = NewTable(
            sent.game, sent.settings or {}, sent.seats, sent.name, sent.seed, sent.deck,
            read_clock(sent.clock), Permissions(sent.help, sent.chat, sent.visitors),
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
        return answer_with_cookie(request, document, cookie)

    async def make_by_form(self, request: Request) -> Response:
        """`POST /new`: make a table from the form on a page, for browsers without scripts."""
        self.count()
        try:
            sent = (await body_of(request, self.limits.body)).decode()
            form = parse_qs(sent, keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS)
        except ValueError:
            raise HttpError(400, "the body must be an HTML form in UTF-8") from None
        new = read_form(form)
        await self.check_stored_tables()
        caller, cookie = await self.with_cookie(request)
        table, _, _ = await self.tables.lobby.make(new, caller, ready=False)
        response = RedirectResponse(f"{root_of(request)}/t/{table}", 303)
        if cookie is not None:
            set_cookie(response, request, cookie)
        return response

    async def join(self, request: Request) -> Response:
        """`POST /api/seats`: give the caller the seat to which an invitation link leads."""
        self.count()
        sent = await self.read(request, JoinFields)
        invitation = sent.invitation.rpartition("/")[2]
        caller, cookie = await self.with_cookie(request)
        table, seat = await self.tables.lobby.join(
            invitation, sent.name, caller, sent.seat, sent.ready
        )
        return _answer_seat(request, table, seat, cookie)

    async def move_seat(self, request: Request) -> Response:
        """`POST /api/seats/move`: move a seat to the device that sends the link."""
        self.count()
        sent = await self.read(request, LinkFields)
        link = sent.link.rpartition("/")[2]
        caller, cookie = await self.with_cookie(request)
        table, seat = await self.tables.links.move_seat(link, caller)
        return _answer_seat(request, table, seat, cookie)

    async def back(self, request: Request) -> Response:
        """`POST /api/seats/back`: give a seat back to a caller who has the code of the seat."""
        self.count()
        sent = await self.read(request, CodeFields)
        caller, cookie = await self.with_cookie(request)
        table, seat = await self.tables.links.restore_seat(sent.code, caller)
        return _answer_seat(request, table, seat, cookie)

    async def elsewhere(self, request: Request) -> Response:
        """`POST /api/tables/T/elsewhere`: return a link that moves the seat to another device."""
        self.count()
        sent = await self.read(request, SeatFields)
        table, seat = await self.require_seat(request, sent.seat)
        link = f"{base_of(request)}/move/{await self.tables.links.moving_link(table, seat)}"
        return answer({"link": link, "qr": str(qr_svg(link)), "seconds": MOVING_SECONDS}, 201)

    async def code(self, request: Request) -> Response:
        """`POST /api/tables/T/code`: return a code with which the owner can get the seat back."""
        self.count()
        sent = await self.read(request, SeatFields)
        table, seat = await self.require_seat(request, sent.seat)
        return answer({"code": await self.tables.links.fresh_code(table, seat)}, 201)

    async def upload(self, request: Request) -> Response:
        """`POST /api/records`: make a table for watching the game of an uploaded record."""
        self.count()
        await self.check_stored_tables()
        data = await body_of(request, self.limits.record)
        caller, cookie = await self.with_cookie(request)
        table = await self.tables.lobby.upload(data, caller)
        return answer_with_cookie(
            request, {"table": table, "watch": f"{base_of(request)}/t/{table}"}, cookie
        )

    async def hand_over(self, request: Request) -> Response:
        """`POST /api/tables/T/hand-over`: give a seat to another player, or make it free."""
        sent = await self.read(request, HandOverFields)
        self.count()
        table, visitor = await self.open_table(request)
        invitation = await self.tables.lobby.hand_over(table, visitor, sent.seat, sent.player)
        link = invitation and f"{base_of(request)}/join/{invitation}"
        return answer({"version": table.state.version, "invitation": link})

    async def again(self, request: Request) -> Response:
        """`POST /api/tables/T/again`: make a table for the rematch if needed. Return its id."""
        self.count()
        sent = await self.read(request, SeatFields)
        table, visitor = await self.open_table(request, sent.seat)
        if table.state.stored.again is None:
            await self.check_stored_tables()
        name = await self.tables.lobby.again(table, visitor)
        return answer({"table": name, "watch": f"{base_of(request)}/t/{name}"}, 201)

    async def start(self, request: Request) -> Response:
        """`POST /api/tables/T/start`: start the game. Only the host may do so."""
        sent = await self.read(request, StartFields)
        self.count()
        table, visitor = await self.open_table(request, sent.seat)
        await self.tables.lobby.start(table, visitor, sent.fill)
        return answer({"version": table.state.version})

    async def ready(self, request: Request) -> Response:
        """`POST /api/tables/T/ready`: store whether a player is ready for the game to begin."""
        sent = await self.read(request, ReadyFields)
        table, seat = await self.require_seat(request, sent.seat)
        await self.tables.lobby.set_ready(table, seat, sent.ready, sent.countdown)
        return answer({"version": table.state.version})

    async def leave(self, request: Request) -> Response:
        """`POST /api/tables/T/leave`: leave a seat before the game begins."""
        sent = await self.read(request, SeatFields)
        table, seat = await self.require_seat(request, sent.seat)
        await self.tables.lobby.leave(table, seat)
        return answer({"version": table.state.version})

    async def games(self, request: Request) -> Response:
        """`GET /api/games`: return all games with their settings, computer players and decks."""
        del request
        self.admission.count("page")
        more = self.tables.thinking.players
        return answer({"games": [game_document(game, more) for game in game_names()]})


def _answer_seat(request: Request, table: str, seat: SeatTicket, cookie: str | None) -> Response:
    return answer_with_cookie(
        request, {"table": table, "seat": seat.seat, "token": seat.token}, cookie
    )
