"""The people who are connected to a table: their event streams and their last activity.

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
"""Time of absence after which a player's seat may be given to someone else, in seconds."""

PRESENCE_TIMEOUT_SECONDS = 40.0
"""Seconds without an open stream or a request after which a player counts as absent."""


class RemotePresence(NamedTuple):
    """The presence of a player at the other servers of the database.

    Both times are measured by `monotonic` at this server.

    Attributes:
        streams_until: Time until which the player counts as having an open stream.
        seen: Time of the player's last activity.
    """

    streams_until: float
    seen: float


class TablePresence:
    """The people who are connected to a table, at this server and at others.

    Attributes:
        streams: The open streams at this server.
        last_seen: For each seat, the time of its player's last activity at this server, as returned
            by `monotonic`.
        remote: The presence of players at other servers of the database, by seat.
        reported: For each seat, the number of streams and the last activity as last reported to
            other servers.
    """

    def __init__(self, last_seen: Sequence[float], remote: Mapping[int, RemotePresence]) -> None:
        self.streams: set[Stream] = set()
        self.last_seen, self.remote = list(last_seen), remote
        self.reported: dict[int, tuple[int, float]] = {}
        self._asked = monotonic()
        """Time of the last request about the table, as returned by `monotonic`."""

    def note_request(self, seats: Sequence[int]) -> None:
        """Record a request about the table, from a visitor who owns the given seats."""
        self._asked = monotonic()
        for seat in seats:
            self.last_seen[seat] = self._asked

    def note_seat(self, seat: int) -> None:
        """Record that the player of a seat is active now."""
        self.last_seen[seat] = monotonic()

    @property
    def is_watched(self) -> bool:
        """Return whether a stream is open, or a visitor has requested the table recently."""
        return bool(self.streams) or monotonic() - self._asked < PRESENCE_TIMEOUT_SECONDS

    @property
    def is_deserted(self) -> bool:
        """Return whether nobody is connected, and nobody has been active recently."""
        last = max(self._asked, *self.last_seen)
        return not self.streams and monotonic() - last >= PRESENCE_TIMEOUT_SECONDS

    def streaming(self) -> set[int | None]:
        """Return the seats that have an open stream at any server.

        The set contains None if bystanders have a stream at this server.
        """
        now = monotonic()
        remote = {seat for seat, report in self.remote.items() if report.streams_until > now}
        return {stream.seat for stream in self.streams} | remote

    def attendance(self, seats: Sequence[Seat]) -> Attendance:
        """Return the seats whose players are present, and the seats that may be given away.

        A player is present if a stream is open for the seat, or the player was active recently.
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
        """Return the seconds since the last activity of a seat's owner at any server."""
        remote = self.remote.get(seat)
        return monotonic() - max(self.last_seen[seat], -inf if remote is None else remote.seen)

    def change_seats(self, before: Sequence[Seat], seats: Mapping[int, Seat]) -> None:
        """Note that `seats` have changed. `before` contains all seats before the change.

        Streams follow their readers to new seats. If a seat has another owner, or its owner uses
        another device, the streams of the seat end. Their clients reconnect with their current
        rights.
        """
        for number, seat in seats.items():
            if seat.kind == PERSON:
                self.note_seat(number)
        kept = {seat.token for seat in seats.values()}
        moved = {number for number in seats if before[number].token not in kept}
        self.end_streams(*(number for number in moved if seats[number].is_held))
        self.follow({number: before[number] for number in seats}, seats)

    def follow(self, before: Mapping[int, Seat], after: Mapping[int, Seat]) -> None:
        """Reassign the streams of some seats to the seats of their readers after a change.

        Readers who no longer have a seat become bystanders.
        """
        numbers = {seat.token: number for number, seat in after.items() if seat.token is not None}
        for stream in self.streams:
            if stream.seat is not None and stream.seat in before:
                stream.seat = numbers.get(before[stream.seat].token or "")

    def renumber(self, numbers: Sequence[int]) -> None:
        """Note that the seats have new numbers. `numbers` contains their previous numbers."""
        self.last_seen, self.remote = [self.last_seen[number] for number in numbers], {}
        moved = {number: index for index, number in enumerate(numbers)}
        for stream in self.streams:
            stream.seat = None if stream.seat is None else moved.get(stream.seat)

    def reset(self, seats: int) -> None:
        """End all streams of players, because another server has renumbered the seats."""
        self.end_streams(*range(len(self.last_seen)))
        self.last_seen, self.remote = [monotonic()] * seats, {}

    def end_streams(self, *seats: int) -> None:
        """End the streams of the given seats, whose owners have changed."""
        for stream in [stream for stream in self.streams if stream.seat in seats]:
            stream.end()

    def end_all(self) -> None:
        """End all streams."""
        for stream in list(self.streams):
            stream.end()
