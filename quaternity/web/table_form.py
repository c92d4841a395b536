"""The form for a new table: functions that read the fields that a visitor has filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any

from quaternity.base.errors import InputError
from quaternity.table.games import registration, rules_class
from quaternity.web.clock import DAY, Clock
from quaternity.web.forms import MAX_CARDS, MAX_SEATS, form_fields, read_settings
from quaternity.web.http_errors import HttpError
from quaternity.web.new_table import NewTable, Permissions, check_game
from quaternity.web.seats import OPEN

MAX_FORM_FIELDS = 100
"""Maximum number of fields in a submitted form."""

CLOCKS = {
    "none": None, "short": Clock(30, 5), "long": Clock(120, 15), "day": Clock(DAY),
    "days": Clock(3 * DAY),
}  # fmt: skip
"""The clocks that the form for a new table offers, by the value of the field `clock`. The value
"none" means that there is no clock."""


def read_form(form: Mapping[str, Sequence[str]]) -> NewTable:
    """Return the request for a new table that a submitted form describes.

    `form` maps the name of each field to its values. The fields are in `templates/new.html`.

    Raises `HttpError` if the game is unknown, or if the value of a field is not allowed.
    """

    def answer(name: str, missing: str = "") -> str:
        return next(iter(form.get(name, ())), missing)

    game = check_game(answer("game"))
    known = registration(game)
    hidden = rules_class(game).hidden
    if "first" in form and known.first is not None:
        programs = ["easy"] * known.first.programs
        seats = ["me", *programs]
        allowed = Permissions(help=not hidden)
        return NewTable(game, known.first.settings, seats, answer("name"), allowed=allowed)
    count = _whole_number("players", answer("players", "2"), 1, MAX_SEATS)
    friends = {"programs": 0, "both": count // 2}.get(answer("with"), count - 1)
    usual = ["me", *[OPEN] * friends, *[answer("level")] * (count - 1 - friends)]
    seats = [
        own or seat for seat, own in zip_longest(usual, form.get("seats", ())[:count], fillvalue="")
    ]
    if (limit := answer("clock", "none")) not in CLOCKS:
        raise HttpError(422, f"clock: must be one of {', '.join(CLOCKS)}")
    settings = _form_settings(game, form, answer("length"), count)
    allowed = Permissions(*(name in form for name in Permissions._fields))
    deck = answer("deck") or None
    return NewTable(game, settings, seats, answer("name"), None, deck, CLOCKS[limit], allowed)


def _form_settings(
    game: str, form: Mapping[str, Sequence[str]], length: str, seats: int
) -> dict[str, Any]:
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
    if "sets" in settings and "sets" not in own:
        # If the number of sets is not allowed, for example because the players cannot share the
        # cards evenly, use the next larger number that is allowed.
        for sets in range(settings["sets"], MAX_CARDS):
            with suppress(InputError):
                read_settings(game, settings | {"sets": sets}, seats)
                return settings | {"sets": sets}
    return settings


def _whole_number(name: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 4 and least <= int(text) <= most):
        raise HttpError(422, f"{name}: must be a whole number {least}..{most}")
    return int(text)
