"""Process trees: find, measure and end a process and its descendants."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

TAGS_VARIABLE = "QUATERNITY_OWN_PROCESS"
"""Environment variable whose tags identify the processes that a process started."""

_MAX_SWEEPS = 100


def descendants(process: int) -> list[int]:
    """Return a process and its descendants. Only Linux lists the descendants."""
    processes = [process]
    for parent in processes:  # the list grows
        for children in _files(f"/proc/{parent}/task", "children"):
            with suppress(OSError):
                processes += map(int, children.read_text().split())
    return processes


def _files(folder: str, name: str) -> list[Path]:
    """Return the files called `name` in the numbered subfolders of a folder, or none if it is gone.

    `Path.glob` would raise an error if a process ended meanwhile.
    """
    try:
        return [Path(folder, entry, name) for entry in os.listdir(folder) if entry.isdecimal()]
    except OSError:
        return []


def resident_bytes(processes: list[int]) -> int:
    """Return the resident memory of the processes, in bytes; shared memory counts repeatedly."""
    pages = 0
    for process in processes:
        with suppress(OSError):
            pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _find_tagged(tag: str) -> list[int]:
    processes = []
    for environment in _files("/proc", "environ"):
        with suppress(OSError):  # the process belongs to another user or has ended
            if tag.encode() in environment.read_bytes():
                processes.append(int(environment.parent.name))
    return processes


def end_tagged(tag: str) -> None:
    """End the tagged processes (see `TAGS_VARIABLE`) that a killed supervisor left behind."""
    for _ in range(_MAX_SWEEPS):  # the processes may fork meanwhile
        orphans = _find_tagged(tag)
        for orphan in orphans:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(orphan, signal.SIGKILL)
        if not orphans:
            break
