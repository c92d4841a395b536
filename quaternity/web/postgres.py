"""Storage of tables in a PostgreSQL database, which any number of servers can share.

Each table has a revision, which increases with every write. A write contains the revision on which
it is based, and is refused if another server has written the table since. The servers notify each
other of writes with `NOTIFY`. A server that may have missed a notification compares the revisions
of its tables with those in the database.

Advisory locks show whether other servers are running, and make sure that only one server runs a
computer player. If the connection for writing breaks, it is unknown whether the last transaction
was committed, so all tables are reloaded.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from math import inf
from threading import RLock, Thread
from time import monotonic, sleep
from typing import Any

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from quaternity.base.errors import InputError
from quaternity.web.http_errors import NOT_SAVED, HttpError
from quaternity.web.store import (
    MIGRATIONS,
    UNREADABLE,
    ChangeNotice,
    InUse,
    Job,
    Presence,
    Reader,
    Statement,
    Store,
    UnconfirmedWrite,
    VersionConflict,
)
from quaternity.web.table_admin import TABLE_PARTS

LOCK = 5_172_843_906_112
"""Number of the advisory lock that all servers of a database share. A server that migrates the
tables holds the lock exclusively."""

LOCK_TRIES, LOCK_PAUSE = 200, 0.05
"""Number of attempts to get the lock, and the pause after each attempt in seconds."""

CHANNEL = "quaternity"
"""Name of the NOTIFY channel on which servers announce their changes of tables."""

MAX_NOTIFICATION_BYTES = 7_900
"""Maximum size of a notification, in bytes. The limit of PostgreSQL is slightly higher."""

LISTEN_SECONDS = 0.5
"""Seconds after which the listening thread checks again whether the server is shutting down."""

LOCK_TABLES = "SELECT id, revision FROM tables WHERE id = ANY(%s) ORDER BY id FOR UPDATE"

CONNECT_SECONDS, PAUSE_SECONDS, QUERY_SECONDS = 2, 0.5, 20.0
"""Time limit for connecting, pause after a failed attempt, and time limit of an operator's query.
All three are in seconds."""

SERVER_QUERY_SECONDS = 1.0
"""Time limit of a server's query, in seconds. It is short because requests wait for the query."""

CHANGE_TABLES = "UPDATE tables SET revision = revision + 1 WHERE id = ANY(%s)"

_APPEND = """
    INSERT INTO log (table_id, version, seat, id, move, at)
    SELECT *, extract(epoch FROM now())::bigint
    FROM unnest(%s::text[], %s::bigint[], %s::bigint[], %s::text[], %s::text[])
"""

_UPDATE_PRESENCE = """
    INSERT INTO present
    SELECT t, seat, %s, streams, seen, %s
    FROM unnest(%s::text[], %s::bigint[], %s::bigint[], %s::float8[]) AS new(t, seat, streams, seen)
    WHERE EXISTS (SELECT 1 FROM tables WHERE id = t)
    ON CONFLICT (table_id, seat, server) DO UPDATE
    SET streams = excluded.streams, seen = excluded.seen, at = excluded.at
"""

_READ_PRESENCE = """
    SELECT table_id, seat, server, streams, seen FROM present WHERE server != %s AND at > %s
"""

_UPDATE_BUDGETS = """
    INSERT INTO budgets
    SELECT name, used, rate, %s
    FROM unnest(%s::text[], %s::float8[], %s::float8[]) AS new(name, used, rate)
    ON CONFLICT (name) DO UPDATE SET at = excluded.at, used = excluded.used
        + GREATEST(0, budgets.used - (excluded.at - budgets.at) * budgets.rate / 60)
    RETURNING name, used
"""

_log = logging.getLogger("uvicorn.error")
# Silence the library's warnings, because this module logs the same problems.
logging.getLogger("psycopg").setLevel(logging.ERROR)

Connection = psycopg.Connection[tuple[Any, ...]]


def _schema(script: str) -> str:
    """Translate a migration script for SQLite into the SQL of PostgreSQL."""
    for ours, theirs in {
        " WITHOUT ROWID": "",
        " REFERENCES tables": "",  # not enforced by SQLite either
        "INTEGER": "BIGINT",
        "REAL": "DOUBLE PRECISION",
        "DEFAULT CURRENT_TIMESTAMP":
            "DEFAULT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), rowid BIGSERIAL",
    }.items():  # fmt: skip
        script = script.replace(ours, theirs)
    return script


