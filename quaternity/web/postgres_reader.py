"""The reader of game tables in a PostgreSQL database, and its connections."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import RLock
from time import monotonic
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from quaternity.base.errors import InputError
from quaternity.web.http_errors import HttpError
from quaternity.web.migrations import MIGRATIONS
from quaternity.web.reader import Reader
from quaternity.web.store import UNREADABLE
from quaternity.web.table_admin import TABLE_PARTS

CONNECT_SECONDS, PAUSE_SECONDS, QUERY_SECONDS = 2, 0.5, 20.0
"""Three durations in seconds: the time limit for connecting, the minimum pause after a failed
attempt, and the time limit for a query of an operator's command."""


_log = logging.getLogger("uvicorn.error")
# Silence the library's warnings, because this module logs the same problems.
logging.getLogger("psycopg").setLevel(logging.ERROR)

Connection = psycopg.Connection[tuple[Any, ...]]


@lru_cache(maxsize=256)
def query_text(text: str) -> str:
    """Return an SQL statement with the placeholders of psycopg (`%s`) instead of `?`."""
    return text.replace("%", "%%").replace("?", "%s")


def query_values(values: Sequence[Any]) -> list[Any]:
    """Return the values for an SQL statement, with 0 and 1 instead of truth values."""
    return [int(value) if isinstance(value, bool) else value for value in values]


def _where(place: str) -> str:
    """Return the URL of a database for messages, without user name and password."""
    try:
        parts = conninfo_to_dict(place)
    except psycopg.ProgrammingError:
        raise InputError("--data postgresql://...: is not a valid PostgreSQL URL") from None
    host, name = parts.get("host") or "", parts.get("dbname") or ""
    return f"postgresql://{host}/{name}"


