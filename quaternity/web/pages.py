"""The pages: what a sight of a table looks like in HTML, and the pages around the tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib import import_module, resources
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from quaternity import guide
from quaternity.errors import InputError, QuaternityError
from quaternity.game.card_picture import card_svg, suit_svg
from quaternity.game.cards import Card
from quaternity.table.games import rules_class
from quaternity.table.players import PLAYERS, STRONGEST
from quaternity.web.drawing.words import plain_names, seat_names, told
from quaternity.web.forms import form_fields
from quaternity.web.guards import body_of, caller_of, set_cookie
from quaternity.web.learning import learned
from quaternity.web.refusal import Refusal
from quaternity.web.sight import Sight
from quaternity.web.tables import fresh
from solvers.wording import counted, listed

DRAWINGS = {"quaternity": "quaternity", "kwartet": "kwartet", "quarto": "quarto", "set": "ternary"}
"""Per game its module in `quaternity.web.drawing`."""

TITLES = {"quaternity": "Quaternity", "kwartet": "Kwartet", "quarto": "Quarto", "set": "SET"}

TEXTS = {
    "quaternity": "Nobody has dealt the cards: questions and answers alone decide who can own "
    "what. Ask well, and whole sets become yours while every deal stays possible.",
    "kwartet": "All cards are dealt, and everybody sees his own hand. Ask the others for cards you "
    "lack, remember who asked for what, and put down sets of four.",
    "quarto": "Sixteen pieces with four properties: four in a row that share one of them win. But "
    "it is your opponent who chooses the piece that you place.",
    "set": "Three cards that are all alike or all different in every property are a SET. All look "
    "at once, and whoever sees one first takes it.",
}
"""What each game is, in two sentences."""

MOST_TOLD = 100
"""So many of the latest events are in a page; a replay shows the others."""

MOST_NEWS = 6

MOST_SAID = 1000
"""Characters of a formula or a move that is asked about."""

MOST_FILE = 1 << 20
"""Bytes of a file that is dropped on a page."""

READ = "read"
"""What asks, of chances in Kwartet, for those that are read from the requests."""

HELP = {
    "quaternity": (
        ("chances", "Chances"), ("questions", "What questions tell"), ("hint", "Hint"),
        ("why", "Why?"),
    ),
    "kwartet": (
        ("chances", "Chances"), (f"chances?{READ}=1", "Chances read from requests"),
        ("hint", "Hint"), ("know", "What do I know?"),
    ),
    "quarto": (("hint", "Hint"), ("analysis", "Who can win")),
    "set": (("hint", "Hint"),),
}  # fmt: skip
"""Per game what may be asked for, by its word in requests, where help is allowed."""


class Chair(NamedTuple):
    """A seat as the frame of a table draws it.

    Attributes:
        state: what is to be said of who sits there, or empty.
        invitation: a whole link, for who may invite to it; `qr` is its picture.
    """

    number: int
    kind: str
    mine: bool
    acting: bool
    state: str
    points: str
    points_word: str
    note: str
    invitation: str | None
    qr: Markup | None
    first_open: bool


@cache
def static_files() -> dict[str, bytes]:
    """What browsers load besides pages, by path. Paths change with what is in them, so that they
    may be kept for ever, and files that name each other do so within one version."""
    folder = resources.files("quaternity.web") / "static"
    found = {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}
    version = sha256(b"".join(found[name] for name in sorted(found))).hexdigest()[:12]
    return {f"/static/{version}/{name}": data for name, data in found.items()}


def static(name: str) -> str:
    """The path of a static file."""
    return next(path for path in static_files() if path.endswith(f"/{name}"))


@cache
def templates() -> Environment:
    """The templates; everything in them is escaped."""
    found = Environment(
        loader=PackageLoader("quaternity.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    found.globals.update(
        static=static,
        suit=lambda index: Markup(suit_svg(index)),
        grouped=grouped,
        card=lambda one, *parts: Markup(card_svg(Card(*one), *parts)),
    )
    return found


def grouped(digits: str) -> str:
    """A large number as people read it.

    >>> grouped("1234567"), grouped("53644737765488792839237440000")
    ('1,234,567', 'about 5.36 × 10²⁸')
    """
    if len(digits) < 16:
        return f"{int(digits):,}"
    power = str(len(digits) - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"about {digits[0]}.{digits[1:3]} × 10{power}"


def table_html(
    sight: Sight, base: str, root: str = "", whole: bool = True, replayed: bool = False
) -> str:
    """The page of a table, or the part of it that changes.

    Args:
        base: where links for others begin, without a last slash.
        root: where links of this page begin.
        replayed: whether it is a moment of the game that one looks at, not the table itself.
    """
    name = "table.html" if whole else "table_part.html"
    return templates().get_template(name).render(table_context(sight, base, root, replayed))


def table_context(sight: Sight, base: str, root: str, replayed: bool) -> dict[str, Any]:
    """All that the templates of a table draw."""
    module = import_module(f"quaternity.web.drawing.{DRAWINGS[sight.game]}")
    mine = sight.mine
    eyes = _eyes(sight, seat_names(sight.seats)) if replayed else []
    if replayed:
        sight = sight._replace(mine=(), to_act=())  # there is nothing to do in the past
    drawn: dict[str, Any] = module.part(sight)
    names = seat_names(sight.seats)
    acting = sight.seat in sight.to_act and sight.seat in sight.mine
    headline, advice = _headline(sight, names, replayed)
    if not replayed:
        headline, advice = drawn.get("headline", headline), drawn.get("advice", advice)
    events = _events(sight, names)
    return {
        "sight": sight,
        "drawn": drawn,
        "names": names,
        "mine": sight.seat in mine,
        "plain": plain_names(sight.seats),
        "root": root,
        "headline": headline,
        "advice": advice,
        "acting": acting,
        "title": f"{'● ' if acting else ''}{headline} – {TITLES[sight.game]}",
        "chairs": _chairs(sight, names, drawn.get("notes", ()), base),
        "news": drawn.get("news", _news(sight, events)),
        "history": events[: -MOST_TOLD - 1 : -1],
        "more": len(events) > MOST_TOLD,
        "watch": f"{base}/t/{sight.watch}",
        "replayed": replayed,
        "archive": not sight.to_act and sight.places is None,
        "help_words": HELP[sight.game],
        "movable": [] if sight.places is not None else _movable(sight),
        "programs": programs(sight.game),
        "seat_query": f"?seat={sight.seat}" if replayed and sight.seat is not None else "",
        "who_undo": listed([names[seat] for seat in sight.undo]) if sight.undo else "",
        "only_here": urlsplit(base).hostname in ("127.0.0.1", "localhost", "::1"),
        "eyes": eyes,
    }


def _movable(sight: Sight) -> list[int]:
    """The seats that whoever looks may hand over."""
    empty = [
        number for number, one in enumerate(sight.seats) if one.kind != "person" or not one.present
    ]
    return sorted({*sight.mine, *empty}) if sight.mine else []


def _eyes(sight: Sight, names: list[str]) -> list[tuple[int | None, str]]:
    """From which seats a moment may be looked at, with their names."""
    seats = range(len(names)) if sight.revealed is not None else sight.mine
    seen = [(seat, names[seat]) for seat in seats] if sight.rules.hidden else []
    return [(None, "everybody"), *seen] if seen else []


def _headline(sight: Sight, names: list[str], replayed: bool) -> tuple[str, str]:
    """What happens now, and a sentence more."""
    if sight.places is not None:
        first = [seat for seat, place in enumerate(sight.places) if place == 1]
        if len(first) > 1:
            return "Nobody wins alone", f"{listed([names[seat] for seat in first])} share it."
        won = "You win" if first[0] == sight.seat else f"{names[first[0]]} wins"
        return won, "The game is over."
    if replayed:
        return f"After {counted(sight.number, 'move')}", ""
    if not sight.to_act:
        return "A recorded game", "It ends before somebody has won."
    if sight.seat in sight.to_act:
        return "Your turn", ""
    waiting = [seat for seat in sight.to_act if sight.seats[seat].kind == "open"]
    who = listed([names[seat] for seat in sight.to_act])
    if waiting:
        empty = listed([names[seat] for seat in waiting])
        return f"Waiting for somebody to sit down at {empty}", "Send the link of the seat."
    if set(sight.thinking) & set(sight.to_act):
        return f"{who} is thinking", ""
    return f"{who} is to move", ""


def _chairs(sight: Sight, names: list[str], notes: Any, base: str) -> list[Chair]:
    """The seats in order."""
    chairs: list[Chair] = []
    for number, seat in enumerate(sight.seats):
        states = [
            (sight.places is not None and f"place {(sight.places or ())[number]}", True),
            ("program", seat.kind == "program" and number not in sight.thinking),
            ("thinking", number in sight.thinking),
            ("nobody yet", seat.kind == "open"),
            ("away", _is_away(sight, number)),
            ("agrees to take back", number in sight.undo),
        ]
        link = None if seat.invitation is None else f"{base}/join/{seat.invitation}"
        points = sight.points[number]
        chairs.append(
            Chair(
                number,
                seat.kind,
                number in sight.mine,
                number in sight.to_act,
                ", ".join(str(text) for text, holds in states if text and holds),
                f"{points:g}",
                counted(int(points), "point").partition(" ")[2],
                notes[number] if notes else "",
                link,
                None if link is None else qr_svg(link),
                link is not None and not any(one.invitation for one in chairs),
            )
        )
    return chairs


def _events(sight: Sight, names: list[str]) -> list[tuple[int, str]]:
    """What happened, each with the number of its move; a question is told with its answer."""
    events: list[tuple[int, str]] = []
    for number, step in enumerate(sight.moves, 1):
        for text in step.events:
            said = told(text, names)
            if events and said.startswith(f"{events[-1][1]}:"):
                events.pop()
            events.append((number, said))
    return events


def _is_away(sight: Sight, number: int) -> bool:
    """Whether others wait for somebody who is not there."""
    seat = sight.seats[number]
    waited_for = bool(sight.to_act) and number not in sight.mine
    return seat.kind == "person" and not seat.present and waited_for


def _news(sight: Sight, events: list[tuple[int, str]]) -> list[str]:
    """What happened since the last move of who looks, with that move; the last of all at least."""
    mine = [number for number, step in enumerate(sight.moves, 1) if step.seat == sight.seat]
    since = mine[-1] if mine else 1
    return [text for number, text in events if number >= since][-MOST_NEWS:]


@lru_cache(maxsize=256)
def qr_svg(link: str) -> Markup:
    """A link as a picture for the camera of a phone."""
    import segno

    picture = segno.make(link, error="m", micro=False)
    return Markup(picture.svg_inline(border=2, svgclass="", lineclass="", omitsize=True))


def home_html(tables: Sequence[Any] = (), root: str = "") -> str:
    """The first page: the games, and the tables of whoever looks."""
    games = [{"name": name, "title": TITLES[name], "text": TEXTS[name]} for name in TITLES]
    pictures = {"quarto": _quarto_picture(), "set": _set_picture()}
    return _rendered(
        "home.html", root, games=games, tables=tables, titles=TITLES, pictures=pictures
    )


@cache
def _quarto_picture() -> Markup:
    """Four pieces in a row."""
    from quaternity.quarto.drawing import piece_svg
    from quaternity.quarto.pieces import PieceSet
    from quaternity.quarto.pieces_file import example_pieces, read_pieces

    pieces = PieceSet.of(read_pieces(example_pieces()))
    drawn = "".join(piece_svg(pieces, piece) for piece in (0, 3, 5, 6, 9, 10, 12, 15))
    return Markup(f'<span class="pic-pieces">{drawn}</span>')


@cache
def _set_picture() -> Markup:
    """A SET."""
    from quaternity.ternary.table_picture import card_svg, stripes_svg

    drawn = "".join(map(card_svg, (3, 46, 71)))
    return Markup(f'{stripes_svg()}<span class="pic-cards spread">{drawn}</span>')


def new_html(game: str, root: str = "") -> str:
    """The form that makes a table.

    Raises:
        KeyError: there is no such game.
    """
    return _rendered(
        "new.html",
        root,
        game=game,
        title=TITLES[game],
        text=TEXTS[game],
        titles=TITLES,
        fields=form_fields(game),
        seats=rules_class(game)().seats,
        most_seats=max((one.most or 0 for one in form_fields(game) if one.seats), default=2),
        programs=programs(game),
    )


def help_html(
    sight: Sight, word: str, found: dict[str, Any], said: Mapping[str, str], root: str = ""
) -> str:
    """What somebody asked for at a table; see `quaternity.web.helping`."""
    names = seat_names(sight.seats)
    context = table_context(sight, "", root, replayed=False)
    if word == "chances":
        module = import_module(f"quaternity.web.drawing.{DRAWINGS[sight.game]}")
        chances = found[READ] if READ in said and READ in found else found["chances"]
        context["blocks"] = module.part(sight, chances)["blocks"]
    asked = f"{word}?{READ}=1" if READ in said else word
    context["headline"] = dict(HELP[sight.game]).get(asked, "Help")
    context["lines"] = [told(line, names) for line in found.get("lines", ())]
    return _rendered(
        "help.html", **context, word=word, found=found, said={"formula": "", **said},
        names_in=lambda text: told(text, names),
    )  # fmt: skip


def learned_html(found: dict[str, Any] | None, error: str = "", root: str = "") -> str:
    """What a file says that somebody dropped; see `quaternity.web.learning`."""
    names = [f"Player {seat}" for seat in range(found["players"] if found else 0)]
    return _rendered("learned.html", root, found=found, error=error, names=names, titles=TITLES)


@cache
def guide_pictures() -> dict[str, bytes]:
    """The pictures of the guide, by name."""
    folder = resources.files("quaternity.guide")
    return {
        one.name: _without_styles(one.read_text(encoding="utf-8")).encode()
        for one in folder.iterdir()
        if one.name.endswith(".svg")
    }


def _without_styles(svg: str) -> str:
    """A drawing whose styles are attributes: the policy of the pages allows no others.

    >>> _without_styles('<path style="fill: none; stroke: #b0b0b0"/>')
    '<path fill="none" stroke="#b0b0b0"/>'
    """

    def attributes(style: re.Match[str]) -> str:
        pairs = (one.partition(":") for one in style[1].split(";") if one.strip())
        return " ".join(f'{name.strip()}="{value.strip()}"' for name, _, value in pairs)

    svg = re.sub(r"<style.*?</style>", "", svg, flags=re.DOTALL)
    return re.sub(r'\bstyle="([^"]*)"', attributes, svg)


def guide_html(name: str, root: str = "") -> str:
    """A page of the guide.

    Raises:
        InputError: there is none.
    """
    page = guide.page(name)
    # What is wider than the page can be scrolled by keys too; columns are aligned by classes.
    html = guide.html(page.text).replace("<pre>", '<pre tabindex="0">')
    text = Markup(re.sub(r'style="text-align:(\w+)"', r'class="\1"', html))
    return _rendered(
        "guide.html", root, pages=guide.pages(), name=name, title=page.title, text=text
    )


def join_html(sight: Sight, seat: int, invitation: str, root: str = "") -> str:
    """The page that an invitation leads to."""
    names = seat_names(sight.seats)
    others = [
        names[number] for number, one in enumerate(sight.seats) if one.name and number != seat
    ]
    return _rendered(
        "join.html",
        root,
        title=TITLES[sight.game],
        text=TEXTS[sight.game],
        invitation=invitation,
        others=listed(others) if others else "",
        taken=sight.seats[seat].kind != "open",
        watch=f"{root}/t/{sight.watch}",
    )


def programs(game: str) -> list[str]:
    """The players that need no argument, the strongest first."""
    strongest = STRONGEST[game]
    return [strongest, *(name for name in PLAYERS[game] if name not in (strongest, "perfect"))]


def message_html(headline: str, text: str, root: str = "") -> str:
    """A page that only says something."""
    return _rendered("message.html", root, headline=headline, text=text)


def _rendered(template: str, /, root: str = "", **context: Any) -> str:
    return templates().get_template(template).render(root=root, **context)


class Pages:
    """The pages of some tables."""

    def __init__(self, tables: Any) -> None:
        self.tables = tables

    def routes(self) -> list[BaseRoute]:
        """All of them."""
        gets = {
            "/": self.home,
            "/new": self.new,
            "/join/{invitation}": self.join,
            "/t/{table}": self.table,
            "/t/{table}/part": self.part,
            "/t/{table}/at/{number:int}": self.moment,
            "/t/{table}/help/{word}": self.help,
            "/learn": self.learn,
            "/report": self.report,
            "/guide": self.guide,
            "/guide/{name}": self.guide,
            "/static/{version}/{name}": self.static,
        }
        # The page of a large game is twenty times as long without.
        packed = [Middleware(GZipMiddleware, minimum_size=1000, compresslevel=1)]
        return [
            Route("/learn", self.learned, methods=["POST"]),
            *(
                Route(path, handler, methods=["GET"], middleware=packed)
                for path, handler in gets.items()
            ),
        ]

    async def home(self, request: Request) -> Response:
        """`GET /`."""
        tables = self.tables.of_browser(caller_of(request).browser)
        return HTMLResponse(home_html(tables, _root(request)))

    async def new(self, request: Request) -> Response:
        """`GET /new?game=`."""
        game = request.query_params.get("game", "quaternity")
        if game not in TITLES:
            raise Refusal(404, f"game {game[:40]!r} is unknown; known are {', '.join(TITLES)}")
        return HTMLResponse(new_html(game, _root(request)))

    async def join(self, request: Request) -> Response:
        """`GET /join/INVITATION`."""
        invitation = request.path_params["invitation"]
        table, seat = await self.tables.invited(invitation)
        caller = caller_of(request)
        who = table.who(*caller)
        sight = table.sight(who)
        if seat in who.held:
            return RedirectResponse(f"{_root(request)}/t/{sight.table}", 303)
        response = HTMLResponse(join_html(sight, seat, invitation, _root(request)))
        if caller.browser is None:
            # Known before he sits down: when that answer is lost he may ask again.
            set_cookie(response, request, fresh())
        return response

    async def table(self, request: Request) -> Response:
        """`GET /t/T`."""
        return HTMLResponse(table_html(await self._sight(request), *_links(request)))

    async def part(self, request: Request) -> Response:
        """`GET /t/T/part`: what changes of the page of a table."""
        sight = await self._sight(request)
        html = table_html(sight, *_links(request), whole=False)
        return HTMLResponse(html, headers={"quaternity-version": str(sight.version)})

    async def moment(self, request: Request) -> Response:
        """`GET /t/T/at/N?seat=`."""
        sight = await self._sight(request, min(request.path_params["number"], 1 << 20))
        return HTMLResponse(table_html(sight, *_links(request), replayed=True))

    async def help(self, request: Request) -> Response:
        """`GET /t/T/help/WORD`: what `/api/tables/T/help/WORD` gives, for people."""
        said = dict(request.query_params)
        if sum(map(len, said.values())) > MOST_SAID:
            raise Refusal(422, f"more than {MOST_SAID} characters")
        table = await self.tables.open(request.path_params["table"])
        who, word = table.who(*caller_of(request)), request.path_params["word"]
        found = {}
        if word != "know" or "formula" in said:
            found = await self.tables.help(table, who, word, said)
        return HTMLResponse(help_html(table.sight(who), word, found, said, _root(request)))

    async def learn(self, request: Request) -> Response:
        """`GET /learn`."""
        return HTMLResponse(_rendered("learn.html", _root(request)))

    async def learned(self, request: Request) -> Response:
        """`POST /learn`: what a state or a record implies."""
        data = await body_of(request, MOST_FILE)
        try:
            found = await self.tables.thinking.count(learned, data)
        except QuaternityError as error:
            if isinstance(error, Refusal) and error.status != 422:
                raise
            return HTMLResponse(learned_html(None, str(error), _root(request)), 422)
        return HTMLResponse(learned_html(found, root=_root(request)))

    async def guide(self, request: Request) -> Response:
        """`GET /guide/NAME`."""
        name = request.path_params.get("name")
        if name in guide_pictures():
            return Response(guide_pictures()[name], media_type=KINDS["svg"])
        if name is None:
            return RedirectResponse(f"{_root(request)}/guide/{guide.ORDER[0]}", 307)
        try:
            return HTMLResponse(guide_html(name, _root(request)))
        except InputError as error:
            raise Refusal(404, str(error)) from None

    async def report(self, request: Request) -> Response:
        """`GET /report`: how the solvers were compared."""
        return RedirectResponse(f"{_root(request)}/guide/solvers", 307)

    async def _sight(self, request: Request, at: int | None = None) -> Sight:
        asked = request.query_params.get("seat")
        if asked is not None and not (asked.isascii() and asked.isdigit() and len(asked) < 3):
            raise Refusal(404, "there is no such seat")
        seat = None if asked is None else int(asked)
        sight: Sight = await self.tables.sight(
            request.path_params["table"], caller_of(request), seat, at
        )
        return sight

    async def static(self, request: Request) -> Response:
        """`GET /static/VERSION/NAME`."""
        version, name = request.path_params["version"], request.path_params["name"]
        data = static_files().get(f"/static/{version}/{name}")
        if data is None:
            raise Refusal(404, "there is no such file")
        headers = {"cache-control": "public, max-age=31536000, immutable"}
        return Response(data, media_type=KINDS[name.rpartition(".")[2]], headers=headers)


KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "txt": "text/plain"}


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", "")).rstrip("/")


def _links(request: Request) -> tuple[str, str]:
    """What links for others, and those of this page, begin with."""
    return str(request.base_url).rstrip("/"), _root(request)


def routes(tables: Any) -> list[BaseRoute]:
    """The pages of some tables (`quaternity.web.tables.Tables`)."""
    return Pages(tables).routes()


def refusal(request: Request, error: Refusal) -> Response:
    """The page that says why a request was refused."""
    headline = "There is nothing here" if error.status == 404 else "That cannot be"
    text = f"{str(error)[:1].upper()}{str(error)[1:]}."
    return HTMLResponse(message_html(headline, text, _root(request)), error.status)


__all__ = ["home_html", "new_html", "refusal", "routes", "static", "static_files", "table_html"]
