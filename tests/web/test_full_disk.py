"""A disk that is full: moves are refused and say why, and the table stays as it was."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path
from typing import Any

from tests.web.server import Server
from tests.web.test_hammering import FIRST, SMALL, make_move, read_state
from tests.web.wire import Clients


def limit_files(server: Server, size: int) -> None:
    """Limit the size of the server's files; a larger write fails as on a full disk."""
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_full_disk_refuses_moves_and_the_table_goes_on_when_there_is_room(tmp_path: Path) -> None:
    async def fill(server: Server) -> None:
        async with Clients(server.host) as clients:
            events: list[Any] = []
            table = await clients.table("quaternity", SMALL, ["me", "open", "open"])
            await clients.stream(table, 2, lambda *event: events.append(event))
            assert (await make_move(clients, table, 0, 0, FIRST, "a")).status == 200
            limit_files(server, 0)
            for number in range(3):
                answer = await make_move(clients, table, 1, 1, "no", f"b{number}")
                assert answer.status == 507, answer
                assert b"not carried out" in answer.body
            line = await clients.line()
            wanted = {"game": "quarto", "settings": {}, "seats": ["me", "open"]}
            assert (await line.ask("POST", "/api/tables", wanted)).status == 507
            assert (await read_state(clients, table))["version"] == 1
            limit_files(server, resource.RLIM_INFINITY)
            # This includes a move that was refused before, with the same id.
            assert (await make_move(clients, table, 1, 1, "no", "b0")).status == 200
            state = await read_state(clients, table)
            assert state["version"] == 2
            assert [int(name) for kind, name, _ in events if kind == "move" and int(name)] == [1, 2]
        server.kill()
        server.start()
        async with Clients(server.host) as clients:
            assert (await read_state(clients, table))["moves"] == state["moves"]

    with Server(tmp_path / "data") as server:
        asyncio.run(fill(server))
        assert server.stop() == 0
    assert "Traceback" not in server.log.read_text()
