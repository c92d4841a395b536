"""Settings of a game as people choose them, made of its dataclass: for forms and for options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
from enum import StrEnum
from typing import Any, NamedTuple

COUNT_OF_SEATS = ("players", "seats")
"""Settings that say how many play."""


class SettingField(NamedTuple):
    """One setting as people choose it, of kind "number", "choice" or "truth".

    `least`, `most` and `step` are of a number; `seats` is whether it says how many play.
    """

    name: str
    label: str
    help: str
    kind: str
    default: Any
    least: int = 0
    most: int = 0
    step: int = 1
    choices: tuple[str, ...] = ()
    seats: bool = False


def setting_fields(rules_class: Any) -> tuple[SettingField, ...]:
    """Return the settings of a game that people choose: those that say what they mean."""
    settings = type(rules_class().settings)
    return tuple(_setting_field(item) for item in fields(settings) if "help" in item.metadata)


def settings_with(rules_class: Any, chosen: Mapping[str, Any], seats: int | None = None) -> Any:
    """Return the settings of a game, the usual ones where None or nothing was chosen by name."""
    given = {name: value for name, value in chosen.items() if value is not None}
    count = next((item.name for item in setting_fields(rules_class) if item.seats), None)
    if count is not None and seats is not None:
        given.setdefault(count, seats)
    return type(rules_class().settings)(**given)


def settings_of(rules: Any) -> dict[str, Any]:
    """Return the settings of a game by name, in values of JSON."""
    return {
        field.name: str(value) if isinstance(value, str) else value
        for field in fields(rules.settings)
        for value in [getattr(rules.settings, field.name)]
    }


def _setting_field(setting: Field[Any]) -> SettingField:
    name, default = setting.name, setting.default
    begin = SettingField(
        name, name.replace("_", " ").capitalize(), setting.metadata["help"], "truth", default,
        seats=name in COUNT_OF_SEATS,
    )  # fmt: skip
    if isinstance(default, StrEnum):
        names = tuple(map(str, type(default)))
        return begin._replace(kind="choice", default=str(default), choices=names)
    allowed = setting.metadata.get("range")
    if allowed is None:
        return begin
    return begin._replace(kind="number", least=allowed[0], most=allowed[-1], step=allowed.step)
