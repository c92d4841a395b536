"""Every store, whatever its database; and a PostgreSQL that is stopped and started."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from quaternity.base.errors import InputError
from quaternity.web.app import app
from quaternity.web.changes import ChangeNotice, Entry, Presence, Statement, VersionConflict
from quaternity.web.http_errors import HttpError
from quaternity.web.migrations import MIGRATIONS
from quaternity.web.open_store import check_store, open_reader, open_store
from quaternity.web.rate_limits import Limits
from quaternity.web.reader import InUse
from quaternity.web.seats import Owner, Pace, Seat
from quaternity.web.store import Store
from quaternity.web.table_admin import list_tables, removal_statements
from quaternity.web.table_rows import SEAT_COLUMNS, seat_of_row, seat_statement
from tests.limits import limited
from tests.sizes import thorough
from tests.web.cluster import Cluster, alter
from tests.web.site import Site
from tests.web.tables import Table

LOG = "SELECT version, seat, id, move FROM log WHERE table_id = ? ORDER BY version"
LIMITS = Limits.of(tables=10**6, moves=10**6, pages=10**6)


@pytest.fixture(params=["file", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return a location for a new store."""
    if request.param == "file":
        return str(tmp_path / "tables")
    cluster: Cluster = request.getfixturevalue("cluster")
    return cluster.place(tmp_path.name)


def insert(name: str, **values: Any) -> Statement:
    row = {"id": name, "game": "set", "head": "h", "seed": "", "help": True, "practice": False,
           "archive": False, "chat": False} | values  # fmt: skip
    marks = ", ".join("?" for _ in row)
    return f"INSERT INTO tables ({', '.join(row)}) VALUES ({marks})", tuple(row.values())


def test_writes_are_read_after_a_restart(place: str) -> None:
    async def fill(store: Store) -> None:
        await asyncio.gather(
            *(store.write((Entry("t", number, 0, f"i{number}", "yes"),)) for number in range(1, 50))
        )

    with closing(open_store(place)) as store:
        asyncio.run(fill(store))
        assert store.writing.appended == 49
        assert [version for version, *_ in store.read(LOG, "t")] == list(range(1, 50))
    assert not [*Path(place).glob("*-wal")], "no other file would have to be copied"
    with closing(open_store(place)) as store:
        assert store.read(LOG, "t")[0] == (1, 0, "i1", "yes")
        assert store.size() > 0


def test_one_of_two_writes_with_the_same_version_is_kept(place: str) -> None:
    async def both(store: Store) -> list[object]:
        jobs = [
            store.write((Entry("t", 1, seat, "", f"by {seat}"),), (insert(f"of {seat}"),))
            for seat in (0, 1)
        ]
        other = store.write((Entry("u", 1, 0, "", "by 0"),))
        return await asyncio.gather(*jobs, other, return_exceptions=True)

    with closing(open_store(place)) as store:
        first, second, other = asyncio.run(both(store))
        assert first is other is None
        assert isinstance(second, HttpError)
        assert second.status == 409
        assert store.read(LOG, "t") == [(1, 0, "", "by 0")]
        # A write is kept completely, or not at all.
        assert store.read("SELECT id FROM tables") == [("of 0",)]
        with pytest.raises(HttpError):
            asyncio.run(store.write((Entry("t", 1, 1, "", "late"),)))
        assert store.trouble is None, "a conflict is not a failure of the store"


def test_values_come_back_as_they_were(place: str) -> None:
    texts = ["", "it's 100 % ?", "ß→😀", "line\nline", '{"a": "\\u0000"}']
    seat = Seat(
        "person", None, texts[2], Owner("t", "b", texts[1]), pace=Pace(0.1, 2), origin="t/1"
    )
    with closing(open_store(place)) as store:
        rows = [insert(f"t{number}", head=text) for number, text in enumerate(texts)]
        changes = [*rows, insert("c", due=1 / 3, clock="{}"), seat_statement("c", 0, Seat("open")),
                   seat_statement("c", 0, seat)]  # fmt: skip
        asyncio.run(store.write((), changes))
        heads = store.read("SELECT head FROM tables WHERE id LIKE 't%' ORDER BY id")
        assert [head for (head,) in heads] == texts
        assert seat_of_row(store.read(f"SELECT {SEAT_COLUMNS} FROM seats")[0]) == seat
        due = store.read("SELECT due, help, practice, places FROM tables WHERE id = 'c'")
        assert due == [(1 / 3, 1, 0, None)]


