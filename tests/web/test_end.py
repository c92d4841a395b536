"""Shutdown: a server that gets a signal ends, and ends all its event streams cleanly."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import create_connection

import pytest

from quaternity.web.sqlite_connection import FILE
from tests.sizes import only_thorough, thorough
from tests.web.cluster import file_store_only
from tests.web.server import Server
from tests.web.test_hammering import FIRST, SMALL, make_move
from tests.web.wire import Clients, request

SERVING = """
import os, sys
from threading import Event
from quaternity.web import prefork
prefork.MIN_RESTART_SECONDS = 0.05
try:
    status = prefork.Workers(3).run(lambda: os.write(1, b"begun\\n"))
except prefork.WorkerStarted as child:
    os.write(1, f"serves {child.number} {os.getpid()}\\n".encode())
    if sys.argv[1:] == [str(child.number)]:
        os._exit(3)
    child.ready()
    Event().wait()
sys.exit(status)
"""


@contextmanager
def serving(*fails: str, code: str = SERVING) -> Iterator[subprocess.Popen[str]]:
    """Run several processes on one port, some of which fail; kill the remaining ones at the end."""
    command = [sys.executable, "-c", code, *fails]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, process_group=0) as first:
        try:
            yield first
        finally:
            with suppress(ProcessLookupError):
                os.killpg(first.pid, signal.SIGKILL)


def test_processes_of_one_port_start_together_are_replaced_and_end_together() -> None:
    for end, status in ((signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGKILL, -signal.SIGKILL)):
        with serving() as first:
            assert first.stdout is not None
            lines = [first.stdout.readline().split() for _ in range(4)]
            assert sorted(number for _, number, _ in lines[:3]) == ["0", "1", "2"]
            assert lines[3] == ["begun"]
            for _, number, pid in lines[:2]:
                os.kill(int(pid), signal.SIGKILL)
                another = first.stdout.readline().split()
                assert another[:2] == ["serves", number], "the one that died"
            first.send_signal(end)
            rest, _ = first.communicate(timeout=60)  # the last process has closed it
            assert (rest, first.returncode) == ("", status)
    # If one process cannot start, the server does not start.
    with serving("1") as first:
        rest, _ = first.communicate(timeout=60)
        assert first.returncode == 2
        assert "begun" not in rest
        assert rest.count("serves 1") == 1


ENDING = """
import os, signal
wait_for_one = os.wait
def wait_and_end():
    ended = wait_for_one()
    os.kill(os.getpid(), signal.SIGTERM)
    return ended
os.wait = wait_and_end
"""
"""Code that sends SIGTERM to a server when one of its processes has just ended."""


def test_a_process_may_die_just_before_all_processes_end() -> None:
    with serving(code=ENDING + SERVING) as first:
        assert first.stdout is not None
        lines = [first.stdout.readline().split() for _ in range(4)]
        os.kill(int(lines[0][2]), signal.SIGKILL)
        rest, _ = first.communicate(timeout=60)
        assert (rest, first.returncode) == ("", 0)


def end_servers(folder: Path, times: int) -> None:
    """End servers with open streams, while moves are made."""

    async def watch_until_the_end(server: Server) -> None:
        async with Clients(server.host) as clients:
            table = await clients.table("quaternity", SMALL, ["me", "open", "open"])
            streams = [
                await clients.stream(table, number % 4 if number % 4 < 3 else None, lambda *_: None)
                for number in range(thorough(12, 60))
            ]
            moving = [make_move(clients, table, 0, 0, FIRST, str(number)) for number in range(5)]
            waiting = asyncio.gather(*moving, return_exceptions=True)
            await asyncio.sleep(0)
            status = await asyncio.to_thread(server.stop)
            await asyncio.wait_for(asyncio.gather(*(stream.lost for stream in streams)), 60)
            await waiting
            assert status == 0
            assert all(stream.whole for stream in streams), "a stream was cut off"

    for _ in range(times):
        with Server(folder) as server:
            asyncio.run(watch_until_the_end(server))
    log = server.log.read_text()
    assert "Traceback" not in log, log
    assert "ERROR" not in log, log


def test_a_server_ends_cleanly_with_open_streams(tmp_path: Path) -> None:
    end_servers(tmp_path / "data", thorough(1, 4))


@only_thorough
def test_a_server_that_has_just_opened_ends(tmp_path: Path) -> None:
    for _ in range(5):
        with Server(tmp_path / "data") as server:
            assert server.stop() == 0


@pytest.mark.slow
def test_a_server_ends_cleanly_four_hundred_times(tmp_path: Path) -> None:
    end_servers(tmp_path / "data", 400)


@file_store_only
def test_a_second_interrupt_ends_a_server_in_order_too(tmp_path: Path) -> None:
    with Server(tmp_path / "data", program="quaternity") as server:
        name, _, port = server.host.partition(":")
        place = name, int(port)
        with create_connection(place) as slow:
            slow.sendall(request("POST", "/api/tables", server.host, b"{}")[:-1])
            with create_connection(place) as other:
                other.sendall(request("GET", "/", server.host))
                assert other.recv(12) == b"HTTP/1.1 200"  # so the first request has arrived
            server.process.send_signal(signal.SIGINT)
            with suppress(OSError):
                while True:
                    create_connection(place).close()
            server.process.send_signal(signal.SIGINT)
        assert server.wait_for_exit() == 130
        assert "Traceback" not in server.log.read_text()
        assert {path.name for path in server.data.iterdir()} == {FILE, "tables.lock"}


@file_store_only
def test_two_servers_do_not_share_a_folder(server: Server) -> None:
    other = Server(server.data)
    other.log = server.log.with_suffix(".other")
    with pytest.raises(AssertionError, match=r"status 2, .*another server"):
        other.start()


@file_store_only
def test_several_processes_with_one_folder_end_with_a_message(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "uvicorn", "--factory", "quaternity.web.app:app"]
    finished = subprocess.run(
        [*command, "--workers", "2", "--port", "0"],
        env=os.environ | {"QUATERNITY_DATA": str(tmp_path)},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert "another server is using the tables of this folder; only one process" in finished.stderr
    assert "Traceback" not in finished.stderr
