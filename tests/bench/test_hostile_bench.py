"""Waits of players while hostile clients ask for much: for one page, and from three addresses.

Players and hostile clients have other addresses of this machine; the server has its own limits.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import pytest

from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from tests.bench.web_load import script
from tests.web.server import BUSY, Server
from tests.web.wire import Clients, Line, Made, request

LARGE = Settings(10, 7, 5)
DOCUMENT = {"set_size": 10, "sets": 7, "players": 5}
BYSTANDERS, MOVES = 100, 5
TABLES, STREAMS, READERS, BODIES, SECONDS = 8, 1330, 95, 100, 30.0
GOALS = {"move": "250 ms", "page": "250 ms", "chances": "2 s"}


def quantile(waits: list[float], part: float) -> float:
    return sorted(waits)[min(len(waits) - 1, int(part * len(waits)))]


@pytest.mark.bench
def test_pages_after_a_move(tmp_path: Path, note: Callable[..., None]) -> None:
    """Load 100 pages of a table of 70 cards after a move: equal pages, or each with other links."""
    with Server(tmp_path / "table", *BUSY) as server:
        waits = asyncio.run(pages_after_moves(server.host))
    for label, name in (("the same", "same"), ("each another", "other")):
        last, stranger = (max(waits[name]), max(waits[f"{name}, stranger"]))
        note(f"{BYSTANDERS} pages of 70 cards, {label}: the last", f"{last * 1e3:.0f} ms")
        note(f"{BYSTANDERS} pages of 70 cards, {label}: a stranger", f"{stranger * 1e3:.0f} ms")
    ratio = quantile(waits["other"], 1) / quantile(waits["same"], 1)
    note("drawn for each, over drawn once: the last page", f"{ratio:.1f}")


async def pages_after_moves(host: str) -> dict[str, list[float]]:
    waits = defaultdict[str, list[float]](list)
    async with Clients(host) as clients, Clients(host, "127.0.1.1") as others:
        table = await clients.table("quaternity", DOCUMENT, ["me"] * 5)
        other = await others.table("quarto", {}, ["me", "me"])
        for number in range(2 * MOVES):
            lines = [await clients.line() for _ in range(BYSTANDERS)]
            player_line, looks = lines[0], await others.line()
            seat, move = await first_move(player_line, table)
            sent = {"version": number, "id": str(number), "move": move}
            assert (await player_line.ask("POST", table.path("/moves"), sent, seat)).status == 200
            name = "same" if number % 2 else "other"
            for index, line in enumerate(lines):
                line.host = host if number % 2 else f"127.0.{number}.{index}"
            started = perf_counter()
            asked = [line.ask("GET", f"/t/{table.name}/part") for line in lines]
            answer = await looks.ask("GET", f"/t/{other.name}/part")
            waits[f"{name}, stranger"].append(answer.at - started)
            for page in await asyncio.gather(*asked):
                assert page.status == 200
                waits[name].append(page.at - started)
    return waits


async def first_move(line: Line, table: Made) -> tuple[str, str]:
    seat = (await line.ask("GET", table.path())).json["to_act"][0]
    token = table.tokens[seat]
    assert token is not None
    return token, (await line.ask("GET", table.path(), token=token)).json["moves"][0]


def endless_record() -> bytes:
    """Return a legal record whose review takes longer than a client may compute."""
    rules, random = QuaternityRules(LARGE), Random(3)
    position = start = rules.start(random)
    parts = [rules.record_start(start, [f"p{seat}" for seat in range(5)])]
    while rules.to_act(position) and len(parts) < 1500:
        (seat,) = rules.to_act(position)
        move = random.choice(list(rules.moves(rules.view(position, seat))))
        after = rules.after(position, seat, move)
        parts.append(rules.record_move(position, seat, move, after))
        position = after
    return "".join(parts).encode()


class Strangers:
    """Hostile clients at one address, which ask for as much as they can get."""

    def __init__(self, host: str, source: str, record: bytes, table: Made) -> None:
        self.clients, self.host, self.record, self.table = (
            Clients(host, source), host, record, table,
        )  # fmt: skip
        self.counts: dict[int, int] = defaultdict(int)
        self.streams = 0

    async def records(self) -> None:
        while True:
            line = await self.clients.line()
            line.transport.write(request("POST", "/learn", self.host, self.record))
            await asyncio.wait([line.lost], timeout=1)

    async def pages(self) -> None:
        line = await self.clients.line()
        for number in range(10**6):
            answer = await line.ask("GET", f"/t/{self.table.name}/at/{number % 40}?{number}")
            self.counts[answer.status] += 1

    async def unread(self) -> None:
        while True:
            line = await self.clients.line()
            line.transport.pause_reading()
            line.transport.write(request("GET", f"/t/{self.table.name}", self.host) * 100)
            await asyncio.wait([line.lost], timeout=0.5)

    async def many_streams(self) -> None:
        async def open_one(table: Made) -> None:
            with suppress(OSError):
                await self.clients.stream(table, None, lambda *event: None)
                self.streams += 1

        for _ in range(STREAMS // READERS):  # a table has at most a hundred readers
            table = await self.clients.table("quarto", {}, ["me", "me"])
            await asyncio.gather(*(open_one(table) for _ in range(READERS)))

    async def bodies(self) -> None:
        head = request("POST", "/api/tables", self.host, b"x" * 9999)[:-9999]
        lines = [await self.clients.line() for _ in range(BODIES)]
        for line in lines:
            line.transport.write(head)
        while True:
            for line in lines:
                line.transport.write(b"x")
            await asyncio.sleep(1)

    def all(self) -> list[Coroutine[Any, Any, None]]:
        return [self.records(), self.pages(), self.unread(), self.many_streams(), self.bodies()]


@asynccontextmanager
async def doing(*works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run all coroutines in the background, as far as the server lets them."""

    async def ignore_errors(work: Coroutine[Any, Any, None]) -> None:
        with suppress(OSError, IndexError):
            await work

    tasks = [asyncio.create_task(ignore_errors(work)) for work in works]
    yield
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def play(host: str, number: int, waits: dict[str, list[float]]) -> None:
    """Play at a table of three players: move, load the page, and sometimes ask for chances."""
    async with Clients(host, f"127.0.1.{number + 1}") as clients:
        settings = {"set_size": 4, "sets": 3, "players": 3}
        moves = script(Random(number), 40)
        version, made = len(moves), None
        line, ends = await clients.line(), perf_counter() + SECONDS

        async def measure(kind: str, method: str, path: str, *sent: Any) -> None:
            started = perf_counter()
            answer = await line.ask(method, path, *sent)
            assert answer.status == 200, answer
            waits[kind].append(answer.at - started)

        while perf_counter() < ends:
            if version == len(moves) or made is None:
                made = await clients.table("quaternity", settings, ["me"] * 3, help=True)
                version = 0
            seat, text = moves[version]
            document = {"version": version, "id": str(version), "move": text}
            await measure("move", "POST", made.path("/moves"), document, made.tokens[seat])
            await measure("page", "GET", f"/t/{made.name}/part", None, made.tokens[seat])
            if version % 10 == 0:
                await measure("chances", "GET", made.path("/help/chances"), None, made.tokens[seat])
            version += 1
            await asyncio.sleep(0.2)


