"""Reading and writing files: limits, permissions, truncated records, and errors."""

import errno
import io
import os
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.base.append_file import AppendOnlyFile, _open_locked
from quaternity.base.errors import InputError
from quaternity.base.names import split_names
from quaternity.base.reading import read_bytes
from quaternity.base.svg import svg_text
from quaternity.base.text_record import Replay, parse_text_record, replay_moves
from quaternity.base.writing import sync_directory, write_text
from quaternity.quarto.rules import QuartoRules
from quaternity.ternary.rules import SetRules, SetSettings


@pytest.mark.parametrize("length", range(6))
def test_a_file_of_the_maximum_size_is_read_and_a_larger_one_refused(
    length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytes(range(length))
    path = tmp_path / "file"
    path.write_bytes(data)
    for place in (str(path), "-"):
        source = io.BytesIO(data)
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=source))
        if length <= 3:
            assert read_bytes(place, limit=3) == data
        else:
            with pytest.raises(InputError, match=r"larger than the limit of 3 bytes"):
                read_bytes(place, limit=3)
        assert source.tell() <= 4


@pytest.mark.parametrize(
    ("name", "number"), [("missing", errno.ENOENT), (".", errno.EISDIR), ("f/x", errno.ENOTDIR)]
)
def test_an_unreadable_file_is_named_with_the_error_of_the_system(
    name: str, number: int, tmp_path: Path
) -> None:
    (tmp_path / "f").touch()
    path = f"{tmp_path}/{name}"
    with pytest.raises(InputError) as refused:
        read_bytes(path)
    assert str(refused.value) == f"{path}: {os.strerror(number)}"


RECORD = "game 1\nplayers 3\n\n# äö\nseed 5\n1 2 3\n\n4 5 6 # why\n7\n".encode()


@pytest.mark.parametrize("length", range(len(RECORD) + 1))
def test_a_truncated_record_names_the_line_it_ends_in(length: int) -> None:
    """A truncated line is left out with a warning, or refused in the head."""
    data, keys = RECORD[:length], ("players", "seed")
    *whole, rest = data.split(b"\n")
    last = len(whole) + 1
    in_head = rest and any(key.encode().startswith(rest.split()[0]) for key in keys)
    if in_head or not whole:
        with pytest.raises(
            InputError, match=f"line {last}: the header is" if whole else "line 1: a"
        ):
            parse_text_record(data, "game 1", keys)
        return
    record = parse_text_record(data, "game 1", keys)
    assert record.warnings == (
        (f"line {last} is incomplete and was ignored",) if rest.strip() else ()
    )
    moves = [line for line in whole if line[:1].isdigit()]
    assert [whole[line.number - 1] for line in record.moves] == moves
    for line, move in zip(record.moves, moves, strict=True):
        assert line.text == move.partition(b"#")[0].decode().strip()
        assert data[line.start :].startswith(move)


@pytest.mark.parametrize("before", ["", "\n", "# a\n\n# b\n"])
def test_a_first_line_of_another_game_is_refused_with_its_number(before: str) -> None:
    place = before.count("\n") + 1
    for rest in ("", "seed 5\n", "more\nlines\n"):
        with pytest.raises(
            InputError, match=f"^line {place}: a record of this game must start with"
        ):
            parse_text_record(f"{before}other 1\n{rest}".encode(), "game 1", ())


@pytest.mark.parametrize(
    "rules", [QuartoRules(), *(SetRules(SetSettings(seats=seats)) for seats in (1, 2, 5))]
)
def test_a_line_that_is_not_a_move_is_refused_with_the_range_of_seats(rules: Any) -> None:
    record = parse_text_record(b"game 1\n\nnobody moves\n", "game 1", ())
    with pytest.raises(InputError, match=rf"^line 3: .* of a player 0\.\.{rules.seats - 1}$"):
        replay_moves(rules, record, None)


