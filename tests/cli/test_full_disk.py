"""A disk that is full or read-only, and processes that are killed: nothing is lost.

The disk is a real one, so that libraries written in C meet the fault, too.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from quaternity.game.record import read_record
from quaternity.kwartet.log import read_log
from quaternity.web.sqlite_connection import FILE
from quaternity.web.sqlite_file import FileStore
from tests.cli.conftest import Cli

SOLVE = ("solve", "-s", 2, "-n", 3, "-p", 3, "--no-limit", "--out")
PAGE = 4096
WRITERS = {
    "play": ("play", "--record"),
    "kwartet play": ("kwartet", "play", "--seats", "you,you", "--record"),
    "kwartet log": ("kwartet", "log", "--seats", "random,random", "--sets", 2, "--record"),
    "solve": SOLVE,
    "quarto show": ("quarto", "show", "example", "N?BI??JO?FDLMEAG", "--svg"),
}
Disk = Callable[[str], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder where the small disk is mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    return place


@pytest.fixture
def disk(folder: Path) -> Iterator[Disk]:
    """Yield a function that mounts a separate disk: `disk("size=64k")`, later `disk("ro")`."""

    def mount(options: str) -> None:
        again = "remount," if os.path.ismount(folder) else ""
        command = ["mount", "-t", "tmpfs", "-o", again + options, "none", str(folder)]
        try:
            done = subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            done = False
        if not done:
            pytest.skip("no disk can be mounted here: only root may")

    yield mount
    if os.path.ismount(folder):
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_reported(name: str, cli: Cli, folder: Path, disk: Disk) -> None:
    disk("size=16k")
    full, path = folder / "full", folder / "file"
    full.write_bytes(bytes(16 * 2**10))
    outcome = cli(*WRITERS[name], path)
    assert outcome.status in (2, 4)
    assert outcome.err.startswith("quaternity: ")
    assert outcome.err.endswith(": No space left on device\n")
    assert not path.exists()
    full.unlink()
    disk("size=1m")
    assert cli(*WRITERS[name], path).status == 0
    assert os.listdir(folder) == ["file"]


@pytest.mark.parametrize("name", WRITERS)
def test_a_read_only_disk_is_reported(name: str, cli: Cli, folder: Path, disk: Disk) -> None:
    disk("size=1m")
    old = folder / "old"
    assert cli("play", "--record", old).status == 0
    before = old.read_bytes()
    disk("ro")
    for path in (old, folder / "new"):
        outcome = cli(*WRITERS[name], path)
        assert outcome.status in (2, 4)
        assert outcome.err.startswith("quaternity: ")
    assert "Read-only file system" in outcome.err
    assert os.listdir(folder) == ["old"]
    assert old.read_bytes() == before


def test_a_solve_resumes_after_the_disk_was_full(
    cli: Cli, tmp_path: Path, folder: Path, disk: Disk
) -> None:
    assert cli(*SOLVE, tmp_path / "whole").status == 0
    whole = (tmp_path / "whole").read_bytes()
    path = folder / "file"
    status, stopped = None, 0
    for pages in range(2, 100, 3):
        disk(f"size={pages * PAGE}")
        outcome = cli(*SOLVE, path)
        status = outcome.status
        if status == 0:
            break
        stopped += 1
        assert status in (2, 4), pages
        assert "Traceback" not in outcome.err
        assert str(folder) in outcome.err, (pages, outcome.err)
        assert "No space left on device" in outcome.err or "disk is full" in outcome.err
        assert not path.exists()
    assert stopped >= 3
    assert status == 0
    assert path.read_bytes() == whole
    assert os.listdir(folder) == ["file"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("game", ["play", "kwartet play"])
def test_a_killed_game_resumes(tmp_path: Path, game: str, seed: int) -> None:
    path, random = tmp_path / "game", Random(f"{game}/{seed}")
    command = {
        "play": ["play", "-n", "13", "-p", "4", *(f"--random={seat}" for seat in range(4))],
        "kwartet play": ["kwartet", "play", "--seats", "random,random,random"],
    }[game]
    kept, killed = b"", 0
    for _ in range(100):
        run = subprocess.Popen(
            [sys.executable, "-u", "-m", "quaternity", *command, "--record", str(path)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            pipesize=PAGE, bufsize=0,  # the process is never far ahead of its reader
        )  # fmt: skip
        with run:
            assert run.stdout is not None
            assert run.stderr is not None
            for _ in range(random.randint(1, 40)):
                run.stdout.readline()
            run.kill()
            assert b"Traceback" not in run.stderr.read()
        killed += run.returncode == -signal.SIGKILL
        now = path.read_bytes() if path.exists() else b""
        assert now.startswith(kept)
        kept = now[: now.rfind(b"\n") + 1]
        if run.returncode == 0:
            break
    assert killed >= 1
    assert run.returncode == 0
    if game == "play":
        assert read_record(str(path)).replay().state.is_over
    else:
        assert read_log(str(path)).positions[-1].public.is_over


def test_tables_on_a_read_only_disk_are_read(cli: Cli, folder: Path, disk: Disk) -> None:
    disk("size=4m")
    FileStore(str(folder)).close()
    disk("ro")
    assert cli("tables", "list", "--data", folder).status == 0
    assert cli("tables", "check", "--data", folder).status == 0
    confirmed = cli("tables", "confirm-clock", "--data", folder)
    assert (confirmed.status, confirmed.err) == (2, f"quaternity: {folder}: cannot be written\n")
    disk("rw")
    (folder / f"{FILE}-wal").write_bytes(b"newest moves")
    disk("ro")
    refused = cli("tables", "list", "--data", folder)
    assert (refused.status, f"newest moves are in {FILE}-wal" in refused.err) == (2, True)
