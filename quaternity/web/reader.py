"""Access to the database with all game tables, for an operator's commands and for the server.

`Reader` is the base class of `FileReader` (SQLite), `PostgresReader` and `Store`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

from quaternity.base.errors import InputError


class InUse(InputError):
    """Error for a database that cannot be used now, because another process is using it."""


class DamagedFile(InputError):
    """Error for a damaged file of game tables, from which something could not be read."""


class Reader(ABC):
    """Access to the database with all game tables. A server may use it at the same time."""

    where: str
    """Name of the file or database for error messages. It contains no password."""

    @abstractmethod
    def read(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run an SQL query and return its rows. May be called from any thread.

        The query has a `?` for each of the values.

        Raises `HttpError` if the database cannot be read now, or `DamagedFile` if it is damaged.
        """

    @abstractmethod
    def at_one_moment(self) -> AbstractContextManager[None]:
        """Let all reads in a `with` block see the same data, even while a server writes."""

    @abstractmethod
    def faults(self) -> list[str]:
        """Return a message about each fault of the stored data, such as rows of a deleted table."""

    @abstractmethod
    def change(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute an SQL statement once for each row of values.

        A server may be using the database at the same time.
        """

    def now(self) -> float:
        """Return the current time in seconds since 1970, by which the age of tables is measured."""
        return datetime.now(UTC).timestamp()

    def order_removal(self, names: Sequence[str]) -> None:
        """Ask the server to delete the game tables with the given ids."""
        order = "INSERT INTO removing (table_id) VALUES (?) ON CONFLICT DO NOTHING"
        self.change(order, [(name,) for name in names])

    def confirm_clock(self) -> float:
        """Record that the system clock is right. Return its time in seconds since 1970.

        A server compares later times with the stored time, to notice whether the clock has jumped.
        """
        now = self.now()
        self.change("UPDATE uptime SET clock = ? - seconds", [(now,)])
        return now

    @abstractmethod
    def close(self) -> None:
        """Close the file, or the connections to the database."""
