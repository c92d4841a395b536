"""HTTP connections with limits, so that a few clients cannot use up all connections.

A connection is closed if there are too many connections, if a request does not arrive completely in
time, or if the client reads the response too slowly.

Uvicorn has no setting that closes the connection of a client that does not read. Without this
module, `test_a_client_that_does_not_read_is_disconnected` fails (`tests/web/test_connections.py`).
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from quaternity.web import rate_limits
from quaternity.web.rate_limits import connections, is_proxy, network_of
from quaternity.web.streams import CHUNK_EXTENSION

MAX_HEAD_BYTES = 64 << 10
"""Maximum size of the request line and the headers together, in bytes."""


class Connection(HttpToolsProtocol):
    """An HTTP connection of Uvicorn with time limits for sending requests and reading responses."""

    _late: asyncio.TimerHandle | None = None
    _looking: asyncio.TimerHandle | None = None
    _network = ""
    # Number of bytes that the client had not yet read at the last check of the connection.
    _unread = 0
    _head: int | None = None
    """Number of received bytes of a request's head, which is the request line and the headers. None
    while no head is expected."""
    # The cycle (Uvicorn's state of a request) of the request that is being answered. If the client
    # sends several requests without waiting, Uvicorn's `cycle` may already belong to a later one.
    _answered: Any = None

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request, or refuse the connection if there are too many."""
        super().connection_made(transport)
        self._network = network_of(self.client[0] if self.client else "")
        status = connections.enter(self._network, self._is_shared())
        if status is not None:
            self._refuse(status)
        else:
            self._wait()
            self._looking = self.loop.call_later(rate_limits.READ_SECONDS, self._check_reading)

    def _is_shared(self) -> bool:
        """Return whether many people may use the client address, because it belongs to a proxy."""
        named = self.config.forwarded_allow_ips if self.config.proxy_headers else ()
        named = named.split(",") if isinstance(named, str) else named
        return not self.client or is_proxy(self.client[0], named)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers, and stop counting the connection as open."""
        self._stop_timer()
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

    def _check_reading(self) -> None:
        """Close the connection if its client reads too slowly.

        The client must have read at least half of the data that waited at the last check.
        """
        waiting = self.transport.get_write_buffer_size()
        if self._unread and 2 * waiting > self._unread:
            self.transport.abort()
            return
        self._unread = waiting
        self._looking = self.loop.call_later(rate_limits.READ_SECONDS, self._check_reading)

    def data_received(self, data: bytes) -> None:
        """Pass received data on to the parser, and refuse a request whose headers are too long."""
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > MAX_HEAD_BYTES:
                self._stop_timer()
                self.send_400_response(
                    f"The head of the request has more than {MAX_HEAD_BYTES} bytes."
                )

    def on_message_begin(self) -> None:
        """Start the time limit of a request that has begun to arrive."""
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        """Stop counting the bytes of the request line and headers, which have arrived."""
        self._head = None
        if self.parser.get_http_version() == "1.1" and self.parser.get_method() == b"GET":
            self.scope["extensions"] = {CHUNK_EXTENSION: {"transport": self.transport}}
        super().on_headers_complete()
        if not self.pipeline:
            self._answered = self.cycle

    def on_response_complete(self) -> None:
        """Begin with the next waiting request after a response has been sent."""
        if self.pipeline:
            self._answered = self.pipeline[-1][0]
        super().on_response_complete()

    def on_message_complete(self) -> None:
        """Stop the time limit of the request, which has arrived completely."""
        self._stop_timer()
        super().on_message_complete()

    def _wait(self) -> None:
        self._head = 0
        if self._late is None:
            self._late = self.loop.call_later(rate_limits.REQUEST_SECONDS, self.transport.close)

    def _stop_timer(self) -> None:
        self._head = None
        if self._late is not None:
            self._late.cancel()
            self._late = None
