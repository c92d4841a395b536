"""Working files of `solve`: refused if damaged, written completely or not at all, cleaned up."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

import numpy as np
import pytest

from quaternity.base.errors import InputError, LimitError
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.solving.graph_files import (
    LOCK,
    MANIFEST,
    WorkDirectory,
    remove_dead_directories,
)
from quaternity.perfect.solving.solver import Solution, solve
from quaternity.perfect.tablebase import write_tablebase
from tests.sizes import thorough

START = State.start(Settings(2, 3, 3))
SMALL = State.start(Settings(2, 2, 2))
ABOUT = {"game": "this one"}


class Killed(BaseException):
    """Simulates the end of the process."""


@pytest.fixture(scope="module")
def whole() -> Solution:
    """Return the solution of 2-3-3."""
    return solve(START)


@contextmanager
def at_call(count: int, name: str, error: BaseException) -> Iterator[None]:
    """Make the `count`-th call of a function of `os` or `Path` raise an error."""
    owner: Any = os if name == "fsync" else Path
    function, left = getattr(owner, name), count

    def failing(*arguments: Any, **options: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            raise error
        return function(*arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, failing)
        yield


def fault_of(function: Callable[[], object]) -> str | None:
    """Return the message of the error that a call raises, or None."""
    try:
        function()
    except (InputError, LimitError) as error:
        return str(error)
    except Killed:
        return "killed"
    return None


def assert_same(solution: Solution, other: Solution) -> None:
    """Check that two solutions have the same states and values."""
    assert np.array_equal(solution.graph.keys, other.graph.keys)
    assert solution.facts == other.facts
    for name in ("can_force", "can_win", "can_prevent", "length"):
        assert np.array_equal(getattr(solution.values, name), getattr(other.values, name))


def damages(data: bytes) -> Iterator[bytes]:
    """Yield the file truncated, extended, and with a byte changed at several places."""
    yield b""
    yield data[:-1]
    yield data[: len(data) // 2]
    yield data + b"\0"
    for place in range(0, len(data), max(1, len(data) // thorough(2, 4))):
        yield data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]


@pytest.mark.parametrize("count", [14, 0, *thorough([], [8])])
def test_damaged_working_files_are_refused_by_name(
    tmp_path: Path, whole: Solution, count: int
) -> None:
    """This is checked at some moments of a run, and at its end."""
    stopped, work = tmp_path / "stopped", tmp_path / "work"
    try:
        with at_call(count, "replace", Killed()):
            solve(START, directory=stopped)
        assert not count
    except Killed:
        pass
    refused = dict[str, int]()
    for path in sorted(stopped.iterdir()):
        for data in damages(path.read_bytes()) if path.name != LOCK else ():
            copytree(stopped, work)
            (work / path.name).write_bytes(data)
            fault = fault_of(lambda: assert_same(solve(START, directory=work), whole))
            if fault is not None:
                assert path.name in fault or path.name == MANIFEST
                assert str(work) in fault
                refused[path.name] = refused.get(path.name, 0) + 1
            rmtree(work)
    # Damage to files that the resumed run no longer needs is harmless.
    needed = {"graph", "graph-1", "values"} if not count else {"level-0"}
    assert all(refused[name] >= thorough(6, 8) for name in {MANIFEST, *needed})


def test_files_are_bound_to_their_run_and_name(tmp_path: Path) -> None:
    array = np.arange(3)
    other = tmp_path / "other"
    for path, about in ((tmp_path / "work", ABOUT), (other, {"game": "another"})):
        with WorkDirectory(path, about) as work:
            work.save("numbers", {"two": array.reshape(1, 3) > 1, "one": array})
    with WorkDirectory(tmp_path / "work", ABOUT) as work:
        arrays = work.arrays("numbers")
        assert (arrays["one"] == array).all()
        assert arrays["two"].tolist() == [[False, False, True]]
        data = (work.path / "numbers").read_bytes()
        (work.path / "letters").write_bytes(data)
        (work.path / "foreign").write_bytes((other / "numbers").read_bytes())
        assert arrays["one"].flags.aligned
        (work.path / "marked").write_bytes(data.replace(b"arrays/1", b"arrays/2"))
        for name, why in (
            ("letters", "checksum"), ("foreign", "checksum"), ("none", "missing"),
            ("marked", "it does not end like a complete file"),
        ):  # fmt: skip
            with pytest.raises(InputError, match=f"{name}: .*{why}.*to start again"):
                work.arrays(name)


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("name", ["fsync", "replace", "open"])
def test_a_run_that_fails_or_is_killed_at_any_call_can_be_resumed(
    tmp_path: Path, name: str, is_killed: bool
) -> None:
    """The n-th call fails, as on a full disk, or does not return, for every n."""
    path, count, whole = tmp_path / "work", 0, solve(SMALL)
    while True:
        count += thorough(5, 1)
        error = Killed() if is_killed else OSError(28, "No space left on device")
        with at_call(count, name, error):
            fault = fault_of(lambda: solve(SMALL, directory=path))
        if fault is None:
            break
        if not is_killed:
            assert f"cannot write the working files in {path}: " in fault
            assert "No space left on device" in fault
            assert not [*path.glob("*.part")]
        assert_same(solve(SMALL, directory=path), whole)
        rmtree(path, ignore_errors=True)
    assert count > {"fsync": 20, "replace": 15, "open": 20}[name]


def test_a_full_disk_leaves_the_old_tablebase(tmp_path: Path, whole: Solution) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with (
        at_call(1, "fsync", OSError(28, "No space left on device")),
        pytest.raises(InputError, match="file: cannot be written: No space"),
    ):
        write_tablebase(path, whole)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_cannot_be_used_as_a_directory(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("dear")
    with pytest.raises(InputError, match=f"{path} cannot be used: File exists$"):
        WorkDirectory(path, ABOUT)


def test_parts_of_a_killed_run_are_removed_by_the_next(tmp_path: Path) -> None:
    with WorkDirectory(tmp_path / "work", ABOUT) as work:
        work.save("numbers", {"one": np.arange(3)})
        (work.path / "known-3.part").write_bytes(b"half")
        with pytest.raises(InputError, match="in use"):
            WorkDirectory(tmp_path / "work", ABOUT)
        assert (work.path / "known-3.part").exists()
    with WorkDirectory(tmp_path / "work", ABOUT) as work:
        assert sorted(os.listdir(work.path)) == [MANIFEST, LOCK, "numbers"]


HOLD = """
import sys
from pathlib import Path
from quaternity.perfect.solving.graph_files import WorkDirectory
with WorkDirectory(Path(sys.argv[1]), {"game": "another"}) as work:
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_temporary_directories_of_killed_runs_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    dead, living, begun, locked, others = (
        tmp_path / f"quaternity-solve-{name}"
        for name in ("dead", "living", "begun", "locked", "others")
    )
    with WorkDirectory(dead, ABOUT) as work:
        work.save("numbers", {"one": np.arange(3)})
    begun.mkdir()
    locked.mkdir()
    (locked / LOCK).touch()
    others.symlink_to(tmp_path / "letters")
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter").write_text("dear")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(living)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ready\n"
        solve(START)
        assert not dead.exists()
        assert sorted(os.listdir(living)) == [MANIFEST, LOCK]
        assert json.loads((living / MANIFEST).read_text()) == {"game": "another"}
        assert begun.exists()  # a run may be about to lock it
        assert locked.exists()  # or to write in it
        assert (tmp_path / "letters" / "letter").exists()
        assert {*tmp_path.glob("quaternity-solve-*")} == {living, begun, locked, others}
    finally:
        holder.kill()
        holder.communicate()
    remove_dead_directories(tmp_path)
    assert not living.exists()
