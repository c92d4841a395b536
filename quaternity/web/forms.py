"""Settings of a game as fields of a form, made of its dataclass, and read from a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.wording import shown
from quaternity.table.games import rules_class
from quaternity.table.setting_fields import SettingField, setting_fields, settings_with

MAX_SEATS = 12
MAX_CARDS = 200
"""Maximum number of cards in a game in the browser; a larger table would not be readable on a
page."""

MAX_FAULTS = 5
"""Maximum number of faults in one message."""


def form_fields(game: str) -> tuple[SettingField, ...]:
    """Return the settings of a game that people choose in a page, with the limits of pages."""
    fields = setting_fields(rules_class(game))
    most = {True: MAX_SEATS, False: MAX_CARDS}
    return tuple(field._replace(most=min(field.most, most[field.seats])) for field in fields)


def read_settings(game: str, given: Mapping[str, Any], seats: int | None = None) -> Any:
    """Return the settings in a request, those that it does not name being the usual ones.

    Args:
        given: values by name, as in JSON. A string is neither a number nor a truth value.
        seats: how many seats were asked for, if that was said.

    Raises:
        InputError: lists every setting that is unknown or no such value, says what the game itself
            refuses, or that it is too large for a page.
    """
    known = {form_field.name: form_field for form_field in form_fields(game)}
    chosen, faults = {}, []
    for name, value in given.items():
        if name not in known:
            faults.append(f"settings: {shown(name)} is unknown; known are {', '.join(known)}")
            continue
        try:
            chosen[name] = _value(known[name], value)
        except InputError as error:
            faults.append(str(error))
    count = next((v.name for v in known.values() if v.seats), None)
    if count is not None and seats is not None:
        if chosen.setdefault(count, seats) != seats:
            faults.append(f"seats: {seats} for {count} {chosen[count]}")
        if seats > MAX_SEATS:
            faults.append(f"seats: {seats} are more than {MAX_SEATS}")
    if faults:
        raise InputError("; ".join(faults[:MAX_FAULTS]))
    settings = settings_with(rules_class(game), chosen)
    cards = getattr(settings, "set_size", 1) * getattr(settings, "sets", 1)
    if cards > MAX_CARDS:
        raise InputError(f"{cards} cards are more than {MAX_CARDS}")
    return settings


def _value(field: SettingField, given: Any) -> Any:
    """Return what a request says for a field."""
    if field.kind == "choice":
        if given not in field.choices:
            allowed = ", ".join(field.choices)
            raise InputError(f"{field.name}: {shown(given)} is unknown; known are {allowed}")
        return given
    if field.kind == "truth":
        if not isinstance(given, bool):
            raise InputError(f"{field.name}: {shown(given)} is neither true nor false")
        return given
    if field.default is None and given is None:
        return None
    if type(given) is not int or given not in range(field.least, field.most + 1, field.step):
        steps = f" in steps of {field.step}" if field.step > 1 else ""
        raise InputError(
            f"{field.name}: {shown(given)} is not a whole number {field.least}..{field.most}{steps}"
        )
    return given
