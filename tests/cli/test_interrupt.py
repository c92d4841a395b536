"""Ctrl-C leaves with status 130, and keeps what is finished."""

import signal
import subprocess
import sys


def test_perft_keeps_the_depths_it_has_counted() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "quaternity", "perft", "-d", "30"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert lines == ["1: 48\n", "2: 2160\n", "3: 90240\n"]
    assert process.returncode == 130
    assert "Traceback" not in error
