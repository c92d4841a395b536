"""The HTML of all pages, made from templates, and the static files that the pages load.

The argument `root` is always the path with which all links to this server begin, without a final
slash. A `TableView`, passed as `sight`, contains what the visitor may see of a table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib import resources
from math import ceil
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quaternity import guide
from quaternity.base.sentences import message_data
from quaternity.game.card_picture import card_svg, suit_svg
from quaternity.game.cards import Card
from quaternity.table.games import game_names, registration, rules_class
from quaternity.web.drawing.frame import (
    GUESSED,
    draw_part,
    programs,
    qr_svg,
    table_context,
    table_line,
    waiting_context,
)
from quaternity.web.drawing.owners import is_large
from quaternity.web.drawing.words import PageWords, player_name, seat_names, sight_words
from quaternity.web.forms import form_fields, settings_in_words
from quaternity.web.languages import gettext, join_names, language, set_up_templates
from quaternity.web.new_table import decks_of, may_have_clock
from quaternity.web.table_view import TableView

NO_PUZZLES: Mapping[str, Any] = {"day": "", "date": "", "five": (), "texts": {}}
"""Argument `today` of `home_html` for a start page without puzzles."""


_COMMENT_LINES = re.compile(rb"^\s*//.*\n", re.MULTILINE)


@cache
def static_files() -> dict[str, bytes]:
    """Return the contents of the static files, by URL path.

    Lines that contain only a comment are removed. Each path contains a hash of all files. Browsers
    may therefore cache the files for ever, and files that refer to each other always belong to the
    same version.
    """
    folder = resources.files("quaternity.web") / "static"
    files = {
        i.name: _COMMENT_LINES.sub(b"", i.read_bytes()) for i in folder.iterdir() if i.is_file()
    }
    version = sha256(b"".join(files[name] for name in sorted(files))).hexdigest()[:12]
    return {f"/static/{version}/{name}": data for name, data in files.items()}


def static(name: str) -> str:
    """Return the URL path of a static file, without the path prefix of the server."""
    return next(path for path in static_files() if path.endswith(f"/{name}"))


@cache
def templates() -> Environment:
    """Return the Jinja environment that loads the templates and escapes their values."""
    environment = Environment(
        loader=PackageLoader("quaternity.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    set_up_templates(environment)
    environment.filters["letters"] = count_letters
    environment.globals.update(
        static=static,
        qr_svg=qr_svg,
        settings_in_words=settings_in_words,
        suit=lambda index: Markup(suit_svg(index)),
        grouped=format_number,
        is_large=is_large,
        decimal=format_decimals,
        player_name=player_name,
        card=lambda x, *parts: Markup(card_svg(Card(*x), *parts)),
    )
    return environment


_WIDTHS = {**dict.fromkeys("fijlrtI ", 0.6), **dict.fromkeys("mwMW", 1.6)}
"""Widths of letters that differ much from the mean width of a letter, which is the unit."""


def count_letters(text: str) -> int:
    """Return the width of a text in letters of mean width, rounded up, at most 16.

    >>> count_letters("hammer"), count_letters("lilies")
    (7, 5)
    """
    return min(ceil(sum(_WIDTHS.get(sign, 1.2 if sign.isupper() else 1) for sign in text)), 16)


def format_number(digits: str) -> str:
    """Return a number, given by its decimal digits, in a form that is easy to read.

    >>> format_number("1234567"), format_number("53644737765488792839237440000")
    ('1,234,567', 'about 5.36 × 10²⁸')
    """
    from babel.numbers import format_decimal

    if len(digits) < 16:
        return str(format_decimal(int(digits), locale=language()))
    power = str(len(digits) - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    start = format_decimals(int(digits[:3]) / 100)
    return gettext("about {number}").format(number=f"{start} × 10{power}")


def format_decimals(number: float) -> str:
    """Return a number with two decimals, in the language of the request."""
    from babel.numbers import format_decimal

    return str(format_decimal(number, "0.00", language()))


def ago(seconds: float) -> str:
    """Return in words how long ago something happened, in the language of the request.

    >>> ago(5), ago(65), ago(2 * 86_400)
    ('just now', '1 minute ago', '2 days ago')
    """
    for length, noun in ((86_400, "{count} day"), (3_600, "{count} hour"), (60, "{count} minute")):
        if seconds >= length:
            count = int(seconds // length)
            return gettext(f"{noun}{'s' * (count > 1)} ago").format(count=count)
    return gettext("just now")


def _render(template: str, /, root: str = "", **context: Any) -> str:
    return templates().get_template(template).render(root=root, **context)


def table_html(
    sight: TableView,
    base: str,
    root: str = "",
    whole: bool = True,
    replayed: bool = False,
    more: Sequence[str] = (),
) -> str:
    """Return the page of a game, or only the part of it that changes with each move.

    Args:
        sight: What the visitor may see of the table.
        base: Scheme, host and path prefix with which invitation links begin, without a final slash.
        root: The path with which other links begin.
        whole: Whether to return the whole page.
        replayed: Whether the page shows a position that the visitor has chosen instead of the
            current one. The visitor cannot move there.
        more: Names of computer players that the operator has added for this game.
    """
    part = "table_part.html" if sight.begun else "waiting_part.html"
    context = (
        table_context(sight, base, root, replayed, more)
        if sight.begun
        else waiting_context(sight, base, root)
    )
    return templates().get_template("table.html" if whole else part).render(context, part=part)


def home_html(
    tables: Sequence[Any] = (), root: str = "", today: Mapping[str, Any] = NO_PUZZLES
) -> str:
    """Return the start page: the visitor's tables, the puzzles of the day, and the games.

    `tables` are the visitor's tables, as `lobby.OwnTable`. Tables that wait for a move of the
    visitor come first on the page, and finished games come last. `today` is the result of
    `puzzle_pages.daily_puzzles`.
    """
    games = [registration(name) for name in game_names()]
    pictures = {game.name: Markup(draw()) for game in games if (draw := game.part("picture"))}
    ordered = sorted(
        tables, key=lambda table: (table.over, table.sight is None or not is_my_turn(table.sight))
    )
    lines = [(table, table_line(table.sight)) for table in ordered]
    return _render(
        "home.html",
        root,
        games=games,
        tables=lines,
        titles=_titles(),
        pictures=pictures,
        ago=ago,
        today=today,
        is_my_turn=is_my_turn,
    )


def is_my_turn(sight: TableView) -> bool:
    """Return whether a table waits for a move of the visitor."""
    return not sight.empty_seats and bool({*sight.to_act} & {*sight.own_seats})


def _titles() -> dict[str, str]:
    return {name: registration(name).title for name in game_names()}


def new_html(game: str, root: str = "", more: Sequence[str] = (), friends: bool = True) -> str:
    """Return the page with the form for a new table.

    Args:
        game: Name of the game.
        root: The path with which links begin.
        more: Names of computer players that the operator has added for this game.
        friends: Whether the form suggests playing with friends.
    """
    rules, known = rules_class(game)(), registration(game)
    fields = form_fields(game)
    count = next((field for field in fields if field.seats), None)
    most = rules.seats if count is None else count.most
    return _render(
        "new.html",
        root,
        game=game,
        title=known.title,
        text=known.text,
        titles=_titles(),
        fields=[field for field in fields if not field.seats],
        seats=rules.seats,
        counts=range(rules.seats if count is None else count.least, most + 1),
        friends=friends,
        lengths=known.lengths,
        of_length={name for length in known.lengths for name in length.settings},
        suggested=known.suggested,
        programs=[*programs(game), *more],
        levels=known.levels,
        decks=decks_of(game),
        takes_turns=may_have_clock(rules),
        hidden=rules.hidden,
    )


def join_html(sight: TableView, seat: int | None, invitation: str, root: str = "") -> str:
    """Return the page on which a visitor can accept an invitation and take a seat.

    Args:
        sight: What the visitor may see of the table.
        seat: Seat that the invitation is for, or None if it is for any free seat.
        invitation: Last part of the invitation link.
        root: The path with which links begin.
    """
    names = seat_names(sight.seats, sight.game)
    others = [
        names[number] for number, holder in enumerate(sight.seats) if holder.name and number != seat
    ]
    free = [number for number, holder in enumerate(sight.seats) if holder.kind == "open"]
    open_here = [] if seat is None and sight.begun else free if seat is None else {seat} & {*free}
    return _render(
        "join.html",
        root,
        title=registration(sight.game).title,
        text=registration(sight.game).text,
        invitation=invitation,
        others=join_names(others) if others else "",
        free=free if seat is None else [],
        seat=seat,
        taken=not open_here,
        begun=sight.begun,
        watch=f"{root}/t/{sight.table}",
    )


def move_html(game: str, name: str, link: str, root: str = "") -> str:
    """Return the page with a button that moves a seat to the device that shows the page.

    `name` is the name of the seat's owner, and `link` the last part of the link to the page.
    """
    title = registration(game).title
    return _render("move.html", root, title=title, name=name, link=link)


def help_html(
    sight: TableView, word: str, answer: dict[str, Any], query: Mapping[str, str], root: str = ""
) -> str:
    """Return the HTML of a hint or other help, which is shown on the page of a game."""
    words = sight_words(sight)
    words.reader = sight.seat if sight.seat in sight.own_seats else None
    context = table_context(sight, "", root, replayed=False)
    if word == "chances":
        chances = answer[GUESSED] if GUESSED in query and GUESSED in answer else answer["chances"]
        context["blocks"] = draw_part(sight, chances)["blocks"]
    asked = f"{word}?{GUESSED}=1" if GUESSED in query else word
    # In Kwartet, a visitor can ask only about a chosen card why a player has it. The list of help,
    # which contains no help about chosen cards, therefore has no entry for this question.
    context["headline"] = gettext(dict(registration(sight.game).help).get(asked, "Why?"))
    context["lines"] = list(map(words.say, answer.get("lines", ())))
    return _render(
        "help.html", **context, word=word, answer=answer, query={"formula": "", **query},
        names_in=words.say, asked=message_data(answer.get("move") or ""),
        move=_advised_move(sight.game, words, answer.get("move")),
    )  # fmt: skip


def _advised_move(game: str, words: PageWords, move: str | None) -> str:
    if not move:
        return ""
    advised = registration(game).part("advised_move")
    text: str = words.text(move) if advised is None else advised(words, move)
    return text[:1].upper() + text[1:]


def learn_html(root: str = "") -> str:
    """Return the page *Learn*, with links to the rules of the games, first games and lessons."""
    return _render("learn.html", root, games=[registration(name) for name in game_names()])


def analyse_html(root: str = "") -> str:
    """Return the page to which visitors can upload files, to watch or to analyse them."""
    return _render("analyse.html", root)


def analysis_html(facts: dict[str, Any] | None, error: str = "", root: str = "") -> str:
    """Return the page with the analysis of an uploaded file, or with an error message.

    `facts` is the result of `lesson_pages.analyse_file`, or None after an error. `error` is the
    error message, or empty.
    """
    player = gettext("player {number}")
    names = [
        player.format(number=seat).capitalize() for seat in range(facts["players"] if facts else 0)
    ]
    return _render("learned.html", root, facts=facts, error=error, names=names, titles=_titles())


@cache
def guide_pictures() -> dict[str, bytes]:
    """Return the pictures of the user guide, by file name, as SVG."""
    folder = resources.files("quaternity.guide")
    return {
        file.name: _without_styles(file.read_text(encoding="utf-8")).encode()
        for file in folder.iterdir()
        if file.name.endswith(".svg")
    }


def _without_styles(svg: str) -> str:
    """Return an SVG drawing in which attributes replace the inline styles.

    The content security policy of the pages forbids inline styles.

    >>> _without_styles('<path style="fill: none; stroke: #b0b0b0"/>')
    '<path fill="none" stroke="#b0b0b0"/>'
    """

    def attributes(style: re.Match[str]) -> str:
        pairs = (s.partition(":") for s in style[1].split(";") if s.strip())
        return " ".join(f'{name.strip()}="{value.strip()}"' for name, _, value in pairs)

    svg = re.sub(r"<style.*?</style>", "", svg, flags=re.DOTALL)
    return re.sub(r'\bstyle="([^"]*)"', attributes, svg)


def guide_html(name: str, root: str = "") -> str:
    """Return a page of the user guide.

    Its text is in English, but its links to other pages are in the language of the request.
    """
    return _guide_html(name, root, language())


@lru_cache(maxsize=64)
def _guide_html(name: str, root: str, spoken: str) -> str:
    del spoken  # part of the cache key only
    page = guide.page(name)
    # Make code blocks focusable, so that visitors can scroll wide ones with the keyboard. Align the
    # columns of tables with CSS classes, because the content security policy forbids inline styles.
    html = guide.html(page.text).replace("<pre>", '<pre tabindex="0">')
    # Move a path or an option to the next line as a whole, instead of breaking it after "/" or "-".
    html = re.sub(r"<code>(?=[^\s<]+</code>)", '<code class="word">', html)
    text = Markup(re.sub(r'style="text-align:(\w+)"', r'class="\1"', html))
    return _render("guide.html", root, pages=guide.pages(), name=name, title=page.title, text=text)


def message_html(headline: str, text: str, root: str = "") -> str:
    """Return a page that contains only a headline and a text."""
    return _render("message.html", root, headline=headline, text=text)