@lru_cache(maxsize=256)
def _query(text: str) -> str:
    return text.replace("%", "%%").replace("?", "%s")


def _values(values: Sequence[Any]) -> list[Any]:
    return [int(value) if isinstance(value, bool) else value for value in values]


def _where(place: str) -> str:
    """Return the URL of a database for messages, with only its host and name and no password."""
    try:
        parts = conninfo_to_dict(place)
    except psycopg.ProgrammingError:
        raise InputError("--data postgresql://...: is not a valid PostgreSQL URL") from None
    host, name = parts.get("host") or "", parts.get("dbname") or ""
    return f"postgresql://{host}/{name}"


class PostgresReader(Reader):
    """A reader of the tables in a PostgreSQL database. Servers may use them at the same time."""

    def __init__(self, place: str, for_server: bool = False) -> None:
        """Connect to a database for reading.

        Args:
            for_server: Whether to accept a database that a server would create or migrate: one
                without tables, or with tables of an older version.

        Raises:
            InputError: If the database cannot be used, or if its tables have another version.
        """
        self._open(place)
        with self._raising_input_errors():
            version = self._version(self._read_connection())
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
        self._reading = RLock()
        self._ends = self._moment = False
        self._seconds = QUERY_SECONDS
        self._database: Connection | None = None
        self._failed = -PAUSE_SECONDS

    def read(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query. May be called from any thread."""
        with self._reading, self._unreadable():
            try:
                return self._rows(query, values)
            except psycopg.OperationalError:
                if self._moment or self._database is None or not self._database.closed:
                    # Within a snapshot, do not reconnect: a new connection would see another state.
                    raise
                return self._rows(query, values)

    @contextmanager
    def _unreadable(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            # Log only the type of the error, because messages of PostgreSQL may contain stored
            # values.
            _log.error("%s cannot be read: %s", self.where, type(error).__name__)
            raise HttpError(503, UNREADABLE) from None

    def _rows(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self._read_connection().execute(_query(query), _values(values)).fetchall()

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Make all reads in the block see the same snapshot."""
        with self._reading, self._unreadable():
            database = self._read_connection()
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
        """Return a message for each SQL table with rows that belong to no stored table."""
        orphans = "SELECT 1 FROM {} WHERE table_id NOT IN (SELECT id FROM tables) LIMIT 1"
        return [
            f"{self.where}: {kind} has rows of tables that no longer exist"
            for kind in TABLE_PARTS if kind != "removing" and self.read(orphans.format(kind))
        ]  # fmt: skip

    def change(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute a statement for each row of values, even while servers use the tables."""
        with self._raising_input_errors(), self._read_connection().cursor() as cursor:
            cursor.executemany(_query(text), rows)

    def now(self) -> float:
        """Return the time of the database server, in seconds since 1970.

        All servers of the database share this time.
        """
        ((now,),) = self.read("SELECT extract(epoch FROM clock_timestamp())::float8")
        return float(now)

    def close(self) -> None:
        """Close the connection."""
        with self._reading:
            self._ends = True
            if self._database is not None:
                self._database.close()

    # ------------------------------------------------------------------ connections

    def _read_connection(self) -> Connection:
        """Return the connection for reading. Reconnect if the connection is closed."""
        if self._database is None or self._database.closed:
            self._database = self._connect()
        return self._database

    def _connect(self) -> Connection:
        if self._ends or monotonic() - self._failed < PAUSE_SECONDS:
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
        self._limit(database)
        # Make commits durable, even if the default of the database is different.
        database.execute("SET synchronous_commit = on")
        return database

    def _limit(self, database: Connection) -> None:
        database.execute(f"SET statement_timeout = {int(1000 * self._seconds)}".encode())

    def _wait_bounded(self, database: Connection, gen: Any) -> Any:
        """Wait for the database as psycopg does, but close the connection after a time limit."""
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
        """Convert errors of the block into InputError, and close the connection after an error."""
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
        """Return the version of the tables in the database, or 0 if there are no tables.

        Raises:
            InputError: If a newer version wrote the tables, or the encoding of the database is not
                UTF-8.
        """
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
                f"({version}; this one knows {len(MIGRATIONS)})"
            )
        return version


class PostgresStore(PostgresReader, Store):
    """The store in a PostgreSQL database, as used by one of the servers that share it."""

    shared = True

    def __init__(self, place: str, alone: bool = False) -> None:
        """Connect to a database, and create or migrate its tables.

        Args:
            alone: Whether to refuse a database that another server uses.

        Raises:
            InUse: If another server uses the tables, and the two may not share them.
            InputError: If the database cannot be used, or a newer version wrote the tables.
        """
        self._open(place)
        self._name = secrets.token_hex(8)
        """Random name of this server in presence rows and notifications."""
        self._salt = b""
        self._alone = alone
        self._claims: Connection | None = None
        self._claiming = ThreadPoolExecutor(1, "claims")
        self._listening: Thread | None = None
        self._heard_at = 0.0
        with self._raising_input_errors():
            self._writer = self._connect()
            try:
                self._join_servers(self._writer, begins=True)
                self._read_connection()
                ((salt,),) = self._writer.execute("SELECT name FROM server").fetchall()
                self._salt = str(salt).encode()
            except BaseException:
                self._writer.close()
                raise
        self._start()
        self._read_uptime(inf)
        self._seconds = SERVER_QUERY_SECONDS
        for database in (self._writer, self._read_connection()):
            self._limit(database)

    def size(self) -> int:
        """Return the size of the database on the disk of the database server, in bytes."""
        ((size,),) = self.read("SELECT pg_database_size(current_database())")
        return int(size)

    def close(self) -> None:
        """Write the pending jobs, and close the connections."""
        self._ends = True
        Store.close(self)

    def _end(self) -> None:
        self._ends = True
        self._claiming.shutdown(cancel_futures=True)
        with suppress(psycopg.Error):
            text, values = self.uptime_statement()
            self._writer.execute(_query(text), values)
            self._writer.execute(
                "UPDATE present SET streams = 0, at = %s WHERE server = %s",
                [self.uptime(), self._name],
            )
        self._writer.close()
        if self._claims is not None:
            self._claims.close()
        if self._listening is not None:
            self._listening.join()
        PostgresReader.close(self)

    def _join_servers(self, database: Connection, begins: bool = False) -> None:
        """Get the shared lock of the servers. Migrate the tables if no other server is running.

        Retry for a while, because a server that has just ended may still hold the lock.
        """
        for _ in range(LOCK_TRIES if begins and not self._alone else 20):
            if begins and _try_lock(database, LOCK):
                # No other server is running, so restart the uptime, which has not advanced in the
                # meantime.
                self._migrate(self._version(database))
                database.execute("UPDATE uptime SET at = extract(epoch FROM clock_timestamp())")
                if not self._alone:
                    database.execute("SELECT pg_advisory_lock_shared(%s)", [LOCK])
                    database.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
                return
            if not self._alone and _try_lock(database, LOCK, "_shared"):
                if self._version(database) != len(MIGRATIONS):
                    raise InputError(
                        f"{self.where}: a server of another version is using the tables"
                    )
                return
            sleep(LOCK_PAUSE)
        raise InUse(f"{self.where}: another server is using the tables of this database")

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
                for text in filter(str.strip, _schema(MIGRATIONS[number]).split(";")):
                    database.execute(text.encode())
                database.execute("UPDATE schema_version SET number = %s", [number + 1])

    # ------------------------------------------------------------------ clocks

    def uptime_statement(self) -> Statement:
        """Return the statement that stores the uptime of the servers."""
        return (
            "UPDATE uptime SET seconds = GREATEST(seconds, ?), "
            "at = extract(epoch FROM clock_timestamp())",
            (self.uptime(),),
        )

    def _read_uptime(self, step: float = 1.0) -> None:
        """Adopt the stored uptime if it differs from this server's by less than `step` seconds."""
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

    def _refusal(self, error: Exception) -> HttpError:
        if isinstance(error, psycopg.IntegrityError):
            return VersionConflict()
        full = isinstance(error, (errors.DiskFull, errors.InsufficientResources))
        return HttpError(507 if full else 503, NOT_SAVED(error=self._fault(error)))

    def _fault(self, error: Exception) -> str:
        """Return the text of an error without secret values.

        Messages of PostgreSQL may contain stored values, so the text is only the type of the error.
        """
        if isinstance(error, InputError):
            return str(error)
        if self._writer.closed:
            return "no connection to the database"
        return type(error).__name__

    def _commit(self, batch: Sequence[Job]) -> Collection[int]:
        database = self._write_connection()
        if self._doubt:
            raise UnconfirmedWrite
        for _ in range(3):
            try:
                return self._write_jobs(database, batch)
            except (errors.DeadlockDetected, errors.SerializationFailure):
                # The database has aborted one of two conflicting transactions, so try again.
                continue
            except BaseException:
                self._doubt = bool(database.closed)
                raise
        return self._write_jobs(database, batch)

    def _write_jobs(self, database: Connection, batch: Sequence[Job]) -> Collection[int]:
        guarded = [job.guard[0] for job in batch if job.guard]
        # Use a pipeline, which sends the statements together and waits only for the locks and the
        # end.
        with database.pipeline(), database.transaction():
            known = database.execute(LOCK_TABLES, [guarded]).fetchall() if guarded else []
            stale = _stale(batch, dict(known))
            jobs = [job for place, job in enumerate(batch) if place not in stale]
            for text, values in chain.from_iterable(job.statements for job in jobs):
                database.execute(_query(text), _values(values))
            entries = [entry for job in jobs for entry in job.entries]
            if entries:
                database.execute(_APPEND, [list(column) for column in zip(*entries, strict=True)])
            if changed := [job.guard[0] for job in jobs if job.guard]:
                database.execute(CHANGE_TABLES, [changed])
            news = [notice for job in jobs for notice in job.news]
            for payload in _payloads(self._sender_name(), news):
                database.execute("SELECT pg_notify(%s, %s)", [CHANNEL, payload])
        return stale

    def _write_connection(self) -> Connection:
        """Return the connection for writing. Reconnect if the connection is closed."""
        if not self._writer.closed:
            return self._writer
        database = self._connect()
        try:
            self._join_servers(database)
        except BaseException:
            database.close()
            raise
        self._writer = database
        return database

    # ------------------------------------------------------------------ sharing with other servers

    def _sender_name(self) -> str:
        # A server ignores notices that bear its own name. The name changes with each reload, so
        # that the server does not ignore notices of its earlier, unconfirmed writes.
        return f"{self._name}/{self.reloads}"

    def notify(self, *news: ChangeNotice) -> None:
        """Send notices to the other servers, without storing anything and without waiting."""
        self._jobs.put(Job((), (), None, news, None, self.reloads))

    def listen(
        self, hear: Callable[[Sequence[ChangeNotice]], None], miss: Callable[[], None]
    ) -> None:
        """Listen to the notices of other servers in a separate thread.

        The event loop calls `hear` with new notices, and `miss` if notices may have been lost.
        """
        loop = asyncio.get_running_loop()

        def call(function: Callable[..., None], *arguments: Any) -> None:
            with suppress(RuntimeError):  # if the event loop has already ended
                loop.call_soon_threadsafe(function, *arguments)

        def listen() -> None:
            while not self._ends:
                try:
                    with self._connect() as database:
                        database.execute(f"LISTEN {CHANNEL}".encode())
                        # Notices may have been lost before LISTEN, but not from now on.
                        call(miss)
                        while not self._ends:
                            for notification in database.notifies(timeout=LISTEN_SECONDS):
                                sender, *rows = json.loads(notification.payload)
                                if sender != self._sender_name():
                                    call(hear, [ChangeNotice(*row) for row in rows])
                except (psycopg.Error, ValueError, TypeError) as error:
                    # Try again. All tables are checked once a connection listens again.
                    _log.error("%s: change notices were lost: %s", self.where, type(error).__name__)
                    sleep(LISTEN_SECONDS)

        self._listening = Thread(target=listen, name="listening", daemon=True)
        self._listening.start()

    async def claim(self, key: str) -> bool:
        """Try to get a lock that only one server can hold. Return whether this server has it now.

        If the database does not answer, return True.
        """

        def claim() -> bool:
            try:
                if self._claims is None or self._claims.closed:
                    self._claims = self._connect()
                return _try_lock(self._claims, _number(key))
            except psycopg.Error:
                # Let several servers act rather than none. Only one of their writes is accepted.
                return True

        claiming = self._claiming.submit(claim)

        def let_go(done: Future[bool]) -> None:
            if not done.cancelled() and done.result():
                self.release(key)

        try:
            return await asyncio.wrap_future(claiming)
        except asyncio.CancelledError:
            # Release the lock if it is acquired only after the cancellation.
            claiming.add_done_callback(let_go)
            raise

    def release(self, key: str) -> None:
        """Release a lock that `claim` has acquired."""

        def let_go() -> None:
            with suppress(psycopg.Error):
                if self._claims is not None:
                    self._claims.execute("SELECT pg_advisory_unlock(%s)", [_number(key)])

        with suppress(RuntimeError):  # if the executor has already ended
            self._claiming.submit(let_go)

    def exchange(
        self, presences: Sequence[Presence], used: Mapping[str, tuple[float, int]]
    ) -> tuple[Sequence[Presence], Mapping[str, float]]:
        """Exchange presence and the use of rate limits with other servers. See `Store.exchange`."""
        names = {self._hash_name(name): name for name in used}
        budgets = [(name, *used[key]) for name, key in sorted(names.items())]
        self._read_uptime()
        now, theirs, rows = self.uptime(), [], []
        with self._reading, self._unreadable(), self._read_connection().transaction():
            database = self._read_connection()
            database.execute(
                "SET LOCAL synchronous_commit = off"
            )  # these rows need not survive a crash
            if presences:
                columns = [list(column) for column in zip(*presences, strict=True)]
                database.execute(_UPDATE_PRESENCE, [self._name, now, *columns[:2], *columns[3:]])
            theirs = database.execute(_READ_PRESENCE, [self._name, self._heard_at]).fetchall()
            if budgets:
                columns = [list(column) for column in zip(*budgets, strict=True)]
                rows = database.execute(_UPDATE_BUDGETS, [now, *columns]).fetchall()
            database.execute("DELETE FROM budgets WHERE at < %s", [now - 120])
            database.execute("DELETE FROM present WHERE at < %s", [now - 600])
        # Read the rows of the last two seconds again next time, because other servers may commit
        # such rows late.
        self._heard_at = now - 2.0
        return [Presence(*row) for row in theirs], {names[name]: left for name, left in rows}

    def _hash_name(self, name: str) -> str:
        return blake2b(name.encode(), key=self._salt, digest_size=16).hexdigest()


def _stale(batch: Sequence[Job], known: dict[str, int]) -> set[int]:
    """Return the indices of the jobs whose table no longer has the revision that the job names.

    Only the first job of a batch for the same table can be current.
    """
    return {
        place for place, job in enumerate(batch)
        if job.guard and known.pop(job.guard[0], None) != job.guard[1]
    }  # fmt: skip


def _try_lock(database: Connection, number: int, kind: str = "") -> bool:
    query = f"SELECT pg_try_advisory_lock{kind}(%s)".encode()
    ((has_got_it,),) = database.execute(query, [number]).fetchall()
    return bool(has_got_it)


def _number(key: str) -> int:
    """Return the number of the advisory lock with the given key."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), signed=True)


def _payloads(sender: str, news: Sequence[ChangeNotice]) -> Iterator[str]:
    """Yield the notices as payloads of notifications.

    A notice that is too long is reduced to its table and revision.
    """
    rows: list[str] = []
    for notice in news:
        row = json.dumps(notice)
        if len(row) > MAX_NOTIFICATION_BYTES // 2:
            row = json.dumps(ChangeNotice(notice.table, notice.revision))
        if sum(map(len, rows)) + 2 * len(rows) + len(row) > MAX_NOTIFICATION_BYTES - 100:
            yield f"[{json.dumps(sender)}, {', '.join(rows)}]"
            rows = []
        rows.append(row)
    if rows:
        yield f"[{json.dumps(sender)}, {', '.join(rows)}]"
