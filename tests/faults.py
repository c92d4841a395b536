"""Simulated disk faults: the n-th file operation in a folder fails, or the process dies at it.

    with Disk(folder, fails_at=3, fault=Fault.FULL) as disk:
        command()

The operations are opening, writing, synchronising, renaming, truncating, removing, and making
directories, by Python code in this process. Writes of C libraries such as SQLite are not counted.
With `Fault.DEATH` the process "dies" at the operation: `Death` is raised, and code that still runs
while it propagates (`finally`, `except`) can no longer change the disk.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import Any
from unittest.mock import patch


class Death(BaseException):
    """The simulated death of the process; only the test catches it."""


class Fault(Enum):
    """What happens at the operation."""

    FULL = errno.ENOSPC
    BROKEN = errno.EIO
    FORBIDDEN = errno.EACCES
    DEATH = 0


class Disk:
    """A context manager within which the disk below a folder has a fault.

    Attributes:
        done: the names of the operations so far, in order, including the failing one.
        seen: the values that `watch` returned before each of them.
        failed: whether the fault has happened.
    """

    def __init__(
        self,
        folder: Path,
        fails_at: int | None = None,
        fault: Fault = Fault.FULL,
        stays: bool = False,
        watch: Callable[[], object] = lambda: None,
    ) -> None:
        """Prepare the fault.

        Args:
            fails_at: the number of the failing operation, from 0; by default none fails.
            fault: what happens at the operation. A write is half done before it fails.
            stays: whether all later operations fail, too, except those that free space.
            watch: a function called before every operation.
        """
        self.folder = folder.resolve()
        self.fails_at, self.fault, self.stays = fails_at, fault, stays
        self.watch = watch
        self.done: list[str] = []
        self.seen: list[object] = []
        self.failed = self._watching = False

    def __enter__(self) -> Disk:
        self._patches = ExitStack()
        for name in ("open", "write", "fsync", "replace", "rename", "link", "truncate", "ftruncate",
                     "unlink", "remove", "mkdir", "rmdir"):  # fmt: skip
            plain = getattr(os, name)
            self._patches.enter_context(patch.object(os, name, self._count(name, plain)))
        self._open = io.open
        for module in (builtins, io):
            self._patches.enter_context(patch.object(module, "open", self._open_counted))
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.close()

    def _count(self, name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
        def operation(place: Any, *arguments: Any, **options: Any) -> Any:
            if self._is_inside(place):
                half = None
                if name == "write":
                    data = memoryview(arguments[0])
                    half = lambda: plain(place, data[: len(data) // 2])  # noqa: E731
                self._step(name, half)
            return plain(place, *arguments, **options)

        return operation

    def _is_inside(self, place: Any) -> bool:
        """Return whether a path or file descriptor belongs to the folder."""
        if self._watching:
            return False
        try:
            path = os.readlink(f"/proc/self/fd/{place}") if isinstance(place, int) else place
            path = os.path.abspath(os.fsdecode(path).removesuffix(" (deleted)"))
        except (OSError, TypeError):
            return False
        return path == str(self.folder) or path.startswith(f"{self.folder}{os.sep}")

    def _step(self, name: str, half: Callable[[], object] | None = None) -> None:
        """Count an operation, and fail if it is the one that must fail."""
        if self.failed and self.fault is Fault.DEATH:
            raise Death
        number = len(self.done)
        self.done.append(name)
        self._watching = True
        self.seen.append(self.watch())
        self._watching = False
        makes_room = name in ("unlink", "remove", "rmdir", "truncate", "ftruncate")
        again = self.failed and self.stays and not makes_room
        if number != self.fails_at and not again:
            return
        if half is not None and not self.failed:
            half()
        self.failed = True
        if self.fault is Fault.DEATH:
            raise Death
        raise OSError(self.fault.value, os.strerror(self.fault.value))

    def _open_counted(self, file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        """Open a file like `open`, but write through `os.write`, without a buffer."""
        if isinstance(file, int) or not self._is_inside(file):
            return self._open(file, mode, *arguments, **options)
        self._step("open")
        if not set(mode) & set("wax+"):
            return self._open(file, mode, *arguments, **options)
        raw = _Unbuffered(file, mode.replace("b", "").replace("t", ""))
        return raw if "b" in mode else io.TextIOWrapper(raw, options.get("encoding") or "utf-8")


class _Unbuffered(io.RawIOBase):
    """A file open for writing; each write is a call of `os.write`."""

    def __init__(self, path: Any, mode: str) -> None:
        self._file = io.FileIO(path, mode)
        self.name = path

    def fileno(self) -> int:
        return self._file.fileno()

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return self._file.readable()

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = 0) -> int:
        return self._file.seek(place, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        return self._file.readinto(buffer) or 0

    def truncate(self, size: int | None = None) -> int:
        size = self.tell() if size is None else size
        os.ftruncate(self.fileno(), size)
        return size

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        written = 0
        while written < len(view):
            written += os.write(self.fileno(), view[written:])
        return written

    def close(self) -> None:
        self._file.close()
        super().close()


__all__ = ["Death", "Disk", "Fault"]
