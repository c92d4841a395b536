"""A process with all that it started, directly or not: found, weighed and ended."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

TAGS = "QUATERNITY_OWN_PROCESS"
"""Variable of the environment by which whatever a process started is found again."""

_MOST_SWEEPS = 100


def descendants(process: int) -> list[int]:
    """Return a process, and those it started, and so on, as far as the system tells (Linux)."""
    processes = [process]
    for parent in processes:  # which grows
        for tasks in Path(f"/proc/{parent}/task").glob("*/children"):
            with suppress(OSError):
                processes += map(int, tasks.read_text().split())
    return processes


def resident(processes: list[int]) -> int:
    """Bytes of memory of some processes; what two of them share counts twice."""
    pages = 0
    for process in processes:
        with suppress(OSError):
            pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _tagged(tag: str) -> list[int]:
    processes = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # that of another user, or ended
            if tag.encode() in environment.read_bytes():
                processes.append(int(environment.parent.name))
    return processes


def end_all(child: subprocess.Popen[bytes], tag: str) -> None:
    """End a process that leads a session, and all that it started.

    Args:
        tag: of its environment, in `TAGS`.
    """
    others = descendants(child.pid)[1:] if child.poll() is None else []
    # Its session is its own, and has its number.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    for other in others:  # that left the session
        with suppress(ProcessLookupError, PermissionError):
            os.kill(other, signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            pipe.close()
    for _ in range(_MOST_SWEEPS):  # they may fork meanwhile
        orphans = _tagged(tag)
        for orphan in orphans:  # orphans, of a process that ended by itself
            with suppress(ProcessLookupError, PermissionError):
                os.kill(orphan, signal.SIGKILL)
        if not orphans:
            break
