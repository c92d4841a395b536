"""Load: 200 tables with 800 open streams, beside boardgame.io's server in the same run.

What grows: the cost of a move with the number of streams of its table, and the cost of opening a
page with the moves of its game. The rival is installed from npm into a temporary folder.
"""

import asyncio
import shutil
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench.web_load import BoardgameIo, Measured, Quaternity, Side, memory
from tests.web.server import BUSY, Server

TABLES, MOVES, STEADY, SECONDS = 200, 40, 300.0, 10
BOARDGAME_IO = """{"private": true, "dependencies": {"boardgame.io": "0.50.2"},
                   "overrides": {"koa-compose": "4.1.0"}}"""
"""With koa-compose 4.2 its lobby answers 404 to everything."""

Row = tuple[Measured, float]


async def loaded(side: Side, what: Callable[[Side], Awaitable[Measured]]) -> Row:
    try:
        return await what(side), memory(side.process)
    finally:
        await side.close()


async def saturated(side: Side) -> Measured:
    return await (await side.open(TABLES, MOVES)).saturated()


async def steady(side: Side) -> Measured:
    moves = -(-int(STEADY * SECONDS) // TABLES)
    return await (await side.open(TABLES, moves)).steady(STEADY, SECONDS)


async def all_of(sides: dict[str, Side]) -> dict[str, list[Row]]:
    """Per side a saturated round that is thrown away, three that count, and one at a rate."""
    rows: dict[str, list[Row]] = {name: [] for name in sides}
    for what in (*[saturated] * 4, steady):
        for name, side in sides.items():
            rows[name].append(await loaded(side, what))
    return {name: [*sorted(each[1:4]), each[4]] for name, each in rows.items()}


def report(note: Callable[..., None], name: str, rows: list[Row]) -> None:
    (middle, _), (rated, _) = rows[1], rows[3]
    most = max(used for _, used in rows)
    ours = name == "quaternity"
    what = f"{name}: {TABLES} tables, 800 streams"
    note(f"{what}, saturated", f"{middle.rate:,.0f} moves/s", "1,000" if ours else "")
    note(f"{what}, saturated, to the last stream (p50, p95)", both(middle))
    note(f"{what}, at {STEADY:.0f} moves/s (p50, p95)", both(rated), "10 ms" if ours else "")
    note(f"{name}: memory", f"{most:.0f} MB", "250 MB" if ours else "")
    note(f"{name}: clients' share of a core", f"{middle.busy:.2f}, {rated.busy:.2f}")


def both(one: Measured) -> str:
    return f"{one.p50 * 1e3:.1f} ms, {one.p95 * 1e3:.1f} ms"


@pytest.fixture
def rival(tmp_path: Path) -> Iterator[BoardgameIo | None]:
    """boardgame.io's server, if it can be installed here."""
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
    with Server(tmp_path / "table", *BUSY) as server:
        sides: dict[str, Side] = {"quaternity": Quaternity(server.host, server.process)}
        if rival is None:
            note("boardgame.io", "node or npm is missing, or npm cannot install it")
        else:
            sides["boardgame.io"] = rival
        rows: Any = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        with rows as runner:
            measured = runner.run(all_of(sides))
    for name, each in measured.items():
        report(note, name, each)
    mine = measured["quaternity"]
    if rival is not None:
        theirs = measured["boardgame.io"]
        ratios = [
            mine[1][0].rate / theirs[1][0].rate,
            mine[1][0].p95 / theirs[1][0].p95,
            mine[3][0].p95 / theirs[3][0].p95,
            max(row[1] for row in mine) / max(row[1] for row in theirs),
        ]
        what = "over boardgame.io's: moves/s, p95 saturated, p95 at the rate, memory"
        note(what, ", ".join(f"{ratio:.2f}" for ratio in ratios))
    assert all(row.lost == 0 for row, _ in mine), "an event was lost"
