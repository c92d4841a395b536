"""Storage of game tables in a PostgreSQL database, which any number of servers can share.

Each table has a revision, which increases with every write. A write contains the revision on which
it is based, and is refused if another server has written the table since. The servers notify each
other of writes with `NOTIFY`. A server that may have missed a notification compares the revisions
of its tables with those in the database.

Advisory locks show whether other servers are running, and make sure that only one server runs a
computer player. If the connection for writing breaks, it is unknown whether the last transaction
was committed, so all tables are reloaded.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import chain
from math import inf
from time import monotonic, sleep

import psycopg
from psycopg import errors

from quaternity.base.errors import InputError
from quaternity.web.changes import Statement, VersionConflict
from quaternity.web.http_errors import NO_ANSWER, NOT_SAVED, HttpError
from quaternity.web.migrations import MIGRATIONS
from quaternity.web.postgres_reader import Connection, PostgresReader, query_text, query_values
from quaternity.web.postgres_sharing import (
    CHANNEL,
    PostgresSharing,
    notification_payloads,
    try_lock,
)
from quaternity.web.reader import InUse
from quaternity.web.store import Store
from quaternity.web.writer import Job, UnconfirmedWrite

FULL_ERRORS = errors.DiskFull, errors.InsufficientResources
"""Exceptions that psycopg raises if the database has no space or memory left."""

LOCK = 5_172_843_906_112
"""Number of the advisory lock that all servers of a database share. A server that migrates the
tables holds the lock alone."""

LOCK_TRIES, LOCK_PAUSE = 200, 0.05
"""Number of attempts to get the lock, and the pause after each attempt in seconds."""

SERVER_QUERY_SECONDS = 1.0
"""Time limit of a server's query, in seconds. It is short because requests wait for the query."""

CHANGE_TABLES = """
    WITH guards AS (
        SELECT id FROM tables JOIN unnest(%s::text[], %s::bigint[]) AS given(name, number)
        ON id = name AND revision = number ORDER BY id FOR UPDATE OF tables
    )
    UPDATE tables SET revision = revision + 1 FROM guards WHERE tables.id = guards.id
    RETURNING tables.id
"""
"""SQL statement that increments the revisions of tables which still have the given revisions.

It locks the tables in the order of their ids, so that two servers cannot block each other.
"""

_APPEND = """
    INSERT INTO log (table_id, version, seat, id, move, at)
    SELECT *, extract(epoch FROM now())::bigint
    FROM unnest(%s::text[], %s::bigint[], %s::bigint[], %s::text[], %s::text[])
"""


def postgres_schema(script: str) -> str:
    """Translate a migration script from the SQL of SQLite to the SQL of PostgreSQL."""
    for ours, theirs in {
        " WITHOUT ROWID": "",
        " REFERENCES tables": "",  # not enforced by SQLite either
        "INTEGER": "BIGINT",
        "BLOB": "BYTEA",
        "REAL": "DOUBLE PRECISION",
        "DEFAULT CURRENT_TIMESTAMP":
            "DEFAULT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), rowid BIGSERIAL",
    }.items():  # fmt: skip
        script = script.replace(ours, theirs)
    return script


