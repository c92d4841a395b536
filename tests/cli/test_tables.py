"""`quaternity tables`: inspect, copy and delete the tables of a server while it runs."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import cycle
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from quaternity.cli.status import ExitStatus
from quaternity.table.games import rules_of_record
from quaternity.web.app import app
from quaternity.web.migrations import MIGRATIONS
from quaternity.web.sqlite_connection import FILE
from quaternity.web.sqlite_file import FileReader, FileStore
from quaternity.web.table_admin import ORDERS, TABLE_PARTS
from tests.cli.conftest import Cli
from tests.faults import Death, Disk, Fault
from tests.limits import limited
from tests.web.cluster import Cluster
from tests.web.site import Site
from tests.web.tables import Table, open_site

QUARTO = {"game": "quarto", "settings": {}, "seats": ["me", "me"]}
KWARTET = {"game": "kwartet", "settings": {"players": 3, "sets": 3}, "seats": ["me"] * 3}

SMALLEST = {"set_size": 2, "sets": 2, "players": 2}


@pytest.fixture(scope="module", autouse=True)
def patient_store() -> Iterator[None]:
    """Wait longer for the store than a server does, because the machine may be busy."""
    with limited("quaternity.web.store", ANSWER_SECONDS=60):
        yield


class Running:
    """A server with a table in each state; `states` maps each table's name to its state."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.site, self.folder = site, folder
        self.open = Table(site, **QUARTO)
        self.hidden = Table(site, **KWARTET)
        self.waits = Table(site, **(KWARTET | {"seats": ["me", "open", "easy"]}))
        self.over = Table(site, settings=SMALLEST, seats=["me", "me"])
        play(self.open, 3)
        play(self.hidden, 2)
        play(self.over, 400)
        assert self.over.look()["outcome"]
        record = site.ask("GET", f"{self.over.path}/record").body
        self.uploaded = site.ask("POST", "/api/records", record).json["table"]

    @property
    def states(self) -> dict[str, str]:
        tables = {"under way": self.open, "waiting": self.waits, "over": self.over}
        names = {name_of(table): state for state, table in tables.items()}
        return names | {name_of(self.hidden): "under way", self.uploaded: "uploaded"}


def play(table: Table, limit: int) -> None:
    """Make the last legal move of every seat to act, up to `limit` times."""
    for _ in range(limit):
        for seat in table.look()["to_act"]:
            moves = table.look(seat)["moves"]
            assert table.move(seat, moves[-1]).status == 200


def name_of(table: Table) -> str:
    return str(table.made["table"])


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    folder = tmp_path / "data"
    with open_site(folder) as site:
        yield Running(site, folder)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def change(folder: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / FILE)) as database:
        database.execute(statement, values)
        database.commit()


def test_a_list_has_every_table_and_shows_no_secrets(running: Running, cli: Cli) -> None:
    document = cli("tables", "list", "--data", running.folder, "--json").json
    assert {row["id"]: row["state"] for row in document["tables"]} == running.states
    assert document["kept"] == len(running.states)
    for order in ORDERS:
        words = ("tables", "list", "--data", running.folder, "--order", order, "--limit", 4)
        rows = cli(*words, "--json").json["tables"]
        in_order = sorted(rows, key=itemgetter(order), reverse=order != "game")
        assert (rows, len(rows)) == (in_order, 4)
        assert "4 of 5 tables" in cli(*words).out
    for name in running.states:
        shown = cli("tables", "show", name, "--data", running.folder)
        assert (shown.status, name in shown.out) == (0, True)
        assert not [token for token in running.hidden.tokens if token in shown.out]
    invitation = running.waits.made["invitation"].rpartition("/")[2]
    assert invitation not in cli("tables", "show", name_of(running.waits),
                                 "--data", running.folder, "--json").out  # fmt: skip