@pytest.mark.parametrize("mask", [0, 0o22, 0o27, 0o77])
def test_a_new_file_has_the_default_permissions(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        write_text(tmp_path / "a", "new")
        AppendOnlyFile.create(str(tmp_path / "b"), "head\n").close()
        AppendOnlyFile(str(tmp_path / "c"), _open_locked(str(tmp_path / "c"), os.O_CREAT)).close()
    finally:
        os.umask(before)
    for path in tmp_path.iterdir():
        assert path.stat().st_mode & 0o7777 == 0o666 & ~mask


@pytest.mark.parametrize("mode", [None, 0o600, 0o644, 0o755])
def test_only_its_owner_may_read_a_private_file(mode: int | None, tmp_path: Path) -> None:
    path = tmp_path / "file"
    if mode is not None:
        path.touch()
        path.chmod(mode)
    write_text(path, "new", private=True)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o600)


@pytest.mark.parametrize("length", range(4))
def test_a_journal_exists_if_its_file_is_not_empty(length: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert not AppendOnlyFile.exists(str(path))
    assert not AppendOnlyFile.exists(str(tmp_path))
    path.write_bytes(b"x" * length)
    assert AppendOnlyFile.exists(str(path)) == (length > 0)
    if length:
        with pytest.raises(InputError, match="another process has written to it"):
            AppendOnlyFile.create(str(path), "head\n")
    else:
        AppendOnlyFile.create(str(path), "head\n").close()
        assert path.read_text() == "head\n"


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("full", [False, True])
def test_a_journal_that_cannot_be_created_leaves_the_folder_unchanged(
    is_there: bool, full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The original error is raised, whether the text cannot be encoded or the disk is full."""
    path = tmp_path / "file"
    if is_there:
        path.touch()
    before = list(tmp_path.iterdir())
    if full:
        monkeypatch.setattr(os, "fsync", failing(errno.ENOSPC))
    with pytest.raises(InputError if full else UnicodeEncodeError):
        AppendOnlyFile.create(str(path), "head\n" if full else "\ud800")
    assert list(tmp_path.iterdir()) == before
    monkeypatch.undo()
    AppendOnlyFile.create(str(path), "head\n").close()


def failing(number: int) -> Callable[[int], None]:
    """Return a function that fails like the system with this disk fault."""

    def fail(handle: int) -> None:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EBADF, errno.ENOTSUP])
def test_unsupported_synchronisation_is_ignored_but_faults_are_raised(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", failing(number))
    sync_directory(tmp_path)
    for fault in (errno.EIO, errno.ENOSPC, errno.EDQUOT):
        monkeypatch.setattr(os, "fsync", failing(fault))
        with pytest.raises(OSError, match=os.strerror(fault)):
            sync_directory(tmp_path)


def test_records_and_replays_are_immutable() -> None:
    record = parse_text_record(b"game 1\n", "game 1", ())
    replay: Replay[str, None] = Replay(("start",), ())
    for value in (record, replay):
        for field in fields(value):
            with pytest.raises(FrozenInstanceError):
                setattr(value, field.name, ())


@given(st.lists(st.text("ab :.-", max_size=4), min_size=1, max_size=5))
def test_names_are_split_where_they_were_joined(names: list[str]) -> None:
    stripped = [name.strip() for name in names]
    assert split_names(",".join(names)) == stripped
    quoted = [f"'{name}, {name}'" for name in "ab"]
    assert split_names(",".join(quoted)) == quoted


def test_lines_that_could_not_be_appended_are_reported(tmp_path: Path) -> None:
    """The error names the lines, or the caller's description of them."""
    path = tmp_path / "file"
    with AppendOnlyFile.create(str(path), "head\n") as file:
        file.append("a line\n")
        path.write_text("somebody else's\n")
        for description, lost in (("", "first, second"), ("my move", "my move")):
            with pytest.raises(InputError, match=f"; not saved: {lost}$"):
                file.append("first\nsecond\n", description)
    assert path.read_text() == "somebody else's\n"


def test_a_text_is_drawn_at_its_baseline_or_centred() -> None:
    for y, size in ((0, 10), (7, 20), (50, 4)):
        line = svg_text(3, y, "A", size=size, colour="red")
        middle = svg_text(3, y, "A", size=size, colour="red", centred=True)
        assert f' y="{y:g}" ' in line
        assert f' y="{y + 0.35 * size:g}" ' in middle
