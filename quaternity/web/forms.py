"""The settings of a game in the form for a new table, and checks of the settings in a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.text_format import quote_value
from quaternity.table.games import rules_class
from quaternity.table.setting_fields import SettingField, setting_fields, settings_with

MAX_SEATS = 12
"""Maximum number of seats of a table in the browser."""

MAX_CARDS = 200
"""Maximum number of cards of a game in the browser. Pages with more cards would be unreadable."""

MAX_FAULTS = 5
"""Maximum number of faults in one error message about the settings of a new table."""


def form_fields(game: str) -> tuple[SettingField, ...]:
    """Return descriptions of the settings of a game, from which a form can be made.

    The upper limits of the settings are reduced to `MAX_SEATS` and `MAX_CARDS`, so that the game
    fits on a page.
    """
    fields = setting_fields(rules_class(game))
    limits = {True: MAX_SEATS, False: MAX_CARDS}
    return tuple(field._replace(most=min(field.most, limits[field.seats])) for field in fields)


def settings_in_words(game: str, values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the settings of a game as pairs (label, value), as a page shows them.

    If the value is the name of a choice, it is replaced by the text that describes the choice.
    """
    known = {field.name: field for field in form_fields(game)}
    shown = []
    for name, value in values.items():
        field = known.get(name)
        words = dict(zip(field.choices, field.words, strict=True)) if field else {}
        label = field.label if field else name.replace("_", " ").capitalize()
        shown.append((label, words.get(value, value) if isinstance(value, str) else value))
    return shown


def read_settings(game: str, values: Mapping[str, Any], seats: int | None = None) -> Any:
    """Return the settings that a request chooses for a game.

    Settings that the request does not name have their default values.

    Args:
        values: The requested values by the names of the settings, as parsed from JSON. A string is
            not accepted as a number or a truth value.
        seats: The requested number of seats, or None if only `values` determine it.

    Raises:
        InputError: If a setting is unknown or its value is not allowed, if the rules of the game
            reject the settings, or if the game is too large for a page. If several settings are
            wrong, the message lists the first `MAX_FAULTS` faults.
    """
    known = {form_field.name: form_field for form_field in form_fields(game)}
    chosen, faults = {}, []
    for name, value in values.items():
        if name not in known:
            faults.append(
                f"settings: unknown setting {quote_value(name)}; choose from {', '.join(known)}"
            )
            continue
        try:
            chosen[name] = _value(known[name], value)
        except InputError as error:
            faults.append(str(error))
    count = next((v.name for v in known.values() if v.seats), None)
    if count is not None and seats is not None:
        if chosen.setdefault(count, seats) != seats:
            faults.append(f"seats: must be {chosen[count]} (the setting {count}), not {seats}")
        if seats > MAX_SEATS:
            faults.append(f"seats: must be at most {MAX_SEATS}, not {seats}")
    if faults:
        raise InputError("; ".join(faults[:MAX_FAULTS]))
    settings = settings_with(rules_class(game), chosen)
    cards = getattr(settings, "set_size", 1) * getattr(settings, "sets", 1)
    if cards > MAX_CARDS:
        raise InputError(f"the game has {cards} cards, but at most {MAX_CARDS} are allowed")
    return settings


def _value(field: SettingField, value: Any) -> Any:
    if field.kind == "choice":
        if value not in field.choices:
            allowed = ", ".join(field.choices)
            raise InputError(
                f"{field.name}: unknown choice {quote_value(value)}; choose from {allowed}"
            )
        return value
    if field.kind == "truth":
        if not isinstance(value, bool):
            raise InputError(f"{field.name}: must be true or false, not {quote_value(value)}")
        return value
    if field.default is None and value is None:
        return None
    if type(value) is not int or value not in range(field.least, field.most + 1, field.step):
        steps = f" in steps of {field.step}" if field.step > 1 else ""
        raise InputError(
            f"{field.name}: must be a whole number {field.least}..{field.most}{steps}, "
            f"not {quote_value(value)}"
        )
    return value
