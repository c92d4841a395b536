"""Files are replaced in one step; pipes and folders are not replaced."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quaternity.base.errors import InputError
from quaternity.base.writing import replace_file, try_lock, write_text


def test_a_file_is_replaced_and_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    link.symlink_to(path)
    for place, text in ((path, "one"), (path, "zwei äöü"), (link, "three")):
        write_text(place, text)
        assert path.read_text(encoding="utf-8") == text
    assert link.is_symlink()
    assert {*tmp_path.iterdir()} == {path, link}


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(path, "through the pipe")
        assert os.read(reader, 100) == b"through the pipe"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666, 0o751])
def test_a_replaced_file_keeps_its_mode_and_owner(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    if os.geteuid() == 0:
        os.chown(path, 1234, 4321)
    path.chmod(mode)
    before = path.stat()
    with replace_file(path) as part:
        part.write_text("new")
        # Users without access to the file have no access to the part, either.
        assert stat.S_IMODE(part.stat().st_mode) & ~mode == 0
    after = path.stat()
    assert path.read_text() == "new"
    assert (after.st_mode, after.st_uid) == (before.st_mode, before.st_uid)
    assert after.st_gid == before.st_gid


def test_a_new_file_has_the_usual_mode_even_if_other_threads_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mask = os.umask(0o027)
    # Reading the mask means setting it, which would change it for all threads for a moment.
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the mask was touched"))
    try:
        with ThreadPoolExecutor(4) as threads:
            paths = [tmp_path / str(number) for number in range(8)]
            list(threads.map(lambda path: write_text(path, "text"), paths))
    finally:
        monkeypatch.undo()
        os.umask(mask)
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o640}


def test_a_path_that_cannot_be_written_is_refused_and_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o444)
    for place in (tmp_path, tmp_path / "no" / "file"):
        with pytest.raises(InputError, match="cannot be written"):
            write_text(place, "new")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # as if not as root
    with pytest.raises(InputError, match=r"file: cannot be written: Permission denied"):
        write_text(path, "new")
    assert [*tmp_path.iterdir()] == [path]
    assert path.read_text() == "old"


def test_parts_of_dead_runs_are_removed_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "file"
    dead, alive = tmp_path / ".file.0001.part", tmp_path / ".file.0002.part"
    others = {tmp_path / name for name in (".other.0001.part", ".file.part2", "file.1.part")}
    for leftover in (dead, alive, *others):
        leftover.write_text("beginning")
    with alive.open("rb") as file:
        assert try_lock(file.fileno())
        write_text(path, "whole")
        with replace_file(path) as part, replace_file(path) as second:
            part.write_text("part")
            second.write_text("second")
            assert {*tmp_path.iterdir()} == {path, alive, part, second} | others
        assert path.read_text() == "part"
    assert {*tmp_path.iterdir()} == {path, alive} | others
    write_text(path, "whole")
    assert {*tmp_path.iterdir()} == {path} | others


def test_a_part_removed_before_it_is_locked_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed: list[Path] = []

    def lock_late(handle: int) -> bool | None:
        if not removed:
            removed.extend(tmp_path.iterdir())
            removed[0].unlink()
        return try_lock(handle)

    monkeypatch.setattr("quaternity.base.writing.try_lock", lock_late)
    with replace_file(tmp_path / "file") as part:
        assert [part] == [*tmp_path.iterdir()] != removed


def test_a_block_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def interrupt_writing() -> None:
        with replace_file(path) as part:
            part.write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt_writing()
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


def test_a_file_is_flushed_before_its_name_and_the_name_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    calls: list[str] = []
    fsync, replace = os.fsync, os.replace

    def record_fsync(handle: int) -> None:
        is_directory = stat.S_ISDIR(os.fstat(handle).st_mode)
        calls.append("directory" if is_directory else str(os.fstat(handle).st_size))
        fsync(handle)

    def record_rename(part: Path, target: Path) -> None:
        calls.append("name")
        replace(part, target)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(os, "replace", record_rename)
    write_text(path, "text")
    assert calls == ["4", "name", "directory"]
