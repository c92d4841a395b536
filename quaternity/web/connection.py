"""Connections that take places of others are closed.

Those on which no request becomes whole, those on which answers are not read, and those that are too
many.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from quaternity.web import admission
from quaternity.web.admission import connections, is_proxy, network_of
from quaternity.web.streams import CHUNKS

MAX_HEAD_BYTES = 64 << 10
"""Maximum size of the head of a request, in bytes."""


class Connection(HttpToolsProtocol):
    """A connection of Uvicorn whose requests come, and whose answers are read, in time."""

    _late: asyncio.TimerHandle | None = None
    _looking: asyncio.TimerHandle | None = None
    _network = ""
    # The bytes that nobody had taken when the connection was looked at last.
    _unread = 0
    _head: int | None = None
    """The length of a head that is not whole."""
    # The cycle of the request that is answered; Uvicorn's `cycle` is that of the last to come.
    _answered: Any = None

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request, or refuse one connection too many."""
        super().connection_made(transport)
        self._network = network_of(self.client[0] if self.client else "")
        status = connections.enter(self._network, self._is_shared())
        if status is not None:
            self._refuse(status)
        else:
            self._wait()
            self._looking = self.loop.call_later(admission.READ_SECONDS, self._look)

    def _is_shared(self) -> bool:
        """Return whether many people come by this: no address, or that of a proxy."""
        named = self.config.forwarded_allow_ips if self.config.proxy_headers else ()
        named = named.split(",") if isinstance(named, str) else named
        return not self.client or is_proxy(self.client[0], named)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more, and leave the place to others."""
        self._settle()
        if self._looking is not None:
            self._looking.cancel()
        connections.leave(self._network)
        if self._answered is not None:
            self._answered.disconnected = True
            self._answered.message_event.set()
        super().connection_lost(exc)

    def _refuse(self, status: HTTPStatus) -> None:
        text = "too many connections: try again later"
        self.transport.write(
            f"HTTP/1.1 {status} {status.phrase}\r\ncontent-type: text/plain\r\n"
            f"content-length: {len(text)}\r\nretry-after: 15\r\nconnection: close\r\n\r\n"
            f"{text}".encode()
        )
        self.transport.close()

    def _look(self) -> None:
        """Close a connection that took less than half of what waited for it."""
        waiting = self.transport.get_write_buffer_size()
        if self._unread and 2 * waiting > self._unread:
            self.transport.abort()
            return
        self._unread = waiting
        self._looking = self.loop.call_later(admission.READ_SECONDS, self._look)

    def data_received(self, data: bytes) -> None:
        """Take what comes as part of a head until that is whole."""
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > MAX_HEAD_BYTES:
                self._settle()
                self.send_400_response(
                    f"The head of a request has more than {MAX_HEAD_BYTES} bytes."
                )

    def on_message_begin(self) -> None:
        """Note that a request begins."""
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        """Its head is whole."""
        self._head = None
        if self.parser.get_http_version() == "1.1" and self.parser.get_method() == b"GET":
            self.scope["extensions"] = {CHUNKS: {"transport": self.transport}}
        super().on_headers_complete()
        if not self.pipeline:
            self._answered = self.cycle

    def on_response_complete(self) -> None:
        """Turn to the next request that waits."""
        if self.pipeline:
            self._answered = self.pipeline[-1][0]
        super().on_response_complete()

    def on_message_complete(self) -> None:
        """Note that the request is whole."""
        self._settle()
        super().on_message_complete()

    def _wait(self) -> None:
        self._head = 0
        if self._late is None:
            self._late = self.loop.call_later(admission.REQUEST_SECONDS, self.transport.close)

    def _settle(self) -> None:
        self._head = None
        if self._late is not None:
            self._late.cancel()
            self._late = None
