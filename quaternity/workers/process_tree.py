"""A process with all that it started, directly or not: found, weighed and ended."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

TAGS = "QUATERNITY_OWN_PROCESS"
"""Variable of the environment by which whatever a process started is found again."""

_MAX_SWEEPS = 100


def descendants(process: int) -> list[int]:
    """Return a process, and those it started, and so on, as far as the system tells (Linux)."""
    processes = [process]
    for parent in processes:  # which grows
        for children in _files(f"/proc/{parent}/task", "children"):
            with suppress(OSError):
                processes += map(int, children.read_text().split())
    return processes


def _files(folder: str, name: str) -> list[Path]:
    """Files of a name in the numbered folders of a folder, none if it is gone.

    `Path.glob` raises where a process ends while it looks.
    """
    try:
        return [Path(folder, entry, name) for entry in os.listdir(folder) if entry.isdecimal()]
    except OSError:
        return []


def resident(processes: list[int]) -> int:
    """Bytes of memory of some processes; what two of them share counts twice."""
    pages = 0
    for process in processes:
        with suppress(OSError):
            pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _tagged(tag: str) -> list[int]:
    processes = []
    for environment in _files("/proc", "environ"):
        with suppress(OSError):  # that of another user, or ended
            if tag.encode() in environment.read_bytes():
                processes.append(int(environment.parent.name))
    return processes


def end_tagged(tag: str) -> None:
    """End all processes with a tag in `TAGS` of their environment, left by a killed supervisor."""
    for _ in range(_MAX_SWEEPS):  # they may fork meanwhile
        orphans = _tagged(tag)
        for orphan in orphans:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(orphan, signal.SIGKILL)
        if not orphans:
            break