class PostgresStore(PostgresReader, Store):
    """Storage of all game tables in a PostgreSQL database, which several servers can share."""

    shared = True

    def __init__(self, place: str, alone: bool = False) -> None:
        """Connect to a database, and create its SQL tables or bring them up to date.

        Args:
            place: The URL of the database.
            alone: Whether to refuse a database that another server uses.

        Raises:
            InUse: If another server uses the database, and the two servers cannot share it.
            InputError: If the database cannot be used, or a newer version wrote the SQL tables.
        """
        self._open(place)
        self._alone = alone
        with self._raising_input_errors():
            self._writer = self.connect()
            try:
                self._join_servers(self._writer, begins=True)
                self.read_connection()
                ((salt,),) = self._writer.execute("SELECT name FROM server").fetchall()
                self.sharing: PostgresSharing = PostgresSharing(self, str(salt))
            except BaseException:
                self._writer.close()
                raise
        self._start()
        self.read_uptime(inf)
        self._seconds = SERVER_QUERY_SECONDS
        for database in (self._writer, self.read_connection()):
            self.limit(database)

    def size(self) -> int:
        """Return the size of the stored database, in bytes."""
        ((size,),) = self.read("SELECT pg_database_size(current_database())")
        return int(size)

    def close(self) -> None:
        """Write the changes that wait, and close the connections."""
        self.is_closing = True
        Store.close(self)

    def _end(self) -> None:
        self.is_closing = True
        self.sharing.stop_claims()
        with suppress(psycopg.Error):
            text, values = self.uptime_statement()
            self._writer.execute(query_text(text), values)
            self._writer.execute(
                "UPDATE present SET streams = 0, at = %s WHERE server = %s",
                [self.uptime(), self.sharing.name],
            )
        self._writer.close()
        self.sharing.close()
        PostgresReader.close(self)

    def _join_servers(self, database: Connection, begins: bool = False) -> None:
        """Get the lock that all servers of a database share, or raise `InUse`.

        If no other server is running, bring the SQL tables up to date. Retry for a while, because a
        server that has just ended may still hold the lock. `begins` says whether this server is
        starting. If it is false, the server is reconnecting, and does not update the SQL tables.
        """
        refusal: InputError = InUse(
            f"{self.where}: another server is using the tables of this database"
        )
        for _ in range(LOCK_TRIES if begins and not self._alone else 20):
            if begins and try_lock(database, LOCK):
                # No other server is running, so the uptime has stood still. Let it advance again
                # from now on.
                self._migrate(self._version(database))
                database.execute("UPDATE uptime SET at = extract(epoch FROM clock_timestamp())")
                if not self._alone:
                    database.execute("SELECT pg_advisory_lock_shared(%s)", [LOCK])
                    database.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
                return
            if not self._alone and try_lock(database, LOCK, "_shared"):
                if self._version(database) == len(MIGRATIONS):
                    return
                database.execute("SELECT pg_advisory_unlock_shared(%s)", [LOCK])
                refusal = InputError(
                    f"{self.where}: a server of another version is using the tables"
                )
            sleep(LOCK_PAUSE)
        raise refusal

    def _migrate(self, version: int) -> None:
        database = self._writer
        for number in range(version, len(MIGRATIONS)):
            # Migrate in a transaction, so that a crash leaves the old version.
            with database.transaction():
                if not number:
                    database.execute("CREATE TABLE schema_version (number BIGINT NOT NULL)")
                    database.execute("INSERT INTO schema_version VALUES (0)")
                    database.execute("CREATE TABLE server (name TEXT NOT NULL)")
                    # Store a salt for the hashes that hide client addresses in the names of
                    # budgets.
                    database.execute("INSERT INTO server VALUES (%s)", [secrets.token_hex(16)])
                for text in filter(str.strip, postgres_schema(MIGRATIONS[number]).split(";")):
                    database.execute(text.encode())
                database.execute("UPDATE schema_version SET number = %s", [number + 1])

    # ------------------------------------------------------------------ clocks

    def uptime_statement(self) -> Statement:
        """Return the SQL statement that stores the running time of the servers (see `uptime`)."""
        return (
            "UPDATE uptime SET seconds = GREATEST(seconds, ?), "
            "at = extract(epoch FROM clock_timestamp())",
            (self.uptime(),),
        )

    def read_uptime(self, step: float = 1.0) -> None:
        """Set the result of `uptime` to the stored running time, which all servers share.

        Ignore the stored value if it differs by `step` seconds or more.
        """
        # Running servers store the uptime often. If the stored uptime differs by more than `step`
        # seconds, the clock of the database has jumped, so ignore the stored uptime.
        now = (
            "SELECT seconds + GREATEST(0, LEAST(60, extract(epoch FROM clock_timestamp())::float8 "
            "- at)) FROM uptime"
        )
        ((theirs,),) = self.read(now)
        if abs(theirs - self.uptime()) < step:
            self._up = theirs - monotonic()

    # ------------------------------------------------------------------ writing

    def refusal(self, error: Exception) -> HttpError:
        """Return the HTTP error for changes that could not be written because of `error`."""
        if isinstance(error, psycopg.IntegrityError):
            return VersionConflict()
        full = isinstance(error, FULL_ERRORS)
        return HttpError(507 if full else 503, NOT_SAVED(error=self.fault(error)))

    def fault(self, error: Exception) -> str:
        """Return a description of an error that contains no stored values."""
        if isinstance(error, InputError):
            return str(error)
        if isinstance(error, FULL_ERRORS):
            return "the database has no space or memory left"
        if self._writer.closed:
            return "no connection to the database"
        if isinstance(error, psycopg.OperationalError):
            return NO_ANSWER
        return "the database reported an error; see the log of the database"

    def commit(self, batch: Sequence[Job]) -> Collection[int]:
        """Write a batch of jobs (sets of changes) in one durable transaction.

        Return the indices of the jobs left out, because another server changed their tables.
        """
        database = self._write_connection()
        if self.writing.is_in_doubt:
            raise UnconfirmedWrite
        for _ in range(3):
            try:
                return self._write_jobs(database, batch)
            except (errors.DeadlockDetected, errors.SerializationFailure):
                # The database has aborted one of two conflicting transactions, so try again.
                continue
            except BaseException:
                self.writing.is_in_doubt = bool(database.closed)
                raise
        return self._write_jobs(database, batch)

    def _write_jobs(self, database: Connection, batch: Sequence[Job]) -> Collection[int]:
        guards: dict[str, int] = {}
        for job in batch:
            if job.guard:
                guards.setdefault(*job.guard)
        # Use a pipeline, which sends the statements together. It waits only for the locks and for
        # the end of the transaction.
        with database.pipeline(), database.transaction():
            columns = [list(guards), list(guards.values())]
            rows = database.execute(CHANGE_TABLES, columns).fetchall() if guards else []
            stale = _stale(batch, {name: guards[name] for (name,) in rows})
            jobs = [job for place, job in enumerate(batch) if place not in stale]
            for text, values in chain.from_iterable(job.statements for job in jobs):
                database.execute(query_text(text), query_values(values))
            entries = [entry for job in jobs for entry in job.entries]
            if entries:
                database.execute(_APPEND, [list(column) for column in zip(*entries, strict=True)])
            news = [notice for job in jobs for notice in job.news]
            for payload in notification_payloads(self.sharing.sender_name(), news):
                database.execute("SELECT pg_notify(%s, %s)", [CHANNEL, payload])
        return stale

    def _write_connection(self) -> Connection:
        if not self._writer.closed:
            return self._writer
        database = self.connect()
        try:
            self._join_servers(database)
        except BaseException:
            database.close()
            raise
        self._writer = database
        return database


def _stale(batch: Sequence[Job], known: dict[str, int]) -> set[int]:
    """Return the indices of the jobs (sets of changes) that are based on an old table state.

    `known` maps tables to their current revisions (numbers of changes). A table that another server
    has changed is missing. If several jobs change a table, all but the first are outdated.
    """
    return {
        place for place, job in enumerate(batch)
        if job.guard and known.pop(job.guard[0], None) != job.guard[1]
    }  # fmt: skip
