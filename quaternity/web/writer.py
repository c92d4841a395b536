"""The thread that writes changes to the store of all game tables.

A job is a set of changes that is written entirely or not at all. The thread writes all waiting jobs
in one transaction, so that a thousand moves per second need only a few disk writes. If a connection
is lost during a write, it may be unknown whether the transaction was committed. The tables in
memory may then be outdated, so they are dropped from memory and loaded again on request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import NamedTuple, Protocol

from quaternity.web.changes import ChangeNotice, Entry, Statement, VersionConflict
from quaternity.web.http_errors import HttpError

REFUSED = "nothing can be saved now, so moves are refused: {}"

STORE_RELOADING = "the tables are being reloaded: try again"


class Job(NamedTuple):
    """A set of changes that is written entirely or not at all.

    Attributes:
        entries: Entries that are appended to the logs of tables.
        statements: SQL statements that are executed.
        guard: Id of the table that changes, and the number of changes that it must still have. None
            to write the changes in any case.
        news: Notices that are sent to the other servers once the job is written.
        done: Future for which the caller waits, or None if the caller does not wait.
        reloads: Value of `Writer.reloads` when the job was made.
    """

    entries: Sequence[Entry]
    statements: Sequence[Statement]
    guard: tuple[str, int] | None
    news: Sequence[ChangeNotice]
    done: asyncio.Future[None] | None
    reloads: int


class UnconfirmedWrite(Exception):
    """Raised by a write if it is unknown whether an earlier write succeeded."""


class Backend(Protocol):
    """The part of a store that the writer thread uses. See `Store` for its methods.

    The function `on_doubt` drops all tables from memory, because they may be outdated.
    """

    on_doubt: Callable[[], None]

    def commit(self, batch: Sequence[Job]) -> Collection[int]:
        """Write a batch of jobs (sets of changes) in one durable transaction. See `Store.commit`.

        Raises `UnconfirmedWrite` if it is unknown whether an earlier transaction was committed.
        """

    def refusal(self, error: Exception) -> HttpError:
        """Return the HTTP error for changes that could not be written because of `error`."""

    def fault(self, error: Exception) -> str:
        """Return a description of an error that reveals no secret values."""


class Writer:
    """The thread that writes changes to the store of all game tables.

    Attributes:
        trouble: Reason why the last write failed, or None if it succeeded.
        appended: Number of log entries written since the thread started.
        reloads: Number of times that all tables were dropped from memory because they might have
            been outdated.
        is_in_doubt: Whether the tables in memory may be outdated, because the result of a write is
            unknown or came too late for its caller.
    """

    def __init__(self, store: Backend) -> None:
        """Start the thread, which writes to the given store."""
        self.trouble: str | None = None
        self.appended = self.reloads = 0
        self.is_in_doubt = False
        self._store = store
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = Thread(target=self._write, name="store", daemon=True)
        self._thread.start()

    def put(
        self,
        entries: Sequence[Entry] = (),
        statements: Sequence[Statement] = (),
        guard: tuple[str, int] | None = None,
        news: Sequence[ChangeNotice] = (),
        done: asyncio.Future[None] | None = None,
    ) -> None:
        """Add a set of changes to the queue of the thread, without waiting. See `Job`."""
        self._jobs.put(Job(entries, statements, guard, news, done, self.reloads))

    def end(self) -> None:
        """Write the changes in the queue, and wait until the thread has ended."""
        self._jobs.put(None)
        self._thread.join()

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
        if self.is_in_doubt:
            self._store.on_doubt()
            self.reloads += 1
            self.is_in_doubt = False

    def _write_batch(self, batch: list[Job]) -> None:
        batch = [job for job in batch if job.done is None or not job.done.cancelled()]
        try:
            if any(job.reloads < self.reloads for job in batch):
                raise UnconfirmedWrite
            stale = self._store.commit(batch)
        except UnconfirmedWrite:
            # Drop all tables from memory. Refuse the jobs, which may be based on outdated tables.
            _in_loop(batch, self._drop_cached)
            self._report(batch, HttpError(503, STORE_RELOADING))
        except Exception as error:
            # Report every error to the callers of the jobs, because an exception would end this
            # thread.
            refusal = self._store.refusal(error)
            if refusal.status == 409 and len(batch) > 1:
                # Write the jobs one by one, so that only the job with the conflict is refused.
                for job in batch:
                    self._write_batch([job])
                return
            if refusal.status != 409:
                fault = self._store.fault(error)
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
        """Report the result of some jobs to their callers. `error` is None if they were written."""

        def tell() -> None:
            late = False
            for job in batch:
                if job.done is None:
                    continue
                # The caller has stopped waiting, so its table in memory may be outdated.
                if job.done.done():
                    late |= job.guard is not None and error is None
                elif error is None:
                    job.done.set_result(None)
                else:
                    job.done.set_exception(error)
            if late:
                self.is_in_doubt = True
                self._drop_cached()

        _in_loop(batch, tell)


def _in_loop(batch: Sequence[Job], act: Callable[[], None]) -> None:
    loops = {job.done.get_loop() for job in batch if job.done is not None}
    for loop in loops:
        if not loop.is_closed():
            loop.call_soon_threadsafe(act)
