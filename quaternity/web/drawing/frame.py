"""Drawing of the parts of a table's page that all games share: seats, headline and events."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from markupsafe import Markup

from quaternity.table.games import registration
from quaternity.table.history import whole_events
from quaternity.web.chat import REACTIONS
from quaternity.web.drawing.any_game import part
from quaternity.web.drawing.moments import last_moment
from quaternity.web.drawing.tips import tips
from quaternity.web.drawing.words import level_of, plain_names, seat_names, sight_words
from quaternity.web.forms import form_fields
from quaternity.web.languages import gettext as _
from quaternity.web.languages import join_names
from quaternity.web.series import Score as SeriesScore
from quaternity.web.table_view import SeatView, TableView

MAX_SHOWN_EVENTS = 100
"""Maximum number of events that a page lists. Earlier events are left out."""

MAX_NAMES = 2
"""Maximum number of players that the waiting room lists by name in "Not ready". If more players are
not ready, it shows only their number."""

GUESSED = "read"
"""Name of the query parameter that switches on estimated chances on a page of Kwartet. The players'
questions are used to estimate who has each card."""


def draw_part(sight: TableView, *more: Any) -> dict[str, Any]:
    """Return the values for the HTML template that draws the board of a game.

    The function `part` of the game's drawing module computes them. `more` are its other arguments.
    """
    draw = registration(sight.game).part("drawing") or part
    drawn: dict[str, Any] = draw(sight, *more)
    return drawn


class Score(NamedTuple):
    """A player's score, as the page of a game shows it.

    Attributes:
        points: Number of points, as text.
        unit: The word "point" or "points" in the language of the page.
        note: A note about the player, such as the number of cards, or empty.
    """

    points: str
    unit: str
    note: str


class Chair(NamedTuple):
    """A player's seat, as the page of a game shows it.

    Attributes:
        number: Number of the seat.
        face: Emoji of the computer player in the seat, which depends on its level, or empty.
        is_own: Whether the visitor owns the seat.
        acting: Whether the player may move now.
        states: Texts about the player, such as "thinking" and "away". The most important comes
            first, because a narrow screen has room for only one.
        score: The points of the player.
        invitation: Complete link with which a person can take the seat. None if it is hidden from
            the visitor.
        place: Place of the player, counted from 1. If the game is not over, it is 0.
    """

    number: int
    face: str
    is_own: bool
    acting: bool
    states: tuple[str, ...]
    score: Score
    invitation: str | None
    place: int


class EventLine(NamedTuple):
    """A sentence about an event of a game, and the number of the move, counted from 1.

    A question and its answer count as one move.
    """

    number: int
    text: str


def table_context(
    sight: TableView, base: str, root: str, replayed: bool, more: Sequence[str] = ()
) -> dict[str, Any]:
    """Return values for the HTML templates that draw a table after its game has begun.

    Complete links begin with the address `base`, and other links with the path `root`. `replayed`
    says whether the page shows a position that the visitor has chosen. `more` contains the names of
    programs that the operator has added.
    """
    own_seats, names = sight.own_seats, seat_names(sight.seats, sight.game)
    eyes = _viewpoints(sight, names) if replayed else []
    if replayed:
        # Do not let the visitor move, because this position is not the current one.
        sight = sight._replace(own_seats=(), to_act=())
    late = sight.seat in own_seats and _has_program(sight)
    # While a program plays for the visitor, the page does not ask for a move.
    others = tuple(seat for seat in sight.to_act if seat != sight.seat)
    asked = sight._replace(to_act=others) if late else sight
    drawn = draw_part(asked)
    acting = sight.seat in asked.to_act and sight.seat in own_seats and not sight.empty_seats
    events = whole_events(sight.moves)
    moves = events[-1][0] if events else 0
    headline, advice = _headline(sight, names, moves if replayed else None)
    if not replayed and asked.to_act == sight.to_act:
        headline, advice = drawn.get("headline", headline), drawn.get("advice", advice)
    return _shared_context(sight, base, root, drawn.get("notes", ())) | {
        "drawn": drawn,
        "deck": sight_words(sight).spoken_deck(),
        "mine": sight.seat in own_seats,
        "headline": headline,
        "advice": advice,
        "acting": acting,
        "title": f"{'● ' if acting else ''}{headline} – {registration(sight.game).title}",
        "history": event_lines(sight, events[-MAX_SHOWN_EVENTS:])[::-1],
        "moment": last_moment(sight),
        "moves_made": moves,
        "untold": len(events) > MAX_SHOWN_EVENTS,
        "watch": f"{base}/t/{sight.table}",
        "replayed": replayed,
        "archive": not sight.to_act and sight.places is None,
        "help_words": registration(sight.game).help,
        "movable": [] if sight.places is not None else _movable(sight),
        "programs": [*programs(sight.game), *more],
        "seat_query": f"?seat={sight.seat}" if replayed and sight.seat is not None else "",
        "who_undo": join_names([names[seat] for seat in sight.undo]) if sight.undo else "",
        "eyes": eyes,
        "notice": sight_words(sight).say(sight.notice or ""),
        "tips": [] if replayed else tips(asked, drawn),
        "late": late,
    }


def waiting_context(sight: TableView, base: str, root: str) -> dict[str, Any]:
    """Return values for the HTML template that draws a table before its game begins.

    See `table_context` for the arguments.
    """
    names, game = seat_names(sight.seats, sight.game), registration(sight.game)
    link = None if sight.invitation is None else f"{base}/join/{sight.invitation}"
    empty = [number for number, seat in enumerate(sight.seats) if seat.kind == "open"]
    busy = [names[number] for number, seat in enumerate(sight.seats) if not seat.ready]
    headline = _("{game}: waiting for friends").format(game=game.title)
    # Programs for empty seats are as strong as the first program at the table.
    levels = [level.name for seat in sight.seats if (level := level_of(seat, sight.game))]
    levels += [level.name for level in game.levels[(len(game.levels) - 1) // 2 :]]
    advice = _("You are watching. To take a seat, open the invitation link that you received.")
    if link is not None:
        advice = _("You can take a free seat.") if empty else _("Every seat is taken.")
    counts_down = not empty and not busy
    if counts_down and sight.own_seats:
        advice = _("Everybody is ready. Any player can stop the countdown.")
    elif sight.may_start:
        advice = _("The game begins when everybody is ready, or when you start it.")
    elif sight.own_seats and empty:
        advice = _(
            "The game begins when the host starts it, or when every seat is taken and everybody is "
            "ready."
        )
    elif sight.own_seats:
        advice = _("The game begins when everybody is ready.")
    if sight.own_seats and empty:
        advice = f"{_('Free seats: {count}.').format(count=len(empty))} {advice}"
    if sight.own_seats and busy:
        # The list of seats marks these players too.
        shown = join_names(busy) if len(busy) <= MAX_NAMES else len(busy)
        advice = f"{_('Not ready: {names}.').format(names=shown)} {advice}"
    return _shared_context(sight, base, root) | {
        "headline": headline,
        "title": headline,
        "advice": advice,
        "text": game.text,
        "link": link,
        "strongest": game.strongest,
        "empty": empty,
        "fill": next(iter(levels), None),
        "counts_down": counts_down,
        "fewer": any(field.seats for field in form_fields(sight.game)),
        "ready": sight.seat is not None and sight.seats[sight.seat].ready,
        "replayed": False,
    }


def _shared_context(
    sight: TableView, base: str, root: str, notes: Sequence[str] = ()
) -> dict[str, Any]:
    names = seat_names(sight.seats, sight.game)
    return {
        "sight": sight,
        "names": names,
        "plain": plain_names(sight.seats, sight.game),
        "root": root,
        "chairs": _chairs(sight, names, notes, base),
        "series": _series(sight, names),
        "levels": registration(sight.game).levels,
        "only_here": urlsplit(base).hostname in ("127.0.0.1", "localhost", "::1"),
        "reactions": REACTIONS,
    }


def _series(sight: TableView, names: Sequence[str]) -> list[SeriesScore]:
    """Return the scores in the series of rematches, with the names of players at this table."""
    scores, players = [], list(enumerate(seat.name for seat in sight.seats))
    for score in sight.series:
        kind = "program" if score.is_program else "person"
        level = level_of(SeatView(score.name, kind), sight.game)
        # The player may have left the table, or a program may play for them.
        if score.seat is not None and (score.seat, score.name) in players:
            name = names[score.seat]
        elif level:
            name = _(f"{level.name} program")
        else:
            name = sight_words(sight).called(score.name)
        scores.append(score._replace(name=name))
    return scores


def table_line(sight: TableView | None) -> tuple[str, str, str]:
    """Return three texts that describe a table in the list of a visitor's tables.

    They are the names of the other players, a headline and the last event. They are empty if
    `sight` is None.
    """
    if sight is None:
        return "", "", ""
    names = seat_names(sight.seats, sight.game)
    others = [name for seat, name in enumerate(names) if seat not in sight.own_seats]
    if not sight.begun:
        return join_names(others), _("Waiting for friends"), ""
    last = "".join(event.text for event in event_lines(sight, whole_events(sight.moves)[-1:]))
    headline, __ = _headline(sight, names)
    return join_names(others), headline, last


def event_lines(sight: TableView, events: Sequence[tuple[int, str]]) -> list[EventLine]:
    """Return events of a game in words. `events` is a part of the result of `whole_events`."""
    words = sight_words(sight)
    return [EventLine(number, words.say(event)) for number, event in events]


def _movable(sight: TableView) -> list[int]:
    empty = [
        number
        for number, seat in enumerate(sight.seats)
        if seat.kind != "person" or not seat.present
    ]
    return sorted({*sight.own_seats, *empty}) if sight.own_seats else []


def _viewpoints(sight: TableView, names: list[str]) -> list[tuple[int | None, str]]:
    """Return the seats from whose view the visitor may see an earlier position.

    The result is a list of pairs (seat, name of the player). The first pair has the seat None and
    is the view of a bystander. The list is empty if the visitor has no choice.
    """
    seats = range(len(names)) if sight.revealed is not None else sight.own_seats
    seen = [(seat, names[seat]) for seat in seats] if sight.rules.hidden else []
    return [(None, _("everybody")), *seen] if seen else []


def _headline(sight: TableView, names: list[str], moves: int | None = None) -> tuple[str, str]:
    """Return the headline of a table's page, and a sentence of advice or an empty text.

    `moves` is the number of moves before an earlier position, or None for the present position.
    """
    if sight.places is not None:
        first = [seat for seat, place in enumerate(sight.places) if place == 1]
        if len(first) > 1:
            winners = join_names([names[seat] for seat in first])
            return _("A shared win"), _("{names} share it.").format(names=winners)
        (winner,) = first
        won = _("{name} wins").format(name=names[winner])
        return _("You win") if winner == sight.seat else won, _("The game is over.")
    if moves is not None:
        return _("Moves: {count}").format(count=moves), ""
    if not sight.to_act:
        return _("A recorded game"), _("The recording ends before the game is over.")
    if sight.seat in sight.to_act and not sight.empty_seats:
        return _("A program plays for you") if _has_program(sight) else _("Your turn"), ""
    waiting = [seat for seat in sight.to_act if sight.seats[seat].kind == "open"]
    if waiting:
        empty = join_names([names[seat] for seat in waiting])
        more = (
            _("Nobody can move before every seat is taken. A program can take a seat, too.")
            if sight.empty_seats
            else ""
        )
        headline = _("Waiting for a player: {names}").format(names=empty)
        return headline, f"{_('Send the link of the seat.')} {more}".strip()
    thinks = set(sight.thinking) & set(sight.to_act)
    headline = _("{name} is thinking") if thinks else _("{name} is to move")
    acting = join_names([names[seat] for seat in sight.to_act])
    return headline.format(name=acting), "" if sight.own_seats else _("You are watching.")


def _chairs(sight: TableView, names: list[str], notes: Sequence[str], base: str) -> list[Chair]:
    chairs: list[Chair] = []
    for number, seat in enumerate(sight.seats):
        level, is_own = level_of(seat, sight.game), number in sight.own_seats
        states = [
            (_("not ready"), not seat.ready),
            (f"✓ {_('ready')}", seat.ready and seat.kind == "person" and not sight.begun),
            (f"{_('place')} {sight.places[number]}" if sight.places else "", True),
            (_("thinking"), number in sight.thinking),
            (_("nobody yet"), seat.kind == "open"),
            (_("away"), _is_away(sight, number) and number not in sight.empty_seats),
            (_("agrees to take back the move"), number in sight.undo),
            (
                _(level.name) if level else _("program"),
                seat.kind == "program" and number not in sight.thinking and not sight.places,
            ),
            (_("you sit here"), number == sight.seat and is_own and not sight.places),
        ]
        points = sight.points[number]
        unit = _("point") if int(points) == 1 else _("points")
        chairs.append(
            Chair(
                number,
                level.face if level else "",
                is_own,
                number in sight.to_act,
                tuple([text for text, holds in states if text and holds]),
                Score(f"{points:g}", unit, notes[number] if notes else ""),
                None if seat.invitation is None else f"{base}/join/{seat.invitation}",
                sight.places[number] if sight.places else 0,
            )
        )
    return chairs


def _has_program(sight: TableView) -> bool:
    """Return whether a program plays for the visitor."""
    return sight.seat is not None and sight.seats[sight.seat].kind == "program"


def _is_away(sight: TableView, number: int) -> bool:
    """Return whether a person at an unfinished game, other than the visitor, is not connected."""
    seat = sight.seats[number]
    waited_for = (bool(sight.to_act) or not sight.begun) and number not in sight.own_seats
    return seat.kind == "person" and not seat.present and waited_for


@lru_cache(maxsize=256)
def qr_svg(link: str) -> Markup:
    """Return the QR code of a link as an SVG picture for an HTML page."""
    import segno

    picture = segno.make(link, error="m", micro=False)
    return Markup(picture.svg_inline(border=2, svgclass="", lineclass="", omitsize=True))


def programs(game: str) -> list[str]:
    """Return the names of the computer players of a game, beginning with the strongest.

    Players whose argument is a file are left out.
    """
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
