"""Streams of events: who looks at a table is told at once what happens there.

Server-sent events by hand: a message is made once for all who get it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from starlette.types import Receive, Scope, Send

BEAT_SECONDS = 15.0
"""Seconds after which an idle stream is sent an empty comment, so that proxies do not close it."""

MAX_PENDING_MESSAGES = 512
"""Maximum number of messages that wait for a slow reader; then the stream ends, and the client
reconnects."""

MAX_BUFFERED_BYTES = 1 << 17
"""Number of unsent bytes of a connection from which on the stream ends, because its reader is too
slow."""

CHUNKS = "quaternity.chunks"
"""The ASGI extension by which a connection says where chunks of HTTP 1.1 may be written."""

HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
]


def message(event: str, data: Any, number: int | None = None) -> bytes:
    """Return a message as it is sent; the number is what a reader that comes back has seen last."""
    identity = "" if number is None else f"id: {number}\n"
    text = json.dumps(data, separators=(",", ":"))
    return f"event: {event}\n{identity}data: {text}\n\n".encode()


class Stream:
    """A seat's or a bystander's reader of a table's events; an ASGI response."""

    def __init__(
        self, seat: int | None, streams: set[Stream], everywhere: Streams, network: str = ""
    ) -> None:
        """Begin a stream, which is among `streams` until it ends."""
        self.seat, self.network = seat, network
        self._sets = (streams, everywhere.open)
        self._waiting: list[bytes] = []
        self._news = asyncio.Event()
        self._ended = self._overrun = False
        self._transport: Any = None
        self.left: Any = lambda stream: None
        for members in self._sets:
            members.add(self)

    def put(self, part: bytes, chunk: bytes | None = None) -> None:
        """Send something when there is time; a reader that is too slow is left.

        `chunk` is the same as a chunk of HTTP, where that is made once for many.
        """
        transport = self._transport
        if self._overrun:
            return  # what comes now would hide what was left out
        if transport is not None and not self._ended:
            if transport.is_closing():
                return
            if transport.get_write_buffer_size() < MAX_BUFFERED_BYTES:
                transport.write(chunked(part) if chunk is None else chunk)
                return
            self._overrun = True
        elif len(self._waiting) < MAX_PENDING_MESSAGES:
            self._waiting.append(part)
        else:
            self._overrun = True
        self._ended = self._ended or self._overrun
        self._news.set()

    def end(self) -> None:
        """Send what waits, and end."""
        self._ended = True
        self._news.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the reader leaves or the stream is ended."""
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
                    # From here on without a dozen calls for each message and reader.
                    self._transport = scope.get("extensions", {}).get(CHUNKS, {}).get("transport")
        finally:
            leaving.cancel()
            for members in self._sets:
                members.discard(self)
            self.left(self)

    async def _leaves(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.end()


class Streams:
    """All streams that are open."""

    def __init__(self) -> None:
        self.open: set[Stream] = set()
        self.ending = False

    def beat(self) -> None:
        """Keep them alive."""
        send(self.open, b":\n\n")

    def end(self) -> None:
        """End all, and let none begin."""
        self.ending = True
        for stream in list(self.open):
            stream.end()


def send(streams: Iterable[Stream], part: bytes) -> None:
    """Send one message to all."""
    chunk = chunked(part)
    for stream in streams:
        stream.put(part, chunk)


def chunked(part: bytes) -> bytes:
    """Return a chunk of HTTP."""
    return b"%x\r\n%b\r\n" % (len(part), part)