class PostgresReader(Reader):
    """Access to the game tables in a PostgreSQL database. Servers may use it at the same time."""

    def __init__(self, place: str, for_server: bool = False) -> None:
        """Connect to a database for reading.

        Args:
            place: The URL of the database.
            for_server: Whether the database is for a server, which creates missing tables and
                updates old ones.

        Raises:
            InputError: If the database cannot be used, or a newer version wrote its tables. Old or
                missing tables are accepted only if `for_server` is true.
        """
        self._open(place)
        with self._raising_input_errors():
            version = self._version(self.read_connection())
        if not for_server and version < len(MIGRATIONS):
            self.close()
            if not version:
                raise InputError(f"{self.where}: contains no tables of this program")
            raise InputError(
                f"{self.where}: an older version of this program wrote the tables; start "
                "`quaternity serve` once, which brings them up to date"
            )

    def _open(self, place: str) -> None:
        self.where, self._place = _where(place), place
        self.reading = RLock()
        self._moment = False
        self.is_closing = False
        """Whether the store is being closed, so that no new connection may be made."""
        self._seconds = QUERY_SECONDS
        self._database: Connection | None = None
        self._failed = -PAUSE_SECONDS

    def read(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run an SQL query and return its rows. May be called from any thread."""
        with self.reading, self.refusing_reads():
            try:
                return self._rows(query, values)
            except psycopg.OperationalError:
                if self._moment or self._database is None or not self._database.closed:
                    # Within a snapshot, do not reconnect: a new connection would see another state.
                    raise
                return self._rows(query, values)

    @contextmanager
    def refusing_reads(self) -> Iterator[None]:
        """Raise `HttpError` if the database reports an error during the `with` block."""
        try:
            yield
        except psycopg.Error as error:
            # Log only the type of the error, because messages of PostgreSQL may contain stored
            # values.
            _log.error("%s cannot be read: %s", self.where, type(error).__name__)
            raise HttpError(503, UNREADABLE) from None

    def _rows(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self.read_connection().execute(query_text(query), query_values(values)).fetchall()

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Let all reads in a `with` block see the database as it is at the beginning."""
        with self.reading, self.refusing_reads():
            database = self.read_connection()
            if database.info.transaction_status != TransactionStatus.IDLE:
                yield
                return
            database.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            self._moment = True
            try:
                yield
            finally:
                self._moment = False
                if not database.closed:
                    database.execute("ROLLBACK")

    def faults(self) -> list[str]:
        """Return a message for each SQL table that contains rows about deleted game tables."""
        orphans = "SELECT 1 FROM {} WHERE table_id NOT IN (SELECT id FROM tables) LIMIT 1"
        return [
            f"{self.where}: the SQL table {kind} has rows of game tables that no longer exist"
            for kind in TABLE_PARTS if kind != "removing" and self.read(orphans.format(kind))
        ]  # fmt: skip

    def change(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute an SQL statement once for each row of values. Servers may run meanwhile."""
        with self._raising_input_errors(), self.read_connection().cursor() as cursor:
            cursor.executemany(query_text(text), rows)

    def now(self) -> float:
        """Return the time of the database in seconds since 1970. All servers share this time."""
        ((now,),) = self.read("SELECT extract(epoch FROM clock_timestamp())::float8")
        return float(now)

    def close(self) -> None:
        """Close the connection."""
        with self.reading:
            self.is_closing = True
            if self._database is not None:
                self._database.close()

    # ------------------------------------------------------------------ connections

    def read_connection(self) -> Connection:
        """Return the connection for reading. If it is closed, connect to the database again."""
        if self._database is None or self._database.closed:
            self._database = self.connect()
        return self._database

    def connect(self) -> Connection:
        """Return a new connection to the database.

        Raises `psycopg.Error` if there is no answer, if the last attempt failed less than
        `PAUSE_SECONDS` ago, or if the store is being closed.
        """
        if self.is_closing or monotonic() - self._failed < PAUSE_SECONDS:
            raise psycopg.OperationalError("no connection")
        try:
            database = psycopg.connect(
                self._place, autocommit=True, connect_timeout=CONNECT_SECONDS,
                application_name="quaternity", keepalives_idle=10, keepalives_interval=5,
                keepalives_count=3, tcp_user_timeout=20_000,
            )  # fmt: skip
        except psycopg.Error:
            self._failed = monotonic()
            raise
        wait = database.wait
        # Limit the waiting time, because a database that hangs keeps the connection open, but does
        # not answer.
        database.wait = lambda gen, *more, **options: wait(  # type: ignore[method-assign]
            self._wait_bounded(database, gen), *more, **options
        )
        self.limit(database)
        # Make commits durable, even if the default of the database is different.
        database.execute("SET synchronous_commit = on")
        return database

    def limit(self, database: Connection) -> None:
        """Set the time limit for the queries of a connection."""
        database.execute(f"SET statement_timeout = {int(1000 * self._seconds)}".encode())

    def _wait_bounded(self, database: Connection, gen: Any) -> Any:
        """Wait for an answer of the database, but close the connection after a time limit."""
        end, ready = monotonic() + 1.5 * self._seconds, None
        while True:
            try:
                ready = yield gen.send(ready)
            except StopIteration as done:
                return done.value
            if not ready and monotonic() > end:
                database.pgconn.finish()
                raise psycopg.OperationalError("no answer")

    @contextmanager
    def _raising_input_errors(self) -> Iterator[None]:
        """Raise `InputError` if an error occurs in the `with` block, and close the connection."""
        try:
            yield
        except InputError:
            PostgresReader.close(self)
            raise
        except psycopg.Error as error:
            PostgresReader.close(self)
            reason = " ".join(str(error).split()) or type(error).__name__
            raise InputError(f"{self.where}: {reason}") from None

    def _version(self, database: Connection) -> int:
        encoding = database.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise InputError(f"{self.where}: the encoding must be UTF8, not {encoding}")
        known = database.execute("SELECT to_regclass('schema_version')").fetchone()
        if known is None or known[0] is None:
            return 0
        rows = database.execute("SELECT number FROM schema_version").fetchall()
        version = max((int(number) for (number,) in rows), default=0)
        if version > len(MIGRATIONS):
            raise InputError(
                f"{self.where}: was written by a newer version of this program "
                f"(its tables have version {version}; this program knows up to {len(MIGRATIONS)})"
            )
        return version
