"""The fields of JSON requests: their names and types, and a function that reads and checks them.

There is a class for each kind of request. Its fields have the names and types of the entries in the
JSON object. A field with a default may be omitted in the request. In most requests, the field
`seat` is the seat for which the caller acts and which the caller owns. If it is None, the server
chooses it (see `TableState.visitor`).
"""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from quaternity.base.text_format import quote_value
from quaternity.web.http_errors import HttpError


class TableFields(NamedTuple):
    """The fields of a request for a new table. `new_table.NewTable` describes most of them."""

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
    """The fields of a request to take the seat for which an invitation is valid.

    Attributes:
        invitation: The invitation link, or its last part.
        name: Name of the caller as a player, or None for the default name of the seat.
        seat: The seat that the caller wants, if the invitation is for any free seat.
        ready: Whether the caller is ready for the game to begin.
    """

    invitation: str
    name: str | None = None
    seat: int | None = None
    ready: bool = True


class LinkFields(NamedTuple):
    """The field of a request by which a player continues on another device.

    The device that sends the request takes over the seat. `link` is the link that the previous
    device showed, or the last part of the link.
    """

    link: str


class CodeFields(NamedTuple):
    """The field of a request to get a seat back. `code` is the code of the seat."""

    code: str


class SeatFields(NamedTuple):
    """The fields of a request that contains only the seat of the caller."""

    seat: int | None = None


class StartFields(NamedTuple):
    """The fields of a request to start a game before all seats are taken and all players ready.

    `fill` names the computer player that gets the open seats. See `lobby.Lobby.start`.
    """

    fill: str | None = None
    seat: int | None = None


class ReadyFields(NamedTuple):
    """The fields of a request that says whether a player is ready for the game to begin.

    `countdown` says whether the game begins after a countdown instead of at once.
    """

    ready: bool
    countdown: bool = False
    seat: int | None = None


class HandOverFields(NamedTuple):
    """The fields of a request that gives a seat to another player.

    `seat` may belong to another person than the caller. `lobby.Lobby.hand_over` describes the
    values of `player`.
    """

    seat: int
    player: str


class MoveFields(NamedTuple):
    """The fields of a request that makes a move.

    Attributes:
        version: Version of the table (number of log entries) at which the player chose the move.
        move: The move, as text.
        id: Text by which the server recognizes a repeated request for the same move.
        seat: Seat of the caller.
    """

    version: int
    move: str
    id: str
    seat: int | None = None


class UndoFields(NamedTuple):
    """The fields of a request that votes for or against taking the last moves back.

    `version` is the version of the table (number of entries in its log) that the player saw.
    """

    version: int
    agree: bool
    seat: int | None = None


class MarkFields(NamedTuple):
    """The fields of a request that sets a pencil mark: a note about whether a player has a card.

    `mark` is one of `assistance.MARKS`.
    """

    player: int
    card: str
    mark: str
    seat: int | None = None


class TalkFields(NamedTuple):
    """The fields of a request that sends a chat line. `name` is used only for a bystander."""

    text: str
    seat: int | None = None
    name: str = "somebody"


class ReactionFields(NamedTuple):
    """The fields of a request that sends a reaction, which is one of `chat.REACTIONS`.

    `name` is used only for a bystander.
    """

    reaction: str
    seat: int | None = None
    name: str = "somebody"


class TryFields(NamedTuple):
    """The field of a request for a table that continues from a decisive move of a game.

    `number` is the number of the decisive move in the review of the game.
    """

    number: int


Fields = TypeVar("Fields", bound=NamedTuple)


def read_fields(document: dict[str, Any], kind: type[Fields]) -> Fields:
    """Check the JSON object of a request, and return it as an object of the class `kind`.

    Raises `HttpError` if a field is unknown, if a field without a default is missing, or if a value
    has a different type than its field.
    """
    hints = _hints(kind)
    if unknown := document.keys() - hints.keys():
        allowed = ", ".join(hints)
        field = quote_value(min(unknown), str)
        raise HttpError(422, f"unknown field {field}; choose from {allowed}")
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
    return get_args(hint)[0] if isinstance(hint, UnionType) else hint


def _matches(value: Any, hint: Any) -> bool:
    if value is None:
        return isinstance(hint, UnionType)
    kind = _plain(hint)
    if type(value) is not (get_origin(kind) or kind):
        return False
    return kind != list[str] or all(type(item) is str for item in value)
