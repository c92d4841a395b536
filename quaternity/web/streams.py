"""Event streams: long HTTP responses that send the events at a table as soon as they happen.

The format is that of server-sent events. Each message is encoded only once for all visitors.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from starlette.types import Receive, Scope, Send

KEEPALIVE_SECONDS = 15.0
"""Seconds between two empty comments in each event stream, which keep proxies from closing it."""

MAX_PENDING_MESSAGES = 512
"""Maximum number of messages that wait to be sent on one event stream. If there are more, the
stream ends, and the client reconnects."""

MAX_BUFFERED_BYTES = 1 << 17
"""If at least this number of bytes waits in a connection until the client reads it, the next
message ends the event stream."""

CHUNK_EXTENSION = "quaternity.chunks"
"""Name of the ASGI extension with which an event stream writes chunks of HTTP/1.1 directly to the
transport of its connection."""

HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]


def message(event: str, data: Any, number: int | None = None) -> bytes:
    """Return the bytes of a message for event streams: the name of an event, and its data as JSON.

    `number` is the version of the table (number of log entries), which becomes the id. With None,
    the message has no id. A client that reconnects names the last id that it received.
    """
    identity = "" if number is None else f"id: {number}\n"
    text = json.dumps(data, separators=(",", ":"))
    return f"event: {event}\n{identity}data: {text}\n\n".encode()


class Stream:
    """An event stream: the open HTTP response that sends the events at a table to one visitor.

    Attributes:
        seat: Seat of the reader, or None if the reader is a bystander.
        network: Client address of the reader (see `rate_limits`).
        on_end: Function that is called with this stream when it ends.
    """

    def __init__(
        self, seat: int | None, streams: set[Stream], everywhere: Streams, network: str = ""
    ) -> None:
        """Open a stream, and add it to the open streams of its table and of the whole server.

        These are the sets `streams` and `everywhere.open`. The stream is removed from them when it
        ends.
        """
        self.seat, self.network = seat, network
        self._sets = (streams, everywhere.open)
        self._waiting: list[bytes] = []
        self._news = asyncio.Event()
        self._ended = self._overrun = False
        self._transport: Any = None
        self.on_end: Any = lambda stream: None
        for members in self._sets:
            members.add(self)

    def put(self, part: bytes, chunk: bytes | None = None) -> None:
        """Send a message without waiting. If the reader is too slow, end the stream instead.

        `chunk` is the same message as an HTTP chunk, which can be encoded once for many streams.
        """
        transport = self._transport
        if self._overrun:
            # Send nothing after a lost message. When the client reconnects, it names the last
            # message that it received, and is sent the moves after it.
            return
        if transport is not None and not self._ended:
            if transport.is_closing():
                return
            if transport.get_write_buffer_size() < MAX_BUFFERED_BYTES:
                transport.write(http_chunk(part) if chunk is None else chunk)
                return
            self._overrun = True
        elif len(self._waiting) < MAX_PENDING_MESSAGES:
            self._waiting.append(part)
        else:
            self._overrun = True
        self._ended = self._ended or self._overrun
        self._news.set()

    def end(self) -> None:
        """Send the messages that wait, and end the stream."""
        self._ended = True
        self._news.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the messages of this stream until the reader disconnects or `end` is called."""
        leaving = asyncio.create_task(self._leaves(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            while True:
                await self._news.wait()
                self._news.clear()
                ended = self._ended
                body = b"".join(self._waiting)
                self._waiting.clear()
                await send({"type": "http.response.body", "body": body, "more_body": not ended})
                if ended:
                    break
                if not self._waiting:
                    # From now on, `put` writes directly to the transport, which saves a dozen calls
                    # per message and reader.
                    self._transport = (
                        scope.get("extensions", {}).get(CHUNK_EXTENSION, {}).get("transport")
                    )
        finally:
            leaving.cancel()
            for members in self._sets:
                members.discard(self)
            self.on_end(self)

    async def _leaves(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.end()


class Streams:
    """All open event streams of the server."""

    def __init__(self) -> None:
        self.open: set[Stream] = set()
        self.ending = False

    def send_keepalive(self) -> None:
        """Send an empty comment to each stream, so that proxies do not close its connection."""
        send(self.open, b":\n\n")

    def end(self) -> None:
        """End all event streams. `ending` is true from now on, so that no new stream is opened."""
        self.ending = True
        for stream in list(self.open):
            stream.end()


def send(streams: Iterable[Stream], part: bytes) -> None:
    """Send a message, as bytes, to several streams without waiting."""
    chunk = http_chunk(part)
    for stream in streams:
        stream.put(part, chunk)


def http_chunk(part: bytes) -> bytes:
    """Return a part of a response body, encoded as a chunk of HTTP/1.1."""
    return b"%x\r\n%b\r\n" % (len(part), part)
