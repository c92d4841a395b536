"""Damaged files of tables: the server refuses them with advice, or answers all requests."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.base.errors import InputError
from quaternity.web.app import app
from quaternity.web.changes import Entry
from quaternity.web.http_errors import HttpError
from quaternity.web.migrations import MIGRATIONS
from quaternity.web.rate_limits import Limits
from quaternity.web.sqlite_connection import FILE
from quaternity.web.sqlite_file import FileStore, check_folder
from tests.sizes import thorough
from tests.web.server import Server
from tests.web.site import Page, Site
from tests.web.tables import PEOPLE, Table, open_site
from tests.web.wire import Clients

pytestmark = pytest.mark.usefixtures("kept_processes")

GAMES: dict[str, dict[str, Any]] = {
    "quaternity": {"set_size": 4, "sets": 3, "players": 3},
    "kwartet": {"players": 3, "sets": 5},
    "set": {},
}
PAGE = 4096
LIMITS = Limits.of(tables=10**6, moves=10**6, pages=10**6)


class SavedGames:
    """A file of tables that have some moves each."""

    def __init__(self, folder: Path) -> None:
        self.tables: list[Table] = []
        with open_site(folder, limits=LIMITS) as site:
            for game, wanted in GAMES.items():
                for seed in range(8):
                    third = "open" if seed % 2 else "easy"  # such a table waits
                    table = Table(site, game=game, settings=wanted, seats=["me", "me", third])
                    for _ in range(4):
                        seat = next(iter(table.look()["to_act"]), 2)
                        moves = table.look(seat)["moves"] if seat < 2 else []
                        if moves:
                            table.move(seat, Random(seed).choice(moves))
                    self.tables.append(table)
        self.data = (folder / FILE).read_bytes()


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> SavedGames:
    return SavedGames(tmp_path_factory.mktemp("played"))


def damaged(data: bytes, random: Random) -> bytes:
    """Return the file after an accident."""
    changed, place = bytearray(data), random.randrange(len(data))
    match random.randrange(5):
        case 0:
            changed[place] ^= 1 << random.randrange(8)
        case 1:
            changed[place : place + 3] = b"zzz"
        case 2:
            changed[place : place + 200] = random.randbytes(200)
        case 3:
            page = place // PAGE * PAGE
            changed[page : page + PAGE] = random.choice([b"\0", b"x"]) * PAGE
        case _:
            del changed[place:]
    return bytes(changed)


def answers(site: Site, tables: list[Table]) -> Iterator[Page]:
    """Send all kinds of requests and yield the answers; each request must have one."""
    for table in tables:
        name, path, token = table.made["table"], table.path, table.tokens[0]
        invitation = (table.made["invitation"] or "none").rpartition("/")[2]
        yield site.ask("GET", path, token=token)
        yield site.ask("GET", f"{path}/record")
        yield site.ask("GET", f"/t/{name}")
        yield site.ask("GET", f"/t/{name}/at/2")
        yield site.ask("GET", "/", headers={"cookie": f"quaternity={'a' * 22}"})
        move = {"version": 4, "id": "later", "move": "no"}
        yield site.ask("POST", f"{path}/moves", move, token)
        yield site.ask("POST", f"{path}/hand-over", {"seat": 0, "player": "random"}, token)
        yield site.ask("POST", "/api/seats", {"invitation": invitation})
        yield site.ask("POST", "/api/tables", PEOPLE)


def test_a_damaged_file_is_refused_or_every_request_is_answered(
    games: SavedGames, tmp_path: Path
) -> None:
    refused = 0
    for seed in range(thorough(12, 200)):
        random = Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / FILE).write_bytes(damaged(games.data, random))
        try:
            application = app(str(folder), limits=LIMITS)
        except InputError:
            refused += 1
            continue
        with Site(application) as site:
            for page in answers(site, random.sample(games.tables, 3)):
                clear = (
                    b"its stored data is damaged" in page.body or b"cannot be read now" in page.body
                )
                assert page.status < 500 or clear, (seed, page)
    assert refused > 2


SECRETS = ["log.id", "log.move", "seats.token", "seats.name", "tables.seed", "tables.invitation"]


@pytest.mark.parametrize("place", SECRETS)
def test_text_that_cannot_be_decoded_is_shown_to_nobody(
    place: str, games: SavedGames, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE).write_bytes(games.data)
    kind, _, column = place.partition(".")
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        database.execute(f"UPDATE {kind} SET {column} = CAST({column} || X'7177FF' AS TEXT)")
    with Site(app(str(tmp_path), limits=LIMITS)) as site:
        pages = list(answers(site, games.tables[:3]))
    assert {page.status for page in pages} - {200, 303}
    shown = b"".join(page.body for page in pages) + caplog.text.encode()
    assert b"qw\xef\xbf\xbd" not in shown


def test_a_table_with_the_record_of_another_game_is_reported(
    games: SavedGames, tmp_path: Path
) -> None:
    (tmp_path / FILE).write_bytes(games.data)
    table = games.tables[0]
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        database.execute("UPDATE tables SET game = 'kwartet'")
    with Site(app(str(tmp_path), limits=LIMITS)) as site:
        page = site.ask("GET", table.path, token=table.tokens[0])
    assert b"its stored data is damaged" in page.body


VALUES = ["X'FF00'", "'soon'", "-1", "1e300"]


@pytest.mark.parametrize("first", range(thorough(1, len(VALUES))))
@pytest.mark.parametrize("kind", ["tables", "seats", "log"])
def test_a_value_of_a_wrong_type_is_reported_in_words(
    kind: str, first: int, games: SavedGames, tmp_path: Path
) -> None:
    """Each column gets one of the values, and all of them in the thorough run."""
    (tmp_path / FILE).write_bytes(games.data)
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        columns = [name for _, name, *_ in database.execute(f"PRAGMA table_info({kind})")]
    for number, column in enumerate(columns, first):
        value, folder = VALUES[number % len(VALUES)], tmp_path / column
        folder.mkdir()
        (folder / FILE).write_bytes(games.data)
        # A unique column cannot have the same value in every row.
        with suppress(sqlite3.IntegrityError), closing(sqlite3.connect(folder / FILE)) as database:
            database.execute(f"UPDATE {kind} SET {column} = {value}")
            database.commit()
        with Site(app(str(folder), limits=LIMITS)) as site:
            for page in answers(site, games.tables[:2]):
                clear = (
                    b"its stored data is damaged" in page.body or b"cannot be read now" in page.body
                )
                assert page.status < 500 or clear, (column, page)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE uptime SET seconds = 'abc'", "UPDATE uptime SET seconds = X'00'",
        "UPDATE uptime SET seconds = -9e999", "UPDATE uptime SET seconds = 9e999",
        "PRAGMA user_version = 0", "PRAGMA user_version = 3", "PRAGMA user_version = -1",
    ],
)  # fmt: skip
def test_a_file_that_another_program_changed_is_refused_with_advice(
    change: str, games: SavedGames, tmp_path: Path
) -> None:
    (tmp_path / FILE).write_bytes(games.data)
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        database.execute(change)
    before = (tmp_path / FILE).read_bytes()
    for begin in (check_folder, FileStore):
        with pytest.raises(
            InputError, match=r"is damaged \(.*replace it by a backup|unreleased version"
        ):
            begin(str(tmp_path))
    assert (tmp_path / FILE).read_bytes() == before


def test_a_damaged_file_of_an_older_version_stays_as_it_is(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        for number in range(len(MIGRATIONS) - 1):
            database.executescript(MIGRATIONS[number])
        database.execute(f"PRAGMA user_version = {len(MIGRATIONS) - 1}")
        database.executemany("INSERT INTO removing VALUES (?)", [(f"{n:099}",) for n in range(99)])
        database.commit()
    data = bytearray((tmp_path / FILE).read_bytes())
    data[-PAGE:] = b"x" * PAGE
    (tmp_path / FILE).write_bytes(data)
    for begin in (check_folder, FileStore):
        with pytest.raises(InputError, match="is damaged"):
            begin(str(tmp_path))
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) - 1,)


def test_a_file_with_foreign_tables_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        database.execute("CREATE TABLE a (x)")
    with pytest.raises(InputError, match="another program wrote this file"):
        FileStore(str(tmp_path))


def test_a_damaged_file_is_refused_with_advice(games: SavedGames, tmp_path: Path) -> None:
    data = bytearray(games.data)
    data[3 * PAGE : 4 * PAGE] = b"x" * PAGE
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(InputError, match=r"is damaged \(.*replace it by a backup.*\.recover"):
        FileStore(str(tmp_path))


def test_a_file_with_another_schema_is_refused(games: SavedGames, tmp_path: Path) -> None:
    """The server starts only if every word of its tables and indexes is its own."""
    data = games.data.replace(b"invitation TEXT", b"invitatiom TEXT")
    assert data != games.data
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(InputError, match=r"tables\.sqlite.*seats"):
        FileStore(str(tmp_path))


def test_damage_while_the_server_runs_is_a_clear_refusal(games: SavedGames, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(games.data)
    with open_site(tmp_path, limits=LIMITS) as site:
        with (tmp_path / FILE).open("r+b") as file:
            file.seek(PAGE)
            file.write(b"x" * (len(games.data) - PAGE))
        table = games.tables[0]
        page = site.ask("GET", table.path)
        assert (page.status, "cannot be read now" in page.json["error"]) == (503, True)
        page = site.ask("GET", f"/t/{table.made['table']}")
        assert (page.status, b"cannot be read now" in page.body) == (503, True)
        assert {page.status for page in answers(site, games.tables)} <= {200, 201, 503}


def test_a_write_to_a_damaged_file_is_refused(games: SavedGames, tmp_path: Path) -> None:
    async def write(store: FileStore) -> None:
        await store.write((Entry("t", 1, 0, "", "yes"),))

    (tmp_path / FILE).write_bytes(games.data)
    store = FileStore(str(tmp_path))
    store.writer.execute("PRAGMA shrink_memory")
    (tmp_path / FILE).write_bytes(games.data[:PAGE] + b"x" * (len(games.data) - PAGE))
    with pytest.raises(HttpError, match="nothing can be saved now") as refusal:
        asyncio.run(write(store))
    assert refusal.value.status == 503
    assert store.trouble is not None
    store.close()


def test_a_fault_of_the_server_is_reported_without_details(tmp_path: Path) -> None:
    async def ask(server: Server) -> None:
        async with Clients(server.host) as clients:
            table = await clients.table("quarto", {}, ["me", "me"], chat=True)
            with closing(sqlite3.connect(server.data / FILE)) as other, other:
                row = (table.name, 0, 1, 0, b"\xff", "secret")
                other.execute("INSERT INTO talk VALUES (?, ?, ?, ?, ?, ?)", row)
            line = await clients.line()
            for language, words in (("en", b"the server failed"), ("nl", b"er ging iets mis")):
                path = table.path(f"/talk?language={language}")
                page = await line.ask("GET", path, token=table.tokens[0])
                assert page.status == 500
                assert words in page.body
                assert b"secret" not in page.body
                line = await clients.line()

    with Server(tmp_path / "data") as server:
        asyncio.run(ask(server))
        assert server.stop() == 0


@pytest.mark.parametrize("instead", [None, "another", "nothing"])
def test_a_write_to_a_removed_file_is_refused(
    instead: str | None, games: SavedGames, tmp_path: Path
) -> None:
    """SQLite still writes to a file that was removed or replaced by another."""
    (tmp_path / FILE).write_bytes(games.data)
    with open_site(tmp_path, limits=LIMITS) as site:
        aside = (tmp_path / FILE).rename(tmp_path / "aside")
        if instead:
            (tmp_path / FILE).write_bytes(games.data if instead == "another" else b"")
        page = site.ask("POST", "/api/tables", PEOPLE)
        assert (page.status, "moved, removed or emptied" in page.json["error"]) == (503, True)
        assert site.ask("GET", "/healthz").status == 503
        aside.rename(tmp_path / FILE)
        assert site.ask("POST", "/api/tables", PEOPLE).status == 201


def test_a_write_to_an_emptied_file_is_refused(games: SavedGames, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(games.data)
    with open_site(tmp_path, limits=LIMITS) as site:
        table = Table(site, game="quarto", settings={}, seats=["me", "me"])
        (first, *_), version = table.look(0)["moves"], table.look(0)["version"]
        os.truncate(tmp_path / FILE, 0)
        sent = {"version": version, "id": "a", "move": first}
        page = site.ask("POST", f"{table.path}/moves", sent, table.tokens[0])
        assert (page.status, "moved, removed or emptied" in page.json["error"]) == (503, True)


def test_a_dropped_table_of_the_database_is_not_reported_as_a_full_disk(
    games: SavedGames, tmp_path: Path
) -> None:
    (tmp_path / FILE).write_bytes(games.data)
    with open_site(tmp_path, limits=LIMITS) as site:
        with closing(sqlite3.connect(tmp_path / FILE)) as other:
            other.execute("DROP TABLE seats")
        assert site.ask("POST", "/api/tables", PEOPLE).status == 503
