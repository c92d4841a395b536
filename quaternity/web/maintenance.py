"""The periodic tasks of a server: handle expired clocks, and delete expired tables.

The clock of a table limits the time for moves, and expires when a player has no time left. A table
expires when nothing has happened there for a number of days, which the operator sets.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime

from quaternity.web.clock import DAY
from quaternity.web.http_errors import HttpError
from quaternity.web.live_tables import LiveTables
from quaternity.web.streams import KEEPALIVE_SECONDS
from quaternity.web.table_admin import Retention, TableSummary, clock_jump, list_tables

REMOVAL_BATCH = 200
"""Maximum number of tables checked or deleted at once, so that requests are not delayed."""

CLOCK_BATCH = 100
"""Maximum number of tables whose expired clocks are handled in one round of the periodic tasks."""

_log = logging.getLogger("uvicorn.error")


class Maintenance:
    """The periodic tasks of a server: handle clocks that have run out, and delete old tables."""

    def __init__(self, live: LiveTables, keep: Retention) -> None:
        self._live, self._store, self._keep = live, live.store, keep
        self._is_clock_believed = True
        """Whether the system clock seemed to be right at the last check."""
        self._believes_clock(*clock_jump(self._store))
        self._keeping: asyncio.Task[None] | None = None
        self._ticking: asyncio.Task[None] | None = None
        self._cleaned = ""
        """Id of the last table that `_clean` has checked. If it is empty, the next batch begins
        with the first table."""
        self._rung: dict[str, float] = {}
        """The times at which expired clocks ran out, by table. The clock that was handled longest
        ago comes first."""

    async def tick(self) -> None:
        """Run the periodic tasks of the server and its tables again and again, until cancelled."""
        while True:
            await asyncio.sleep(KEEPALIVE_SECONDS)
            self._tick_once()

    def _tick_once(self) -> None:
        """Run the periodic tasks once. If the task of a table fails, continue with the others."""
        self._live.forget_absent()
        tables = self._live.all_loaded()
        doing = [
            ("the streams", self._live.streams.send_keepalive),
            ("expired tables", self._begin_maintenance),
            *((f"table {table.state.id}", table.programs.tick) for table in tables),
        ]
        if self._live.has_clocks or self._store.shared or self._store.trouble:
            doing.append(("the clocks", self._begin_clocks))
        for task_name, act in doing:
            try:
                act()
            except Exception as error:
                # Log only the type of the error, because its text may reveal a player's hand.
                _log.error("the periodic task for %s failed: %s", task_name, type(error).__name__)

    # ------------------------------------------------------------------ expired tables

    def _begin_maintenance(self) -> None:
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self.run_maintenance())

    async def run_maintenance(self) -> None:
        """Delete tables that are old enough, and tables that an operator has asked to delete.

        If this fails, log the error. The next call tries again.
        """
        try:
            query = "SELECT table_id FROM removing LIMIT ?"
            ordered = await self._store.rows(query, REMOVAL_BATCH)
            await self._live.remove([name for (name,) in ordered])
            if any(self._keep):
                now, jump = await self._store.run_read(clock_jump, self._store)
                if self._believes_clock(now, jump):
                    await self._clean(now)
        except Exception as error:
            # Log every error, because nothing awaits this task, and it must run again later.
            reason = error if isinstance(error, HttpError) else type(error).__name__
            _log.error("tables could not be deleted: %s", reason)

    def _believes_clock(self, now: float, jump: float) -> bool:
        """Return whether the system clock seems right. Log an error once if it does not."""
        is_believed = abs(jump) <= self._keep.max_clock_jump
        if is_believed:
            self._store.believe_clock(now)
        elif self._is_clock_believed and any(self._keep):
            _log.error(
                "the system clock says %s UTC and seems to be %.1f days %s: expired tables are not "
                "deleted; if the clock is right, run: quaternity tables confirm-clock",
                datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M"),
                abs(jump) / DAY, "ahead" if jump > 0 else "behind",
            )  # fmt: skip
        self._is_clock_believed = is_believed
        return is_believed

    async def _clean(self, now: float) -> None:
        """Delete the expired tables of the next batch, unless their series is still in use."""
        clause = "WHERE id > ? ORDER BY id LIMIT ?"
        batch = await self._store.run_read(
            list_tables, self._store, clause, self._cleaned, REMOVAL_BATCH
        )
        self._cleaned = batch[-1].id if batch else ""
        firsts = [table.first for table in batch if self._may_go(table, now)]
        if firsts:
            which = f"IN ({', '.join('?' for _ in firsts)})"
            series = f"WHERE id {which} OR evening {which}"
            going = await self._store.run_read(list_tables, self._store, series, *firsts, *firsts)
            stay = {table.first for table in going if not self._may_go(table, now)}
            await self._live.remove([table.id for table in going if table.first not in stay])

    def _may_go(self, table: TableSummary, now: float) -> bool:
        return self._keep.is_expired(table, now) and self._live.is_deserted(table.id)

    # ------------------------------------------------------------------ expired clocks

    def _begin_clocks(self) -> None:
        self._ticking = asyncio.create_task(self.look_at_clocks())

    async def look_at_clocks(self) -> None:
        """Let computer players move for people whose time has run out."""
        query = "SELECT id, due FROM tables WHERE due <= ? ORDER BY due LIMIT ?"
        try:
            await self._store.keep_uptime()
            limit = CLOCK_BATCH + len(self._rung)
            rows = await self._store.rows(query, self._store.uptime(), limit)
        except HttpError:
            # Try again in the next round. `store.trouble` says why the store failed.
            return
        # Put clocks last that were handled before and are still expired, so that no table is
        # forgotten.
        still = set(rows)
        self._rung = {name: due for name, due in self._rung.items() if (name, due) in still}
        turns = {name: turn for turn, name in enumerate(self._rung)}
        rows.sort(key=lambda row: turns.get(row[0], -1))
        for name, due in rows[:CLOCK_BATCH]:
            self._rung.pop(name, None)
            self._rung[name] = due
            try:
                (await self._live.open(name)).programs.look_at_clock()
            except HttpError:
                continue
            except Exception as error:
                # Only log the error, so that the clocks of the other tables are still handled.
                _log.error("the clock of a table could not be checked: %s", type(error).__name__)
