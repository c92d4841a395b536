"""The frame of a table that all games share: seats, headline, and the events so far."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from zlib import crc32

from markupsafe import Markup

from quaternity.base.sentences import Sentence, facts
from quaternity.table.course import whole_events
from quaternity.table.games import registration
from quaternity.web.drawing.any_game import any_part
from quaternity.web.drawing.tips import tips
from quaternity.web.drawing.words import plain_names, seat_names, sight_words
from quaternity.web.forms import form_fields
from quaternity.web.languages import gettext as _
from quaternity.web.languages import joined
from quaternity.web.sight import Sight
from quaternity.web.talk import REACTIONS

MAX_SHOWN_EVENTS = 100
"""Maximum number of events on a page: the latest ones. A replay shows the others."""

READ = "read"
"""Name of the query parameter that asks for the chances in Kwartet guessed from the requests."""


def drawn_part(sight: Sight, *more: Any) -> dict[str, Any]:
    """Return the values of the game's own template; `more` is passed on to its module."""
    draw = registration(sight.game).part("drawing") or any_part
    drawn: dict[str, Any] = draw(sight, *more)
    return drawn


class Chair(NamedTuple):
    """A seat as the frame of a table draws it; `state` describes its player, or is empty.

    `invitation` is a complete link if the visitor may invite a player to the seat; `qr` is its QR
    code.
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


class Told(NamedTuple):
    """An event in the words of the page, numbered from 1 over the whole game.

    `journey` holds HTML attributes that identify the event, and say what moves when it is shown.
    """

    number: int
    text: str
    journey: Markup


def table_context(
    sight: Sight, base: str, root: str, replayed: bool, more: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the values of a table's templates; `more` lists further programs of the server."""
    own_seats = sight.mine
    eyes = _eyes(sight, seat_names(sight.seats, sight.game)) if replayed else []
    if replayed:
        sight = sight._replace(mine=(), to_act=())  # there is nothing to do in the past
    drawn = drawn_part(sight)
    names = seat_names(sight.seats, sight.game)
    acting = sight.seat in sight.to_act and sight.seat in sight.mine and not sight.awaited
    headline, advice = _headline(sight, names, replayed)
    if not replayed:
        headline, advice = drawn.get("headline", headline), drawn.get("advice", advice)
    count = len(whole_events(sight.moves))
    lines = told_events(sight, max(0, count - MAX_SHOWN_EVENTS), count)
    return {
        "sight": sight,
        "drawn": drawn,
        "deck": sight_words(sight).spoken_deck(),
        "names": names,
        "mine": sight.seat in own_seats,
        "plain": plain_names(sight.seats, sight.game),
        "root": root,
        "headline": headline,
        "advice": advice,
        "acting": acting,
        "title": f"{'● ' if acting else ''}{headline} – {registration(sight.game).title}",
        "chairs": _chairs(sight, names, drawn.get("notes", ()), base),
        "history": lines[::-1],
        "untold": count > MAX_SHOWN_EVENTS,
        "watch": f"{base}/t/{sight.watch}",
        "replayed": replayed,
        "archive": not sight.to_act and sight.places is None,
        "help_words": registration(sight.game).help,
        "movable": [] if sight.places is not None else _movable(sight),
        "programs": [*programs(sight.game), *more],
        "levels": registration(sight.game).levels,
        "seat_query": f"?seat={sight.seat}" if replayed and sight.seat is not None else "",
        "who_undo": joined([names[seat] for seat in sight.undo]) if sight.undo else "",
        "only_here": _is_only_here(base),
        "eyes": eyes,
        "notice": sight_words(sight).say(sight.notice or ""),
        "reactions": REACTIONS,
        "tips": [] if replayed else tips(sight, drawn),
        "late": any(
            sight.seats[seat].kind == "program" for seat in own_seats if seat == sight.seat
        ),
    }


