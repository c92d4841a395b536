"""The file of all tables: its locks, and failed writes. `test_open_store` tests every store."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest
import uvloop

from quaternity.base.errors import InputError
from quaternity.web.changes import Entry
from quaternity.web.http_errors import HttpError
from quaternity.web.sqlite_connection import FILE
from quaternity.web.sqlite_file import FileStore
from tests.limits import limited
from tests.web.test_open_store import wait_until

LOG = "SELECT version, seat, id, move FROM log WHERE table_id = ? ORDER BY version"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FileStore]:
    file_store = FileStore(str(tmp_path / "data"))
    yield file_store
    file_store.close()


def test_a_full_file_is_reported_and_changes_nothing(store: FileStore) -> None:
    def limit(pages: int) -> None:
        store.writer.execute(f"PRAGMA max_page_count = {pages}")

    async def fill() -> HttpError:
        for number in range(1, 100):
            try:
                await store.write((Entry("t", number, 0, "", "x" * 2000),))
            except HttpError as error:
                with pytest.raises(HttpError, match="full"):
                    await store.write(statements=(("DELETE FROM tables", ()), _insert("y" * 9000)))
                limit(10_000)
                versions = [version for version, *_ in store.read(LOG, "t")]
                assert versions == list(range(1, number))
                await store.write((Entry("t", number, 0, "", "more"),))
                return error
        raise AssertionError("never full")

    limit(12)
    error = asyncio.run(fill())
    assert error.status == 507
    assert "full" in str(error)
    assert store.trouble is None


def _insert(head: str) -> tuple[str, tuple[str, ...]]:
    text = (
        "INSERT INTO tables (id, game, head, seed, help, practice, archive) "
        "VALUES ('t', 'set', ?, '', 0, 0, 0)"
    )
    return text, (head,)


def test_other_users_of_the_machine_cannot_read_the_files(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    store = FileStore(str(tmp_path))
    assert len(files := list(tmp_path.iterdir())) > 2
    assert {path.stat().st_mode & 0o077 for path in files} == {0}
    store.close()


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 100)
    with pytest.raises(InputError, match="not a database"):
        FileStore(str(tmp_path))
    with pytest.raises(InputError, match=FILE):
        FileStore(str(tmp_path / FILE))


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_a_linked_file_is_locked_in_every_folder(
    link: str, store: FileStore, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    getattr(tmp_path / "other" / FILE, link)(store.path.resolve())
    with pytest.raises(InputError, match="another server"):
        FileStore(str(tmp_path / "other"))


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_an_answer_counts_if_it_came_while_the_process_was_stopped(
    loop: Callable[[], Any], store: FileStore
) -> None:
    async def write() -> None:
        writing = asyncio.create_task(store.write((), [("INSERT INTO removing VALUES ('T')", ())]))
        await asyncio.sleep(0)
        wait_for_row("T")  # the loop does nothing meanwhile
        store.writing.put(statements=[("INSERT INTO removing VALUES ('later')", ())])
        wait_for_row("later")  # the writer has reported the first row before
        sleep(0.1)
        await writing

    def wait_for_row(name: str) -> None:
        wait_until(lambda: bool(store.read("SELECT 1 FROM removing WHERE table_id = ?", name)))

    seconds = limited("quaternity.web.store", ANSWER_SECONDS=0.05)
    with seconds, asyncio.Runner(loop_factory=loop) as runner:
        runner.run(write())
    assert store.trouble is None


def test_requests_after_the_end_are_refused(tmp_path: Path) -> None:
    store = FileStore(str(tmp_path))
    store.close()
    for late in (store.write(), store.rows("SELECT 1")):
        with pytest.raises(HttpError) as refused:
            asyncio.run(late)
        assert refused.value.status == 503
    assert store.trouble is None
