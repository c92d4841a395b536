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
"""A stream on which nothing happens gets an empty comment so often: who is in between keeps it."""

MOST_WAITING = 512
"""So many messages wait for a slow reader; then its stream ends, and it asks again."""

HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
]


def message(event: str, data: Any, number: int | None = None) -> bytes:
    """A message as it is sent.

    Args:
        number: what a reader that comes back names as the last it has seen.
    """
    identity = "" if number is None else f"id: {number}\n"
    text = json.dumps(data, separators=(",", ":"))
    return f"event: {event}\n{identity}data: {text}\n\n".encode()


class Stream:
    """One reader of a table's events; an ASGI response.

    Attributes:
        seat: whose it is; None: a bystander's.
    """

    def __init__(self, seat: int | None, streams: set[Stream], everywhere: Streams) -> None:
        """It is among `streams` from now on until it ends."""
        self.seat = seat
        self._sets = (streams, everywhere.open)
        self._waiting: list[bytes] = []
        self._news = asyncio.Event()
        self._ended = False
        self.left: Any = lambda stream: None
        for one in self._sets:
            one.add(self)

    def put(self, part: bytes) -> None:
        """Send something when there is time; a reader that is too slow is left."""
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(part)
        else:
            self._ended = True
        self._news.set()

    def end(self) -> None:
        """Send what waits, and end."""
        self._ended = True
        self._news.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the reader leaves or the stream is ended."""
        del scope
        leaving = asyncio.create_task(self._leaves(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            while True:
                await self._news.wait()
                self._news.clear()
                ended = self._ended
                # What comes after the end is missed: it would hide what was left out before it.
                body = b"".join(self._waiting)
                self._waiting.clear()
                await send({"type": "http.response.body", "body": body, "more_body": not ended})
                if ended:
                    break
        finally:
            leaving.cancel()
            for one in self._sets:
                one.discard(self)
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
    for stream in streams:
        stream.put(part)


__all__ = ["Stream", "Streams", "message", "send"]