def waiting_context(sight: Sight, base: str, root: str) -> dict[str, Any]:
    """Return the values of the template of a waiting room."""
    names, game = seat_names(sight.seats, sight.game), registration(sight.game)
    link = None if sight.invitation is None else f"{base}/join/{sight.invitation}"
    empty = [number for number, seat in enumerate(sight.seats) if seat.kind == "open"]
    busy = [names[number] for number, seat in enumerate(sight.seats) if not seat.ready]
    headline = _("{game}: waiting for friends").format(game=game.title)
    advice = _("You are watching. To take a seat, open the invitation link that you received.")
    if link is not None:
        advice = _("You can take a free seat.") if empty else _("Every seat is taken.")
    if sight.may_start:
        advice = _("The game begins when everybody is ready, or when you start it.")
    elif sight.mine:
        advice = _("The game begins when everybody is ready.")
    if sight.mine and busy:
        advice = f"{_('Not ready: {names}.').format(names=joined(busy))} {advice}"
    return {
        "sight": sight,
        "names": names,
        "plain": plain_names(sight.seats, sight.game),
        "root": root,
        "headline": headline,
        "title": headline,
        "advice": advice,
        "text": game.text,
        "chairs": _chairs(sight, names, (), base),
        "link": link,
        "qr": None if link is None else qr_svg(link),
        "only_here": _is_only_here(base),
        "levels": game.levels,
        "strongest": game.strongest,
        "empty": empty,
        "reactions": REACTIONS,
        "fewer": any(field.seats for field in form_fields(sight.game)),
        "ready": sight.seat is not None and sight.seats[sight.seat].ready,
        "replayed": False,
    }


def table_line(sight: Sight | None) -> tuple[str, str, str]:
    """Return the other players of a table, its headline and its last event."""
    if sight is None:
        return "", "", ""
    names = seat_names(sight.seats)
    others = [name for seat, name in enumerate(names) if seat not in sight.mine]
    if not sight.begun:
        return joined(others), _("Waiting for friends"), ""
    count = len(whole_events(sight.moves))
    last = "".join(event.text for event in told_events(sight, count - 1, 1))
    headline, __ = _headline(sight, names, replayed=False)
    return joined(others), headline, last


def _is_only_here(base: str) -> bool:
    return urlsplit(base).hostname in ("127.0.0.1", "localhost", "::1")


def told_events(sight: Sight, after: int, limit: int) -> list[Told]:
    """Return at most `most` events, from the one after number `after` on."""
    words, whole = sight_words(sight), whole_events(sight.moves)
    return [
        Told(number, words.say(event), _journey(event))
        for number, (__, event) in enumerate(whole[after : after + limit], after + 1)
    ]


def _movable(sight: Sight) -> list[int]:
    """Return the seats that the visitor may hand over."""
    empty = [
        number
        for number, seat in enumerate(sight.seats)
        if seat.kind != "person" or not seat.present
    ]
    return sorted({*sight.mine, *empty}) if sight.mine else []


def _eyes(sight: Sight, names: list[str]) -> list[tuple[int | None, str]]:
    """Return the seats from which the visitor may view a replay, with their names."""
    seats = range(len(names)) if sight.revealed is not None else sight.mine
    seen = [(seat, names[seat]) for seat in seats] if sight.rules.hidden else []
    return [(None, _("everybody")), *seen] if seen else []


def _headline(sight: Sight, names: list[str], replayed: bool) -> tuple[str, str]:
    """Return the headline of a table, and a sentence of advice."""
    if sight.places is not None:
        first = [seat for seat, place in enumerate(sight.places) if place == 1]
        if len(first) > 1:
            winners = joined([names[seat] for seat in first])
            return _("Nobody wins alone"), _("{names} share it.").format(names=winners)
        (winner,) = first
        won = _("{name} wins").format(name=names[winner])
        return _("You win") if winner == sight.seat else won, _("The game is over.")
    if replayed:
        return _("Moves: {count}").format(count=sight.number), ""
    if not sight.to_act:
        return _("A recorded game"), _("The recording ends before the game is over.")
    if sight.seat in sight.to_act and not sight.awaited:
        return _("Your turn"), ""
    waiting = [seat for seat in sight.to_act if sight.seats[seat].kind == "open"]
    if waiting:
        empty = joined([names[seat] for seat in waiting])
        more = (
            _("Nobody can move before that. A program can take the seat, too.")
            if sight.awaited
            else ""
        )
        headline = _("Waiting for a player: {names}").format(names=empty)
        return headline, f"{_('Send the link of the seat.')} {more}".strip()
    thinks = set(sight.thinking) & set(sight.to_act)
    headline = _("{name} is thinking") if thinks else _("{name} is to move")
    acting = joined([names[seat] for seat in sight.to_act])
    return headline.format(name=acting), "" if sight.mine else _("You are watching.")


