"""`quaternity tables`: what a server keeps, looked at and copied while it runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from quaternity.table.games import rules_of_record
from quaternity.web.keeping import ORDERS
from quaternity.web.store import FILE, MIGRATIONS, Store
from tests.cli.conftest import Cli
from tests.web.site import Site
from tests.web.test_api import Table, opened

QUARTO = {"game": "quarto", "settings": {}, "seats": ["me", "me"]}
KWARTET = {"game": "kwartet", "settings": {"players": 3, "sets": 3}, "seats": ["me"] * 3}

SMALLEST = {"set_size": 2, "sets": 2, "players": 2}


class Running:
    """A server with a table of each state; by state what it is called."""

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
        made = {"under way": self.open, "waiting": self.waits, "over": self.over}
        names = {name_of(table): state for state, table in made.items()}
        return names | {name_of(self.hidden): "under way", self.uploaded: "uploaded"}


def play(table: Table, most: int) -> None:
    """Make the last legal moves, as long as there are any."""
    for _ in range(most):
        for seat in table.look()["to_act"]:
            moves = table.look(seat)["moves"]
            assert table.move(seat, moves[-1]).status == 200


def name_of(table: Table) -> str:
    return str(table.made["table"])


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    folder = tmp_path / "data"
    with opened(folder) as site:
        yield Running(site, folder)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def change(folder: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / FILE)) as database:
        database.execute(statement, values)
        database.commit()


def test_a_list_has_every_table_and_shows_nothing_that_is_hidden(
    running: Running, cli: Cli
) -> None:
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


def test_a_record_is_the_one_that_players_get_and_hands_need_a_word(
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
        assert outcome.err.count("left out") == 5 - kept
        for path in out.iterdir():
            record_of = path.read_bytes()
            assert len(rules_of_record(record_of).replay(record_of).positions) > 1


COMMANDS = (["list"], ["check"], ["export", "--all", "--out", "records"], ["backup", "copy"])


def test_who_reads_changes_nothing_and_leaves_nothing(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with opened(tmp_path / "data") as site:
        running = Running(site, tmp_path / "data")
        beside = {path.name for path in running.folder.iterdir()}
        for command in COMMANDS:
            assert cli("tables", *command, "--data", running.folder).status == 0
            play(running.open, 1)
        assert {path.name for path in running.folder.iterdir()} == beside
    before = files(running.folder)
    for command in COMMANDS:
        assert cli("tables", *command, "--data", running.folder).status == 0
        assert files(running.folder) == before
        outcome = cli("tables", *command, "--data", tmp_path / "none")
        assert (outcome.status, "there is no such file" in outcome.err) == (2, True)
        assert not (tmp_path / "none").exists()


def test_a_backup_has_all_that_was_played_and_is_good_to_play_on(
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
    with opened(copy.parent) as site:
        running.open.site = site
        assert running.open.look()["version"] == before["version"]
        play(running.open, 1)


def test_a_backup_of_a_damaged_file_leaves_the_one_before(
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
    assert "log has rows of tables that are gone" in faults[0]
    assert faults[1].startswith(f"{broken}: cannot be rebuilt")


def test_a_file_of_an_older_version_is_copied_and_not_read(tmp_path: Path, cli: Cli) -> None:
    store = Store(str(tmp_path / "data"))
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
    ("words", "says"),
    [
        (("list", "--order", "age"), "known are touched, made"),
        (("show", "-nobody"), "-nobody: there is no such table"),
        (("export", "--all"), "expected one ID"),
        (("export",), "expected one ID"),
        (("backup", "none/copy"), "none/copy: cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said(
    tmp_path: Path, cli: Cli, words: tuple[str, ...], says: str
) -> None:
    Store(str(tmp_path)).close()
    outcome = cli("tables", *words, "--data", tmp_path)
    assert (outcome.status, outcome.out) == (2, "")
    assert says in outcome.err
    assert "Traceback" not in outcome.err
