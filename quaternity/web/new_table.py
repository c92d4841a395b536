"""Validation of requests for new tables: rules, settings, clock, deck, names and programs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from random import Random
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.names import to_nfc
from quaternity.decks.deck import PLAIN, Deck, deck_for, decks, find_deck, set_counts
from quaternity.table.games import game_names, registration, rules_class, rules_of_record
from quaternity.table.players import YOU
from quaternity.web.background import BackgroundWork
from quaternity.web.chat import is_visible
from quaternity.web.clock import DAY, Clock
from quaternity.web.forms import MAX_CARDS, MAX_SEATS, form_fields, read_settings
from quaternity.web.http_errors import BAD_NAME, WRONG_SEATS, HttpError, quote_start
from quaternity.web.seats import OPEN, default_name

MAX_NAME_LENGTH = 40

MAX_RECORD_MOVES = 5_000
"""Maximum number of moves in an uploaded record."""

CLOCKS = {
    "none": None, "short": Clock(30, 5), "long": Clock(120, 15), "day": Clock(DAY),
    "days": Clock(3 * DAY),
}  # fmt: skip
"""The clocks that the form for a new table offers, by the value of the choice."""

_ARGUMENT = re.compile(r"[a-z-]{1,20}(:[0-9]{1,5})?")


class NewTable(NamedTuple):
    """A request for a new table, with the fields of `POST /api/tables`.

    If `visitors` is true, everybody who knows the address of the table may take a free seat before
    the game begins.
    """

    game: str
    settings: Mapping[str, Any]
    seats: Sequence[str]
    name: str | None = None
    help: bool = False
    seed: int | None = None
    deck: str | None = None
    chat: bool = False
    clock: Clock | None = None
    visitors: bool = False


def read_form(form: Mapping[str, Sequence[str]]) -> NewTable:
    """Return the request for a new table that somebody has filled in as a form.

    The fields of the form are described in `templates/new.html`.

    Raises `HttpError` if a field is missing or not allowed.
    """

    def answer(name: str, missing: str = "") -> str:
        return next(iter(form.get(name, ())), missing)

    game = check_game(answer("game"))
    known = registration(game)
    hidden = rules_class(game).hidden
    if "first" in form and known.first is not None:
        programs = ["easy"] * known.first.programs
        seats = ["me", *programs]
        return NewTable(game, known.first.settings, seats, answer("name"), help=not hidden)
    count = _whole_number("players", answer("players", "2"), 1, MAX_SEATS)
    friends = {"programs": 0, "both": count // 2}.get(answer("with"), count - 1)
    usual = ["me", *[OPEN] * friends, *[answer("level")] * (count - 1 - friends)]
    seats = [
        own or seat for seat, own in zip_longest(usual, form.get("seats", ())[:count], fillvalue="")
    ]
    if (limit := answer("clock", "none")) not in CLOCKS:
        raise HttpError(422, f"clock: must be one of {', '.join(CLOCKS)}")
    settings = _form_settings(game, form, answer("length"), count)
    return NewTable(
        game, settings, seats, answer("name"), "help" in form, None, answer("deck") or None,
        "chat" in form, CLOCKS[limit], "visitors" in form,
    )  # fmt: skip


def _form_settings(
    game: str, form: Mapping[str, Sequence[str]], length: str, seats: int
) -> dict[str, Any]:
    """Return the settings of a filled-in form: those of the length, unless the form has others."""
    lengths = {entry.name: entry.settings for entry in registration(game).lengths}
    if lengths and length not in lengths:
        raise HttpError(422, f"length: must be one of {', '.join(lengths)}")
    own: dict[str, Any] = {}
    for field in form_fields(game):
        (text,) = form.get(f"settings.{field.name}", [""])[:1]
        if field.seats:
            own[field.name] = seats
        elif field.kind == "truth":
            own[field.name] = bool(text)
        elif text:
            is_number = field.kind == "number" and text.isascii() and text.isdecimal()
            own[field.name] = int(text) if is_number and len(text) < 8 else text
    settings: dict[str, Any] = {**lengths.get(length, {}), **own}
    for sets in range(settings.get("sets", 0), MAX_CARDS) if "sets" not in own else ():
        # Take more sets if the players cannot share the cards evenly.
        wanted = settings | ({"sets": sets} if "sets" in settings else {})
        with suppress(InputError):
            read_settings(game, wanted, seats)
            return wanted
    return settings


def _whole_number(name: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 4 and least <= int(text) <= most):
        raise HttpError(422, f"{name}: must be a whole number {least}..{most}")
    return int(text)


def check_game(game: str, status: int = 422) -> str:
    """Return the name of a game. Raise `HttpError` with this status if the game is unknown."""
    known = tuple(game_names())
    if game not in known:
        choices = ", ".join(known)
        raise HttpError(status, f"unknown game {quote_start(game)}; choose from {choices}")
    return game


def rules_with(game: str, settings: Mapping[str, Any], seats: int) -> Any:
    """Return the rules of a game with the given settings and number of seats.

    Raises `HttpError` if the game is unknown, or if the settings or the number of seats are not
    allowed.
    """
    check_game(game)
    try:
        rules = rules_class(game)(read_settings(game, settings, seats))
    except InputError as error:
        raise HttpError(422, str(error)) from None
    if rules.seats != seats:
        raise HttpError(422, WRONG_SEATS(named=seats, play=rules.seats))
    return rules


def check_clock(rules: Any, clock: Clock | None) -> None:
    """Raise `HttpError` if a clock is requested for a game that has no turns."""
    if clock is not None and not may_have_clock(rules):
        raise HttpError(
            422, f"clock: not allowed in {rules.name}, because all players may move at any time"
        )


def may_have_clock(rules: Any) -> bool:
    """Return whether a game may have a clock, because only one player at a time may move."""
    return len(rules.to_act(rules.start(Random(0)))) < 2


def settings_for(rules: Any, seats: int) -> dict[str, Any]:
    """Return the settings of a game, with the number of seats replaced."""
    return {
        form_field.name: seats if form_field.seats else getattr(rules.settings, form_field.name)
        for form_field in form_fields(rules.name)
    }


def decks_of(game: str) -> tuple[Deck, ...]:
    """Return the decks for a game, or no decks if the game has no sets of cards."""
    return decks() if set_counts(rules_class(game)().settings) else ()


def deck_name(settings: Any, asked: str | None) -> str:
    """Return the name of the deck of a new table.

    By default, it is the first deck that has enough cards.

    Raises `HttpError` if there is no deck `asked`, or if the deck has too few cards.
    """
    size = set_counts(settings)
    if not asked:
        return PLAIN.name if size is None else deck_for(*size).name
    try:
        deck = find_deck(asked)
        if size is not None:
            deck.check_fits(*size)
    except InputError as error:
        raise HttpError(422, str(error)) from None
    return deck.name


def check_name(name: str | None, seat: int) -> str:
    """Return the name of a person in a seat. Without a name, return the default name of the seat.

    Raises `HttpError` if the name is too long or not printable.
    """
    name = default_name(seat) if name is None else to_nfc(" ".join(name.split()))
    if len(name) > MAX_NAME_LENGTH or not is_visible(name):
        raise HttpError(422, BAD_NAME(most=MAX_NAME_LENGTH))
    return name


def parse_upload(data: bytes) -> tuple[str, str, list[str], list[tuple[int, str]]]:
    """Return the contents of an uploaded record: game, head, names of the players, and moves.

    The head contains no names. Each move is a pair of the seat and the text of the move.
    """
    rules = rules_of_record(data)
    chosen = {
        form_field.name: getattr(rules.settings, form_field.name)
        for form_field in form_fields(rules.name)
    }
    read_settings(rules.name, chosen)
    replay = rules.replay(data)
    if len(replay.moves) > MAX_RECORD_MOVES:
        raise InputError(
            f"the record has {len(replay.moves)} moves, but at most {MAX_RECORD_MOVES} are allowed"
        )
    names = list(replay.names) or [YOU] * rules.seats
    # Replace the name "you", which records use for people, by the default name of the seat.
    names = [default_name(seat) if name == YOU else name for seat, name in enumerate(names)]
    moves = [(seat, rules.write(move)) for seat, move in replay.moves]
    return rules.name, rules.record_start(replay.positions[0], ()), names, moves


async def check_player(thinking: BackgroundWork, rules: Any, name: str) -> str:
    """Return the name of a requested program. The request names the program or a level.

    A request may ask for the programs of this package, with no argument or a number, and for the
    programs that the operator has added. It cannot name a module or a file.

    Raises `HttpError` if the request may not ask for the program, or if the program does not play
    with the settings of the game.
    """
    further = thinking.players.get((rules.name, name))
    if further is not None:
        try:
            await thinking.try_player(rules, further)
        # Do not quote the error, because it may name files of this machine.
        except InputError as error:
            message = f"seat {name!r}: this program does not play with these settings"
            raise HttpError(422, message) from error
        return name
    levels = {level.name: level.player for level in registration(rules.name).levels}
    name = levels.get(name, name)
    base, colon, _ = name.partition(":")
    if not _ARGUMENT.fullmatch(name) or base not in known_players(rules.name, {}):
        choices = ", ".join(("me", OPEN, *levels, *known_players(rules.name, thinking.players)))
        raise HttpError(
            422, f"unknown player {quote_start(name)} for a seat; choose from {choices}"
        )
    if colon:
        try:
            await thinking.try_player(rules, name)
        except InputError as error:
            raise HttpError(422, str(error)) from None
    return name


def known_players(game: str, more: Mapping[tuple[str, str], str]) -> list[str]:
    """Return the names of the programs that a request may ask for.

    The keys of `more` are the game and the name of each program that the operator has added.
    """
    game_registration = registration(game)
    names = [name for name in game_registration.players if name not in game_registration.of_files]
    return names + [name for other, name in more if other == game]
