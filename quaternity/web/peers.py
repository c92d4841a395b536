"""Exchange of presence and rate limits between the servers of one database.

Once a second, each server reports to the others which players are connected to it, and how much of
the rate limits its clients have used.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from math import inf
from time import monotonic

from quaternity.web.actor import LiveTable
from quaternity.web.changes import Presence
from quaternity.web.http_errors import HttpError
from quaternity.web.presence import ABSENCE_LIMIT_SECONDS, RemotePresence
from quaternity.web.rate_limits import RateLimits
from quaternity.web.store import Store

SYNC_INTERVAL_SECONDS = 1.0
"""Seconds between two exchanges of presence and used rate limits with the other servers."""

PRESENCE_REFRESH_SECONDS = 10.0
"""Seconds between two reports that a player is still connected. A player counts as gone after three
times this interval without a report."""


class Peers:
    """The players who are connected to other servers of the same database."""

    def __init__(self, store: Store, admission: RateLimits) -> None:
        self._store, self._admission = store, admission
        self._begun = monotonic()
        self._afar: dict[str, dict[tuple[int, str], RemotePresence]] = {}
        """The latest reports of other servers on the players of each table, by seat and server."""

    def of(self, table: str) -> dict[int, RemotePresence]:
        """Return the reports of other servers on the players of a table, by seat."""
        seats: dict[int, RemotePresence] = {}
        for (seat, _), presence in self._afar.get(table, {}).items():
            before = seats.get(seat, presence)
            seats[seat] = RemotePresence(*map(max, before, presence))
        return seats

    async def meet(self, tables: Iterable[LiveTable]) -> None:
        """Exchange reports on connected players and used rate limits with the other servers.

        Only changes since the last call are sent. `tables` are the tables in memory. The reports of
        the other servers are applied to these tables.
        """
        live = {table.state.id: table for table in tables}
        reports = [report for table in live.values() for report in self._new_reports(table)]
        used = self._admission.collect_use()
        try:
            theirs, spent = await asyncio.to_thread(self._store.sharing.exchange, reports, used)
        except HttpError:
            for report in reports:
                # Forget that these reports were made, so that the next call makes them again.
                live[report.table].presence.reported.pop(report.seat, None)
            return
        self._admission.apply_total_use(spent)
        changed = self._store_reports(theirs)
        for name in changed & live.keys():
            table = live[name]
            before, table.presence.remote = table.presence.streaming(), self.of(name)
            if table.presence.streaming() != before:
                table.feed.seats_changed()

    def _new_reports(self, table: LiveTable) -> Iterable[Presence]:
        """Yield a report on each player who has connected, disconnected or been active recently.

        A player who stays connected or active is reported every `PRESENCE_REFRESH_SECONDS`.
        """
        streams = Counter(stream.seat for stream in table.presence.streams)
        now, up = monotonic(), self._store.uptime()
        for seat, asked in enumerate(table.presence.last_seen):
            seen = now if streams[seat] else asked
            count, reported = table.presence.reported.get(seat, (0, -PRESENCE_REFRESH_SECONDS))
            is_due = seen > self._begun and seen - reported >= PRESENCE_REFRESH_SECONDS
            if count != streams[seat] or is_due:
                table.presence.reported[seat] = streams[seat], seen
                yield Presence(table.state.id, seat, "", streams[seat], up - (now - seen))

    def _store_reports(self, reports: Iterable[Presence]) -> set[str]:
        """Remember the reports of other servers. Return the ids of the tables that they concern."""
        now, up = monotonic(), self._store.uptime()
        changed = set()
        for report in reports:
            seen = now - max(0.0, up - report.seen)
            until = seen + 3 * PRESENCE_REFRESH_SECONDS if report.streams else -inf
            self._afar.setdefault(report.table, {})[report.seat, report.server] = RemotePresence(
                until, seen
            )
            changed.add(report.table)
        for name, presences in list(self._afar.items()):
            if all(now - afar.seen > ABSENCE_LIMIT_SECONDS for afar in presences.values()):
                del self._afar[name]
        return changed
