"""Checks of requests for new tables: rules, settings, clock, deck, names and computer players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.names import to_nfc
from quaternity.base.text_format import quote_short
from quaternity.decks.deck import PLAIN, Deck, deck_for, decks, find_deck, set_counts
from quaternity.table.games import game_names, registration, rules_class, rules_of_record
from quaternity.table.players import YOU
from quaternity.web.chat import is_visible
from quaternity.web.clock import Clock
from quaternity.web.forms import form_fields, read_settings
from quaternity.web.http_errors import BAD_NAME, WRONG_SEATS, HttpError
from quaternity.web.seats import default_name

MAX_NAME_LENGTH = 40
"""Maximum length of a person's name, in characters."""

MAX_RECORD_MOVES = 5_000
"""Maximum number of moves in an uploaded record."""


class Permissions(NamedTuple):
    """What the maker of a table allows to other people.

    Attributes:
        help: Whether help is allowed, such as hints and the number of possible deals.
        chat: Whether the table has a chat.
        visitors: Whether everybody who knows the address of the table may take a free seat before
            the game begins.
    """

    help: bool = False
    chat: bool = False
    visitors: bool = False


class NewTable(NamedTuple):
    """A request for a new table, with the same fields as `POST /api/tables`.

    Attributes:
        seats: For each seat, `me` for the maker, `open`, or the name or level of a computer player.
        name: Name of the maker as a player, or None for the default name of the seat.
        seed: Seed of the deal and of the computer players, or None for secret random seeds.
        deck: Name of the deck, or None for the first deck that has enough cards.
    """

    game: str
    settings: Mapping[str, Any]
    seats: Sequence[str]
    name: str | None = None
    seed: int | None = None
    deck: str | None = None
    clock: Clock | None = None
    allowed: Permissions = Permissions()


def check_game(game: str, status: int = 422) -> str:
    """Return `game` if there is a game of this name. Otherwise raise `HttpError` with `status`."""
    known = tuple(game_names())
    if game not in known:
        choices = ", ".join(known)
        raise HttpError(status, f"unknown game {quote_short(game)}; choose from {choices}")
    return game


def rules_with(game: str, settings: Mapping[str, Any], seats: int) -> Any:
    """Return the rules of a game with the given settings and number of seats.

    Raises `HttpError` if the game, a setting or the number of seats is not allowed.
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
    """Raise `HttpError` if a clock is requested for a game in which players do not take turns."""
    if clock is not None and not may_have_clock(rules):
        raise HttpError(
            422, f"clock: not allowed in {rules.name}, because all players may move at any time"
        )


def may_have_clock(rules: Any) -> bool:
    """Return whether the players of a game take turns, so that their time can be limited."""
    return len(rules.to_act(rules.start(Random(0)))) < 2


def settings_for(rules: Any, seats: int) -> dict[str, Any]:
    """Return the settings of a game by name, but with `seats` as the number of seats."""
    return {
        form_field.name: seats if form_field.seats else getattr(rules.settings, form_field.name)
        for form_field in form_fields(rules.name)
    }


def decks_of(game: str) -> tuple[Deck, ...]:
    """Return the decks for a game. There are none if the game has no sets of cards."""
    return decks() if set_counts(rules_class(game)().settings) else ()


def deck_name(settings: Any, asked: str | None) -> str:
    """Choose the deck of a new table, and return its name.

    By default, it is the first deck that has enough cards.

    Raises `HttpError` if there is no deck with the name `asked`, or if it has too few cards.
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
    """Return `name` if a player may have it. If it is None, return the default name of the seat.

    Raises `HttpError` if the name is too long or not printable.
    """
    name = default_name(seat) if name is None else to_nfc(" ".join(name.split()))
    if len(name) > MAX_NAME_LENGTH or not is_visible(name):
        raise HttpError(422, BAD_NAME(most=MAX_NAME_LENGTH))
    return name


def parse_upload(data: bytes) -> tuple[str, str, list[str], list[tuple[int, str]]]:
    """Return a tuple (game, head, names of the players, moves) from an uploaded record.

    The head is the beginning of the record up to the first move, without names. Each move is a pair
    of the seat and the text of the move.

    Raises:
        InputError: If the record is not valid, or if its game is too large for a page.
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


def known_players(game: str, more: Mapping[tuple[str, str], str]) -> list[str]:
    """Return the names of the computer players that a request may ask for.

    The keys of `more` are pairs (game, name) of players that the operator has added.
    """
    game_registration = registration(game)
    names = [name for name in game_registration.players if name not in game_registration.of_files]
    return names + [name for other, name in more if other == game]
