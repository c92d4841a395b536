"""Append-only files, such as game records, that only one process writes at a time.

The file is locked while it is open, and a crash releases the lock. Before every change,
`AppendOnlyFile` checks that the path still leads to the open file, and that no other process has
changed its length. So changes by another process are never overwritten. On systems without file
locks (Windows, some network file systems), only this check detects a second writer.
"""

from __future__ import annotations

import io
import os
import stat
from contextlib import suppress
from typing import Self

from quaternity.base.errors import InputError
from quaternity.base.writing import CAN_LOCK, replace_file_locked, try_lock, write_error


class AppendOnlyFile:
    """A file to which only this process appends while it is open.

    The object is a context manager. Each method that changes the file returns only when the change
    is on the disk.
    """

    def __init__(self, path: str, file: io.FileIO | None = None) -> None:
        """Open the existing file at `path`, or take over `file`, which is already open and locked.

        Raise `InputError` if the file cannot be written, is not a regular file, or is open in
        another process.
        """
        self.path = path
        try:
            self._file = file or _open_locked(path)
            self._size = os.fstat(self._file.fileno()).st_size
        except OSError as error:
            raise write_error(path, error) from error

    @classmethod
    def exists(cls, path: str) -> bool:
        """Return whether the path leads to a regular file that is not empty."""
        try:
            status = os.stat(path)
        except OSError:
            return False
        return stat.S_ISREG(status.st_mode) and status.st_size > 0

    @classmethod
    def create(cls, path: str, text: str) -> Self:
        """Create a file with the given text, or replace an empty one.

        The text is written atomically: after a crash, the file is empty or complete. Raise
        `InputError` if the file is not empty, cannot be written, is not a regular file, or is open
        in another process.
        """
        is_new = True
        try:
            empty = cls(path, _open_locked(os.path.realpath(path), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            empty, is_new = cls(path), False
        except OSError as error:
            raise write_error(path, error) from error
        file = None
        with empty:
            if empty._size:
                raise InputError(
                    f"{path}: the file is not empty: another process has written to it"
                )
            try:
                with replace_file_locked(path) as (part, handle):
                    part.write_text(text, encoding="utf-8", newline="")
                    if CAN_LOCK:
                        file = io.FileIO(os.dup(handle), "r+")
                    else:
                        empty.close()  # Windows cannot replace an open file
            except BaseException:
                if file is not None:
                    file.close()
                if is_new:
                    with suppress(OSError):
                        os.unlink(os.path.realpath(path))
                raise
        return cls(path, file)

    @property
    def size(self) -> int:
        """Length of the file in bytes, after the last change by this process."""
        return self._size

    def append(self, text: str, what: str = "") -> None:
        """Append text, which may end in the middle of a line.

        Raise `InputError` if the text cannot be written, or another process has changed the file.
        No part of the text is then kept. So that the user knows what is lost, the error message
        contains a short description (`what`), or the text itself if `what` is empty.
        """
        data = text.encode()
        handle = self._file.fileno()
        try:
            self._check()
            try:
                written = 0
                while written < len(data):
                    written += os.write(handle, data[written:])
                os.fsync(handle)
            except OSError:
                # Remove the text, which may be incomplete or not yet on the disk.
                with suppress(OSError):
                    os.ftruncate(handle, self._size)
                raise
        except OSError as error:
            lost = _unsaved_text(what or text)
            raise InputError(f"{write_error(self.path, error)}{lost}") from error
        except InputError as error:
            raise InputError(f"{error}{_unsaved_text(what or text)}") from None
        self._size += len(data)

    def shorten(self, length: int) -> None:
        """Truncate the file to `length` bytes.

        Raise `InputError` if the file cannot be truncated, or another process has changed it.
        """
        self._check()
        try:
            os.ftruncate(self._file.fileno(), length)
            self._size = length
            os.fsync(self._file.fileno())
        except OSError as error:
            raise write_error(self.path, error) from error

    def _check(self) -> None:
        opened = os.fstat(self._file.fileno())
        try:
            current = os.stat(self.path)
        except FileNotFoundError:
            raise InputError(
                f"{self.path}: the file was removed or renamed while it was open"
            ) from None
        except OSError as error:
            raise write_error(self.path, error) from error
        if not os.path.samestat(opened, current):
            raise InputError(
                f"{self.path}: the file was replaced by another file while it was open"
            )
        if opened.st_size != self._size:
            raise InputError(
                f"{self.path}: another program changed the file while it was open: it has "
                f"{opened.st_size} bytes instead of {self._size}"
            )

    def close(self) -> None:
        """Close the file and release its lock."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _open_locked(path: str, extra_flags: int = 0) -> io.FileIO:
    while True:
        flags = extra_flags | os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
        file = io.FileIO(os.open(path, flags, 0o666), "r+")
        try:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError(f"{path}: cannot be written: it is not a regular file")
            if try_lock(file.fileno()) is False:
                raise InputError(f"{path}: is in use by another process")
            # Try again if another process replaced the file before it was locked.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                    return file
        except BaseException:
            file.close()
            raise
        file.close()


def _unsaved_text(text: str) -> str:
    lines = text.split("\n")
    return f"; not saved: {', '.join(filter(None, lines))}" if any(lines) else ""