def test_clocks_continue_after_a_restart(place: str) -> None:
    with closing(open_store(place)) as store:
        asyncio.run(store.write((), [("UPDATE uptime SET seconds = ?", (1000.25,))]))
        assert store.read("SELECT seconds FROM uptime") == [(1000.25,)]
        store._up += 5000  # as if 5,000 seconds had passed
        before = store.uptime()
    with closing(open_store(place)) as store:
        assert before <= store.uptime() < before + 60


def test_tables_are_listed_and_removed_while_a_server_runs(place: str) -> None:
    changes = [insert("a"), insert("b"), seat_statement("a", 0, Seat("person"))]
    with closing(open_store(place)) as store:
        asyncio.run(store.write((Entry("a", 1, 0, "", "m"), Entry("b", 1, 0, "", "m")), changes))
        with closing(open_reader(place)) as reader:
            with reader.at_one_moment():
                before = list_tables(reader)
                asyncio.run(store.write((Entry("a", 2, 0, "", "m"),)))
                assert list_tables(reader) == before
            rows = list_tables(reader)
            assert {row.id: (row.activity.moves, row.seats.people) for row in rows} == {
                "a": (2, 1), "b": (1, 0)
            }  # fmt: skip
            reader.order_removal(["a", "x"])
            reader.order_removal(["a"])
            assert reader.faults() == []
        ordered = [name for (name,) in store.read("SELECT table_id FROM removing")]
        assert sorted(ordered) == ["a", "x"]
        asyncio.run(store.write((), removal_statements(ordered)))
        for kind in ("seats", "log", "removing"):
            assert not store.read(f"SELECT * FROM {kind} WHERE table_id = 'a'")
        assert [row.id for row in list_tables(store)] == ["b"]


def test_one_server_at_a_time_has_a_folder(tmp_path: Path) -> None:
    place = str(tmp_path / "tables")
    check_store(place)
    with closing(open_store(place)):
        for opener in (open_store, check_store):
            with pytest.raises(InputError, match="another server is using the tables"):
                opener(place)
    check_store(place)
    open_store(place).close()


def test_exclusive_access_is_refused_while_a_store_is_open(place: str) -> None:
    with closing(open_store(place)), pytest.raises(InUse):
        open_store(place, alone=True)
    open_store(place, alone=True).close()
    open_store(place).close()


def test_a_store_of_a_newer_program_is_refused(place: str) -> None:
    with pytest.raises(InputError):
        open_reader(place)
    open_store(place).close()
    changed = f"PRAGMA user_version = {len(MIGRATIONS) + 1}"
    if "://" in place:
        changed = f"UPDATE schema_version SET number = {len(MIGRATIONS) + 1}"
    alter(place, changed)
    for opener in (open_store, check_store, open_reader):
        with pytest.raises(InputError, match="newer version"):
            opener(place)


def test_rows_without_a_table_are_reported(place: str) -> None:
    with closing(open_store(place)) as store:
        asyncio.run(store.write((Entry("gone", 1, 0, "", "m"),)))
    with closing(open_reader(place)) as reader:
        assert [fault.partition(": ")[2] for fault in reader.faults()] == [
            "the SQL table log has rows of game tables that no longer exist"
        ]


# ---------------------------------------------------------------------- PostgreSQL alone


