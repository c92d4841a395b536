"""Connections that take places of others are closed: those that begin no request, and heads of
requests that do not end.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 20.0
MOST_HEAD = 64 << 10


class Connection(HttpToolsProtocol):
    """A connection of Uvicorn that has to send the head of a request in time, and a short one."""

    _late: asyncio.TimerHandle | None = None
    _length = 0

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
        self._length += len(data)
        super().data_received(data)
        if self._late is not None and self._length > MOST_HEAD:
            self._settle()
            self.send_400_response(f"The head of a request has more than {MOST_HEAD} bytes.")

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        """A head is whole."""
        self._settle()
        super().on_headers_complete()

    def _wait(self) -> None:
        if self._late is None:
            self._length = 0
            self._late = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _settle(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


__all__ = ["Connection"]
