"""The HTML pages: their routes, and the functions that return them."""

from __future__ import annotations

import asyncio
import gzip
import sys
from collections import OrderedDict
from collections.abc import Hashable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from quaternity import guide
from quaternity.base.errors import InputError
from quaternity.table.games import game_names, registration
from quaternity.web.drawing.words import seat_names
from quaternity.web.fair_queue import FairQueue
from quaternity.web.http_errors import HttpError
from quaternity.web.languages import gettext, language, translate
from quaternity.web.lesson_pages import analysis_page
from quaternity.web.middleware import (
    body_of,
    caller_of,
    new_cookie,
    query_of,
    root_of,
    seat_of,
    set_cookie,
)
from quaternity.web.new_table import check_game
from quaternity.web.puzzle_pages import PuzzlePages, daily_puzzles
from quaternity.web.rendering import (
    analyse_html,
    analysis_html,
    guide_html,
    guide_pictures,
    help_html,
    home_html,
    join_html,
    learn_html,
    message_html,
    move_html,
    new_html,
    static_files,
    table_html,
    templates,
)  # fmt: skip
from quaternity.web.requests import base_of
from quaternity.web.table_view import TableView, page_key
from quaternity.web.view import view_after, view_table

MAX_UPLOAD_BYTES = 1 << 20
"""Maximum size of a file that a visitor uploads for analysis, in bytes."""

BASE = "\x02"
"""Placeholder for the server's address in a cached page. The character occurs nowhere else."""

MAX_CACHED_PAGE_BYTES = 8 << 20
"""Maximum total size of the cached pages, in bytes. The least recently used page is dropped first.
"""

MEDIA_TYPES = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "txt": "text/plain",
}


@cache
def _load_drawing() -> None:
    """Load templates and drawing modules once, because this takes longer than a request may."""
    for name in templates().list_templates():
        templates().get_template(name)
    for game in game_names():
        new_html(game)
        registration(game).part("drawing")


