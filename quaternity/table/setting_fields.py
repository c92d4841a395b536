"""Descriptions of the settings of a game, for web forms and command options.

The descriptions are derived from the fields of the settings, which are a dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
from enum import StrEnum
from typing import Any, NamedTuple

COUNT_OF_SEATS = ("players", "seats")
"""Names of the settings that may contain the number of players."""


class SettingField(NamedTuple):
    """Description of a setting of a game, for forms and command options.

    Attributes:
        name: name of the setting.
        label: label in a form.
        help: a sentence that explains the setting.
        kind: type of the value: "number", "choice" (one of several names) or "truth" (a bool).
        default: default value.
        least, most, step: minimum, maximum and step, if the kind is "number".
        choices: names of the values, if the kind is "choice".
        words: texts that a form shows for these values.
        seats: whether this setting determines the number of players.
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
    words: tuple[str, ...] = ()


def setting_fields(rules_class: Any) -> tuple[SettingField, ...]:
    """Return a description of each setting that people can choose.

    These are the fields of the game's settings that have a text for `help`.
    """
    settings = type(rules_class().settings)
    return tuple(_setting_field(item) for item in fields(settings) if "help" in item.metadata)


def settings_with(rules_class: Any, chosen: Mapping[str, Any], seats: int | None = None) -> Any:
    """Return the settings of a game with the chosen values.

    A setting that is missing or None has its default value.

    Args:
        rules_class: the class of the rules.
        chosen: values by name of the setting.
        seats: number of players, which is used if `chosen` does not contain it.
    """
    values = {name: value for name, value in chosen.items() if value is not None}
    count = next((item.name for item in setting_fields(rules_class) if item.seats), None)
    if count is not None and seats is not None:
        values.setdefault(count, seats)
    return type(rules_class().settings)(**values)


def settings_of(rules: Any) -> dict[str, Any]:
    """Return the values of a game's settings, by name, as JSON values."""
    return {
        field.name: str(value) if isinstance(value, str) else value
        for field in fields(rules.settings)
        for value in [getattr(rules.settings, field.name)]
    }


def _setting_field(setting: Field[Any]) -> SettingField:
    name, default = setting.name, setting.default
    begin = SettingField(
        name, setting.metadata.get("label", name.replace("_", " ").capitalize()),
        setting.metadata["help"], "truth", default, seats=name in COUNT_OF_SEATS,
    )  # fmt: skip
    if isinstance(default, StrEnum):
        names = tuple(map(str, type(default)))
        words = setting.metadata.get("words", names)
        return begin._replace(kind="choice", default=str(default), choices=names, words=words)
    allowed = setting.metadata.get("range")
    if allowed is None:
        return begin
    return begin._replace(kind="number", least=allowed[0], most=allowed[-1], step=allowed.step)
