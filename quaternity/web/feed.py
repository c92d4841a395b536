"""Delivery of the events at a table to the event streams of its visitors, at all servers.

An event stream is an open HTTP response through which a browser learns of events at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quaternity.base.sentences import Message, MessageTemplate, document
from quaternity.web.changes import ChangeNotice
from quaternity.web.presence import TablePresence
from quaternity.web.store import Store
from quaternity.web.streams import Stream, message, send
from quaternity.web.versioned_history import VersionedHistory

TALK = message("talk", {})

MAX_REPLAYED_VERSIONS = 200
"""Maximum number of missed moves that are sent to a client that reconnects. A client that has
missed more moves reloads the table.
"""


class TableFeed:
    """Sends what happens at a table to the event streams of its visitors.

    Attributes:
        notice: The latest message to the players about a problem at the table, or None.
        noticed: The revision of the table (its number of changes) when this message was sent.
    """

    def __init__(self, table: str, revision: int, presence: TablePresence, store: Store) -> None:
        self.notice: str | None = None
        self.noticed = revision
        self._table, self._presence, self._store = table, presence, store

    def send(self, event: str, data: dict[str, Any]) -> None:
        """Send an event to all event streams of the table at this server."""
        if self._presence.streams:
            send(self._presence.streams, message(event, data))

    def send_version(self, history: VersionedHistory, version: int) -> None:
        """Send a log entry (a move or a take-back) to the event streams at this server."""
        if self._presence.streams:
            send(self._presence.streams, event_message(history, version))

    def seats_changed(self) -> None:
        """Tell the visitors at this server that a seat or a player's presence has changed."""
        self.send("seats", {})

    def send_everywhere(self, event: str, data: dict[str, Any], revision: int) -> None:
        """Send an event, which is not stored, to the event streams of the table at all servers."""
        self.send_event(event, data, revision, revision)
        self._store.sharing.notify(ChangeNotice(self._table, revision, None, event, data))

    def send_event(self, event: str, data: dict[str, Any], revision: int, known: int) -> None:
        """Send an event, which is not stored, to the event streams of the table at this server.

        The event may come from another server. `revision` is the number of changes to the table at
        the server that sent the event, and `known` is the number at this server. A message about a
        problem is kept for later visitors only if `revision` is not less than `known`.
        """
        if event == "talk":
            streams = self._presence.streams
            send([s for s in streams if (s.seat is None) == data["watching"]], TALK)
            return
        if event == "notice":
            notice = Message(MessageTemplate(*data["kind"]), data["about"])
            if revision >= known:
                self.notice, self.noticed = notice, revision
            data = {"text": notice}
        self.send(event, data)

    def notify(self, notice: Message, revision: int) -> None:
        """Send a message about a problem to the players. Players who come later also see it."""
        self.send_everywhere("notice", {"kind": notice.kind, "about": notice.data}, revision)

    def begin_stream(
        self, stream: Stream, last: int | None, history: VersionedHistory,
        on_change: Callable[[Stream], None],
    ) -> None:  # fmt: skip
        """Send the events that the reader of a new stream has missed, and the current version.

        `last` is the version of the table (number of log entries) that the reader has seen. If it
        is None or too old, only the number of the current version is sent, and a client with an
        older version reloads the table. `on_change` is called with the stream now, and again when
        the stream ends.
        """
        stream.on_end = on_change
        version = history.version
        if last is not None and 0 <= version - last <= MAX_REPLAYED_VERSIONS:
            for missed in range(last + 1, version + 1):
                stream.put(event_message(history, missed))
        stream.put(message("version", {"version": version}, version))
        on_change(stream)


def event_message(history: VersionedHistory, version: int) -> bytes:
    """Return, as bytes, the message with which event streams report a log entry.

    `version` is the number of log entries up to this one. The message contains no game events if
    the move was taken back later.
    """
    numbers = history.numbers
    before, number = numbers[version - 1], numbers[version]
    data: dict[str, Any] = {"version": version, "events": []}
    if number <= before:
        data["taken_back"] = before - number
    elif min(numbers[version:]) >= number:
        seat, events = history.game.steps()[number - 1]
        data |= {"seat": seat, "events": [document(event) for event in events]}
    return message("move", data, version)
