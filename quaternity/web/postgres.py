"""All tables in a database of PostgreSQL: the same as in a file, and one server at a time has it.

A lock of the connection that writes says which server has the tables; nothing is written by another
connection. When it breaks, nobody knows whether the last writing was kept: once the lock is had
again, so that the old connection has ended, all is read anew. A server that was away while another
one wrote does not come back.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import chain
from threading import Lock
from time import monotonic, sleep
from typing import Any

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from quaternity.base.errors import InputError
from quaternity.web.keeping import PARTS
from quaternity.web.refusal import NOT_KEPT, Refusal
from quaternity.web.store import MIGRATIONS, InDoubt, InUse, Job, Reader, Store

LOCK = 5_172_843_906_112
"""The number of the lock that the server has which has the tables of a database."""

LOCK_TRIES, LOCK_PAUSE = 20, 0.05
"""The lock is waited for so often, and so many seconds each time."""

CONNECT_SECONDS, PAUSE_SECONDS, QUERY_SECONDS = 3, 1.0, 20
"""So long a connection and a query may take; so long no new connection is tried after a failure."""

_APPEND = """
    INSERT INTO log (table_id, version, seat, id, move, at)
    SELECT *, extract(epoch FROM now())::bigint
    FROM unnest(%s::text[], %s::bigint[], %s::bigint[], %s::text[], %s::text[])