def _chairs(sight: Sight, names: list[str], notes: Any, base: str) -> list[Chair]:
    """Return the seats in order."""
    chairs: list[Chair] = []
    for number, seat in enumerate(sight.seats):
        states = [
            (_("not ready"), not seat.ready),
            (f"{_('place')} {sight.places[number]}" if sight.places else "", True),
            (_("program"), seat.kind == "program" and number not in sight.thinking),
            (_("thinking"), number in sight.thinking),
            (_("nobody yet"), seat.kind == "open"),
            (_("away"), _is_away(sight, number) and number not in sight.awaited),
            (_("agrees to take back"), number in sight.undo),
            (_("you sit here"), number == sight.seat and number in sight.mine),
        ]
        link = None if seat.invitation is None else f"{base}/join/{seat.invitation}"
        points = sight.points[number]
        chairs.append(
            Chair(
                number,
                seat.kind,
                number in sight.mine,
                number in sight.to_act,
                ", ".join(text for text, holds in states if text and holds),
                f"{points:g}",
                _("point") if int(points) == 1 else _("points"),
                notes[number] if notes else "",
                link,
                None if link is None else qr_svg(link),
                link is not None and not any(chair.invitation for chair in chairs),
            )
        )
    return chairs


def _is_away(sight: Sight, number: int) -> bool:
    """Return whether the person of a seat is not connected while the game is going on."""
    seat = sight.seats[number]
    waited_for = bool(sight.to_act) and number not in sight.mine
    return seat.kind == "person" and not seat.present and waited_for


def _journey(event: str) -> Markup:
    """Return HTML attributes that identify an event, and say what moves when it is shown."""
    about = facts(event)
    attributes = Markup(' data-what="{}"').format(_identity(event))
    if str(about.get("answer")) == "yes":
        return attributes + Markup(' data-from="{}" data-to="{}"').format(
            about["asked"], about["asker"]
        )
    if about.get("right") or (
        isinstance(event, Sentence) and event.kind.name in ("completes", "puts_down")
    ):
        return attributes + Markup(' data-laid="{}"').format(about["who"])
    return attributes


def _identity(event: str) -> str:
    """Return an id of an event that does not depend on names, a colon, and the answer if any.

    A question has the same id before and after its answer.
    """
    about = facts(event)
    name = event.kind.name if isinstance(event, Sentence) else event
    facts_of_it = [
        (key, str(about[key])) for key in sorted(about) if key not in ("answer", "forced")
    ]
    identity = repr(("asks" if "asker" in about else name, facts_of_it))
    return f"{crc32(identity.encode()):x}:{about.get('answer', '')}"


@lru_cache(maxsize=256)
def qr_svg(link: str) -> Markup:
    """Return the QR code of a link, as SVG."""
    import segno

    picture = segno.make(link, error="m", micro=False)
    return Markup(picture.svg_inline(border=2, svgclass="", lineclass="", omitsize=True))


def programs(game: str) -> list[str]:
    """Return the names of the programs that need no file, the strongest first."""
    game_registration = registration(game)
    others = (
        game_registration.players.keys()
        - game_registration.of_files
        - {game_registration.strongest}
    )
    return [
        game_registration.strongest,
        *(name for name in game_registration.players if name in others),
    ]
