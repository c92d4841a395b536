"""A disk that is full: moves are refused and say why, and the table stays as it was."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path
from typing import Any

from tests.web.server import Server
from tests.web.test_hammering import FIRST, SMALL, moved, seen
from tests.web.wire import Clients


def limited(server: Server, size: int) -> None:
    """Let the server's files not grow beyond a size: writing says that there is no room."""
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_full_disk_refuses_moves_and_the_table_goes_on_when_there_is_room(tmp_path: Path) -> None:
    async def fill(server: Server) -> None:
        async with Clients(server.host) as clients:
            told: list[Any] = []
            table = await clients.table("quaternity", SMALL, ["me", "open", "open"])
            await clients.stream(table, 2, lambda *event: told.append(event))
            assert (await moved(clients, table, 0, 0, FIRST, "a")).status == 200
            limited(server, 0)
            for number in range(3):
                answer = await moved(clients, table, 1, 1, "no", f"b{number}")
                assert answer.status == 507, answer
                assert b"not carried out" in answer.body
            line = await clients.line()
            wanted = {"game": "quarto", "settings": {}, "seats": ["me", "open"]}
            assert (await line.ask("POST", "/api/tables", wanted)).status == 507
            assert (await seen(clients, table))["version"] == 1
            limited(server, resource.RLIM_INFINITY)
            # Also a move that was refused before, with the same id.
            assert (await moved(clients, table, 1, 1, "no", "b0")).status == 200
            shown = await seen(clients, table)
            assert shown["version"] == 2
            assert [int(name) for kind, name, _ in told if kind == "move" and int(name)] == [1, 2]
        server.kill()
        server.start()
        async with Clients(server.host) as clients:
            assert (await seen(clients, table))["moves"] == shown["moves"]

    with Server(tmp_path / "data") as server:
        asyncio.run(fill(server))
        assert server.stop() == 0
    assert "Traceback" not in server.log.read_text()
