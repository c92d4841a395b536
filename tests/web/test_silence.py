"""A database that does not answer: requests that need it are soon refused; others do not wait."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from quaternity.web.app import app
from quaternity.web.sqlite_connection import FILE
from quaternity.web.store import ANSWER_SECONDS as MAX_SECONDS
from tests.limits import limited
from tests.web.cluster import Cluster
from tests.web.server import Server
from tests.web.site import Page, Site
from tests.web.tables import Table

QUARTO: dict[str, Any] = {"game": "quarto", "settings": {}, "seats": ["me", "me"]}


def processes(pid: int) -> list[int]:
    """Return a process and those that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


@contextmanager
def frozen_postgres(cluster: Cluster) -> Iterator[None]:
    """Stop the processes of PostgreSQL by SIGSTOP."""
    postmaster = int((cluster.folder / "data" / "postmaster.pid").read_text().split()[0])
    pids = processes(postmaster)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@contextmanager
def locked_tables(place: str) -> Iterator[None]:
    """Lock the tables by another connection to PostgreSQL."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(place) as other:
        other.execute("LOCK TABLE tables")
        yield


@contextmanager
def busy_file(place: str) -> Iterator[None]:
    """Lock the file by another connection that writes."""
    with closing(sqlite3.connect(Path(place) / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@pytest.mark.parametrize("how", [frozen_postgres, locked_tables, busy_file])
def test_requests_that_do_not_need_the_database_do_not_wait_for_it(
    how: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place: str = str(tmp_path)
    target: Any = place
    if how is not busy_file:
        cluster: Cluster = request.getfixturevalue("cluster")
        place = cluster.place(tmp_path.name)
        target = cluster if how is frozen_postgres else place
    with Site(app(place, metrics_token="t")) as site:
        table, away = Table(site, **QUARTO), Table(site, **QUARTO)
        move = {"version": 0, "id": "a", "move": "hand over A"}
        needed: list[tuple[Any, ...]] = [
            ("POST", f"{table.path}/moves", move, table.tokens[0]),
            ("GET", "/healthz"),
        ]
        if how is not busy_file:  # a file can be read while another connection writes
            needed += [("GET", away.path), ("GET", "/"), ("POST", "/api/tables", QUARTO)]
        free = [
            ("GET", "/learn"), ("GET", "/puzzles"), ("GET", table.path),
            ("GET", f"/t/{table.made['table']}"),
        ]  # fmt: skip
        answered: list[str] = []

        async def ask_all() -> tuple[list[Page], list[Page]]:
            """Send all requests at once, first those that have to wait."""
            waiting = [asyncio.create_task(site.send(*request)) for request in needed]
            for task in waiting:
                task.add_done_callback(lambda done: answered.append("needed"))
            await asyncio.sleep(0)
            pages = [await site.send(*request) for request in free]
            answered.append("free")
            return await asyncio.gather(*waiting), pages

        for method, path in free:  # load everything that is loaded once
            site.ask(method, path)
        live = site.app.state.tables.live
        site.rest_until(lambda: not live._following)  # it would load the table again
        live._live.pop(away.made["table"])
        with how(target):
            waited, pages = site.run(ask_all())
            assert [page.status for page in waited] == [503] * len(needed)
            if how is not busy_file:
                reason = r"\((the database does not answer|no connection to the database)\)"
                assert re.search(reason, waited[0].json["error"])
            assert [page.status for page in pages] == [200] * len(free)
            assert answered[0] == "free"
            headers = {"authorization": "Bearer t"}
            metrics = site.ask("GET", "/metrics", headers=headers)
            assert metrics.status == 200
            assert b'where="disk"' not in metrics.body or how is busy_file

        async def until_answered() -> list[int]:
            while True:
                statuses = [(await site.send(*request)).status for request in needed]
                if 503 not in statuses:
                    return statuses
                await asyncio.sleep(0.05)

        assert max(site.run(asyncio.wait_for(until_answered(), 60))) < 300
        assert table.look()["version"] == 1


def test_a_read_that_never_ends_is_refused(tmp_path: Path) -> None:
    assert MAX_SECONDS < 2
    with Site(app(str(tmp_path))) as site:
        table, answering = Table(site, **QUARTO), Event()
        tables = site.app.state.tables
        tables.live._live.pop(table.made["table"])
        reading = tables.store.submit_read(answering.wait, 60)
        with limited("quaternity.web.store", ANSWER_SECONDS=MAX_SECONDS):
            assert [site.ask("GET", path).status for path in (table.path, "/")] == [503] * 2
        answering.set()
        assert reading.result(60)  # the requests did not wait for the read


def test_pages_do_not_wait_for_a_start_page_that_waits_for_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Site(app(str(tmp_path))) as site:
        paths = ["/learn", "/puzzles", f"/t/{Table(site, **QUARTO).made['table']}"]
        store = site.app.state.tables.store
        read_rows, waiting, answering = store.rows, asyncio.Event(), asyncio.Event()

        async def rows(*arguments: Any) -> Any:
            waiting.set()
            await answering.wait()
            return await read_rows(*arguments)

        monkeypatch.setattr(store, "rows", rows)

        async def ask_all() -> None:
            home = asyncio.create_task(site.send("GET", "/"))
            await waiting.wait()
            try:
                pages = [await site.send("GET", path) for path in paths]
            finally:
                answering.set()
            pages.append(await home)
            assert [page.status for page in pages] == [200] * 4

        site.wait(ask_all())


def test_a_server_ends_while_its_database_is_silent(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = cluster.place(tmp_path.name)
    monkeypatch.setattr("quaternity.web.open_store.place_of", lambda data: place)
    with Server(tmp_path / "server", program="quaternity") as server, frozen_postgres(cluster):
        assert server.stop() == 0
