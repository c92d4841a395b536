"""Storage of the game tables of a server: the base class of `FileStore` and `PostgresStore`.

The store keeps a log of each table. An entry of the log is a move, or the number of moves that are
taken back. Entries are added to the log, but never changed. The game of a table is rebuilt from its
log. The uptime of a store is the total time during which a server has used it.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from math import inf
from secrets import token_hex
from time import monotonic
from typing import Any, TypeVar

from quaternity.web.changes import ChangeNotice, Entry, Statement
from quaternity.web.http_errors import NO_ANSWER, NOT_SAVED, HttpError
from quaternity.web.reader import Reader
from quaternity.web.sharing import Sharing
from quaternity.web.writer import REFUSED, Job, Writer

T = TypeVar("T")

ANSWER_SECONDS = 1.8
"""Maximum time for which a request waits for the store to read or write data, in seconds."""

PAUSE_SECONDS = 0.5
"""Seconds after a timeout during which all reads and writes fail immediately."""

_NOT_ANSWERED = NOT_SAVED(error=NO_ANSWER)

UNREADABLE = "the tables cannot be read now"


class Store(Reader):
    """The storage of all game tables of a server. Separate threads read and write the data.

    If `shared` is true, other servers may use the same storage. Each write then names the table
    that it changes and the revision (number of changes) on which it is based. The write raises
    `VersionConflict` if another server has changed the table since then.
    """

    shared = False
    sharing: Sharing = Sharing()
    """The object that exchanges messages with other servers that use the same tables."""

    @abstractmethod
    def size(self) -> int:
        """Return the size of the stored data, in bytes."""

    @abstractmethod
    def commit(self, batch: Sequence[Job]) -> Collection[int]:
        """Write a batch of jobs (sets of changes) in one durable transaction.

        Return the indices of the jobs that were left out, because another server has changed their
        tables in the meantime.
        """

    @abstractmethod
    def refusal(self, error: Exception) -> HttpError:
        """Return the HTTP error for changes that could not be written because of `error`.

        The result is a `VersionConflict` if another server has changed the same table.
        """

    def fault(self, error: Exception) -> str:
        """Return a description of an error that reveals no secret values."""
        return str(error)

    @abstractmethod
    def _end(self) -> None: ...

    def _start(self) -> None:
        rows = self.read("SELECT seconds FROM uptime")
        self.change("UPDATE uptime SET secret = ? WHERE secret IS NULL", [(token_hex(32),)])
        ((secret,),) = self.read("SELECT MAX(secret) FROM uptime")
        self.secret = str(secret).encode()
        """The key that signs cookies."""
        self._up: float = sum(seconds for (seconds,) in rows) - monotonic()
        self.on_doubt: Callable[[], None] = lambda: None
        """Function that drops all tables from memory. The writer thread calls it in the event loop
        if the tables may be outdated.
        """
        self._silent = 0.0
        """Time until which reads and writes fail immediately, as returned by `monotonic`."""
        self._reads = ThreadPoolExecutor(1, "reading")
        self.writing = Writer(self)

    @property
    def trouble(self) -> str | None:
        """The reason why the last write failed, or None if it succeeded."""
        return self.writing.trouble

    def uptime(self) -> float:
        """Return the total time during which at least one server was running, in seconds.

        The clocks of games measure this time. It does not depend on the system clock.
        """
        return self._up + monotonic()

    def believe_clock(self, now: float) -> None:
        """Record that the system clock is right and shows `now`, in seconds since 1970.

        The caller does not wait for the write. Later times are compared with the stored time.
        """
        clock: Statement = "UPDATE uptime SET clock = ?", (now - self.uptime(),)
        statements = self.uptime_statement(), clock
        self.writing.put((), statements)

    async def keep_uptime(self) -> None:
        """Store the running time of the servers (see `uptime`), so that a crash does not lose it.

        Raises `HttpError` if the write fails.
        """
        await self.write((), [self.uptime_statement(), ("DELETE FROM tables WHERE 1 = 0", ())])

    def uptime_statement(self) -> Statement:
        """Return the SQL statement that stores the running time of the servers (see `uptime`)."""
        return "UPDATE uptime SET seconds = ?", (self.uptime(),)

    async def write(
        self,
        entries: Sequence[Entry] = (),
        statements: Sequence[Statement] = (),
        guard: tuple[str, int] | None = None,
        news: Sequence[ChangeNotice] = (),
    ) -> None:
        """Append entries to the logs of tables and execute SQL statements, in one transaction.

        The changes are durable when the method returns.

        Args:
            entries: The log entries.
            statements: The SQL statements.
            guard: Id of the table that changes, and the number of changes that it must still have.
                None to write the changes in any case.
            news: Notices that are sent to the other servers once the changes are written.

        Raises:
            VersionConflict: If the table has another number of changes, or an entry already exists.
            HttpError: If the write fails or takes too long.
        """
        self._check_answers(_NOT_ANSWERED)
        done = asyncio.get_running_loop().create_future()
        self.writing.put(entries, statements, guard, news, done)
        await self._answer(done, _NOT_ANSWERED)

    def submit_read(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Let the reader thread call a function, and return a future of the function's result."""
        return self._reads.submit(function, *arguments)

    async def run_read(self, function: Callable[..., T], *arguments: Any) -> T:
        """Let the reader thread call a function. Return its result or raise its exception.

        Raises `HttpError` if the function takes too long.
        """
        self._check_answers(UNREADABLE)
        return await self._answer(
            asyncio.wrap_future(self.submit_read(function, *arguments)), UNREADABLE
        )

    async def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Let the reader thread run an SQL query, and return its rows.

        Raises `HttpError` if the query fails or takes too long.
        """
        return await self.run_read(self.read, query, *values)

    def _check_answers(self, text: str) -> None:
        if monotonic() < self._silent:
            raise HttpError(503, text)

    async def _answer(self, answer: asyncio.Future[T], text: str) -> T:
        # `wait_for` would time out even if the answer came while the event loop was busy, and
        # `wait` is slow. This timer lets the loop first do what is due, such as setting the answer.
        loop, gave_up = asyncio.get_running_loop(), False

        def give_up() -> None:
            nonlocal gave_up
            gave_up = answer.cancel()

        timer = loop.call_later(ANSWER_SECONDS, loop.call_soon, give_up)
        try:
            return await answer
        except asyncio.CancelledError:
            if not gave_up:
                raise
        finally:
            timer.cancel()
            answer.cancel()  # no effect after an answer
        self._silent = max(self._silent, monotonic() + PAUSE_SECONDS)
        self.writing.trouble = REFUSED.format(NO_ANSWER)
        raise HttpError(503, text)

    def close(self) -> None:
        """Write the changes that wait, and close the store."""
        self._silent = inf  # later reads and writes fail immediately
        self.writing.end()
        self._reads.shutdown(cancel_futures=True)
        self._end()
