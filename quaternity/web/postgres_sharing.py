"""Messages between servers that share a PostgreSQL database.

A notice tells the other servers that a table with a game has changed. A claim is a lock that only
one server can hold at a time. The servers also tell each other which players are connected, and how
much of each rate limit a client has used. In the database, this amount is called a *budget*.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from hashlib import blake2b
from threading import RLock, Thread
from time import sleep
from typing import Any, Protocol

import psycopg

from quaternity.web.changes import ChangeNotice, Presence
from quaternity.web.postgres_reader import Connection
from quaternity.web.sharing import Sharing
from quaternity.web.writer import Writer

CHANNEL = "quaternity"
"""Name of the PostgreSQL channel on which servers notify each other of changes."""

MAX_NOTIFICATION_BYTES = 7_900
"""Maximum size of a notification, in bytes. The limit of PostgreSQL is slightly higher."""

LISTEN_SECONDS = 0.5
"""Seconds after which the listening thread checks again whether the server is shutting down."""

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


class SharedDatabase(Protocol):
    """The parts of a `PostgresStore` that are used for messages between servers."""

    where: str
    writing: Writer
    reading: RLock
    is_closing: bool

    def connect(self) -> Connection:
        """Return a new connection to the database."""

    def read_connection(self) -> Connection:
        """Return the connection for reading from the database."""

    def refusing_reads(self) -> AbstractContextManager[None]:
        """Raise `HttpError` if the database reports an error during the `with` block."""

    def uptime(self) -> float:
        """Return the total time during which at least one server was running, in seconds."""

    def read_uptime(self) -> None:
        """Set the result of `uptime` to the stored running time, which all servers share."""


class PostgresSharing(Sharing):
    """Sends and receives messages between the servers of a PostgreSQL database.

    `name` is the random name of this server in its messages.
    """

    def __init__(self, store: SharedDatabase, salt: str) -> None:
        """Set up the exchange of messages with the other servers.

        `salt` is the key with which names of rate-limit counters are hashed. The hashes hide the
        addresses of clients, which are parts of these names.
        """
        self.name = secrets.token_hex(8)
        self._store, self._salt = store, salt.encode()
        self._claims: Connection | None = None
        self._claiming = ThreadPoolExecutor(1, "claims")
        self._listening: Thread | None = None
        self._heard_at = 0.0

    def stop_claims(self) -> None:
        """Cancel the calls of `claim` that wait for the database, and refuse further calls."""
        self._claiming.shutdown(cancel_futures=True)

    def close(self) -> None:
        """Release all locks that `claim` has acquired, and wait for the listening thread to end."""
        if self._claims is not None:
            self._claims.close()
        if self._listening is not None:
            self._listening.join()

    def sender_name(self) -> str:
        """Return the name with which this server currently signs its messages."""
        # A server ignores notices that bear its own name. The name changes with each reload, so
        # that the server does not ignore notices of its earlier, unconfirmed writes.
        return f"{self.name}/{self._store.writing.reloads}"

    def notify(self, *news: ChangeNotice) -> None:
        """Notify the other servers of changes to game tables. Return without waiting."""
        self._store.writing.put(news=news)

    def listen(
        self, hear: Callable[[Sequence[ChangeNotice]], None], miss: Callable[[], None]
    ) -> None:
        """Start a thread that receives the other servers' notices of changes to tables.

        The event loop calls `hear` with new notices, and `miss` if notices may have been lost.
        """
        loop = asyncio.get_running_loop()

        def call(function: Callable[..., None], *arguments: Any) -> None:
            with suppress(RuntimeError):  # if the event loop has already ended
                loop.call_soon_threadsafe(function, *arguments)

        def listen() -> None:
            while not self._store.is_closing:
                try:
                    with self._store.connect() as database:
                        database.execute(f"LISTEN {CHANNEL}".encode())
                        # Notices may have been lost before LISTEN, but not from now on.
                        call(miss)
                        while not self._store.is_closing:
                            for notification in database.notifies(timeout=LISTEN_SECONDS):
                                sender, *rows = json.loads(notification.payload)
                                if sender != self.sender_name():
                                    call(hear, [ChangeNotice(*row) for row in rows])
                except (psycopg.Error, ValueError, TypeError) as error:
                    # Try again. All tables are checked once a connection listens again.
                    _log.error(
                        "%s: change notices were lost: %s", self._store.where, type(error).__name__
                    )
                    sleep(LISTEN_SECONDS)

        self._listening = Thread(target=listen, name="listening", daemon=True)
        self._listening.start()

    async def claim(self, key: str) -> bool:
        """Try to get the lock `key`, which only one server can hold. Return whether that succeeded.

        The result is also True if the database does not answer, so that this server can act.
        """

        def claim() -> bool:
            try:
                if self._claims is None or self._claims.closed:
                    self._claims = self._store.connect()
                return try_lock(self._claims, lock_number(key))
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
                    self._claims.execute("SELECT pg_advisory_unlock(%s)", [lock_number(key)])

        with suppress(RuntimeError):  # if the executor has already ended
            self._claiming.submit(let_go)

    def exchange(
        self, presences: Sequence[Presence], used: Mapping[str, tuple[float, int]]
    ) -> tuple[Sequence[Presence], Mapping[str, float]]:
        """Exchange reports on players and rate limits with other servers (see `Sharing`)."""
        names = {self._hash_name(name): name for name in used}
        budgets = [(name, *used[key]) for name, key in sorted(names.items())]
        self._store.read_uptime()
        now, theirs, rows = self._store.uptime(), [], []
        with (
            self._store.reading,
            self._store.refusing_reads(),
            self._store.read_connection().transaction(),
        ):
            database = self._store.read_connection()
            database.execute(
                "SET LOCAL synchronous_commit = off"
            )  # these rows need not survive a crash
            if presences:
                columns = [list(column) for column in zip(*presences, strict=True)]
                database.execute(_UPDATE_PRESENCE, [self.name, now, *columns[:2], *columns[3:]])
            theirs = database.execute(_READ_PRESENCE, [self.name, self._heard_at]).fetchall()
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


def try_lock(database: Connection, number: int, kind: str = "") -> bool:
    """Try to get an advisory lock of PostgreSQL. Return whether this connection has it now.

    `kind` is "_shared" for a lock that several connections can share.
    """
    query = f"SELECT pg_try_advisory_lock{kind}(%s)".encode()
    ((has_got_it,),) = database.execute(query, [number]).fetchall()
    return bool(has_got_it)


def lock_number(key: str) -> int:
    """Return the number of the advisory lock of PostgreSQL that stands for a text."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), signed=True)


def notification_payloads(sender: str, news: Sequence[ChangeNotice]) -> Iterator[str]:
    """Yield texts that contain the given notices, as payloads of PostgreSQL notifications.

    A notice that is too long is reduced to its table and the number of changes to it.
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
