"""Event streams, which tell the players and bystanders of a table at once what happens there.

Server-sent events, without a library, so that each message is encoded once for all its readers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from starlette.types import Receive, Scope, Send

KEEPALIVE_SECONDS = 15.0
"""Seconds after which an idle stream is sent an empty comment, so that proxies do not close it."""

MAX_PENDING_MESSAGES = 512
"""Maximum number of messages that wait for a slow reader; above it, the stream ends and the client
reconnects."""

MAX_BUFFERED_BYTES = 1 << 17
"""Number of unsent bytes of a connection at which its stream ends, because the reader is too
slow."""

CHUNK_EXTENSION = "quaternity.chunks"
"""The ASGI extension in which a connection offers its transport, to which a stream may write chunks
of HTTP/1.1 directly."""

HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
]


def message(event: str, data: Any, number: int | None = None) -> bytes:
    """Return an encoded message. A client that reconnects reports the last number that it saw."""
    identity = "" if number is None else f"id: {number}\n"
    text = json.dumps(data, separators=(",", ":"))
    return f"event: {event}\n{identity}data: {text}\n\n".encode()


class Stream:
    """The event stream of one player or bystander of a table; an ASGI response."""

    def __init__(
        self, seat: int | None, streams: set[Stream], everywhere: Streams, network: str = ""
    ) -> None:
        """Open a stream, and add it to `streams` and to all streams until it ends."""
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
        """Send a message without waiting; end the stream if its reader is too slow.

        `chunk` is the message as an HTTP chunk, if the caller has encoded it for many streams.
        """
        transport = self._transport
        if self._overrun:
            return  # a later message would hide that one was dropped
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
        """Send the pending messages, and end the stream."""
        self._ended = True
        self._news.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send messages until the reader disconnects or the stream is ended."""
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
                    # From now on write directly, which saves a dozen calls per message and reader.
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
    """All open streams of the server."""

    def __init__(self) -> None:
        self.open: set[Stream] = set()
        self.ending = False

    def send_keepalive(self) -> None:
        """Send an empty comment to each stream, which keeps its connection open."""
        send(self.open, b":\n\n")

    def end(self) -> None:
        """End all streams, and mark that no new one may begin."""
        self.ending = True
        for stream in list(self.open):
            stream.end()


def send(streams: Iterable[Stream], part: bytes) -> None:
    """Send one message to several streams."""
    chunk = http_chunk(part)
    for stream in streams:
        stream.put(part, chunk)


def http_chunk(part: bytes) -> bytes:
    """Return a part of the body as an HTTP chunk."""
    return b"%x\r\n%b\r\n" % (len(part), part)
