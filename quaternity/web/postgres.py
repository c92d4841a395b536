"""The store in a PostgreSQL database, which any number of servers can share.

Each write of a table names the revision that it is based on, so if two servers write at the same
time, one write is refused. The transaction also sends a NOTIFY to the other servers; a server that
may have missed a notification compares revisions. Advisory locks show which servers are running,
and let only one of them run a program; they are released with the connection that holds them. If
the writing connection breaks, it is unknown whether the last transaction was committed, so all
tables are reloaded.
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
"""The advisory lock that the servers of a database share; a server that migrates it holds it
exclusively."""

LOCK_TRIES, LOCK_PAUSE = 200, 0.05
"""Number of attempts to get the lock, and the pause after each, in seconds."""

CHANNEL = "quaternity"
"""The NOTIFY channel on which servers announce what they have written."""

MAX_NOTIFICATION_BYTES = 7_900
"""Maximum size of one notification, in bytes; PostgreSQL allows slightly more."""

LISTEN_SECONDS = 0.5
"""Seconds after which the listening thread checks again whether the server is shutting down."""

LOCK_TABLES = "SELECT id, revision FROM tables WHERE id = ANY(%s) ORDER BY id FOR UPDATE"

CONNECT_SECONDS, PAUSE_SECONDS, QUERY_SECONDS = 2, 0.5, 20.0
"""Time limit for connecting, pause after a failure, and time limit of an operator's query, all in
seconds."""

SERVER_QUERY_SECONDS = 1.0
"""Maximum time for a query of a server, in seconds, because requests wait for it."""

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
logging.getLogger("psycopg").setLevel(logging.ERROR)  # this module logs the same problems itself

Connection = psycopg.Connection[tuple[Any, ...]]


def _schema(script: str) -> str:
    """Return a migration script of SQLite in the SQL of PostgreSQL."""
    for ours, theirs in {
        " WITHOUT ROWID": "",
        " REFERENCES tables": "",  # SQLite does not enforce them either
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
    """Return the name of a database in error messages: host and name, without the password."""
    try:
        parts = conninfo_to_dict(place)
    except psycopg.ProgrammingError:
        raise InputError("--data postgresql://...: is not a valid PostgreSQL URL") from None
    host, name = parts.get("host") or "", parts.get("dbname") or ""
    return f"postgresql://{host}/{name}"


class PostgresReader(Reader):
    """A reader of the tables of a database, even while servers use it."""

    def __init__(self, place: str, for_server: bool = False) -> None:
        """Connect to a database for reading.

        Args:
            for_server: Whether to accept an empty database, and tables of an older version, which
                a server would migrate.

        Raises:
            InputError: If the database cannot be used, or another version wrote the tables.
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
        """Return the rows of a query; may be called from any thread."""
        with self._reading, self._unreadable():
            try:
                return self._rows(query, values)
            except psycopg.OperationalError:
                if self._moment or self._database is None or not self._database.closed:
                    raise  # a new connection would see another snapshot
                return self._rows(query, values)  # with a new connection

    @contextmanager
    def _unreadable(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            # Show only the type: messages of PostgreSQL may contain stored values.
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
        """Return messages about rows that belong to no table."""
        orphans = "SELECT 1 FROM {} WHERE table_id NOT IN (SELECT id FROM tables) LIMIT 1"
        return [
            f"{self.where}: {kind} has rows of tables that are gone"
            for kind in TABLE_PARTS if kind != "removing" and self.read(orphans.format(kind))
        ]  # fmt: skip

    def change(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute a statement for each row of values, even while servers use the tables."""
        with self._raising_input_errors(), self._read_connection().cursor() as cursor:
            cursor.executemany(_query(text), rows)

    def now(self) -> float:
        """Return the time of the database, which is the same for all servers."""
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
        """Return the connection for reading; reconnect if it broke."""
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
        # If the database hangs, the connection stays open but does not answer.
        database.wait = lambda gen, *more, **options: wait(  # type: ignore[method-assign]
            self._wait_bounded(database, gen), *more, **options
        )
        self._limit(database)
        # Make commits durable, whatever the default of the database is.
        database.execute("SET synchronous_commit = on")
        return database

    def _limit(self, database: Connection) -> None:
        database.execute(f"SET statement_timeout = {int(1000 * self._seconds)}".encode())

    def _wait_bounded(self, database: Connection, gen: Any) -> Any:
        """Wait like psycopg, but close the connection if the database does not answer in time."""
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
        """Close the connection after an error, and raise it as an InputError."""
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
        """Return the version of the tables, 0 if there are none.

        Raises:
            InputError: If a newer version wrote them, or the database is not in UTF-8.
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
    """The store in a database, for one of its servers."""

    shared = True

    def __init__(self, place: str, alone: bool = False) -> None:
        """Connect to a database, and create or migrate its tables.

        Args:
            alone: Whether no other server may use the tables.

        Raises:
            InUse: If another server uses the tables, and they may not be shared.
            InputError: If the database cannot be used, or a newer version wrote the tables.
        """
        self._open(place)
        self._name = secrets.token_hex(8)
        """Name of this server in presence rows and notifications."""
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
        """Return the size of the database on the disk of PostgreSQL, in bytes."""
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
        """Get the lock of the servers, and migrate the tables if this is the first server.

        Retry for a while, because a server that has just ended may still hold the lock.
        """
        for _ in range(LOCK_TRIES if begins and not self._alone else 20):
            if begins and _try_lock(database, LOCK):
                # No other server is running, so the uptime has stood still.
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
            with database.transaction():  # a crash leaves the old version
                if not number:
                    database.execute("CREATE TABLE schema_version (number BIGINT NOT NULL)")
                    database.execute("INSERT INTO schema_version VALUES (0)")
                    database.execute("CREATE TABLE server (name TEXT NOT NULL)")
                    # A salt for the hashes in the names of budgets, so that they hide addresses.
                    database.execute("INSERT INTO server VALUES (%s)", [secrets.token_hex(16)])
                for text in filter(str.strip, _schema(MIGRATIONS[number]).split(";")):
                    database.execute(text.encode())
                database.execute("UPDATE schema_version SET number = %s", [number + 1])

    # ------------------------------------------------------------------ clocks

    def uptime_statement(self) -> Statement:
        """Return the statement that stores the uptime."""
        return (
            "UPDATE uptime SET seconds = GREATEST(seconds, ?), "
            "at = extract(epoch FROM clock_timestamp())",
            (self.uptime(),),
        )

    def _read_uptime(self, step: float = 1.0) -> None:
        """Adopt the uptime of the other servers, unless the clock of the database has jumped."""
        # Running servers write it often, so a larger difference is a jump of the clock.
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
        """Return the text of an error, without anything secret.

        Messages of PostgreSQL may contain stored values, so only their type is shown.
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
                continue  # the database aborts one of two conflicting transactions
            except BaseException:
                self._doubt = bool(database.closed)
                raise
        return self._write_jobs(database, batch)

    def _write_jobs(self, database: Connection, batch: Sequence[Job]) -> Collection[int]:
        guarded = [job.guard[0] for job in batch if job.guard]
        # A pipeline sends the statements together, and waits only for the locks and for the end.
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
        """Return the connection for writing; reconnect if it broke."""
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
        # After a reload the name differs, so that notices of a write in doubt are not ignored.
        return f"{self._name}/{self.reloads}"

    def notify(self, *news: ChangeNotice) -> None:
        """Send notices that are not stored to the other servers, if any, without waiting."""
        self._jobs.put(Job((), (), None, news, None, self.reloads))

    def listen(
        self, hear: Callable[[Sequence[ChangeNotice]], None], miss: Callable[[], None]
    ) -> None:
        """Have the event loop call `hear` with notices of others, and `miss` if some were lost."""
        loop = asyncio.get_running_loop()

        def call(function: Callable[..., None], *arguments: Any) -> None:
            with suppress(RuntimeError):  # the loop has already ended
                loop.call_soon_threadsafe(function, *arguments)

        def listen() -> None:
            while not self._ends:
                try:
                    with self._connect() as database:
                        database.execute(f"LISTEN {CHANNEL}".encode())
                        call(miss)  # some may have been lost before; from now on none is
                        while not self._ends:
                            for notification in database.notifies(timeout=LISTEN_SECONDS):
                                sender, *rows = json.loads(notification.payload)
                                if sender != self._sender_name():
                                    call(hear, [ChangeNotice(*row) for row in rows])
                except (psycopg.Error, ValueError, TypeError) as error:
                    # All tables are checked again once the connection listens again.
                    _log.error("%s: lost notices: %s", self.where, type(error).__name__)
                    sleep(LISTEN_SECONDS)

        self._listening = Thread(target=listen, name="listening", daemon=True)
        self._listening.start()

    async def claim(self, key: str) -> bool:
        """Try to get the lock `key` between servers; return whether this server has it now.

        Return True if the database does not answer.
        """

        def claim() -> bool:
            try:
                if self._claims is None or self._claims.closed:
                    self._claims = self._connect()
                return _try_lock(self._claims, _number(key))
            except psycopg.Error:
                return True  # twice is better than never, because one of two writes is refused

        claiming = self._claiming.submit(claim)

        def let_go(done: Future[bool]) -> None:
            if not done.cancelled() and done.result():
                self.release(key)

        try:
            return await asyncio.wrap_future(claiming)
        except asyncio.CancelledError:
            claiming.add_done_callback(let_go)  # release a lock that is got after the cancellation
            raise

    def release(self, key: str) -> None:
        """Release the lock that `claim` got."""

        def let_go() -> None:
            with suppress(psycopg.Error):
                if self._claims is not None:
                    self._claims.execute("SELECT pg_advisory_unlock(%s)", [_number(key)])

        with suppress(RuntimeError):  # the executor has already ended
            self._claiming.submit(let_go)

    def exchange(
        self, presences: Sequence[Presence], used: Mapping[str, tuple[float, int]]
    ) -> tuple[Sequence[Presence], Mapping[str, float]]:
        """Exchange presence and the use of rate limits with the other servers; see `Store`."""
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
        # Read the rows of the last two seconds once more: others may have written them meanwhile.
        self._heard_at = now - 2.0
        return [Presence(*row) for row in theirs], {names[name]: left for name, left in rows}

    def _hash_name(self, name: str) -> str:
        return blake2b(name.encode(), key=self._salt, digest_size=16).hexdigest()


def _stale(batch: Sequence[Job], known: dict[str, int]) -> set[int]:
    """Return the indices of jobs whose table has another revision than they name.

    If a batch has several jobs for the same table, all but the first are stale.
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
    """Return the number of the advisory lock for a key."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), signed=True)


def _payloads(sender: str, news: Sequence[ChangeNotice]) -> Iterator[str]:
    """Yield the payloads of notifications; a notice that is too long has only its revision."""
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
