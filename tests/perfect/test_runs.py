"""A run in processes or on a cluster, killed or interrupted, always gives the same file."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.solving.solver import solve
from quaternity.perfect.tablebase import write_tablebase

SIZES = Settings(3, 4, 3)

STOPPED = """
import os, signal, sys, threading
from pathlib import Path
from quaternity.cli.app import run

number, left, moment = getattr(signal, sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
rename = Path.replace

def replace(file, target):
    global left
    left -= 1
    if left == 0:
        timer = threading.Timer(moment, os.kill, (os.getpid(), number))
        timer.daemon = True
        timer.start()
    return rename(file, target)

Path.replace = replace
sys.exit(run(sys.argv[4:]))
"""
"""Script that runs a command and sends itself a signal shortly after it has renamed N files."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the tablebase of 3-4-3 made by one process without interruption."""
    path = tmp_path_factory.mktemp("whole") / "file"
    write_tablebase(path, solve(State.start(SIZES)))
    return path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("sign", ["SIGKILL", "SIGINT"])
def test_runs_stopped_at_any_moment_can_be_resumed(
    tmp_path: Path, whole: bytes, sign: str, workers: int
) -> None:
    random = Random(f"{sign}/{workers}")
    target = tmp_path / "3-4-3.tablebase"
    command = ["solve", "-s", "3", "-n", "4", "-p", "3", "--workers", str(workers)]
    stopped = 0
    for left in (1, 5, 11, 17, 23, 30, 0):
        when = [sign, str(left), str(random.uniform(0, 0.05))]
        run = subprocess.run(
            [sys.executable, "-c", STOPPED, *when, *command, "--out", str(target)],
            capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        # A file under its final name is complete.
        assert not target.exists() or target.read_bytes() == whole
        if run.returncode:
            assert run.returncode == (-signal.SIGKILL if sign == "SIGKILL" else 130)
            assert run.stdout == ""
            # Workers whose main process is killed while they start may print errors.
            assert sign == "SIGKILL" or "Traceback" not in run.stderr
            stopped += 1
    assert stopped >= 3
    assert target.read_bytes() == whole
    assert os.listdir(tmp_path) == [target.name]
