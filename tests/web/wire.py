"""Connections to a server for hundreds of clients in one process: HTTP/1.1 and its event streams.

The code is small so that the load of the server is measured and not that of its clients: an answer
is a plain future, and C parses the incoming bytes.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from time import perf_counter
from typing import Any, NamedTuple

import httptools


class Answer(NamedTuple):
    """An answer of a server.

    Attributes:
        status: the HTTP status.
        body: the bytes of the body.
        at: the time at which the last byte arrived.
    """

    status: int
    body: bytes
    at: float

    @property
    def json(self) -> Any:
        """The body as a document."""
        return json.loads(self.body)


class Line(asyncio.Protocol):
    """A connection that stays open; requests are answered in order.

    Attributes:
        host: the host that the requests name.
        lost: done when the connection is closed.
    """

    def __init__(self, host: str) -> None:
        self.host = host
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting: deque[asyncio.Future[Answer]] = deque()
        self._new_parser()

    def _new_parser(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._body: list[bytes] = []

    def connection_made(self, transport: Any) -> None:
        """Keep the transport."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Parse incoming bytes."""
        self._parser.feed_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the loss to every request that waits for an answer."""
        if not self.lost.done():
            self.lost.set_result(None)
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(exc or ConnectionResetError("the server hung up"))
        self._waiting.clear()

    def on_body(self, body: bytes) -> None:
        """Collect a piece of the body."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """Give the answer to the oldest request."""
        answer = Answer(self._parser.get_status_code(), b"".join(self._body), perf_counter())
        self._new_parser()
        waiting = self._waiting.popleft()
        if not waiting.done():
            waiting.set_result(answer)

    def ask(
        self, method: str, path: str, document: Any = None, token: str | None = None
    ) -> asyncio.Future[Answer]:
        """Send a request, with a document as its body."""
        body = b"" if document is None else json.dumps(document).encode()
        self.transport.write(request(method, path, self.host, body, token))
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        if self.transport.is_closing():
            waiting.set_exception(ConnectionResetError("the server hung up"))
        else:
            self._waiting.append(waiting)
        return waiting


class Stream(asyncio.Protocol):
    """An event stream.

    Attributes:
        opened: the HTTP status, once it is known.
        lost: done when the stream has ended.
        whole: whether the server ended the stream, instead of losing it.
    """

    def __init__(
        self, host: str, path: str, token: str | None, on_event: Callable[[str, str, str], None],
        headers: Mapping[str, str] = {},
    ) -> None:  # fmt: skip
        """Open a stream; `on_event(kind, id, data)` is called for every event."""
        self._request = request("GET", path, host, b"", token, headers)
        self._on_event, self._text, self.whole = on_event, "", False
        self._parser = httptools.HttpResponseParser(self)
        loop = asyncio.get_running_loop()
        self.opened: asyncio.Future[int] = loop.create_future()
        self.lost: asyncio.Future[None] = loop.create_future()

    def connection_made(self, transport: Any) -> None:
        """Send the request."""
        self.transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Parse incoming bytes."""
        self._parser.feed_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Complete both futures."""
        for waiting in (self.opened, self.lost):
            if not waiting.done():
                waiting.set_result(None if waiting is self.lost else 0)  # type: ignore[arg-type]

    def on_headers_complete(self) -> None:
        """Report the status."""
        self.opened.set_result(self._parser.get_status_code())

    def on_message_complete(self) -> None:
        """Note that the server ended the stream."""
        self.whole = True

    def on_body(self, body: bytes) -> None:
        """Report the complete events, and keep the rest for the next piece."""
        *events, self._text = (self._text + body.decode()).split("\n\n")
        for event in events:
            kind, name, data = "message", "", []
            for line in event.split("\n"):
                field, _, value = line.partition(": ")
                if field == "data":
                    data.append(value)
                elif field == "event":
                    kind = value
                elif field == "id":
                    name = value
            if data:
                self._on_event(kind, name, "\n".join(data))


def request(
    method: str, path: str, host: str, body: bytes = b"", token: str | None = None,
    headers: Mapping[str, str] = {},
) -> bytes:  # fmt: skip
    """Return the bytes of a request as the page of a table would send it."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}"]
    if method != "GET":
        lines += [f"Origin: http://{host}", "Content-Type: application/json"]
        lines.append(f"Content-Length: {len(body)}")
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Made(NamedTuple):
    """A table whose seats are all taken.

    Attributes:
        name: the name of the table.
        tokens: the token of each seat; None for a program's.
        invitations: the invitations by which seats were taken.
        host: the host of its server.
    """

    name: str
    tokens: tuple[str | None, ...]
    invitations: tuple[str, ...]
    host: str

    def path(self, rest: str = "") -> str:
        """Return the path of a request about the table."""
        return f"/api/tables/{self.name}{rest}"


class Clients:
    """All connections of a test; closed at the end of `with`, or by `hang_up`."""

    def __init__(self, host: str, source: str | None = None) -> None:
        """Connect from the given address of this machine, by default from any."""
        self.host, self.source = host, source
        self._open: list[Line | Stream] = []
        self._seeds = count(1)  # the draws of a shared server depend on earlier tests

    async def __aenter__(self) -> Clients:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.hang_up()

    async def hang_up(self) -> None:
        """Close all connections."""
        for connection in self._open:
            connection.transport.close()
        await asyncio.gather(*(connection.lost for connection in self._open))
        self._open = []

    async def _connect(self, protocol: Any) -> Any:
        name, _, port = self.host.partition(":")
        loop = asyncio.get_running_loop()
        local = None if self.source is None else (self.source, 0)
        await loop.create_connection(lambda: protocol, name, int(port), local_addr=local)
        self._open.append(protocol)
        return protocol

    async def line(self) -> Line:
        """Open a connection."""
        line: Line = await self._connect(Line(self.host))
        return line

    async def stream(
        self, table: Made, seat: int | None, on_event: Callable[[str, str, str], None],
        last: int | None = None,
    ) -> Stream:  # fmt: skip
        """Open a stream of a table's events after version `last`, for `on_event(kind, id, data)`.

        Raises:
            ConnectionError: If the server refuses the stream.
        """
        token = None if seat is None else table.tokens[seat]
        seen = {} if last is None else {"Last-Event-ID": str(last)}
        stream = Stream(self.host, table.path("/events"), token, on_event, seen)
        await self._connect(stream)
        status = await stream.opened
        if status != 200:
            raise ConnectionError(f"{table.path('/events')}: status {status}")
        return stream

    async def table(
        self, game: str, settings: Mapping[str, Any], seats: Sequence[str], **more: Any
    ) -> Made:
        """Create a table; a guest takes every seat that has an invitation."""
        line = await self.line()
        wanted = {"game": game, "settings": settings, "seats": seats, "seed": next(self._seeds)}
        made = await line.ask("POST", "/api/tables", wanted | more)
        assert made.status == 201, made
        tokens, invitations = [], []
        for seat in made.json["seats"]:
            token, invitation = seat["token"], seat["invitation"]
            if invitation is not None:
                guest = {"invitation": invitation, "name": f"guest {seat['seat']}"}
                sat = await line.ask("POST", "/api/seats", guest)
                assert sat.status == 201, sat
                token = sat.json["token"]
                invitations.append(invitation)
            tokens.append(token)
        line.transport.close()
        return Made(made.json["table"], tuple(tokens), tuple(invitations), self.host)


__all__ = ["Answer", "Clients", "Line", "Made", "Stream", "request"]