class Pages:
    """The functions that answer requests for HTML pages. Drawn pages are kept in a cache."""

    def __init__(self, tables: Any) -> None:
        self.tables = tables
        self._turns = FairQueue(1, 1), FairQueue(1, 1)
        """The queue of requests for small pages, and the queue for large pages. Each queue handles
        one request at a time, so that moves can be handled between two pages. The client addresses
        take turns. Another process draws the large pages."""
        self.puzzles = PuzzlePages(tables.thinking, self._turns[0])
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        _load_drawing()

    def routes(self) -> list[BaseRoute]:
        """Return the routes of all pages."""
        gets = {
            "/": self.home,
            "/new": self.new,
            "/join/{invitation}": self.join,
            "/move/{link}": self.move,
            "/t/{table}": self.table,
            "/t/{table}/part": self.part,
            "/t/{table}/at/{number}": self.moment,
            "/t/{table}/help/{word}": self.help,
            "/learn": self.learn,
            "/analyse": self.analyse,
            "/report": self.report,
            "/guide": self.guide,
            "/guide/{name}": self.guide,
            "/static/{version}/{name}": self.static,
        }
        # Compress pages, which makes the page of a large game twenty times smaller.
        packed = [Middleware(GZipMiddleware, minimum_size=1000, compresslevel=1)]
        return [
            Route("/learn", self.analyse_file, methods=["POST"]),
            *(
                Route(path, handler, methods=["GET"], middleware=packed)
                for path, handler in gets.items()
            ),
            *self.puzzles.routes(),
        ]

    async def home(self, request: Request) -> Response:
        """`GET /`: return the start page."""
        self._count()
        # Read the tables outside the queue, so that a database that does not answer blocks no
        # other page.
        tables = await self.tables.lobby.of_browser(caller_of(request).cookie_hash)
        async with self._turns[0].hold_place():
            root = root_of(request)
            today = daily_puzzles(datetime.now(UTC).date(), root)
            return HTMLResponse(home_html(tables, root, today))

    async def new(self, request: Request) -> Response:
        """`GET /new?game=`: return the form for a new table."""
        self._count()
        game = check_game(request.query_params.get("game", "quaternity"), 404)
        friends = request.query_params.get("with") != "programs"
        more = self._added_programs(game)
        return HTMLResponse(new_html(game, root_of(request), more, friends))

    async def join(self, request: Request) -> Response:
        """`GET /join/INVITATION`: return the page on which a visitor can accept an invitation.

        A visitor who already has the seat is redirected to the table. If the invitation is for any
        free seat, every visitor who has a seat is redirected.
        """
        self._count()
        invitation = request.path_params["invitation"]
        table, seat = await self.tables.lobby.open_invitation(invitation)
        caller = caller_of(request)
        visitor = table.identify(caller)
        sight = view_table(table, visitor)
        if seat in visitor.seats or (seat is None and visitor.seats):
            return RedirectResponse(f"{root_of(request)}/t/{sight.table}", 303)
        response = HTMLResponse(join_html(sight, seat, invitation, root_of(request)))
        if caller.cookie_hash is None:
            # Set the cookie before the visitor takes the seat. If the response to that request is
            # lost, the visitor can repeat it.
            set_cookie(response, request, new_cookie(request))
        return response

    async def move(self, request: Request) -> Response:
        """`GET /move/LINK`: return a page with a button that moves a seat to the client's device.

        The link stays valid until the button is pressed.
        """
        self._count()
        link = request.path_params["link"]
        table, seat = await self.tables.links.open_moving_link(link)
        name = seat_names(table.state.seats)[seat]
        response = HTMLResponse(move_html(table.state.rules.name, name, link, root_of(request)))
        if caller_of(request).cookie_hash is None:
            set_cookie(response, request, new_cookie(request))
        return response

    async def table(self, request: Request) -> Response:
        """`GET /t/T`: return the page on which a game is played."""
        return await self._respond_with_table(request, await self._sight(request))

    async def part(self, request: Request) -> Response:
        """`GET /t/T/part?at=V`: return the part of a game's page that changes with each move.

        `at` is the number of log entries up to the position to show. The default is the latest.
        """
        asked, at = seat_of(request), request.query_params.get("at")
        version = sys.maxsize if at is None else _number(at)
        name, caller = request.path_params["table"], caller_of(request)
        table, visitor = await self.tables.live.open_for(name, caller, asked)
        sight = await view_after(table, visitor, version, asked is not None)
        response = await self._respond_with_table(request, sight, whole=False)
        response.headers["quaternity-version"] = str(sight.version)
        response.headers["quaternity-latest"] = str(max(sight.version, table.state.version))
        return response

    async def moment(self, request: Request) -> Response:
        """`GET /t/T/at/N?seat=`: return the page of a game, as it was after N moves."""
        sight = await self._sight(request, _number(request.path_params["number"]))
        return await self._respond_with_table(request, sight, replayed=True)

    async def help(self, request: Request) -> Response:
        """`GET /t/T/help/WORD`: return help for a player, such as a hint, as HTML."""
        asked = query_of(request)
        name, word = request.path_params["table"], request.path_params["word"]
        table, visitor = await self.tables.live.open_for(name, caller_of(request))
        table.state.check_begun()
        sight = view_table(table, visitor)
        known = word == "know" and word in dict(registration(sight.game).help)
        if known and sight.help and "formula" not in asked:
            answer = {}  # a page with an empty form for the formula
        else:
            answer = await self.tables.assistance.help(table, visitor, word, asked)
        draws = sight.is_large, help_html, sight, word, answer, asked, root_of(request)
        async with self._turns[sight.is_large].hold_place():
            return HTMLResponse(await self.tables.thinking.draw(*draws))

    async def learn(self, request: Request) -> Response:
        """`GET /learn`: return the page *Learn*, with links to rules and lessons."""
        self._count()
        return HTMLResponse(learn_html(root_of(request)))

    async def analyse(self, request: Request) -> Response:
        """`GET /analyse`: return the page to which visitors can upload files."""
        self._count()
        return HTMLResponse(analyse_html(root_of(request)))

    async def analyse_file(self, request: Request) -> Response:
        """`POST /learn`: return a page with the analysis of an uploaded file."""
        data = await body_of(request, MAX_UPLOAD_BYTES)
        asked = data, root_of(request), language()
        try:
            page, status = await self.tables.thinking.count(analysis_page, *asked, kind="learn")
        # Show an error with status 422 on the page. It says that the analysis took too much time or
        # memory.
        except HttpError as error:
            if error.status != 422:
                raise
            page, status = analysis_html(None, str(error), root_of(request)), 422
        return HTMLResponse(page, status)

    async def guide(self, request: Request) -> Response:
        """`GET /guide/NAME`: return a page or a picture of the user guide."""
        self._count()
        name = request.path_params.get("name")
        if name in guide_pictures():
            return Response(guide_pictures()[name], media_type=MEDIA_TYPES["svg"])
        if name is None:
            return RedirectResponse(f"{root_of(request)}/guide/{guide.ORDER[0]}", 307)
        try:
            return HTMLResponse(await asyncio.to_thread(guide_html, name, root_of(request)))
        except InputError as error:
            raise HttpError(404, str(error)) from None

    async def report(self, request: Request) -> Response:
        """`GET /report`: redirect to the guide's page about the comparison of the solvers."""
        return RedirectResponse(f"{root_of(request)}/guide/solvers", 307)

    def _count(self) -> None:
        self.tables.thinking.admission.count("page")

    async def _respond_with_table(
        self, request: Request, sight: TableView, whole: bool = True, replayed: bool = False
    ) -> Response:
        """Return the page of a game, or only the part of it that changes with each move.

        `whole` says whether to return the whole page. `replayed` says whether the page shows a
        position that the visitor has chosen. The page comes from the cache if possible.
        """
        packs = "gzip" in request.headers.get("accept-encoding", "")
        sight = sight._replace(times_left=tuple(round(left, 1) for left in sight.times_left))
        more = () if replayed else tuple(self._added_programs(sight.game))
        base, root = base_of(request), root_of(request)
        # A page without invitation links is cached once for all hosts, with a placeholder for the
        # address. Other pages may contain QR codes of the address, so each host needs its own.
        drawing = base if sight.invites else BASE, root, whole, replayed, more
        key = page_key(sight), drawing, language()
        page = self._kept.get(key)
        if page is None:
            async with self._turns[sight.is_large].hold_place():
                # Look again, because another request may have drawn the page in the meantime.
                page = self._kept.get(key)
                if page is None:
                    draws = sight.is_large, table_html, sight, *drawing
                    html = await self.tables.thinking.draw(*draws)
                    page = self._kept[key] = html.encode()
                    while sum(map(len, self._kept.values())) > MAX_CACHED_PAGE_BYTES:
                        self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        page = page.replace(BASE.encode(), base.encode())
        page = gzip.compress(page, 1) if packs else page
        headers = {"content-encoding": "gzip", "vary": "accept-encoding"} if packs else None
        return HTMLResponse(page, headers=headers)

    def _added_programs(self, game: str) -> list[str]:
        return [name for other, name in self.tables.thinking.players if other == game]

    async def _sight(self, request: Request, at: int | None = None) -> TableView:
        sight: TableView = await self.tables.view(
            request.path_params["table"], caller_of(request), seat_of(request), at
        )
        return sight

    async def static(self, request: Request) -> Response:
        """`GET /static/VERSION/NAME`: return a static file."""
        version, name = request.path_params["version"], request.path_params["name"]
        data = static_files().get(f"/static/{version}/{name}")
        if data is None:
            raise HttpError(404, "there is no such file")
        headers = {"cache-control": "public, max-age=31536000, immutable"}
        return Response(data, media_type=MEDIA_TYPES[name.rpartition(".")[2]], headers=headers)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise HttpError(404, "there is no move with this number")
    # Do not parse a long number, because Python refuses numbers with thousands of digits.
    return int(text) if len(text) < 8 else sys.maxsize


def refusal(request: Request, error: HttpError) -> Response:
    """Return an HTML page that says why a request was refused, with the status of the error."""
    headline = gettext("Not found") if error.status == 404 else gettext("That is not possible")
    text = translate(error.args[0])
    text = f"{text[:1].upper()}{text[1:]}."
    html = message_html(headline, text, root_of(request))
    return HTMLResponse(html, error.status, error.headers)