def test_secrets_of_an_address_are_shown_to_nobody() -> None:
    pytest.importorskip("psycopg")
    bad = ["postgresql://u:secret%zz@localhost/x", "postgresql://u:secret@127.0.0.1:1/x",
           "postgres://u:secret@host:port/x", "mysql://u:secret@x/y"]  # fmt: skip
    for place in bad:
        with pytest.raises(InputError) as caught:
            open_store(place)
        assert "secret" not in str(caught.value)


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """Start a cluster that may be stopped."""
    made = Cluster()
    yield made
    made.close()


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds; fail after a minute."""
    end = monotonic() + 60
    while not condition():
        assert monotonic() < end, "never"


def has_health(site: Site, status: int) -> bool:
    """Return whether the health check of a server has this status."""
    return site.ask("GET", "/healthz").status == status


def shows_version(site: Site, table: Table, version: int) -> bool:
    """Return whether a server shows this version of a table."""
    page = site.ask("GET", table.path)
    assert page.status in (200, 503), page.body
    return page.status == 200 and page.json["version"] == version


@limited("quaternity.web.postgres_reader", PAUSE_SECONDS=0)
@limited("quaternity.web.postgres_sharing", LISTEN_SECONDS=0.01)
def test_a_stopped_database_is_reported_and_games_continue(own_cluster: Cluster) -> None:
    """This also holds for a second server, which learns of the moves made meanwhile."""
    apps = [app(own_cluster.place("x"), limits=LIMITS) for _ in range(2)]
    with Site(apps[0]) as site, Site(apps[1]) as other:
        table = Table(site, game="quarto", settings={}, seats=["me", "me"])
        for turn in range(thorough(2, 4)):
            table.site = (site, other)[turn % 2]
            seat = table.look()["to_act"][0]
            text = table.look(seat)["moves"][0]
            own_cluster.stop("fast" if turn in (1, 2) else "immediate")
            page = table.move(seat, text, turn, f"move {turn}")
            assert page.status == 503, page.body
            assert "no connection to the database" in page.json["error"]
            notice = table.look()["notice"]
            assert notice.endswith("so moves are refused: no connection to the database")
            if not turn:
                wait_until(partial(has_health, other, 503))
            own_cluster.start()

            def retry(seat: int = seat, text: str = text, version: int = turn) -> bool:
                page = table.move(seat, text, version, f"move {version}")
                assert page.status in (200, 503), page.body
                return page.status == 200

            wait_until(retry)
            for server in (other, site):
                wait_until(partial(shows_version, server, table, turn + 1))
        wait_until(partial(has_health, other, 200))
        wait_until(lambda: site.ask("GET", "/healthz").status == 200)


def test_frequent_requests_do_not_reconnect_more_often(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    from quaternity.web import postgres_reader

    place, other = cluster.place("pause"), cluster.place("postgres")
    now, attempts = [1000.0], list[float]()
    cut = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = 'pause'"
    connect = psycopg.connect

    def refuse(*address: Any, **options: Any) -> Any:
        attempts.append(now[0])
        raise psycopg.OperationalError("nobody answers")

    with closing(open_store(place)) as store:
        monkeypatch.setattr(postgres_reader, "monotonic", lambda: now[0])
        monkeypatch.setattr(psycopg, "connect", refuse)
        with connect(other, autocommit=True) as database:
            database.execute(cut)
        for _ in range(40):
            with pytest.raises(HttpError, match="cannot be read now"):
                store.read("SELECT 1")
            now[0] += postgres_reader.PAUSE_SECONDS / 8
        monkeypatch.setattr(psycopg, "connect", connect)
        now[0] += postgres_reader.PAUSE_SECONDS
        assert store.read("SELECT 1") == [(1,)]
    assert len(attempts) == 40 / 8
    assert all(
        after - before >= postgres_reader.PAUSE_SECONDS for before, after in pairwise(attempts)
    )


def test_one_of_two_writes_of_one_revision_by_two_servers_is_kept(cluster: Cluster) -> None:
    """This holds for all writes and batches: revisions are counted one by one."""
    place = cluster.place("two")

    async def write(stores: list[Store], names: list[str], rounds: int) -> Counter[str]:
        written: Counter[str] = Counter()

        async def hammer(store: Store, name: str) -> None:
            for _ in range(rounds):
                revision = store.read("SELECT revision FROM tables WHERE id = ?", name)[0][0]
                entry = Entry(name, revision + 1, 0, "", "m")
                try:
                    await store.write(
                        (entry,), (), (name, revision), (ChangeNotice(name, revision + 1),)
                    )
                except VersionConflict:
                    continue
                written[name] += 1

        await stores[0].write((), [insert(name) for name in names])
        await asyncio.gather(*(hammer(store, name) for store in stores for name in names))
        return written

    with closing(open_store(place)) as first, closing(open_store(place)) as second:
        names = ["a", "b", "c"]
        written = asyncio.run(write([first, second], names, thorough(20, 300)))
        for name in names:
            versions = [version for version, *_ in first.read(LOG, name)]
            assert versions == list(range(1, written[name] + 1))
            ((revision,),) = first.read("SELECT revision FROM tables WHERE id = ?", name)
            assert revision == written[name]
    alter(place, "TRUNCATE tables, log")


def test_servers_get_each_notice_once_and_use_one_clock(cluster: Cluster) -> None:
    place = cluster.place("hear")
    notices: list[ChangeNotice] = []

    async def exchange_notices(first: Store, second: Store) -> None:
        missed = asyncio.Event()
        second.sharing.listen(notices.extend, missed.set)
        await missed.wait()  # from now on it receives everything
        await first.write(
            (), [insert("t")], None, [ChangeNotice("t", 1, Entry("t", 1, 0, "", "x" * 9000))]
        )
        first.sharing.notify(*(ChangeNotice("t", 0, None, "talk", number) for number in range(300)))
        second.sharing.notify(ChangeNotice("t", 0, None, "talk", "its own"))
        assert await first.sharing.claim("k")
        assert not await second.sharing.claim("k")
        assert await first.sharing.claim("other")
        first.sharing.release("k")
        # A cancelled claim is held by nobody.
        waiting = asyncio.create_task(second.sharing.claim("late"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        await second.sharing.claim("after it")
        await second.sharing.claim("and after that")
        assert await first.sharing.claim("late")
        alter(place, "NOTIFY quaternity, 'nonsense'")
        missed.clear()
        await asyncio.wait_for(missed.wait(), 60)  # it listens again, and reloads everything
        await asyncio.wait_for(_async_wait_until(lambda: len(notices) == 301), 60)
        first.sharing.exchange([Presence("t", 1, "", 2, first.uptime())], {'"x"': (5.0, 1)})
        (presence,), used = second.sharing.exchange([], {'"x"': (7.0, 1)})
        assert (presence.table, presence.seat, presence.streams) == ("t", 1, 2)
        assert abs(presence.seen - second.uptime()) < 60
        assert 10 < used['"x"'] < 13  # the clocks of the servers are almost equal

    with closing(open_store(place)) as first, closing(open_store(place)) as second:
        asyncio.run(exchange_notices(first, second))
        times = first.uptime(), second.uptime(), first.uptime()
        assert times[0] - 1 < times[1] < times[2] + 1
    # A notice that is too long for a notification is reloaded instead.
    assert notices[0] == ChangeNotice("t", 1)
    assert [notice.data for notice in notices[1:]] == list(range(300))
    with closing(open_store(place)) as third:
        assert asyncio.run(third.sharing.claim("k")), "claims end with their server"


async def _async_wait_until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0)


@limited("quaternity.web.postgres_reader", PAUSE_SECONDS=0)
def test_a_connection_that_breaks_while_moves_are_written_loses_none(own_cluster: Cluster) -> None:
    """Confirmed moves are stored; stored moves that were not confirmed are reread."""
    place = own_cluster.place("x")
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid != pg_backend_pid()"
    forgotten, refused = 0, set()

    async def play(store: Store) -> list[int]:
        confirmed, version = [], 0
        while version < thorough(300, 3000):
            try:
                await store.write((Entry("t", version + 1, 0, "", "m"),))
                confirmed.append(version + 1)
            except HttpError as error:
                refused.add(error.status)
                rows = await asyncio.to_thread(_read_log, store, "t")
                if rows is None:
                    continue
                version = rows[-1][0] if rows else 0
                continue
            version += 1
            if version % 100 == 50:
                await asyncio.to_thread(own_cluster.execute, place, cut)
        return confirmed

    with closing(open_store(place)) as store:

        def forget() -> None:
            nonlocal forgotten
            forgotten += 1

        store.on_doubt = forget
        confirmed = asyncio.run(play(store))
        versions = [version for version, *_ in store.read(LOG, "t")]
    assert versions == list(range(1, len(versions) + 1))
    assert set(confirmed) <= set(versions)
    assert forgotten
    assert refused <= {409, 503}


def _read_log(store: Store, name: str) -> list[tuple[Any, ...]] | None:
    try:
        return store.read(LOG, name)
    except HttpError:
        return None


# ---------------------------------------------------------------------- earlier versions


def copy_to_version(cluster: Cluster, source: str, target: str, version: int) -> None:
    """Copy the tables of a PostgreSQL to a new one with the tables of an earlier version."""
    import psycopg

    from quaternity.web.postgres import postgres_schema

    with (
        psycopg.connect(cluster.place(source)) as now,
        psycopg.connect(cluster.place(target)) as earlier,
    ):
        for script in MIGRATIONS[:version]:
            for text in filter(str.strip, postgres_schema(script).split(";")):
                earlier.execute(text.encode())
        earlier.execute("CREATE TABLE schema_version (number BIGINT NOT NULL)")
        earlier.execute(f"INSERT INTO schema_version VALUES ({version})".encode())
        earlier.execute("CREATE TABLE server (name TEXT NOT NULL)")
        earlier.execute("INSERT INTO server VALUES ('salt')")
        for name in ("tables", "seats", "log", "talk", "moving"):
            described = earlier.execute(f"SELECT * FROM {name}".encode()).description or ()
            columns = ", ".join(column.name for column in described)
            for row in now.execute(f"SELECT {columns} FROM {name}".encode()).fetchall():
                marks = ", ".join(["%s"] * len(row))
                insert = f"INSERT INTO {name} ({columns}) VALUES ({marks})"
                earlier.execute(insert.encode(), row)


@pytest.mark.parametrize("version", [len(MIGRATIONS) - back for back in (1, 2, 3)])
def test_a_postgresql_of_an_earlier_version_is_migrated(version: int, cluster: Cluster) -> None:
    quarto = {"game": "quarto", "settings": {}, "seats": ["me", "me"], "clock": {"seconds": 60}}
    target = f"version{version}"
    with Site(app(cluster.place("newest"), limits=LIMITS)) as site:
        table = Table(site, chat=True, **quarto)
        table.move(0, table.look(0)["moves"][0])
        table.post(1, "talk", text="hello")
        before = table.look(1)
    copy_to_version(cluster, "newest", target, version)
    with Site(app(cluster.place(target), limits=LIMITS)) as table.site:
        after = table.look(1)
        for state in (before, after):
            del state["clock"]["left"]
        assert before == after
        assert table.move(1, after["moves"][0]).status == 200
        code = table.post(0, "code").json["code"]
        back = table.site.ask("POST", "/api/seats/back", {"code": code})
        assert (back.status, back.json["seat"]) == (201, 0)
    assert cluster.execute(cluster.place(target), "SELECT number FROM schema_version") == [
        (len(MIGRATIONS),)
    ]


@pytest.mark.parametrize("version", [len(MIGRATIONS) - back for back in (1, 2, 3)])
def test_a_server_refuses_tables_that_an_earlier_version_serves(
    version: int, cluster: Cluster
) -> None:
    """The tables keep their version, and are migrated once the earlier server has ended."""
    import psycopg

    from quaternity.web.postgres import LOCK

    target = f"served{version}"
    open_store(cluster.place("newest")).close()
    copy_to_version(cluster, "newest", target, version)
    place, query = cluster.place(target), "SELECT number FROM schema_version"
    with psycopg.connect(place, autocommit=True) as earlier:
        earlier.execute(f"SELECT pg_advisory_lock_shared({LOCK})".encode())
        refused = pytest.raises(InputError, match="a server of another version is using")
        with limited("quaternity.web.postgres", LOCK_TRIES=2), refused:
            open_store(place)
        assert cluster.execute(place, query) == [(version,)]
        opening = ThreadPoolExecutor(1).submit(open_store, place)  # it waits for the lock
        tries = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
        wait_until(lambda: len(cluster.execute(place, f"{tries} AND query LIKE '%lock%'")) > 2)
    opening.result().close()
    assert cluster.execute(place, query) == [(len(MIGRATIONS),)]
