"""The pages: what a sight of a table looks like in HTML, and the pages around the tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib import import_module, resources
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from quaternity.game.card_picture import card_svg, suit_svg
from quaternity.game.cards import Card
from quaternity.table.games import rules_class
from quaternity.table.players import PLAYERS, STRONGEST
from quaternity.web.drawing.words import seat_names, told
from quaternity.web.forms import form_fields
from quaternity.web.sight import Sight
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

HELP = {
    "quaternity": (
        ("chances", "Chances"), ("questions", "What questions tell"), ("hint", "Hint"),
        ("why", "Why?"),
    ),
    "kwartet": (("chances", "Chances"), ("hint", "Hint"), ("know", "What is known")),
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
        card=lambda one, *parts: Markup(card_svg(Card(*one), *parts)),
    )
    return found


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
    drawn: dict[str, Any] = module.part(sight)
    names = seat_names(sight.seats)
    acting = sight.seat in sight.to_act
    headline, advice = _headline(sight, names)
    headline, advice = drawn.get("headline", headline), drawn.get("advice", advice)
    events = _events(sight, names)
    return {
        "sight": sight,
        "drawn": drawn,
        "names": names,
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
        "eyes": _eyes(sight, names) if replayed else [],
    }


def _movable(sight: Sight) -> list[int]:
    """The seats that whoever looks may hand over."""
    open_ones = [number for number, one in enumerate(sight.seats) if one.kind != "person"]
    return sorted({*sight.mine, *open_ones}) if sight.mine else []


def _eyes(sight: Sight, names: list[str]) -> list[tuple[int | None, str]]:
    """From which seats a moment may be looked at, with their names."""
    seats = range(len(names)) if sight.revealed is not None else sight.mine
    seen = [(seat, names[seat]) for seat in seats] if sight.rules.hidden else []
    return [(None, "everybody"), *seen] if seen else []


def _headline(sight: Sight, names: list[str]) -> tuple[str, str]:
    """What happens now, and a sentence more."""
    if sight.places is not None:
        first = [seat for seat, place in enumerate(sight.places) if place == 1]
        if len(first) > 1:
            return "Nobody wins alone", f"{listed([names[seat] for seat in first])} share it."
        won = "You win" if first[0] == sight.seat else f"{names[first[0]]} wins"
        return won, "The game is over."
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
            ("thinking", number in sight.thinking),
            ("program", seat.kind == "program"),
            ("nobody yet", seat.kind == "open"),
            ("away", seat.kind == "person" and not seat.present and number not in sight.mine),
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
    pictures = {"quarto": "", "set": ""}
    return _rendered("home.html", root, games=games, tables=tables, pictures=pictures)


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


def programs(game: str) -> list[str]:
    """The players that need no argument, the strongest first."""
    strongest = STRONGEST[game]
    return [strongest, *(name for name in PLAYERS[game] if name not in (strongest, "perfect"))]


def message_html(headline: str, text: str, root: str = "") -> str:
    """A page that only says something."""
    return _rendered("message.html", root, headline=headline, text=text)


def _rendered(name: str, root: str, **context: Any) -> str:
    return templates().get_template(name).render(root=root, **context)


def routes(tables: Any) -> list[BaseRoute]:
    """The pages of some tables."""
    del tables

    async def home(request: Request) -> Response:
        del request
        return PlainTextResponse("Quaternity\n")

    return [Route("/", home)]


__all__ = ["routes", "table_html"]
