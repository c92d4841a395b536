"""Files are replaced in one step; what is no file is not replaced at all."""

import os
import stat
from pathlib import Path

import pytest

from quaternity.errors import InputError
from quaternity.writing import write_text


def test_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for text in ("one", "zwei äöü"):
        write_text(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("old", encoding="utf-8")
    link.symlink_to(path)
    write_text(link, "new")
    assert link.is_symlink()
    assert path.read_text(encoding="utf-8") == "new"


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


def test_what_cannot_be_written(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "file"):
        with pytest.raises(InputError, match="cannot be written"):
            write_text(path, "text")
    assert list(tmp_path.iterdir()) == []
