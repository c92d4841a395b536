"""Load of 200 tables with 800 open streams, compared with boardgame.io's server in the same run.

The cost of a move grows with the number of streams of its table, and the cost of opening a page
with the moves of its game. The rival is installed from npm into a temporary folder.
"""

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import pytest

from quaternity.web import open_store
from quaternity.web.app import app
from tests.bench.web_load import (
    BoardgameIo,
    Load,
    Measured,
    Quaternity,
    Side,
    memory,
    processor_seconds,
)
from tests.limits import limited
from tests.web.cluster import Cluster
from tests.web.server import BUSY, Server
from tests.web.site import Site
from tests.web.tables import Table

TABLES, MOVES, STEADY, SECONDS, ROUNDS = 200, 40, 300.0, 5, 3
GOAL = 1000.0
"""Moves per second for PostgreSQL."""

BOARDGAME_IO = """{"private": true, "dependencies": {"boardgame.io": "0.50.2"},
                   "overrides": {"koa-compose": "4.1.0"}}"""
"""With koa-compose 4.2 its lobby answers 404 to everything."""


class Row(NamedTuple):
    """A load, and its cost for the server."""

    load: Measured
    memory: float
    seconds: float
    """Processor time per move, in seconds."""


async def run_load(side: Side, moves: int, play: Callable[[Load], Awaitable[Measured]]) -> Row:
    load = await side.open(TABLES, moves)
    try:
        before = processor_seconds(side.process)
        measured = await play(load)
        seconds = (processor_seconds(side.process) - before) / len(load.arrived)
        return Row(measured, memory(side.process), seconds)
    finally:
        await side.close()