"""

_log = logging.getLogger("uvicorn.error")
logging.getLogger("psycopg").setLevel(logging.ERROR)  # of what it warns we tell ourselves

Connection = psycopg.Connection[tuple[Any, ...]]


def _schema(script: str) -> str:
    """Return what makes the same of PostgreSQL as a script makes of SQLite."""
    for ours, theirs in {
        " WITHOUT ROWID": "",
        " REFERENCES tables": "",  # SQLite looks at them only when it is asked to
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
    """Return what errors call a database: nothing of it is a secret."""
    try:
        parts = conninfo_to_dict(place)
    except psycopg.ProgrammingError:
        raise InputError("--data postgresql://...: is no address of PostgreSQL") from None
    host, name = parts.get("host") or "", parts.get("dbname") or ""
    return f"postgresql://{host}/{name}"


class PostgresReader(Reader):
    """The tables of a database, read beside a server that has them."""

    def __init__(self, place: str, for_server: bool = False) -> None:
        """Connect; nothing is written.

        Args:
            for_server: whether a server may begin here: the database may be empty, its tables may
                be older, and nobody has them.

        Raises:
            InputError: that cannot be, or another version wrote the tables.
        """
        self._open(place)
        with self._refusing():
            version = self._version(self._connected())
            if for_server and not self._is_free(self._connected()):
                raise InUse(f"{self.where}: another server has the tables of this database")
        if not for_server and version < len(MIGRATIONS):
            self.close()
            raise InputError(
                f"{self.where}: holds no tables, or an older version of this program wrote them; "
                "start `quaternity serve` once"
            )

    def _open(self, place: str) -> None:
        self.where, self._place = _where(place), place
        self._reading = Lock()
        self._database: Connection | None = None
        self._failed = -PAUSE_SECONDS

    def read(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows that a query gives; from any thread."""
        try:
            with self._reading:
                try:
                    return self._rows(query, values)
                except psycopg.OperationalError:
                    if self._database is None or not self._database.closed:
                        raise
                    return self._rows(query, values)  # by a new connection
        except psycopg.Error as error:
            # No more is shown: messages of PostgreSQL may hold what is kept.
            _log.error("%s cannot be read: %s", self.where, type(error).__name__)
            raise Refusal(503, "the tables cannot be read now") from None

    def _rows(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self._connected().execute(_query(query), _values(values)).fetchall()

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Read in the block as all is now."""
        database = self._connected()
        database.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            yield
        finally:
            database.execute("ROLLBACK")

    def faults(self) -> list[str]:
        """Return which rows belong to no table."""
        orphans = "SELECT 1 FROM {} WHERE table_id NOT IN (SELECT id FROM tables) LIMIT 1"
        return [
            f"{self.where}: {kind} has rows of tables that are gone"
            for kind in PARTS if kind != "removing" and self.read(orphans.format(kind))
        ]  # fmt: skip

    def order_removal(self, names: Sequence[str]) -> None:
        """Have the server that has the tables remove some."""
        order = "INSERT INTO removing SELECT * FROM unnest(%s::text[]) ON CONFLICT DO NOTHING"
        with self._refusing():
            self._connected().execute(order, [list(names)])

    def close(self) -> None:
        """Let the database go."""
        if self._database is not None:
            self._database.close()

    # ------------------------------------------------------------------ connections

    def _connected(self) -> Connection:
        """Return the connection for reading; make it anew if it broke."""
        if self._database is None or self._database.closed:
            self._database = self._connection()
        return self._database

    def _connection(self) -> Connection:
        if monotonic() - self._failed < PAUSE_SECONDS:
            raise psycopg.OperationalError("no connection")
        try:
            database = psycopg.connect(
                self._place, autocommit=True, connect_timeout=CONNECT_SECONDS,
                application_name="quaternity", keepalives_idle=10, keepalives_interval=5,
                keepalives_count=3, tcp_user_timeout=1000 * QUERY_SECONDS,
            )  # fmt: skip
        except psycopg.Error:
            self._failed = monotonic()
            raise
        database.execute(f"SET statement_timeout = '{QUERY_SECONDS}s'")
        # Whatever is usual there: what is said to be kept is on the disk.
        database.execute("SET synchronous_commit = on")
        return database

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Say in words what keeps a database from being used."""
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
        """Return the version of the tables; or refuse what a newer program wrote."""
        encoding = database.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise InputError(f"{self.where}: is kept in {encoding}; expected UTF8")
        known = database.execute("SELECT to_regclass('schema_version')").fetchone()
        if known is None or known[0] is None:
            return 0
        rows = database.execute("SELECT number FROM schema_version").fetchall()
        version = int(rows[0][0]) if rows else 0
        if version > len(MIGRATIONS):
            raise InputError(
                f"{self.where}: was written by a newer version of this program "
                f"({version}; this one knows {len(MIGRATIONS)})"
            )
        return version

    def _is_free(self, database: Connection) -> bool:
        """Return whether no server has the tables."""
        free = bool(database.execute("SELECT pg_try_advisory_lock(%s)", [LOCK]).fetchall()[0][0])
        if free:
            database.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
        return free


class PostgresStore(PostgresReader, Store):
    """The tables of a database; one server at a time has them."""

    def __init__(self, place: str) -> None:
        """Connect, and make what is missing.

        Raises:
            InputError: the database cannot be used, another server has it, or a newer one wrote it.
        """
        self._open(place)
        self._name = secrets.token_hex(16)
        """What says that no other server had the tables since this one began."""
        with self._refusing():
            self._writer = self._connection()
            try:
                self._have(self._writer)
                self._migrate(self._version(self._writer))
                self._connected()
            except BaseException:
                self._writer.close()
                raise
        self._begin()

    def size(self) -> int:
        """Return the bytes of the database on the disk of PostgreSQL."""
        return int(self.read("SELECT pg_database_size(current_database())")[0][0])

    def close(self) -> None:
        """Write what waits, and let others have the tables."""
        Store.close(self)

    def _end(self) -> None:
        with suppress(psycopg.Error):
            text, values = self.uptime_statement()
            self._writer.execute(_query(text), values)
        self._writer.close()
        PostgresReader.close(self)

    def _have(self, database: Connection) -> None:
        """Have the tables alone; what has just ended may still be letting them go."""
        for _ in range(LOCK_TRIES):
            rows = database.execute("SELECT pg_try_advisory_lock(%s)", [LOCK]).fetchall()
            if rows[0][0]:
                return
            sleep(LOCK_PAUSE)
        raise InUse(f"{self.where}: another server has the tables of this database")

    def _migrate(self, version: int) -> None:
        database = self._writer
        for number in range(version, len(MIGRATIONS)):
            with database.transaction():  # a crash leaves the old version
                if not number:
                    database.execute("CREATE TABLE schema_version (number BIGINT NOT NULL)")
                    database.execute("INSERT INTO schema_version VALUES (0)")
                    database.execute("CREATE TABLE server (name TEXT NOT NULL)")
                    database.execute("INSERT INTO server VALUES ('')")
                for text in filter(str.strip, _schema(MIGRATIONS[number]).split(";")):
                    database.execute(text.encode())
                database.execute("UPDATE schema_version SET number = %s", [number + 1])
        database.execute("UPDATE server SET name = %s", [self._name])

    # ------------------------------------------------------------------ writing

    def _refusal(self, error: Exception) -> Refusal:
        if isinstance(error, psycopg.IntegrityError):
            return Refusal(409, "that was written meanwhile")
        full = isinstance(error, (errors.DiskFull, errors.InsufficientResources))
        return Refusal(507 if full else 503, NOT_KEPT(error=self._fault(error)))

    def _fault(self, error: Exception) -> str:
        """Return what may be said of an error: messages of PostgreSQL may hold what is kept."""
        if isinstance(error, InputError):
            return str(error)
        if isinstance(error, psycopg.OperationalError) and self._writer.closed:
            return "no connection to the database"
        return type(error).__name__

    def _commit(self, batch: Sequence[Job]) -> None:
        database = self._ready()
        if self._doubt:
            raise InDoubt
        entries = [entry for job in batch for entry in job.entries]
        try:
            # Sent together: only the last answer is waited for.
            with database.pipeline(), database.transaction():
                for text, values in chain.from_iterable(job.statements for job in batch):
                    database.execute(_query(text), _values(values))
                if entries:
                    database.execute(
                        _APPEND, [list(column) for column in zip(*entries, strict=True)]
                    )
        except BaseException:
            self._doubt = bool(database.closed)
            raise

    def _ready(self) -> Connection:
        """Return the connection that has the tables; after a loss only if nobody had them since."""
        if not self._writer.closed:
            return self._writer
        database = self._connection()
        try:
            self._have(database)
            rows = database.execute("SELECT name FROM server").fetchall()
            if rows != [(self._name,)]:
                raise InUse(f"{self.where}: another server had the tables meanwhile; start anew")
        except BaseException:
            database.close()
            raise
        self._writer = database
        return database
