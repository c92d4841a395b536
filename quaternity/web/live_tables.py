"""The game tables in memory: open, reload, drop, delete and share them with other servers.

To drop a table means to remove it from memory only. To delete a table means to remove it for good.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic

from quaternity.web.actor import LiveTable
from quaternity.web.background import BackgroundWork
from quaternity.web.changes import REMOVED, ChangeNotice
from quaternity.web.command_queue import ForgetRematch, Reload
from quaternity.web.http_errors import NO_TABLE, HttpError
from quaternity.web.peers import SYNC_INTERVAL_SECONDS, Peers
from quaternity.web.presence import ABSENCE_LIMIT_SECONDS
from quaternity.web.seats import Caller, Visitor
from quaternity.web.store import Store
from quaternity.web.streams import Streams
from quaternity.web.table_admin import removal_statements
from quaternity.web.table_rows import read_rows, rebuild
from quaternity.web.writer import STORE_RELOADING

MAX_CACHED_TABLES = 500
"""Number of tables in memory above which unused tables are dropped. The next request for a dropped
table reads it from the store again.
"""

_log = logging.getLogger("uvicorn.error")


class LiveTables:
    """The game tables that a server has in memory, with all event streams of its visitors."""

    def __init__(self, store: Store, thinking: BackgroundWork) -> None:
        self.store, self.thinking = store, thinking
        self.streams = Streams()
        self.peers = Peers(store, thinking.admission)
        store.on_doubt = self.drop_cached
        self._live: OrderedDict[str, asyncio.Task[LiveTable]] = OrderedDict()
        self._opening: Counter[str] = Counter()
        # Count all players as seen at the start, because players of an earlier process may be about
        # to reconnect.
        self._begun = monotonic()
        self._seen: dict[str, list[float]] = {}
        """For each table that is not in memory, the times at which its players were last active, as
        returned by `monotonic`."""
        self.has_clocks = bool(store.read("SELECT 1 FROM tables WHERE clock IS NOT NULL LIMIT 1"))
        """Whether any stored table has a clock that limits the time for moves."""
        self._removed: set[str] = set()
        """Ids of the tables that are being deleted from the store."""
        self._following: dict[str, asyncio.Task[None]] = {}

    @property
    def count(self) -> int:
        """The number of tables in memory."""
        return len(self._live)

    async def open(self, name: str) -> LiveTable:
        """Return the table with the given id, which is read from the store if necessary.

        Raises `HttpError` if there is no such table.
        """
        if name in self._removed:
            raise HttpError(404, NO_TABLE)
        task = self._live.get(name)
        if task is None:
            task = self._live[name] = asyncio.create_task(self._load(name))
            await self._make_room()
        else:
            self._live.move_to_end(name)
        self._opening[name] += 1
        try:
            return await asyncio.shield(task)
        except BaseException:
            if task.done() and self._live.get(name) is task:
                del self._live[name]
            raise
        finally:
            self._opening[name] -= 1
            if not self._opening[name]:
                del self._opening[name]

    async def open_for(
        self, name: str, caller: Caller, asked: int | None = None, kind: str = "page"
    ) -> tuple[LiveTable, Visitor]:
        """Check a request against the rate limits. Return its table, and the visitor who sent it.

        The visitor sees the game from the seat `asked`. If it is None, `TableState.visitor` chooses
        the seat. `kind` is the kind of request, as in `rate_limits.WORK`. If the table is not in
        memory or the visitor has no seat, the request counts as a request for a page instead.

        Raises `HttpError` if there is no such table, if the rate limit is exceeded, or if the
        visitor may not see the game from the seat.
        """
        table, seat = self.find_loaded(name), None
        if table is not None:
            seat = next(iter(table.state.seats_of(caller)), None)
        if seat is None:
            self.thinking.admission.count("page")
        else:
            self.thinking.admission.count(kind, (name, seat))
        table = await self.open(name)
        if kind == "page":
            await table.talk.read_shown(table.state)
        return table, table.identify(caller, asked)

    async def _load(self, name: str) -> LiveTable:
        try:
            row = await self.store.run_read(read_rows, self.store, name)
            if row is None:
                raise HttpError(404, NO_TABLE)
            state = row.state(await asyncio.to_thread(rebuild, row))
            seen = self._seen.get(name) or [self._begun] * len(row.seats)
            table = LiveTable(state, self.store, self.thinking, seen, self.peers.of(name))
        except HttpError:
            raise
        # A damaged table may raise any exception.
        except Exception as error:
            _log.error("table %s cannot be read: %s", name, type(error).__name__)
            raise HttpError(500, "this table cannot be read: its stored data is damaged") from None
        self._seen.pop(name, None)  # the table now stores these times
        table.programs.set_alarm(state.due)
        table.programs.wake()
        return table

    def find_loaded(self, name: str) -> LiveTable | None:
        """Return the table with the given id. Return None if it is not in memory."""
        task = self._live.get(name)
        if task is None or not task.done() or task.cancelled() or task.exception() is not None:
            return None
        return task.result()

    def all_loaded(self) -> list[LiveTable]:
        """Return the tables in memory."""
        tables = map(self.find_loaded, self._live)
        return [table for table in tables if table is not None]

    def note_made(self, name: str, seats: int) -> None:
        """Record that a table with `seats` seats was made. Its players now count as present."""
        self._seen[name] = [monotonic()] * seats

    def forget_absent(self) -> None:
        """Discard the activity times of tables at which nobody was active recently."""
        gone = monotonic() - ABSENCE_LIMIT_SECONDS
        self._seen = {name: seen for name, seen in self._seen.items() if max(seen) > gone}

    def is_deserted(self, name: str) -> bool:
        """Return whether nobody is connected to a table or was active there recently."""
        if name in self._seen or self.peers.of(name):
            return False
        if name not in self._live:
            return True
        table = self.find_loaded(name)
        return table is not None and table.is_quiet and table.presence.is_deserted

    # ------------------------------------------------------------------ dropping and deleting

    def drop_cached(self) -> None:
        """Drop all tables from memory, because they may be outdated.

        Commands that are waiting fail. The next request for a table reads it from the store again.
        """
        for name in list(self._live):
            self.drop(name)

    def drop(self, name: str) -> None:
        """Drop a table from memory because it may be outdated. If it is not there, do nothing."""
        table, task = self.find_loaded(name), self._live.pop(name, None)
        if table is not None:
            self._seen[name] = table.presence.last_seen
        if task is not None:
            task.add_done_callback(_drop)
            if task.done():
                _drop(task)

    async def _make_room(self) -> None:
        for name in list(self._live):
            if len(self._live) <= MAX_CACHED_TABLES:
                break
            table = self.find_loaded(name)
            # Keep a table that requests are opening. Otherwise there could be two objects for the
            # same table.
            if table is not None and table.is_quiet and name not in self._opening:
                self._seen[name] = table.presence.last_seen
                _drop(self._live.pop(name))

    async def remove(self, names: Sequence[str]) -> None:
        """Delete the tables with the given ids from the store and from memory."""
        if not names:
            return
        self._removed.update(names)  # prevents opening them
        closed: list[LiveTable] = []
        try:
            for name in names:
                # Ignore the error of a damaged table, which has no object in memory to stop.
                with suppress(HttpError):
                    if task := self._live.get(name):
                        closed.append(await asyncio.shield(task))
                        await closed[-1].queue.close(404, NO_TABLE)
            news = [ChangeNotice(name, REMOVED) for name in names]
            await self.store.write((), removal_statements(names), None, news)
        except BaseException:
            for table in closed:
                # Let the table accept commands again, unless it was dropped in the meantime.
                if self.find_loaded(table.state.id) is table:
                    table.queue.gone = None
                    table.programs.wake()
            raise
        finally:
            self._removed.difference_update(names)
        for table in closed:
            table.stop()
        for name in names:
            self._live.pop(name, None)
            self._seen.pop(name, None)
        for table in self.all_loaded():
            if table.state.stored.again in names:
                with suppress(HttpError):  # if this table is being deleted, too
                    await table.queue.submit(ForgetRematch(frozenset(names)))

    def end(self) -> None:
        """End all event streams, and stop all tables and computer players of this server."""
        self.streams.end()
        for table in self.all_loaded():
            table.stop()
        self.thinking.end()

    # ------------------------------------------------------------------ sharing with other servers

    def apply_changes(self, news: Sequence[ChangeNotice]) -> None:
        """Apply changes that other servers have announced to the tables in memory."""
        for notice in news:
            if notice.table not in self._live:
                continue
            table = self.find_loaded(notice.table)
            if table is not None and notice.event is not None:
                known = table.state.revision
                table.feed.send_event(notice.event, notice.data, notice.revision, known)
            # Reload a table that is just being read, because the change may have come after the
            # reading.
            elif table is None or not table.apply_notice(notice):
                self._follow(notice.table)

    def on_listen_lost(self) -> None:
        """Reload all changed game tables, because messages of other servers may have been lost."""
        for name in self._live:
            self._follow(name)

    def _follow(self, name: str) -> None:
        async def follow() -> None:
            try:
                await (await self.open(name)).queue.submit(Reload())
            except HttpError as error:
                # After any other error, the next request reloads the table.
                if error.status == 404 and name not in self._removed:
                    self.drop(name)

        task = self._following.get(name)
        if task is not None:
            # Reload the table once more after the running reload, which may have read the table
            # before this change.
            task.add_done_callback(lambda done: self._follow(name))
            return
        task = self._following[name] = asyncio.create_task(follow())
        task.add_done_callback(lambda done: self._following.pop(name, None))

    async def sync_presence(self) -> None:
        """Keep exchanging changes, connected players and used rate limits with the other servers.

        Run until cancelled. Return immediately if the tables are not shared with other servers.
        """
        if not self.store.shared:
            return
        self.store.sharing.listen(self.apply_changes, self.on_listen_lost)
        while True:
            try:
                await self.peers.meet(self.all_loaded())
                # Try to write again. If it is unknown whether the last write succeeded, this drops
                # all tables from memory.
                if self.store.trouble:
                    await self.store.keep_uptime()
            except Exception as error:
                # Survive any fault of the database or its driver: the next exchange tries again.
                _log.error("the exchange with other servers failed: %s", type(error).__name__)
            await asyncio.sleep(SYNC_INTERVAL_SECONDS)


def _drop(task: asyncio.Task[LiveTable]) -> None:
    if not task.cancelled() and task.exception() is None:
        table = task.result()
        table.queue.gone = 503, STORE_RELOADING
        table.stop()
