"""A real Dask cluster on the loopback address, for tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest


class Cluster(NamedTuple):
    """The address of the scheduler, and the processes."""

    address: str
    scheduler: subprocess.Popen[str]
    workers: tuple[subprocess.Popen[str], ...]


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """Run a scheduler and workers in separate processes until the context is left."""
    pytest.importorskip("distributed")
    host = ["--host", "127.0.0.1"]
    scheduler_file = folder / "scheduler.json"
    commands = [["dask", "scheduler", *host, "--port", "0", "--no-dashboard"]]
    commands += [["dask", "worker", *host, "--nthreads", "1", "--no-nanny", "--no-dashboard"]] * (
        workers
    )
    running: list[subprocess.Popen[str]] = []

    def start(command: list[str]) -> None:
        running.append(
            subprocess.Popen(
                [sys.executable, "-m", *command, "--scheduler-file", str(scheduler_file)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                cwd=Path(__file__).parents[1],
            )
        )

    try:
        for command in commands:
            start(command)
        errors = running[0].stderr
        assert errors is not None
        address = next(line.split()[-1] for line in errors if "Scheduler at:" in line)
        yield Cluster(address, running[0], tuple(running[1:]))
    finally:
        for process in running:
            process.kill()
            process.communicate()


__all__ = ["Cluster", "cluster"]
