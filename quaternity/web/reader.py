"""Access to the stored tables, for the tools of an operator and for the server itself.

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
    """Error for stored tables that cannot be used now, because another process is using them."""


class Reader(ABC):
    """Access to all stored tables. A server may use them at the same time."""

    where: str
    """Name of the file or database, for error messages. It contains no password."""

    @abstractmethod
    def read(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run an SQL query and return its rows. This method may be called from any thread.

        The query has a `?` for each of the values.

        Raises `HttpError` if the tables cannot be read now.
        """

    @abstractmethod
    def at_one_moment(self) -> AbstractContextManager[None]:
        """Make all reads in the block see the same snapshot, even while a server writes."""

    @abstractmethod
    def faults(self) -> list[str]:
        """Return a message about each fault of the stored data, such as rows without a table."""

    @abstractmethod
    def change(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute an SQL statement once for each row of values.

        A server may use the tables at the same time.
        """

    def now(self) -> float:
        """Return the current time, in seconds since 1970.

        This time determines whether tables have expired.
        """
        return datetime.now(UTC).timestamp()

    def order_removal(self, names: Sequence[str]) -> None:
        """Ask the server of the stored tables to delete the tables with the given ids."""
        order = "INSERT INTO removing (table_id) VALUES (?) ON CONFLICT DO NOTHING"
        self.change(order, [(name,) for name in names])

    def confirm_clock(self) -> float:
        """Store that the clock is right, and return its time in seconds since 1970.

        A server compares later times with the stored time, to notice whether the clock has jumped.
        """
        now = self.now()
        self.change("UPDATE uptime SET clock = ? - seconds", [(now,)])
        return now

    @abstractmethod
    def close(self) -> None:
        """Close the file, or the connections to the database."""