def test_an_export_equals_the_record_for_players_and_needs_an_option_for_hands(
    running: Running, cli: Cli, tmp_path: Path
) -> None:
    data = ("--data", running.folder)
    for table in (running.open, running.over):
        record = running.site.ask("GET", f"{table.path}/record").body.decode()
        assert cli("tables", "export", name_of(table), *data).out == record
    refused = cli("tables", "export", name_of(running.hidden), *data)
    assert (refused.status, refused.out, "--hidden" in refused.err) == (2, "", True)
    waits = cli("tables", "export", name_of(running.waits), "--hidden", *data)
    assert (waits.status, "has not begun" in waits.err) == (2, True)
    for options, kept in (((), 3), (("--hidden",), 4)):
        out = tmp_path / f"records{kept}"
        outcome = cli("tables", "export", "--all", "--out", out, *options, *data)
        assert (outcome.status, len(list(out.iterdir()))) == (0, kept)
        assert outcome.err.count("not exported") == 5 - kept
        for path in out.iterdir():
            assert path.stat().st_mode & 0o077 == 0
            record_of = path.read_bytes()
            assert len(rules_of_record(record_of).replay(record_of).positions) > 1


COMMANDS = (["list"], ["check"], ["export", "--all", "--out", "records"], ["backup", "copy"])


def test_reading_commands_change_no_files_and_leave_none(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_site(tmp_path / "data") as site:
        running = Running(site, tmp_path / "data")
        names = {path.name for path in running.folder.iterdir()}
        for command in COMMANDS:
            assert cli("tables", *command, "--data", running.folder).status == 0
            play(running.open, 1)
        assert {path.name for path in running.folder.iterdir()} == names
    before = files(running.folder)
    for command in COMMANDS:
        assert cli("tables", *command, "--data", running.folder).status == 0
        assert files(running.folder) == before
        outcome = cli("tables", *command, "--data", tmp_path / "none")
        assert (outcome.status, "there is no such file" in outcome.err) == (2, True)
        assert not (tmp_path / "none").exists()


def test_a_backup_has_all_moves_and_can_be_played_on(
    running: Running, cli: Cli, tmp_path: Path
) -> None:
    copy = tmp_path / "copy" / FILE
    copy.parent.mkdir()
    assert cli("tables", "backup", copy, "--data", running.folder).status == 0
    assert [path.name for path in copy.parent.iterdir()] == [FILE]
    assert copy.stat().st_mode & 0o077 == 0
    assert cli("tables", "check", "--data", copy.parent).status == 0
    before = running.open.look()
    play(running.open, 1)
    with open_site(copy.parent) as site:
        running.open.site = site
        assert running.open.look()["version"] == before["version"]
        play(running.open, 1)


def test_a_backup_of_a_damaged_file_leaves_the_previous_backup(
    running: Running, cli: Cli, tmp_path: Path
) -> None:
    folder, copy = tmp_path / "damaged", tmp_path / "copy"
    assert cli("tables", "backup", copy, "--data", running.folder).status == 0
    data = bytearray(copy.read_bytes())
    data[4096 : 2 * 4096] = b"x" * 4096
    folder.mkdir()
    (folder / FILE).write_bytes(data)
    before, names = copy.read_bytes(), {path.name for path in tmp_path.iterdir()}
    outcome = cli("tables", "backup", copy, "--data", folder)
    assert (outcome.status, "is damaged" in outcome.err) == (2, True)
    assert (copy.read_bytes(), {path.name for path in tmp_path.iterdir()}) == (before, names)
    assert cli("tables", "check", "--data", folder).status == 1
    for name in (FILE, f"{FILE}-wal", "tables.lock"):
        outcome = cli("tables", "backup", running.folder / name, "--data", running.folder)
        assert (outcome.status, "another name or folder" in outcome.err) == (2, True)


def test_check_names_the_tables_that_cannot_be_rebuilt(running: Running, cli: Cli) -> None:
    outcome = cli("tables", "check", "--data", running.folder)
    assert (outcome.status, outcome.out) == (0, "5 tables, 0 faults\n")
    broken = name_of(running.hidden)
    change(running.folder, "DELETE FROM log WHERE table_id = ? AND version = 1", broken)
    change(running.folder, "INSERT INTO log VALUES ('gone', 1, 0, '', 'yes', 0)")
    outcome = cli("tables", "check", "--data", running.folder, "--json")
    assert outcome.status == 1
    faults = outcome.json["faults"]
    assert len(faults) == 2
    assert "log has rows of game tables that no longer exist" in faults[0]
    assert faults[1].startswith(f"{broken}: its game cannot be rebuilt")


def test_a_file_of_an_older_version_is_copied_but_not_read(tmp_path: Path, cli: Cli) -> None:
    store = FileStore(str(tmp_path / "data"))
    store.close()
    for version in range(1, len(MIGRATIONS)):
        folder = tmp_path / str(version)
        folder.mkdir()
        with closing(sqlite3.connect(folder / FILE)) as database:
            for text in MIGRATIONS[:version]:
                database.executescript(text)
            database.execute(f"PRAGMA user_version = {version}")
        outcome = cli("tables", "list", "--data", folder)
        assert (outcome.status, "older version" in outcome.err) == (2, True)
        assert cli("tables", "backup", folder / "copy", "--data", folder).status == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("list", "--order", "age"), "choose from touched, made"),
        (("show", "-nobody"), "-nobody: there is no such table"),
        (("export", "--all"), "expected one ID"),
        (("export",), "expected one ID"),
        (("backup", "none/copy"), "none/copy: cannot be written"),
    ],
)
def test_impossible_requests_are_refused(
    tmp_path: Path, cli: Cli, words: tuple[str, ...], message: str
) -> None:
    FileStore(str(tmp_path)).close()
    outcome = cli("tables", *words, "--data", tmp_path)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def rows_of(folder: Path, name: str) -> dict[str, int]:
    """Return the number of rows of each kind that a table has."""
    with closing(sqlite3.connect(folder / FILE)) as database:
        kinds = [kind for (kind,) in database.execute("SELECT name FROM sqlite_master")]
        columns = {
            kind: {row[1] for row in database.execute(f"PRAGMA table_info({kind})")}
            for kind in kinds
        }
        by = {kind: "table_id" for kind in kinds if "table_id" in columns[kind]} | {"tables": "id"}
        assert {*by} == {*TABLE_PARTS, "tables"}
        query = "SELECT COUNT(*) FROM {} WHERE {} = ?"
        return {
            kind: database.execute(query.format(kind, column), (name,)).fetchone()[0]
            for kind, column in by.items()
        }


