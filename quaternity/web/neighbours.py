"""Presence and rate limits shared between the servers of one database.

Once a second the servers exchange which players have come, left or sent a request, and how much of
the rate limits was used. So presence and rate limits hold for all servers together, with a delay of
about a second.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from math import inf
from time import monotonic

from quaternity.web.admission import Admission
from quaternity.web.refusal import Refusal
from quaternity.web.store import Presence, Store
from quaternity.web.table import ABSENT_SECONDS, Afar, Table

MEET_SECONDS = 1.0
"""Seconds between two exchanges of changes with other servers."""

AGAIN_SECONDS = 10.0
"""Seconds between two reports that a player is still connected; without a report for three times as
long, the player counts as gone."""


class Neighbours:
    """The other servers that share the tables of this one."""

    def __init__(self, store: Store, admission: Admission) -> None:
        self._store, self._admission = store, admission
        self._begun = monotonic()
        self._afar: dict[str, dict[tuple[int, str], Afar]] = {}
        """For each table, the presence at each pair of a seat and a server."""

    def of(self, table: str) -> dict[int, Afar]:
        """Return the presence of players at other servers, by their seats at a table."""
        seats: dict[int, Afar] = {}
        for (seat, _), presence in self._afar.get(table, {}).items():
            before = seats.get(seat, presence)
            seats[seat] = Afar(*map(max, before, presence))
        return seats

    async def meet(self, tables: Iterable[Table]) -> None:
        """Exchange the changes since the last call with the other servers, once."""
        live = {table.kept.id: table for table in tables}
        reports = [report for table in live.values() for report in self._news(table)]
        used = self._admission.taken()
        try:
            theirs, spent = await asyncio.to_thread(self._store.exchange, reports, used)
        except Refusal:
            for report in reports:
                live[report.table].shown.pop(report.seat, None)  # so that it is reported again
            return
        self._admission.learn(spent)
        changed = self._learn(theirs)
        for name in changed & live.keys():
            table = live[name]
            before, table.afar = table.streaming(), self.of(name)
            if table.streaming() != before:
                table.seats_changed()

    def _news(self, table: Table) -> Iterable[Presence]:
        """Yield the players of a table who came, left or were active since the last report.

        A player who stays connected is reported again after `AGAIN_SECONDS`.
        """
        streams = Counter(stream.seat for stream in table.streams)
        now, up = monotonic(), self._store.uptime()
        for seat, asked in enumerate(table.seen):
            seen = now if streams[seat] else asked
            count, reported = table.shown.get(seat, (0, -AGAIN_SECONDS))
            is_due = seen > self._begun and seen - reported >= AGAIN_SECONDS
            if count != streams[seat] or is_due:
                table.shown[seat] = streams[seat], seen
                yield Presence(table.kept.id, seat, "", streams[seat], up - (now - seen))

    def _learn(self, reports: Iterable[Presence]) -> set[str]:
        """Store the reports of other servers, and return the tables that they name."""
        now, up = monotonic(), self._store.uptime()
        changed = set()
        for report in reports:
            seen = now - max(0.0, up - report.seen)
            until = seen + 3 * AGAIN_SECONDS if report.streams else -inf
            self._afar.setdefault(report.table, {})[report.seat, report.server] = Afar(until, seen)
            changed.add(report.table)
        for name, presences in list(self._afar.items()):
            if all(now - afar.seen > ABSENT_SECONDS for afar in presences.values()):
                del self._afar[name]
        return changed
