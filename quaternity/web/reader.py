"""Base class of `Store`, `FileReader` and `PostgresReader`, which give access to all tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

from quaternity.base.errors import InputError


class InUse(InputError):
    """Error for tables that another process uses."""


class Reader(ABC):
    """Access to all stored tables, even while a server uses them."""

    where: str
    """Name of the store for error messages. It contains no password."""

    @abstractmethod
    def read(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query. May be called from any thread.

        Raises `HttpError` if the tables cannot be read now.
        """

    @abstractmethod
    def at_one_moment(self) -> AbstractContextManager[None]:
        """Make all reads in the block see the same snapshot, even while a server writes."""

    @abstractmethod
    def faults(self) -> list[str]:
        """Return messages about the faults of the store, such as rows that belong to no table."""

    @abstractmethod
    def change(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute a statement for each row of values, even while a server uses the tables."""

    def now(self) -> float:
        """Return the time that decides whether tables have expired, in seconds since 1970."""
        return datetime.now(UTC).timestamp()

    def order_removal(self, names: Sequence[str]) -> None:
        """Ask the server that uses the store to delete the tables with these ids."""
        order = "INSERT INTO removing (table_id) VALUES (?) ON CONFLICT DO NOTHING"
        self.change(order, [(name,) for name in names])

    def confirm_clock(self) -> float:
        """Record that the clock is right, and return its time. A server may use the tables."""
        now = self.now()
        self.change("UPDATE uptime SET clock = ? - seconds", [(now,)])
        return now

    @abstractmethod
    def close(self) -> None:
        """Close the store."""