def add_rows_of_all_kinds(table: Table) -> None:
    """Add a message, a mark and a link for another device to a table."""
    assert table.post(0, "talk", text="hello").status == 200
    assert table.post(0, "marks", player=1, card="0/2", mark="yes").status == 200
    assert table.post(0, "elsewhere").status == 201


def run_maintenance(site: Site) -> None:
    """Run the periodic maintenance of the server."""
    site.run(site.app.state.tables.maintenance.run_maintenance())


@pytest.mark.parametrize("serves", [True, False])
def test_a_table_is_removed_completely_and_others_are_unchanged(
    tmp_path: Path, cli: Cli, serves: bool
) -> None:
    folder = tmp_path / "data"
    with open_site(folder) as site:
        gone, stays = (Table(site, **(KWARTET | {"chat": True})) for _ in range(2))
        for table in (gone, stays):
            play(table, 2)
            add_rows_of_all_kinds(table)
        name = name_of(gone)
        before = rows_of(folder, name_of(stays))
        # Only servers that share a database keep rows about presence.
        assert {kind for kind, rows in before.items() if not rows} == {"removing", "present"}
        for token in (*gone.tokens, None):
            site.listen(f"{gone.path}/events", token)
        assert len(site.app.state.tables.streams.open) == 4
        if serves:
            refused = cli("tables", "delete", name, "nobody", "--data", folder)
            assert (refused.status, "nobody: there is no such table" in refused.err) == (2, True)
            run_maintenance(site)
            assert gone.look()["version"] == 2
            assert cli("tables", "delete", name, "--data", folder).status == 0
            run_maintenance(site)
            site.rest()
            assert not site.app.state.tables.streams.open
            answers = [site.ask("GET", path) for path in (gone.path, f"/t/{name}")]
            answers += [gone.move(0, "1 0/2", 2), site.ask("GET", f"{gone.path}/events")]
            assert {page.status for page in answers} == {404}
            play(stays, 1)
    if not serves:
        assert cli("tables", "delete", name, "--data", folder).status == 0
    assert set(rows_of(folder, name).values()) == {0}
    assert rows_of(folder, name_of(stays)) == before | {"log": 2 + serves}


def test_a_requested_removal_is_done_by_the_next_server(tmp_path: Path, cli: Cli) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, **QUARTO)
        assert cli("tables", "delete", name_of(table), "--data", tmp_path).status == 0
    with open_site(tmp_path) as site:
        run_maintenance(site)
        assert site.ask("GET", table.path).status == 404
    assert set(rows_of(tmp_path, name_of(table)).values()) == {0}


