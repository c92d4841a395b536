"""Expiry of tables: unused tables are deleted after the configured days, and no others."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.cli.app import run
from quaternity.web.http_errors import HttpError
from quaternity.web.move_commands import Move, VoteUndo
from quaternity.web.rate_limits import Limits
from quaternity.web.reader import Reader
from quaternity.web.sqlite_connection import FILE
from quaternity.web.table_admin import TABLE_PARTS, Retention, list_tables
from tests.limits import limited
from tests.sizes import thorough
from tests.web.site import Page, Site
from tests.web.tables import PEOPLE, Table, open_site

SMALLEST = {"set_size": 2, "sets": 2, "players": 2}
QUARTO: dict[str, Any] = {"game": "quarto", "settings": {}, "seats": ["me", "me"]}
AGES = (0, 20, 40, 100)


def name_of(table: Table) -> str:
    return str(table.made["table"])


def make_finished_table(site: Site) -> Table:
    """Create a table whose game is over."""
    table = Table(site, settings=SMALLEST, seats=["me", "me"])
    while acting := table.look()["to_act"]:
        table.move(acting[0], table.look(acting[0])["moves"][-1])
    return table


def age(folder: Path, name: str, days: float) -> None:
    """Change all times of a table to this many days ago."""
    with closing(sqlite3.connect(folder / FILE)) as database:
        database.execute(
            "UPDATE tables SET made = datetime('now', ?) WHERE id = ?", (f"-{days} days", name)
        )
        past = "UPDATE log SET at = strftime('%s', 'now') - ? WHERE table_id = ?"
        database.execute(past, (days * 86_400, name))
        database.commit()


def run_maintenance(site: Site, times: int = 2) -> set[str]:
    """Run the maintenance of a server, and return the tables that are left."""
    for _ in range(times):
        site.run(site.app.state.tables.maintenance.run_maintenance())
    return {table.id for table in list_tables(site.app.state.tables.store)}


@pytest.mark.parametrize("seed", range(thorough(3, 30)))
def test_exactly_the_expired_tables_are_deleted(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    kinds: dict[str, bool] = {}
    with open_site(tmp_path, limits=Limits.of(tables=10**6)) as site:
        record = site.ask("GET", f"{make_finished_table(site).path}/record").body
        for _ in range(6):
            kinds[name_of(make_finished_table(site))] = True
            kinds[name_of(Table(site, **QUARTO))] = False
            kinds[name_of(Table(site, seats=["me", "open", "open"]))] = False
            kinds[site.ask("POST", "/api/records", record).json["table"]] = True
    ages = {name: random.choice(AGES) for name in kinds}
    for name, days in ages.items():
        age(tmp_path, name, days)
    keep = Retention(random.choice([None, 10, 30]), random.choice([None, 30, 60]))
    with open_site(tmp_path, keep=keep) as site:
        remaining = run_maintenance(site)
    max_days = {True: keep.finished or 1000, False: keep.unfinished or 1000}
    expected = {name for name, over in kinds.items() if ages[name] < max_days[over]}
    assert remaining & {*kinds} == expected


def test_tables_with_viewers_or_running_clocks_are_not_deleted(tmp_path: Path) -> None:
    clock = {"days": 14}
    with open_site(tmp_path) as site:
        timed = Table(site, **(QUARTO | {"clock": clock}))
        watched, requested, alone = (Table(site, **QUARTO) for _ in range(3))
    for table in (timed, watched, requested, alone):
        age(tmp_path, name_of(table), 100)
    with open_site(tmp_path, keep=Retention(1, 1)) as site:
        listening = site.listen(f"{watched.path}/events", None)
        site.ask("GET", requested.path, token=requested.tokens[0])
        assert run_maintenance(site) == {name_of(table) for table in (timed, watched, requested)}
        listening.leave()
    with open_site(tmp_path, keep=Retention(1, 1)) as site:
        assert run_maintenance(site) == {name_of(timed)}


@pytest.mark.parametrize("made", ["'yesterday'", "X'FF'", "5", "'9999-99-99 00:00:00'"])
def test_a_time_that_cannot_be_read_keeps_its_table_and_no_other(made: str, tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        tables = [Table(site, **QUARTO) for _ in range(3)]
    for table in tables:
        age(tmp_path, name_of(table), 100)
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        change = f"UPDATE tables SET made = {made} WHERE id = ?"
        database.execute(change, (name_of(tables[0]),))
    assert run(["tables", "list", "--data", str(tmp_path), "--json"]) == 0
    with open_site(tmp_path, keep=Retention(1, 1)) as site:
        remaining = run_maintenance(site, 3)
        assert remaining == {name_of(tables[0])}
        assert site.ask("GET", "/").status == 200


def test_a_series_of_games_is_kept_or_deleted_as_a_whole(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = make_finished_table(site)
        first, path = name_of(table), table.path
        last = site.ask("POST", f"{path}/again", {}, table.tokens[0]).json["table"]
        score = site.ask("GET", f"/api/tables/{last}").json["evening"]
        assert score
    age(tmp_path, first, 100)
    for keep in (Retention(1, 1), Retention(1, None)):
        with open_site(tmp_path, keep=keep) as site:
            assert run_maintenance(site) == {first, last}
            assert site.ask("GET", f"/api/tables/{last}").json["evening"] == score
    age(tmp_path, last, 100)
    with open_site(tmp_path, keep=Retention(1, 1)) as site:
        assert run_maintenance(site) == set()
        assert site.ask("GET", path).status == 404


@pytest.mark.parametrize("turns", range(thorough(2, 30)))
def test_requests_that_wait_for_a_deleted_table_are_refused(turns: int, tmp_path: Path) -> None:
    """This holds for every request, however far it has got by then."""
    with open_site(tmp_path, limits=Limits.of(tables=10**6)) as site:
        table, tables = Table(site, **QUARTO, chat=True), site.app.state.tables
        listening = site.listen(f"{table.path}/events", None)
        requests = [
            ("moves", {"version": 0, "id": "a", "move": "hand over A"}), ("talk", {"text": "x"}),
            ("undo", {"version": 0, "agree": True}), ("code", {}), ("elsewhere", {}),
            ("hand-over", {"seat": 0, "player": "easy"}), ("again", {}),
        ]  # fmt: skip

        async def send_and_remove() -> list[Page]:
            waiting = [
                asyncio.create_task(
                    site.send("POST", f"{table.path}/{action}", sent, table.tokens[0])
                )
                for action, sent in requests
            ]
            waiting.append(asyncio.create_task(site.send("GET", table.path)))
            for _ in range(turns):
                await asyncio.sleep(0)
            await tables.live.remove([name_of(table)])
            return await asyncio.gather(*waiting)

        live = site.run(tables.live.open(name_of(table)))
        statuses = [page.status for page in site.run(send_and_remove())]
        assert {*statuses} <= {200, 201, 404, 409}, statuses
        assert turns or {*statuses} == {404}
        for late in (Move(0, None, 0, "b", "hand over A"), VoteUndo(0, None, 0, True)):
            with pytest.raises(HttpError, match="there is no such table") as refusal:
                site.run(live.submit(late))
            assert refusal.value.status == 404
        site.rest()
        assert listening not in tables.streams.open
        assert site.ask("GET", table.path).status == 404
        for kind in TABLE_PARTS:
            of_it = f"SELECT COUNT(*) FROM {kind} WHERE table_id = ?"
            assert tables.store.read(of_it, name_of(table)) == [(0,)], kind


def test_a_deleted_rematch_can_be_made_again(tmp_path: Path) -> None:
    for in_memory in (True, False):
        with open_site(tmp_path / str(in_memory)) as site:
            table = make_finished_table(site)
            tables = site.app.state.tables
            made = [table.post(0, "again").json["table"] for _ in range(2)]
            assert made[0] == made[1] == table.look()["again"]
            if not in_memory:
                tables.live.drop_cached()
            site.run(tables.live.remove(made[:1]))
            assert table.look()["again"] is None
            assert table.post(0, "again").json["table"] not in made


def test_expired_tables_are_deleted_in_batches(tmp_path: Path) -> None:
    limits = Limits.of(kept=7)
    with open_site(tmp_path, limits=limits) as site:
        names = [name_of(Table(site, **QUARTO)) for _ in range(7)]
        assert site.ask("POST", "/api/tables", PEOPLE).status == 507
    for name in names:
        age(tmp_path, name, 100)
    with (
        limited("quaternity.web.maintenance", REMOVAL_BATCH=3),
        open_site(tmp_path, limits=limits, keep=Retention(None, 9)) as site,
    ):
        assert [len(run_maintenance(site, 1)) for _ in range(4)] == [4, 1, 0, 0]
        Table(site)


@pytest.mark.parametrize("days", [120, -120])
@pytest.mark.parametrize("kind", ["file", "postgres"])
def test_no_table_is_deleted_because_a_clock_has_jumped(
    kind: str, days: int, tmp_path: Path, request: pytest.FixtureRequest,
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """This holds while a server runs and at a start, until the operator confirms the clock."""
    place = str(tmp_path)
    owner: Any = Reader
    if kind == "postgres":
        place = request.getfixturevalue("cluster").place(tmp_path.name)
        owner = pytest.importorskip("quaternity.web.postgres_reader").PostgresReader
    original = owner.now

    def left_after(ahead: float) -> set[str]:
        """Return the names of the tables that remain if the clock is this many days ahead."""
        monkeypatch.setattr(owner, "now", lambda store: original(store) + ahead * 86_400)
        with open_site(place, keep=Retention(100, 100)) as site:
            return run_maintenance(site)

    with open_site(place, keep=Retention(100, 100)) as site:
        names = {name_of(Table(site, **QUARTO)) for _ in range(3)}
        monkeypatch.setattr(owner, "now", lambda store: original(store) + days * 86_400)
        assert run_maintenance(site) == names
        # A table that is made with the wrong clock does not make that clock credible.
        names.add(name_of(Table(site, **QUARTO)))
    assert left_after(days) == left_after(days) == names
    assert caplog.text.count("quaternity tables confirm-clock") == 3
    # A server that was off for a few days continues without a warning.
    assert left_after(0) == left_after(5) == left_after(10) == names
    assert caplog.text.count("quaternity tables confirm-clock") == 3
    assert left_after(130) == names
    assert run(["tables", "confirm-clock", "--data", place]) == 0
    assert left_after(130) == set()