async def all_of(sides: dict[str, Side], rate: float = STEADY) -> dict[str, list[Row]]:
    """Run three saturated rounds of each side, after a discarded one, then three at a rate."""
    rows: dict[str, list[Row]] = {name: [] for name in sides}
    few = -(-int(rate * SECONDS) // TABLES)
    for number in range(2 * ROUNDS + 1):
        for name, side in sides.items():
            if number <= ROUNDS:
                row = await run_load(side, MOVES, Load.saturate)
            else:
                row = await run_load(side, few, lambda load: load.steady(rate, SECONDS))
            rows[name].append(row)
    return {name: results[1:] for name, results in rows.items()}


def middles(rows: list[Row]) -> tuple[Row, Row]:
    """Return the saturated round and the round at a rate that have the median p95."""
    ordered = [
        sorted(part, key=lambda row: row.load.p95) for part in (rows[:ROUNDS], rows[ROUNDS:])
    ]
    return ordered[0][ROUNDS // 2], ordered[1][ROUNDS // 2]


def report(note: Callable[..., None], name: str, rows: list[Row]) -> None:
    middle, rated = middles(rows)
    ours = name == "quaternity"
    label = f"{name}: {TABLES} tables, 800 streams"
    note(f"{label}, saturated", f"{middle.load.rate:,.0f} moves/s", "1,000" if ours else "")
    note(f"{label}, saturated, to the last stream (p50, p95)", both(middle.load))
    rate = f"{label}, at {STEADY:.0f} moves/s (p50, p95)"
    note(rate, both(rated.load), "10 ms" if ours else "")
    note(f"{name}: processor time a move, saturated", f"{middle.seconds * 1e6:.0f} µs")
    most = max(row.memory for row in rows)
    note(f"{name}: memory", f"{most:.0f} MB", "250 MB" if ours else "")
    note(f"{name}: clients' share of a core", f"{middle.load.busy:.2f}, {rated.load.busy:.2f}")


def both(load: Measured) -> str:
    return f"{load.p50 * 1e3:.1f} ms, {load.p95 * 1e3:.1f} ms"


def disk_waits(path: Path) -> list[float]:
    """Return the seconds of small writes to the disk, sorted; no durable move is faster."""
    waits = []
    with path.open("wb", buffering=0) as file:
        for _ in range(200):
            file.write(bytes(4096))
            started = perf_counter()
            os.fsync(file.fileno())
            waits.append(perf_counter() - started)
    return sorted(waits)


@pytest.mark.bench
def test_load_of_processes_with_postgresql(
    tmp_path: Path, note: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compare one process and two processes with a file; all moves are on the disk."""
    uvloop = pytest.importorskip("uvloop")
    with closing(Cluster()) as cluster, ExitStack() as opened:
        sides: dict[str, Side] = {}
        for name, options in {
            "a file": (), "PostgreSQL, one process": ("--processes", "1"),
            "PostgreSQL, two processes": ("--processes", "2"),
        }.items():  # fmt: skip
            if options:
                place = cluster.place(f"bench{options[1]}")
                monkeypatch.setattr(open_store, "place_of", lambda data, place=place: place)
            server = opened.enter_context(Server(tmp_path / name, *options, *BUSY))
            sides[name] = Quaternity(server.host, server.process)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            measured = runner.run(all_of(sides, GOAL))
    for name, rows in measured.items():
        full, rated = middles(rows)
        note(f"{name}: {TABLES} tables, 800 streams, saturated",
             f"{full.load.rate:,.0f} moves/s ({both(full.load)})")  # fmt: skip
        note(f"{name}, at {GOAL:.0f} moves/s (p50, p95)", both(rated.load), "50 ms")
        assert all(row.load.lost == 0 for row in rows), "an event was lost"


@pytest.fixture
def rival(tmp_path: Path) -> Iterator[BoardgameIo | None]:
    """Start boardgame.io's server, or yield None if it cannot be installed."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        yield None
        return
    (tmp_path / "package.json").write_text(BOARDGAME_IO)
    quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    if subprocess.run(["npm", "install", *quiet], cwd=tmp_path, check=False).returncode:
        yield None
        return
    shutil.copy(Path(__file__).with_name("boardgame_io.cjs"), tmp_path)
    with subprocess.Popen(
        ["node", "boardgame_io.cjs"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        port = next(text for text in process.stdout if text.startswith("port ")).split()[1]
        yield BoardgameIo(f"127.0.0.1:{port}", process)
        process.kill()


@pytest.mark.bench
def test_load(tmp_path: Path, note: Callable[..., None], rival: BoardgameIo | None) -> None:
    uvloop = pytest.importorskip("uvloop")
    waits = disk_waits(tmp_path / "waits")
    note("a write to this disk (p50, p95)", f"{waits[100] * 1e3:.1f} ms, {waits[190] * 1e3:.1f} ms")
    with Server(tmp_path / "table", *BUSY) as server:
        sides: dict[str, Side] = {"quaternity": Quaternity(server.host, server.process)}
        if rival is None:
            note("boardgame.io", "node or npm is missing, or npm cannot install it")
        else:
            sides["boardgame.io"] = rival
        rows: Any = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        with rows as runner:
            measured = runner.run(all_of(sides))
    for name, results in measured.items():
        report(note, name, results)
    ours = measured["quaternity"]
    if rival is not None:
        theirs = measured["boardgame.io"]
        (full, rated), (its_full, its_rated) = middles(ours), middles(theirs)
        ratios = [
            full.load.rate / its_full.load.rate,
            full.load.p95 / its_full.load.p95,
            rated.load.p95 / its_rated.load.p95,
            full.seconds / its_full.seconds,
            max(row.memory for row in ours) / max(row.memory for row in theirs),
        ]
        label = "over boardgame.io's: moves/s, p95, p95 at the rate, processor, memory"
        note(label, ", ".join(f"{ratio:.2f}" for ratio in ratios))
    assert all(row.load.lost == 0 for row in ours), "an event was lost"


@pytest.mark.bench
def test_processor_time_in_the_event_loop(
    tmp_path: Path, note: Callable[[str, str, str], None], caplog: pytest.LogCaptureFixture
) -> None:
    """Note the longest time of requests for a table of 200 cards, as the debug mode reports it."""
    with (
        limited("quaternity.web.metrics", MAX_LOOP_SECONDS=-1.0),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("QUATERNITY_DEBUG", "1")
        with Site(app(str(tmp_path))) as site:
            settings = {"set_size": 4, "sets": 50, "players": 4}
            table = Table(site, settings=settings, seats=["me"] * 4)
            name = table.made["table"]
            for turn in range(20):
                look = table.look()
                seat = look["to_act"][0]
                table.move(seat, table.look(seat)["moves"][turn % 2], look["version"])
                for path in ("", "/part", "/at/1"):
                    site.ask("GET", f"/t/{name}{path}", token=table.tokens[seat])
            for path in ("/", "/learn", "/new", "/puzzles", "/guide/rules", "/api/games"):
                site.ask("GET", path)
    took = re.findall(r"(\S+ \S+) took (\d+) ms of processor time", caplog.text)
    for route in dict(took):
        most = max(int(milliseconds) for other, milliseconds in took if other == route)
        note(f"processor time in the event loop, 200 cards: {route}", f"{most} ms", "20 ms")
