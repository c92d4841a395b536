"""The data types that describe a change to a stored table, and the error for conflicting changes.

The log of a table lists its moves and take-backs in order. Servers that share a database send each
other notices about their changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from quaternity.web.http_errors import HttpError

TAKEN_BACK = -1
"""Seat number of a log entry that takes moves back. The text of the entry is the number of moves
that it takes back."""

MAX_TRIES = 10
"""Maximum number of attempts to make a change, if changes by other servers conflict with it."""


class Entry(NamedTuple):
    """An entry of a table's log: a move, or a number of moves that are taken back.

    `version` is the length of the log including this entry. `seat` is the seat that moved, or
    `TAKEN_BACK`. `id` is the id that the client chose for the move. It is empty for a program's
    move and for moves that are taken back.
    """

    table: str
    version: int
    seat: int
    id: str
    move: str


Statement = tuple[str, Sequence[Any]]
"""An SQL statement: its text, with a `?` for each value, and the values."""


class ChangeNotice(NamedTuple):
    """A notice about a table, which one server sends to the other servers of its database.

    Attributes:
        revision: Number of changes to the table so far, or `REMOVED` if the table was removed.
        entry: The new log entry if the change is only a move, otherwise None.
        event, data: Name and data of an event that is sent but not stored, such as a reaction. Both
            are None if the notice is about a stored change.
    """

    table: str
    revision: int
    entry: Sequence[Any] | None = None
    event: str | None = None
    data: Any = None


REMOVED = -1
"""Revision number in the notice that a table was removed from the store."""


class Presence(NamedTuple):
    """A report of one server about the presence of a player.

    `streams` is the number of the player's open event streams. `seen` is the time of the player's
    last activity, measured in seconds by `Store.uptime`.
    """

    table: str
    seat: int
    server: str
    streams: int
    seen: float


class VersionConflict(HttpError):
    """Error for a change that is based on an old revision of a table.

    Another server has changed the table in the meantime, so the caller must check the request
    again on the new state.
    """

    def __init__(self) -> None:
        super().__init__(409, "the table was changed meanwhile: try again")
