"""Functions that find, measure and end a process and its descendants."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

TAGS_VARIABLE = "QUATERNITY_OWN_PROCESS"
"""Name of the environment variable that marks the descendants of a process, so that they can be
found after their parent has ended."""

_MAX_SWEEPS = 100


def descendants(process: int) -> list[int]:
    """Return the ids of a process and, on Linux only, of its descendants."""
    processes = [process]
    for parent in processes:  # Descendants are appended to the list while it is traversed.
        for children in _files(f"/proc/{parent}/task", "children"):
            with suppress(OSError):
                processes += map(int, children.read_text().split())
    return processes


def _files(folder: str, name: str) -> list[Path]:
    """Return the path of a file in each folder whose name is a number, such as /proc/1/stat."""
    try:
        return [Path(folder, entry, name) for entry in os.listdir(folder) if entry.isdecimal()]
    except OSError:
        return []


def resident_bytes(processes: list[int]) -> int:
    """Return the total resident memory of the processes in bytes, including shared memory."""
    pages = 0
    for process in processes:
        with suppress(OSError):
            pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _find_tagged(tag: str) -> list[int]:
    processes = []
    for environment in _files("/proc", "environ"):
        with suppress(OSError):  # The process belongs to another user or has ended.
            if tag.encode() in environment.read_bytes():
                processes.append(int(environment.parent.name))
    return processes


def end_tagged(tag: str) -> None:
    """End processes that were left behind by a killed supervisor (see `TAGS_VARIABLE`)."""
    for _ in range(_MAX_SWEEPS):  # Repeat the sweep, because processes may fork during it.
        orphans = _find_tagged(tag)
        for orphan in orphans:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(orphan, signal.SIGKILL)
        if not orphans:
            break