def test_a_backup_is_restored_and_the_replaced_file_is_kept(tmp_path: Path, cli: Cli) -> None:
    folder, copy = tmp_path / "data", tmp_path / "copy"
    with open_site(folder) as site:
        table = Table(site, **QUARTO)
        play(table, 1)
        assert cli("tables", "backup", copy, "--data", folder).status == 0
        play(table, 2)
        refused = cli("tables", "restore", copy, "--data", folder)
        assert (refused.status, "another server is using the tables" in refused.err) == (2, True)
        assert table.look()["version"] == 3
    done = cli("tables", "restore", copy, "--data", folder)
    assert done.status == 0, done
    (before,) = folder.glob("tables-*.sqlite")
    assert str(before) in done.out
    for file, version in ((copy, 1), (before, 3)):
        assert cli("tables", "restore", file, "--data", folder).status == 0
        with open_site(folder) as site:
            table.site = site
            assert table.look()["version"] == version
            play(table, 1)
    assert len(list(folder.glob("tables-*.sqlite"))) == 3


@pytest.mark.parametrize("word", ["backup", "restore"])
def test_a_disk_fault_leaves_all_tables_of_the_old_or_the_new_file(
    tmp_path: Path, cli: Cli, word: str
) -> None:
    with open_site(tmp_path / "first") as site:
        table = Table(site, **QUARTO)
        play(table, 1)
        assert cli("tables", "backup", tmp_path / "copy", "--data", tmp_path / "first").status == 0
        play(table, 1)
    old, new = (
        (tmp_path / "copy", tmp_path / "first")
        if word == "backup"
        else (tmp_path / "first" / FILE, tmp_path / "copy")
    )
    faults, number, failed = cycle(Fault), 0, True
    while failed:
        folder = tmp_path / str(number)
        folder.mkdir()
        target = folder / FILE
        shutil.copyfile(old, target)
        words = (
            ("backup", target, "--data", new)
            if word == "backup"
            else ("restore", new, "--data", folder)
        )
        fault, status = next(faults), None
        with Disk(folder, number, fault) as disk:
            try:
                status = cli("tables", *words).status
            except Death:
                assert fault is Fault.DEATH
        number, failed = number + 1, disk.failed
        # The program reports the exception that stands for its death; a dead process cannot.
        died = (ExitStatus.INTERNAL_ERROR,) if fault is Fault.DEATH else ()
        assert status in ((None, 0, 2, *died) if failed else (0,))
        reader = FileReader(str(folder))
        moves = len(reader.read("SELECT * FROM log"))
        assert (reader.faults(), moves in (1, 2)) == ([], True)
        reader.close()
        before, after = (1, 2) if word == "backup" else (2, 1)
        assert moves == after if status == 0 else moves in (before, after)
    assert number > 5


def test_commands_of_root_keep_the_owner_of_the_files(tmp_path: Path, cli: Cli) -> None:
    folder, copy = tmp_path / "data", tmp_path / "copy"
    with open_site(folder) as site:
        name = name_of(Table(site, **QUARTO))
    for path in (folder, *folder.iterdir()):
        os.chown(path, *((65534, 65534) if os.geteuid() == 0 else (-1, -1)))
    (folder / "tables.lock").unlink()
    owner = folder.stat().st_uid
    for words in (["backup", copy], ["delete", name], ["restore", copy], ["check"]):
        assert cli("tables", *words, "--data", folder).status == 0
        assert {path.stat().st_uid for path in folder.iterdir()} == {owner}
    (folder / FILE).unlink()
    assert cli("tables", "restore", copy, "--data", folder).status == 0
    assert {path.stat().st_uid for path in folder.iterdir()} == {owner}


