"""The fields of JSON requests: their names and types, and the reader that checks them."""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from quaternity.base.text_format import quote_value
from quaternity.web.http_errors import HttpError


class TableFields(NamedTuple):
    """The fields of a request for a new table."""

    game: str
    seats: list[str]
    settings: dict[str, Any] | None = None
    name: str | None = None
    help: bool = False
    seed: int | None = None
    deck: str | None = None
    chat: bool = False
    clock: dict[str, Any] | None = None
    visitors: bool = False


class JoinFields(NamedTuple):
    """The fields of a request for the seat to which an invitation leads."""

    invitation: str
    name: str | None = None
    seat: int | None = None
    ready: bool = True


class LinkFields(NamedTuple):
    """The field of a request that moves a seat to the device that sends the request."""

    link: str


class CodeFields(NamedTuple):
    """The field of a request in which an owner asks for a seat back."""

    code: str


class SeatFields(NamedTuple):
    """The field of a request that needs only the seat of the caller."""

    seat: int | None = None


class StartFields(NamedTuple):
    """The fields of a request to start the game."""

    fill: str | None = None
    seat: int | None = None


class ReadyFields(NamedTuple):
    """The fields of a request in which a player says whether they are ready to begin."""

    ready: bool
    countdown: bool = False
    seat: int | None = None


class HandOverFields(NamedTuple):
    """The fields of a request that gives `seat` to another player."""

    seat: int
    player: str


class MoveFields(NamedTuple):
    """The fields of a request for a move."""

    version: int
    move: str
    id: str
    seat: int | None = None


class UndoFields(NamedTuple):
    """The fields of a request that votes for or against taking the last moves back."""

    version: int
    agree: bool
    seat: int | None = None


class MarkFields(NamedTuple):
    """The fields of a request for a pencil mark."""

    player: int
    card: str
    mark: str
    seat: int | None = None


class TalkFields(NamedTuple):
    """The fields of a chat line. Only bystanders send a name."""

    text: str
    seat: int | None = None
    name: str = "somebody"


class ReactionFields(NamedTuple):
    """The fields of a reaction. Only bystanders send a name."""

    reaction: str
    seat: int | None = None
    name: str = "somebody"


class TryFields(NamedTuple):
    """The field of a request for a table that continues at a decisive move."""

    number: int


Fields = TypeVar("Fields", bound=NamedTuple)


def read_fields(document: dict[str, Any], kind: type[Fields]) -> Fields:
    """Return the fields in the JSON object of a request.

    `kind` is a NamedTuple with the names, types and defaults of the fields.

    Raises `HttpError` if a field is unknown, if a field without a default is missing, or if a value
    has a different type than its field.
    """
    hints = _hints(kind)
    if unknown := document.keys() - hints.keys():
        allowed = ", ".join(hints)
        raise HttpError(422, f"{quote_value(min(unknown), str)} is unknown; choose from {allowed}")
    values = kind._field_defaults | document
    for name, hint in hints.items():
        if not _matches(values.get(name), hint):
            raise HttpError(422, f"{name}: must be {_WORDS[_plain(hint)]}")
    return kind._make(values[name] for name in hints)


_WORDS: dict[Any, str] = {
    str: "a string", int: "a whole number", bool: "true or false", list[str]: "a list of strings",
    dict[str, Any]: "an object",
}  # fmt: skip

_hints = cache(get_type_hints)


def _plain(hint: Any) -> Any:
    """Return the type of a field, without None if the type is optional."""
    return get_args(hint)[0] if isinstance(hint, UnionType) else hint


def _matches(value: Any, hint: Any) -> bool:
    """Return whether a JSON value has the type of a field."""
    if value is None:
        return isinstance(hint, UnionType)
    kind = _plain(hint)
    if type(value) is not (get_origin(kind) or kind):
        return False
    return kind != list[str] or all(type(item) is str for item in value)
