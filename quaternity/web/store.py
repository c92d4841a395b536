"""Storage of all tables: `Store`, the abstract base class of the stores.

The store keeps a log of each table. An entry of the log is a move, or a number of moves that are
taken back. Entries are only added. The game of a table is rebuilt from its log.
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
"""Maximum time that a request waits for an answer of the store, in seconds."""

PAUSE_SECONDS = 0.5
"""Seconds after a timeout of the store during which requests are refused without waiting."""

_NOT_ANSWERED = NOT_SAVED(error=NO_ANSWER)

UNREADABLE = "the tables cannot be read now"


class Store(Reader):
    """A store of all tables for a server, with methods to change them.

    If `shared` is true, other servers may use the same tables. Each write then names the table that
    it changes and the revision on which it is based. It raises `VersionConflict` if another server
    has changed that table since. `sharing` reports the changes by other servers.
    """

    shared = False
    sharing: Sharing = Sharing()
    """The channel for messages to and from the other servers of the same tables."""

    @abstractmethod
    def size(self) -> int:
        """Return the size of the store on the disk, in bytes."""

    @abstractmethod
    def commit(self, batch: Sequence[Job]) -> Collection[int]:
        """Write the jobs in one durable transaction.

        Leave out the jobs whose table has changed in the meantime, and return the indices of these
        jobs.
        """

    @abstractmethod
    def refusal(self, error: Exception) -> HttpError:
        """Return the error for the callers of a failed write: a `VersionConflict` or another."""

    def fault(self, error: Exception) -> str:
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
        self.on_doubt: Callable[[], None] = lambda: None
        """Callback that drops all cached tables. It is called in the event loop of the callers."""
        self._silent = 0.0
        """Time until which requests are refused without waiting, as returned by `monotonic`."""
        self._reads = ThreadPoolExecutor(1, "reading")
        self.writing = Writer(self)

    @property
    def trouble(self) -> str | None:
        """The reason why the last write failed, or None if it succeeded."""
        return self.writing.trouble

    def uptime(self) -> float:
        """Return the total time during which a server has used these tables, in seconds.

        The clocks of games use this time. It stands still while no server is running, and does not
        depend on the clock of the machine.
        """
        return self._up + monotonic()

    def believe_clock(self, now: float) -> None:
        """Store that the clock of the machine is right, without waiting for the write."""
        clock: Statement = "UPDATE uptime SET clock = ?", (now - self.uptime(),)
        statements = self.uptime_statement(), clock
        self.writing.put((), statements)

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
        self._check_answers(_NOT_ANSWERED)
        done = asyncio.get_running_loop().create_future()
        self.writing.put(entries, statements, guard, news, done)
        await self._answer(done, _NOT_ANSWERED)

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
        self.writing.trouble = REFUSED.format(NO_ANSWER)
        raise HttpError(503, text)

    def close(self) -> None:
        """Write the pending jobs, and close the store."""
        self._silent = inf  # refuses later requests at once
        self.writing.end()
        self._reads.shutdown(cancel_futures=True)
        self._end()
