"""Storage of all tables: the abstract base class of the stores, and their writer thread.

The writer thread writes all pending changes in one transaction, so that a thousand moves per second
need only a few disk writes. The store keeps a log of each table, to which entries are only added.
An entry is a move, or a number of moves that are taken back. The game is rebuilt from the log.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from math import inf
from queue import SimpleQueue
from secrets import token_hex
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from quaternity.base.errors import InputError
from quaternity.web.http_errors import NO_ANSWER, NOT_SAVED, HttpError

T = TypeVar("T")

TAKEN_BACK = -1
"""Seat number of log entries that take back moves. The text of such an entry is the number of moves
that are taken back."""

MIGRATIONS = (
    """
    CREATE TABLE tables (
        id TEXT PRIMARY KEY, game TEXT NOT NULL, head TEXT NOT NULL, seed TEXT NOT NULL,
        help INTEGER NOT NULL, practice INTEGER NOT NULL, archive INTEGER NOT NULL,
        maker TEXT, over INTEGER NOT NULL DEFAULT 0, again TEXT,
        made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    );
    CREATE TABLE seats (
        table_id TEXT NOT NULL REFERENCES tables, seat INTEGER NOT NULL, kind TEXT NOT NULL,
        name TEXT, person TEXT, token TEXT, browser TEXT, invitation TEXT,
        PRIMARY KEY (table_id, seat)
    ) WITHOUT ROWID;
    CREATE INDEX seats_of_browser ON seats (browser) WHERE browser IS NOT NULL;
    CREATE INDEX seats_by_invitation ON seats (invitation) WHERE invitation IS NOT NULL;
    CREATE TABLE log (
        table_id TEXT NOT NULL REFERENCES tables, version INTEGER NOT NULL,
        seat INTEGER NOT NULL, id TEXT NOT NULL, move TEXT NOT NULL,
        PRIMARY KEY (table_id, version)
    ) WITHOUT ROWID;
    """,
    "ALTER TABLE tables ADD COLUMN deck TEXT NOT NULL DEFAULT 'plain'",
    """
    CREATE TABLE marks (
        table_id TEXT NOT NULL REFERENCES tables, seat INTEGER NOT NULL, cell TEXT NOT NULL,
        mark TEXT NOT NULL, PRIMARY KEY (table_id, seat, cell)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE tables ADD COLUMN invitation TEXT;
    ALTER TABLE tables ADD COLUMN waiting TEXT;
    ALTER TABLE tables ADD COLUMN evening TEXT;
    ALTER TABLE tables ADD COLUMN places TEXT;
    ALTER TABLE seats ADD COLUMN ready INTEGER NOT NULL DEFAULT 1;
    CREATE INDEX tables_by_invitation ON tables (invitation) WHERE invitation IS NOT NULL;
    CREATE INDEX tables_of_evening ON tables (evening) WHERE evening IS NOT NULL;
    """,
    """
    ALTER TABLE tables ADD COLUMN chat INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tables ADD COLUMN clock TEXT;
    ALTER TABLE tables ADD COLUMN due REAL;
    ALTER TABLE seats ADD COLUMN saved REAL NOT NULL DEFAULT 0;
    ALTER TABLE seats ADD COLUMN missed INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX tables_by_due ON tables (due) WHERE due IS NOT NULL;
    CREATE TABLE uptime (seconds REAL NOT NULL);
    INSERT INTO uptime VALUES (0);
    CREATE TABLE talk (
        table_id TEXT NOT NULL REFERENCES tables, watching INTEGER NOT NULL,
        number INTEGER NOT NULL, seat INTEGER, name TEXT NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (table_id, watching, number)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE seats ADD COLUMN code TEXT;
    ALTER TABLE log ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX seats_by_code ON seats (code) WHERE code IS NOT NULL;
    CREATE TABLE moving (
        link TEXT PRIMARY KEY, table_id TEXT NOT NULL REFERENCES tables, token TEXT NOT NULL,
        until REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    "CREATE TABLE removing (table_id TEXT PRIMARY KEY) WITHOUT ROWID",
    """
    ALTER TABLE tables ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tables ADD COLUMN agreed TEXT;
    ALTER TABLE uptime ADD COLUMN at REAL NOT NULL DEFAULT 0;
    CREATE TABLE present (
        table_id TEXT NOT NULL REFERENCES tables, seat INTEGER NOT NULL, server TEXT NOT NULL,
        streams INTEGER NOT NULL, seen REAL NOT NULL, at REAL NOT NULL,
        PRIMARY KEY (table_id, seat, server)
    ) WITHOUT ROWID;
    CREATE INDEX present_at ON present (at);
    CREATE TABLE budgets (
        name TEXT PRIMARY KEY, used REAL NOT NULL, rate REAL NOT NULL, at REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    "ALTER TABLE uptime ADD COLUMN clock REAL; ALTER TABLE uptime ADD COLUMN secret TEXT",
)
"""SQL scripts that migrate a store from each version to the next. The first script creates it."""

MAX_TRIES = 10
"""Maximum number of times that a change is repeated because of conflicts with changes by other
servers."""

ANSWER_SECONDS = 1.8
"""Maximum time that a request waits for an answer of the store, in seconds."""

PAUSE_SECONDS = 0.5
"""Time after a timeout of the store during which requests are refused at once, in seconds."""

REFUSED = "nothing can be saved now, so moves are refused: {}"

UNREADABLE = "the tables cannot be read now"

STORE_RELOADING = "the tables are being reloaded: try again"


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


class Job(NamedTuple):
    """A set of changes that is written entirely or not at all.

    Attributes:
        guard: The id of the table that changes, and the revision that the table must still have.
        news: Notices that are sent to the other servers once the job is written.
        done: Future for which the caller waits, or None if the caller does not wait.
        reloads: Value of `Store.reloads` when the job was made.
    """

    entries: Sequence[Entry]
    statements: Sequence[Statement]
    guard: tuple[str, int] | None
    news: Sequence[ChangeNotice]
    done: asyncio.Future[None] | None
    reloads: int


class VersionConflict(HttpError):
    """Error for a change based on an old version of a table.

    Another server has changed the table in the meantime, so the caller must check the request
    again.
    """

    def __init__(self) -> None:
        super().__init__(409, "the table was changed meanwhile: try again")


class UnconfirmedWrite(Exception):
    """Raised by a write if it is not known whether the last transaction was committed."""


class InUse(InputError):
    """Error for tables that another process uses."""


class Reader(ABC):
    """A reader of all stored tables. A server may use them at the same time."""

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


async def retry_if_stale(act: Callable[[], Awaitable[T]]) -> T:
    """Call a function. Call it again after a `VersionConflict`, at most `MAX_TRIES` times."""
    for _ in range(MAX_TRIES):
        try:
            return await act()
        except VersionConflict:
            continue
    return await act()


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


class Store(Reader):
    """A store of all tables for a server, with methods to change them.

    If `shared` is true, other servers may use the same tables. A write then names the revision of
    the table that it is based on, and raises `VersionConflict` if another server has changed the
    table. After `listen`, the store reports the changes by other servers.
    """

    shared = False

    @abstractmethod
    def size(self) -> int:
        """Return the size of the store on the disk, in bytes."""

    @abstractmethod
    def _commit(self, batch: Sequence[Job]) -> Collection[int]:
        """Write the jobs in one durable transaction.

        Leave out the jobs whose table has changed in the meantime, and return the indices of these
        jobs.
        """

    @abstractmethod
    def _refusal(self, error: Exception) -> HttpError:
        """Return the error for the callers of a failed write. A conflict is a `VersionConflict`."""

    def _fault(self, error: Exception) -> str:
        """Return the text of an error without secret values."""
        return str(error)

    @abstractmethod
    def _end(self) -> None:
        """Close the files or connections of the store. Called after the writer thread has ended."""

    def _start(self) -> None:
        """Set the attributes of the store, and start the writer thread."""
        rows = self.read("SELECT seconds FROM uptime")
        self.change("UPDATE uptime SET secret = ? WHERE secret IS NULL", [(token_hex(32),)])
        ((secret,),) = self.read("SELECT MAX(secret) FROM uptime")
        self.secret = str(secret).encode()
        """The key that signs cookies."""
        self._up: float = sum(seconds for (seconds,) in rows) - monotonic()
        self.trouble: str | None = None
        """Reason why the last write failed, or None if it succeeded."""
        self.appended = 0
        """Number of log entries written since the start."""
        self.reloads = 0
        """Number of times that all tables had to be reloaded."""
        self.on_doubt: Callable[[], None] = lambda: None
        """Callback that drops all cached tables. It is called in the event loop of the callers."""
        self._silent = 0.0
        """Time until which requests are refused without waiting, as returned by `monotonic`."""
        self._reads = ThreadPoolExecutor(1, "reading")
        self._doubt = False
        """Whether it is unknown if the last write succeeded. Cached tables may then be outdated."""
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = Thread(target=self._write, name="store", daemon=True)
        self._thread.start()

    def uptime(self) -> float:
        """Return the total time during which a server has used these tables, in seconds.

        The clocks of games use this time. It stands still while no server is running, and does not
        depend on the clock of the machine.
        """
        return self._up + monotonic()

    def believe_clock(self, now: float) -> None:
        """Record that the clock of the machine is right. Do not wait for the write."""
        clock: Statement = "UPDATE uptime SET clock = ?", (now - self.uptime(),)
        statements = self.uptime_statement(), clock
        self._jobs.put(Job((), statements, None, (), None, self.reloads))

    async def keep_uptime(self) -> None:
        """Store the uptime, so that a crash loses little of it.

        Raises `HttpError` if the write fails.
        """
        await self.write((), [self.uptime_statement(), ("DELETE FROM tables WHERE 1 = 0", ())])

    def uptime_statement(self) -> Statement:
        """Return the statement that stores the uptime."""
        return "UPDATE uptime SET seconds = ?", (self.uptime(),)

    async def write(
        self,
        entries: Sequence[Entry] = (),
        statements: Sequence[Statement] = (),
        guard: tuple[str, int] | None = None,
        news: Sequence[ChangeNotice] = (),
    ) -> None:
        """Append log entries and execute statements in one transaction.

        The changes are durable when the method returns.

        Raises `VersionConflict` if the guarded table has another revision, or an entry already
        exists.
        """
        self._check_answers(NOT_SAVED(error=NO_ANSWER))
        done = asyncio.get_running_loop().create_future()
        self._jobs.put(Job(entries, statements, guard, news, done, self.reloads))
        await self._answer(done, NOT_SAVED(error=NO_ANSWER))

    def submit_read(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Start a function in the reader thread, and return its future."""
        return self._reads.submit(function, *arguments)

    async def run_read(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function in the reader thread, and return its result.

        Raises `HttpError` if it fails or takes too long.
        """
        self._check_answers(UNREADABLE)
        return await self._answer(
            asyncio.wrap_future(self.submit_read(function, *arguments)), UNREADABLE
        )

    async def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a query in the reader thread, and return its rows.

        Raises `HttpError` if the query fails or takes too long.
        """
        return await self.run_read(self.read, query, *values)

    def _check_answers(self, text: str) -> None:
        if monotonic() < self._silent:
            raise HttpError(503, text)

    async def _answer(self, answer: asyncio.Future[T], text: str) -> T:
        try:
            # Use `wait`, which accepts an answer that came while the loop was busy. `wait_for`
            # would time out.
            done, _ = await asyncio.wait([answer], timeout=ANSWER_SECONDS)
        finally:
            answer.cancel()  # no effect after an answer
        if done:
            return answer.result()
        self._silent = max(self._silent, monotonic() + PAUSE_SECONDS)
        self.trouble = REFUSED.format(NO_ANSWER)
        raise HttpError(503, text)

    def close(self) -> None:
        """Write the pending jobs, and close the store."""
        self._silent = inf  # refuses later requests at once
        self._jobs.put(None)
        self._thread.join()
        self._reads.shutdown(cancel_futures=True)
        self._end()

    # ------------------------------------------------------------------ sharing with other servers

    def listen(
        self, hear: Callable[[Sequence[ChangeNotice]], None], miss: Callable[[], None]
    ) -> None:  # fmt: skip
        """Start to listen to the notices of other servers.

        The event loop calls `hear` with new notices, and `miss` if some may have been lost.
        """

    def notify(self, *news: ChangeNotice) -> None:
        """Send notices to the other servers, without storing anything and without waiting."""

    async def claim(self, key: str) -> bool:
        """Try to get a lock that only one server can hold. Return whether this server has it now.

        The server keeps the lock until it calls `release` or ends.
        """
        del key
        return True

    def release(self, key: str) -> None:
        """Release a lock that `claim` has acquired."""

    def exchange(
        self, presences: Sequence[Presence], used: Mapping[str, tuple[float, int]]
    ) -> tuple[Sequence[Presence], Mapping[str, float]]:
        """Exchange presence and the use of rate limits with the other servers.

        Args:
            presences: Players who have come, left or been active at this server since the last
                call.
            used: For each rate limit that was used at this server since the last call, the use and
                the amount freed per minute.

        Returns:
            The presence of players at the other servers, and the total use of the same rate limits
            at all servers.
        """
        del presences, used
        return (), {}

    # ------------------------------------------------------------------ the writer thread

    def _write(self) -> None:
        job = self._jobs.get()
        while job is not None:
            batch: list[Job] = []
            while job is not None:
                batch.append(job)
                if self._jobs.empty():
                    break
                job = self._jobs.get()
            self._write_batch(batch)
            if job is not None:
                job = self._jobs.get()

    def _drop_cached(self) -> None:
        if self._doubt:
            self.on_doubt()
            self.reloads += 1
            self._doubt = False

    def _write_batch(self, batch: list[Job]) -> None:
        batch = [job for job in batch if job.done is None or not job.done.cancelled()]
        try:
            if any(job.reloads < self.reloads for job in batch):
                raise UnconfirmedWrite
            stale = self._commit(batch)
        except UnconfirmedWrite:
            # Drop all cached tables and refuse the writes, which may be based on outdated tables.
            _in_loop(batch, self._drop_cached)
            self._report(batch, HttpError(503, STORE_RELOADING))
        except Exception as error:
            # Report every error to the callers, so that this thread keeps running.
            refusal = self._refusal(error)
            if refusal.status == 409 and len(batch) > 1:
                # Write the jobs one by one, so that only the job with the conflict is refused.
                for job in batch:
                    self._write_batch([job])
                return
            if refusal.status != 409:
                fault = self._fault(error)
                self.trouble = REFUSED.format(fault)
            self._report(batch, refusal)
        else:
            # A batch that only sends notices does not show that writing works.
            if any(job.entries or job.statements for job in batch):
                self.trouble = None
            late = [batch[place] for place in stale]
            batch = [job for place, job in enumerate(batch) if place not in stale]
            self.appended += sum(len(job.entries) for job in batch)
            self._report(batch, None)
            self._report(late, VersionConflict())

    def _report(self, batch: list[Job], error: HttpError | None) -> None:
        """Report the result of a batch to its callers, in the event loop that they share."""

        def tell() -> None:
            late = False
            for job in batch:
                if job.done is None:
                    continue
                # The caller has timed out and may have cached an outdated table.
                if job.done.done():
                    late |= job.guard is not None and error is None
                elif error is None:
                    job.done.set_result(None)
                else:
                    job.done.set_exception(error)
            if late:
                self._doubt = True
                self._drop_cached()

        _in_loop(batch, tell)


def _in_loop(batch: Sequence[Job], act: Callable[[], None]) -> None:
    """Call a function in the event loop in which the callers of the jobs wait."""
    loops = {job.done.get_loop() for job in batch if job.done is not None}
    for loop in loops:
        if not loop.is_closed():
            loop.call_soon_threadsafe(act)
