"""What is read from files: their limits, and what is said of what is missing or cut off."""

import errno
import io
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from quaternity.base.errors import InputError
from quaternity.base.reading import read_bytes
from quaternity.base.text_record import parse_text_record


@pytest.mark.parametrize("length", range(6))
def test_as_much_as_allowed_is_read_and_a_byte_more_refused(
    length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytes(range(length))
    path = tmp_path / "file"
    path.write_bytes(data)
    for place in (str(path), "-"):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        if length <= 3:
            assert read_bytes(place, most=3) == data
        else:
            with pytest.raises(InputError, match=r"larger than 3 bytes"):
                read_bytes(place, most=3)


@pytest.mark.parametrize(
    ("name", "number"), [("missing", errno.ENOENT), (".", errno.EISDIR), ("f/x", errno.ENOTDIR)]
)
def test_what_cannot_be_read_is_named_once_with_the_words_of_the_system(
    name: str, number: int, tmp_path: Path
) -> None:
    (tmp_path / "f").touch()
    path = f"{tmp_path}/{name}"
    with pytest.raises(InputError) as refused:
        read_bytes(path)
    assert str(refused.value) == f"{path}: {os.strerror(number)}"


RECORD = "game 1\nplayers 3\n\n# äö\nseed 5\n1 2 3\n\n4 5 6 # why\n7\n".encode()


@pytest.mark.parametrize("length", range(len(RECORD) + 1))
def test_a_record_cut_off_anywhere_names_the_line_it_ends_in(length: int) -> None:
    """What is whole is read; what is not is left out with a warning, or refused in the head."""
    data, keys = RECORD[:length], ("players", "seed")
    *whole, rest = data.split(b"\n")
    last = len(whole) + 1
    in_head = rest and any(key.encode().startswith(rest.split()[0]) for key in keys)
    if in_head or not whole:
        with pytest.raises(InputError, match=f"line {last}: the head is" if whole else "line 1: a"):
            parse_text_record(data, "game 1", keys)
        return
    record = parse_text_record(data, "game 1", keys)
    assert record.warnings == ((f"line {last} is cut off and left out",) if rest.strip() else ())
    moves = [line for line in whole if line[:1].isdigit()]
    assert [whole[line.number - 1] for line in record.moves] == moves
    for line, move in zip(record.moves, moves, strict=True):
        assert line.text == move.partition(b"#")[0].decode().strip()
        assert data[line.start :].startswith(move)
