"""Connections that take places of others are closed: those on which no request becomes whole."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from quaternity.web.streams import CHUNKS

REQUEST_SECONDS = 30.0
"""A request has so long to come."""

MOST_HEAD = 64 << 10
"""Bytes before its body."""


class Connection(HttpToolsProtocol):
    """A connection of Uvicorn on which requests have to come in time, with short heads."""

    _late: asyncio.TimerHandle | None = None
    _head: int | None = None
    """The length of a head that is not whole."""

    def connection_made(self, transport: Any) -> None:
        """The first request is waited for."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._settle()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """What comes is a part of a head until that is whole."""
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > MOST_HEAD:
                self._settle()
                self.send_400_response(f"The head of a request has more than {MOST_HEAD} bytes.")

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        """Its head is whole."""
        self._head = None
        if self.parser.get_http_version() == "1.1" and self.parser.get_method() == b"GET":
            self.scope["extensions"] = {CHUNKS: {"transport": self.transport}}
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._settle()
        super().on_message_complete()

    def _wait(self) -> None:
        self._head = 0
        if self._late is None:
            self._late = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def _settle(self) -> None:
        self._head = None
        if self._late is not None:
            self._late.cancel()
            self._late = None


__all__ = ["Connection"]