def test_a_bad_backup_is_refused_and_a_good_one_replaces_a_damaged_file(
    tmp_path: Path, cli: Cli
) -> None:
    folder, copy, bad = tmp_path / "data", tmp_path / "copy", tmp_path / "bad"
    with open_site(folder) as site:
        table = Table(site, **QUARTO)
        assert cli("tables", "backup", copy, "--data", folder).status == 0
    before = files(folder)
    damaged = bytearray(copy.read_bytes())
    damaged[4096 : 2 * 4096] = b"x" * 4096
    foreign = tmp_path / "foreign"
    with closing(sqlite3.connect(foreign)) as database:
        database.execute("CREATE TABLE tables (id TEXT)")
    for content in (bytes(damaged), b"no database" * 99, b"", foreign.read_bytes()):
        bad.write_bytes(content)
        refused = cli("tables", "restore", bad, "--data", folder)
        assert (refused.status, str(bad) in refused.err, refused.out) == (2, True, "")
        assert "replace it by a backup" not in refused.err
        assert files(folder) == before
    assert cli("tables", "restore", tmp_path / "none", "--data", folder).status == 2
    (folder / FILE).write_bytes(damaged)
    (folder / f"{FILE}-wal").write_bytes(b"left by a crash")
    assert cli("tables", "restore", copy, "--data", folder).status == 0
    with open_site(folder) as site:
        table.site = site
        play(table, 1)
    (kept,) = folder.glob("tables-*.sqlite")
    assert kept.read_bytes() == damaged


def test_a_database_is_managed_like_a_folder(cli: Cli, tmp_path: Path) -> None:
    with closing(Cluster()) as cluster:
        place = cluster.place("x")
        with Site(app(place)) as site:
            name = Table(site, game="quarto", settings={}, seats=["me", "me"]).made["table"]
            listing = cli("tables", "list", "--json", "--data", place).json
            assert [row["id"] for row in listing["tables"]] == [name]
            for words in (["show", name], ["export", name], ["check"]):
                assert cli("tables", *words, "--data", place).status == 0
            for word in ("backup", "restore"):
                refused = cli("tables", word, str(tmp_path / "file"), "--data", place)
                assert (refused.status, "a PostgreSQL database" in refused.err) == (2, True)
            ordered = cli("tables", "delete", name, "--data", place).out
            assert ordered == "the server removes 1 table within half a minute\n"
            site.run(site.app.state.tables.maintenance.run_maintenance())
            assert site.ask("GET", f"/api/tables/{name}").status == 404


def test_every_command_reports_why_it_cannot_read_a_file(tmp_path: Path, cli: Cli) -> None:
    unreleased = "ALTER TABLE seats ADD COLUMN unreleased TEXT"
    kinds = {
        "another program": (["CREATE TABLE notes (text)", "CREATE TABLE log (text)"], 7),
        "is empty": ([], 0),
        "older version": (MIGRATIONS[:-1], len(MIGRATIONS) - 1),
        "newer version": ([*MIGRATIONS, unreleased], len(MIGRATIONS) + 1),
        "unreleased version": ([*MIGRATIONS, unreleased], len(MIGRATIONS)),
    }
    for number, (kind, (scripts, version)) in enumerate(kinds.items()):
        data = tmp_path / str(number)
        data.mkdir()
        with closing(sqlite3.connect(data / FILE)) as database:
            for script in scripts:
                database.executescript(script)
            database.execute(f"PRAGMA user_version = {version}")
        for command in (["list"], ["check"], ["export", "--all", "--out", "out"], ["show", "x"]):
            outcome = cli("tables", *command, "--data", data)
            assert (outcome.status, kind in outcome.err, "damaged" in outcome.err) == (
                2,
                True,
                False,
            )


@pytest.mark.parametrize("command", [("list",), ("export", "t")])
def test_a_damaged_part_of_the_file_is_reported_with_advice(
    cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    FileStore(str(tmp_path)).close()
    with (tmp_path / FILE).open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(4096)
        file.write(b"x" * (size - 4096))
    refused = cli("tables", *command, "--data", tmp_path)
    assert refused.status == 2
    assert f"{tmp_path / FILE}: is damaged (" in refused.err
    assert "quaternity tables restore" in refused.err


def test_a_damaged_table_is_left_out_of_an_export_of_all_tables(
    running: Running, cli: Cli, tmp_path: Path
) -> None:
    change(running.folder, "UPDATE log SET move = CAST(x'ff' AS TEXT) WHERE table_id = ?",
           name_of(running.open))  # fmt: skip
    exported = cli("tables", "export", "--all", "--out", tmp_path / "out", "--data", running.folder)
    assert exported.status == ExitStatus.IMPOSSIBLE
    assert f"not exported: {name_of(running.open)}: " in exported.err
    assert (tmp_path / "out" / f"{name_of(running.over)}.record").exists()
