"""Changes of stored tables: log entries, statements, notices to other servers, and conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from quaternity.web.http_errors import HttpError

TAKEN_BACK = -1
"""Seat number of log entries that take back moves. The text of such an entry is the number of moves
that are taken back."""

MAX_TRIES = 10
"""Maximum number of times that a change is repeated because of conflicts with changes by other
servers."""


class Entry(NamedTuple):
    """An entry of a table's log.

    `version` is the length of the log including this entry. `seat` is the seat that moved, or
    `TAKEN_BACK`. `id` is the id that the client chose for the move. It is empty for a program's
    move.
    """

    table: str
    version: int
    seat: int
    id: str
    move: str


Statement = tuple[str, Sequence[Any]]
"""Type of an SQL statement, as its text with a `?` for each value, and the values."""


class ChangeNotice(NamedTuple):
    """A notice about a change of a table, which the servers of one database send to each other.

    Attributes:
        revision: Number of changes of the table so far, or `REMOVED` after its removal.
        entry: The new log entry if nothing else has changed, otherwise None.
        event, data: An event for the streams of the table, if the notice is about an event that is
            not stored.
    """

    table: str
    revision: int
    entry: Sequence[Any] | None = None
    event: str | None = None
    data: Any = None


REMOVED = -1
"""Revision number in the notice that a table was removed."""


class Presence(NamedTuple):
    """A report on the presence of a player at one server.

    `streams` is the number of the player's open streams, and `seen` the time of the last activity,
    in seconds of `Store.uptime`.
    """

    table: str
    seat: int
    server: str
    streams: int
    seen: float


class VersionConflict(HttpError):
    """Error for a change based on an old version of a table.

    Another server has changed the table in the meantime, so the caller must check the request
    again.
    """

    def __init__(self) -> None:
        super().__init__(409, "the table was changed meanwhile: try again")