@pytest.mark.bench
def test_hostile_clients_beside_players(tmp_path: Path, note: Callable[..., None]) -> None:
    record = endless_record()

    async def measure(host: str, note: Callable[..., None], hostile: bool) -> None:
        waits = defaultdict[str, list[float]](list)
        async with Clients(host) as clients:
            table = await clients.table("quaternity", DOCUMENT, ["me"] * 5)
            sides = [Strangers(host, f"127.0.0.{n}", record, table) for n in (2, 3, 4)]
            async with doing(*(work for side in sides if hostile for work in side.all())):
                await asyncio.sleep(5 if hostile else 0)
                await asyncio.gather(*(play(host, number, waits) for number in range(TABLES)))
            for side in sides:
                await side.clients.hang_up()
        how = "beside hostile clients" if hostile else "alone"
        for kind, goal in GOALS.items():
            both = " and ".join(
                f"{quantile(waits[kind], part) * 1e3:.0f} ms" for part in (0.5, 0.95)
            )
            note(f"{TABLES} tables {how}: {kind} (p50, p95)", both, goal)
        if hostile:
            pages = [dict(side.counts) for side in sides]
            note("strangers: streams, pages", f"{[side.streams for side in sides]}, {pages}")

    with Server(tmp_path / "table") as server:
        for hostile in (False, True):
            asyncio.run(measure(server.host, note, hostile))
