"""The data types that describe a change to a stored table, and the error for conflicting changes.

The log of a table lists its moves and take-backs in order. Servers that share a database send each
other notices about their changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from quaternity.web.http_errors import HttpError

TAKEN_BACK = -1
"""Value of `Entry.seat` for a log entry that takes moves back. `Entry.move` is then the number of
these moves, as text."""

MAX_TRIES = 10
"""Maximum number of attempts to change a table if other servers change it at the same time."""


class Entry(NamedTuple):
    """An entry in the log of a table, which lists the moves and take-backs in order.

    `version` is the length of the log including this entry. `seat` is the seat that made the move,
    or `TAKEN_BACK`. `id` is the id that the client chose for the move. It is empty for the move of
    a computer player and for a take-back.
    """

    table: str
    version: int
    seat: int
    id: str
    move: str


Statement = tuple[str, Sequence[Any]]
"""Type of an SQL statement: its text, with a `?` for each value, and the values."""


class ChangeNotice(NamedTuple):
    """A message about a game table, which a server sends to the other servers of the same database.

    Attributes:
        revision: Number of changes to the table so far, or `REMOVED` if the table was removed.
        entry: The new log entry if the change is only a move, otherwise None.
        event: Name of an event that is sent but not stored, such as a reaction. None if the message
            is about a stored change.
        data: Data of this event, or None.
    """

    table: str
    revision: int
    entry: Sequence[Any] | None = None
    event: str | None = None
    data: Any = None


REMOVED = -1
"""Value of `ChangeNotice.revision` for a table that was deleted."""


class Presence(NamedTuple):
    """A server's report on whether the player in a seat is connected to this server.

    `streams` is the number of the player's open event streams. `seen` is the time of the player's
    last activity, measured in seconds by `Store.uptime`.
    """

    table: str
    seat: int
    server: str
    streams: int
    seen: float


class VersionConflict(HttpError):
    """Error for a change to a game table that another server has changed in the meantime.

    The caller must check the request again on the new state of the table.
    """

    def __init__(self) -> None:
        super().__init__(409, "the table was changed meanwhile: try again")
