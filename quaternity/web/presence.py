"""Presence of players at a table: their event streams and their last activity.

An event stream is the open response through which a browser learns what happens at the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from time import monotonic
from typing import NamedTuple

from quaternity.web.core import Attendance
from quaternity.web.seats import OPEN, PERSON, Seat
from quaternity.web.streams import Stream

ABSENCE_LIMIT_SECONDS = 120.0
"""Time of absence after which other players may give a player's seat away, in seconds."""

PRESENCE_TIMEOUT_SECONDS = 40.0
"""Seconds without a request or an open event stream after which a player counts as absent."""


class RemotePresence(NamedTuple):
    """What this server knows about a player who is connected to other servers.

    Both times are as returned by `monotonic` at this server.

    Attributes:
        streams_until: Time until which the player counts as having an open event stream.
        seen: Time of the player's last activity.
    """

    streams_until: float
    seen: float


class TablePresence:
    """Records which players are connected to a table, at this server and at others.

    Attributes:
        streams: The open event streams at this server.
        last_seen: For each seat, the time of its player's last activity at this server, as returned
            by `monotonic`.
        remote: For some seats, what other servers have reported about their players.
        reported: For each seat, the number of streams and last activity reported to other servers.
    """

    def __init__(self, last_seen: Sequence[float], remote: Mapping[int, RemotePresence]) -> None:
        self.streams: set[Stream] = set()
        self.last_seen, self.remote = list(last_seen), remote
        self.reported: dict[int, tuple[int, float]] = {}
        self._asked = monotonic()
        """Time of the last request about the table, as returned by `monotonic`."""

    def note_request(self, seats: Sequence[int]) -> None:
        """Record that the owner of the given seats has sent a request about the table."""
        self._asked = monotonic()
        for seat in seats:
            self.last_seen[seat] = self._asked

    def note_seat(self, seat: int) -> None:
        """Record that the player in a seat is active now."""
        self.last_seen[seat] = monotonic()

    @property
    def is_watched(self) -> bool:
        """Return whether an event stream is open, or the table was requested recently."""
        return bool(self.streams) or monotonic() - self._asked < PRESENCE_TIMEOUT_SECONDS

    @property
    def is_deserted(self) -> bool:
        """Return whether nobody is connected to the table, and nobody was active there recently."""
        last = max(self._asked, *self.last_seen)
        return not self.streams and monotonic() - last >= PRESENCE_TIMEOUT_SECONDS

    def streaming(self) -> set[int | None]:
        """Return the seats of players who have an open event stream at any server.

        The set also contains None if a bystander has an event stream at this server.
        """
        now = monotonic()
        remote = {seat for seat, report in self.remote.items() if report.streams_until > now}
        return {stream.seat for stream in self.streams} | remote

    def attendance(self, seats: Sequence[Seat]) -> Attendance:
        """Return the seats whose players are present, and the seats that may be given away.

        A player with an open event stream or recent activity is present.
        """
        streaming, present, absent = self.streaming(), set(), set()
        for number, seat in enumerate(seats):
            unseen = self._unseen(number)
            if number in streaming:
                present.add(number)
                continue
            if seat.kind != OPEN and unseen < PRESENCE_TIMEOUT_SECONDS:
                present.add(number)
            if unseen >= ABSENCE_LIMIT_SECONDS:
                absent.add(number)
        return Attendance(frozenset(present), frozenset(absent))

    def _unseen(self, seat: int) -> float:
        remote = self.remote.get(seat)
        return monotonic() - max(self.last_seen[seat], -inf if remote is None else remote.seen)

    def change_seats(self, before: Sequence[Seat], seats: Mapping[int, Seat]) -> None:
        """Update the event streams after the given seats have changed.

        `before` contains all seats as they were. A stream follows its reader to another seat. If a
        seat has another owner, or its owner uses another device, the streams of the seat end, and
        their clients reconnect.
        """
        for number, seat in seats.items():
            if seat.kind == PERSON:
                self.note_seat(number)
        kept = {seat.token for seat in seats.values()}
        moved = {number for number in seats if before[number].token not in kept}
        self.end_streams(*(number for number in moved if seats[number].is_held))
        self.follow({number: before[number] for number in seats}, seats)

    def follow(self, before: Mapping[int, Seat], after: Mapping[int, Seat]) -> None:
        """Update the seats of event streams whose readers have moved to other seats.

        Readers who no longer have a seat become bystanders.
        """
        numbers = {seat.token: number for number, seat in after.items() if seat.token is not None}
        for stream in self.streams:
            if stream.seat is not None and stream.seat in before:
                stream.seat = numbers.get(before[stream.seat].token or "")

    def renumber(self, numbers: Sequence[int]) -> None:
        """Update the event streams after the seats got new numbers.

        `numbers` contains the old number of each seat.
        """
        self.last_seen, self.remote = [self.last_seen[number] for number in numbers], {}
        moved = {number: index for index, number in enumerate(numbers)}
        for stream in self.streams:
            stream.seat = None if stream.seat is None else moved.get(stream.seat)

    def reset(self, seats: int) -> None:
        """End the event streams of all players, because another server has renumbered the seats."""
        self.end_streams(*range(len(self.last_seen)))
        self.last_seen, self.remote = [monotonic()] * seats, {}

    def end_streams(self, *seats: int) -> None:
        """End the event streams of the given seats, whose owners have changed."""
        for stream in [stream for stream in self.streams if stream.seat in seats]:
            stream.end()

    def end_all(self) -> None:
        """End all event streams of the table."""
        for stream in list(self.streams):
            stream.end()
