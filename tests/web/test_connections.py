"""Connections that block others are closed, so that the server stays available."""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import pytest
import uvloop
from uvicorn import Config
from uvicorn.server import ServerState

from quaternity.web.app import app
from quaternity.web.connection import Connection
from quaternity.web.rate_limits import (
    RESERVED_FILES,
    Limits,
    connections,
    max_per_network,
    network_of,
)
from quaternity.web.streams import Stream, Streams
from tests.limits import limited
from tests.sizes import thorough
from tests.web.server import Server
from tests.web.site import Site
from tests.web.tables import Table
from tests.web.test_open_store import wait_until
from tests.web.wire import request

FILES = 128


async def large_answer(scope: Any, receive: Any, send: Any) -> None:
    """Answer with more bytes than a system buffers for a connection."""
    if scope["type"] == "http":
        body = b"x" * (8 << 20)
        head = [(b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": body})


class Serving:
    """Connections of an application in this process."""

    def __init__(self, application: Any) -> None:
        self.state = ServerState()
        self._config = Config(application, http=Connection, ws="none", log_config=None)

    async def __aenter__(self) -> Serving:
        loop = asyncio.get_running_loop()
        make_connection = lambda: Connection(self._config, self.state, {})  # noqa: E731
        self._server = await loop.create_server(make_connection, "127.0.0.1")
        self.place = self._server.sockets[0].getsockname()
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()


async def run_until(condition: Callable[[], bool]) -> None:
    """Run the loop until a condition holds."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0)


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
@pytest.mark.parametrize("keeps", ["keep-alive", "close"])
@limited("quaternity.web.rate_limits", READ_SECONDS=0.1)
def test_a_client_that_does_not_read_is_disconnected(loop: Callable[[], Any], keeps: str) -> None:
    """This also holds if the connection would be closed anyway after the whole answer."""

    async def unread() -> None:
        async with Serving(large_answer) as serving:
            with socket.create_connection(serving.place) as client:
                head = f"GET / HTTP/1.1\r\nHost: a\r\nConnection: {keeps}\r\n\r\n"
                client.sendall(head.encode())
                await run_until(lambda: bool(serving.state.connections))
                await run_until(lambda: not serving.state.connections)
                await run_until(lambda: not serving.state.tasks)

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(unread())
    assert not connections.open


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_stream_ends_with_its_connection_whatever_requests_wait_behind_it(
    loop: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    streams = Streams()

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"] == "/stream":
            await Stream(None, set(), streams)(scope, receive, send)
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    def ended() -> bool:
        streams.send_keepalive()
        return not streams.open

    async def leave(before: int, behind: int) -> None:
        async with Serving(application) as serving:
            reader, writer = await asyncio.open_connection(*serving.place)
            for path in (*["short"] * before, "stream", *["short"] * behind):
                writer.write(f"GET /{path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            await run_until(lambda: bool(streams.open))
            streams.send_keepalive()
            await reader.readuntil(b":\n\n")
            writer.close()
            await run_until(ended)
            await run_until(lambda: not serving.state.tasks)

    with asyncio.Runner(loop_factory=loop) as runner:
        for before, behind in product(range(3), range(3)):
            runner.run(leave(before, behind))
    # Another test's library may have switched the log of requests on.
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


class Wire(asyncio.Transport):
    """A transport whose write buffer has the next given size at every look."""

    def __init__(self, sizes: list[int]) -> None:
        super().__init__()
        self.sizes, self.looked, self.aborted = sizes, 0, False

    def get_write_buffer_size(self) -> int:
        """Return the next size."""
        self.looked += 1
        return self.sizes[min(self.looked, len(self.sizes)) - 1]

    def abort(self) -> None:
        """Note that the connection was aborted."""
        self.aborted = True


@limited("quaternity.web.rate_limits", READ_SECONDS=0)
def test_a_client_that_reads_half_in_time_stays_connected() -> None:

    async def aborted(sizes: list[int]) -> bool:
        wire = Wire([*sizes, 0])
        connection = Connection(Config(large_answer, http=Connection, ws="none"), ServerState(), {})
        connection.connection_made(wire)
        await run_until(lambda: wire.aborted or wire.looked > len(sizes))
        connection.connection_lost(OSError())
        return wire.aborted

    for seed in range(thorough(20, 500)):
        random = Random(seed)
        sizes = [random.choice([0, 1, 30, 60, 100, 1000]) for _ in range(6)]
        slow = any(0 < before < 2 * after for before, after in pairwise(sizes))
        assert asyncio.run(aborted(sizes)) == slow, sizes


def connect(server: Server, source: str) -> socket.socket:
    """Open a connection from an address of this machine."""
    name, _, port = server.host.partition(":")
    return socket.create_connection((name, int(port)), 60, (source, 0))


def status_line(server: Server, source: str) -> bytes:
    """Return the beginning of the answer that an address gets."""
    with connect(server, source) as asking:
        with suppress(ConnectionError):
            asking.sendall(request("GET", "/", server.host))
        return asking.recv(12)


def test_one_address_cannot_shut_out_others(tmp_path: Path) -> None:
    """Its connections send nothing, or request and never read, while few files may be open."""
    with Server(tmp_path / "data") as server, ExitStack() as opened:
        number = server.process.pid
        hard = resource.prlimit(number, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(number, resource.RLIMIT_NOFILE, (FILES, hard))
        for count in range(2 * FILES):
            hostile = opened.enter_context(connect(server, "127.0.0.1"))
            if count % 2:
                with suppress(ConnectionError):
                    hostile.sendall(request("GET", "/", server.host) * 50)
        assert status_line(server, "127.0.0.1") == b"HTTP/1.1 429"
        assert status_line(server, "127.0.0.2") == b"HTTP/1.1 200"
        for host in range(3, 20):
            for _ in range(max_per_network(FILES)):
                opened.enter_context(connect(server, f"127.0.0.{host}"))
        assert status_line(server, "127.0.0.99") == b"HTTP/1.1 503"
        opened.close()
        # The server still has its own files: it reads tables and starts programs, as soon as it has
        # noticed the closed connections.
        wait_until(lambda: status_line(server, "127.0.0.1") == b"HTTP/1.1 200")
        assert server.stop() == 0
    assert "Too many open files" not in server.log.read_text()
    assert RESERVED_FILES < FILES


def test_an_ipv6_address_counts_as_its_network() -> None:
    for first, second, same in (
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8::1", "2001:db8::ffff:1:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("not:an:address", "not:another", False),
    ):
        assert (network_of(first) == network_of(second)) == same


@pytest.mark.parametrize(("streams", "room"), [(16, 1000), (1000, 16)])
def test_streams_are_reserved_for_players(
    streams: int, room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds for the limit of streams, and for that of connections."""
    monkeypatch.setattr(connections, "max_open", lambda: room)
    limits = Limits.of(streams=streams, readers=5, tables=10**6)
    with Site(app(str(tmp_path), limits=limits)) as site:

        def opens(table: Table, seat: int | None, client: str) -> bool:
            token = None if seat is None else table.tokens[seat]
            stream = site.listen(f"{table.path}/events", token, client)
            return bool(stream.parts[0][0] == 200)

        tables = [Table(site) for _ in range(4)]
        # One address may have a quarter of the streams, including those of seats.
        assert [opens(tables[0], None, "192.0.2.1") for _ in range(6)] == [True] * 4 + [False] * 2
        assert not opens(tables[1], 0, "192.0.2.1")
        # A bystander does not take the place of a seat at the same table ...
        assert [opens(tables[0], None, "192.0.2.2") for _ in range(2)] == [True, False]
        assert opens(tables[0], 0, "192.0.2.2")
        # ... nor all places: 4 of the 16 are reserved for seats.
        assert [opens(tables[2], None, f"192.0.2.{host}") for host in range(3, 8)] == [True] * 5
        assert opens(tables[3], None, "192.0.2.8")
        assert not opens(tables[3], None, "192.0.2.9")
        assert all(opens(table, 1, "192.0.2.10") for table in tables)
        assert not opens(tables[0], 1, "192.0.2.11")


def test_no_address_has_all_streams_of_bystanders_at_a_table(tmp_path: Path) -> None:
    with Site(app(str(tmp_path), limits=Limits.of(readers=8))) as site:
        table = Table(site)

        def count_streams(client: str, seat: int | None = None) -> int:
            token = None if seat is None else table.tokens[seat]
            streams = [site.listen(f"{table.path}/events", token, client) for _ in range(9)]
            return sum(stream.parts[0][0] == 200 for stream in streams)

        assert count_streams("192.0.2.1") == 6
        assert count_streams("192.0.2.2") == 2
        assert count_streams("192.0.2.1", 0) == 8
