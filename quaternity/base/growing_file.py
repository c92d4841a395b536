"""A file to which one process at a time appends whole lines: the record of a game, or runs.

The file is locked while it is open; a crash releases the lock. Before every change it must still be
the file of that name, and as long as it was left: changes by another process are never overwritten
or continued. Where there are no locks (Windows, some network file systems) that comparison alone
keeps two games apart.
"""

from __future__ import annotations

import io
import os
import stat
from contextlib import suppress
from typing import Self

from quaternity.base.errors import InputError
from quaternity.base.writing import CAN_LOCK, cannot_be_written, replacing_locked, try_lock


class GrowingFile:
    """A file that this process alone adds to, until it is closed. A context manager.

    A change is on the disk when its method returns.
    """

    def __init__(self, path: str, file: io.FileIO | None = None) -> None:
        """Open a file that exists, or take `file`, which is open and locked already.

        Raises:
            InputError: it cannot be written, is no file, or another process has it open.
        """
        self.path = path
        try:
            self._file = file or _locked(path)
            self._size = os.fstat(self._file.fileno()).st_size
        except OSError as error:
            raise cannot_be_written(path, error) from error

    @classmethod
    def exists(cls, path: str) -> bool:
        """Return whether there is something to go on with: a file that is not empty."""
        try:
            there = os.stat(path)
        except OSError:
            return False
        return stat.S_ISREG(there.st_mode) and there.st_size > 0

    @classmethod
    def create(cls, path: str, text: str) -> Self:
        """Start a new file, or fill an empty one, in one step: a crash leaves it empty or whole.

        Raises:
            InputError: as for the constructor; or the file is not empty.
        """
        is_new = True
        try:
            empty = cls(path, _locked(os.path.realpath(path), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            empty, is_new = cls(path), False
        except OSError as error:
            raise cannot_be_written(path, error) from error
        file = None
        with empty:
            if empty._size:
                raise InputError(f"{path}: is not empty: another process has written to it")
            try:
                with replacing_locked(path) as (part, handle):
                    part.write_text(text, encoding="utf-8", newline="")
                    if CAN_LOCK:
                        file = io.FileIO(os.dup(handle), "r+")
                    else:
                        empty.close()  # Windows replaces no file that is open
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
        """The length in bytes, as this process left it."""
        return self._size

    def append(self, text: str, what: str = "") -> None:
        """Add whole lines, or the beginning of one; `what` names in a refusal what is lost.

        Raises:
            InputError: they cannot be added, and are not; or the file was changed by somebody else.
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
                # Half a line, or a line that may not be on the disk, is taken back.
                with suppress(OSError):
                    os.ftruncate(handle, self._size)
                raise
        except OSError as error:
            lost = _lost(what or text)
            raise InputError(f"{cannot_be_written(self.path, error)}{lost}") from error
        except InputError as error:
            raise InputError(f"{error}{_lost(what or text)}") from None
        self._size += len(data)

    def shorten(self, length: int) -> None:
        """Keep the first `length` bytes only.

        Raises `InputError` if that cannot be done, or the file was changed by somebody else.
        """
        self._check()
        try:
            os.ftruncate(self._file.fileno(), length)
            self._size = length
            os.fsync(self._file.fileno())
        except OSError as error:
            raise cannot_be_written(self.path, error) from error

    def _check(self) -> None:
        """Refuse to go on when the file is not as it was left."""
        mine = os.fstat(self._file.fileno())
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            raise InputError(f"{self.path}: was removed or renamed meanwhile") from None
        except OSError as error:
            raise cannot_be_written(self.path, error) from error
        if not os.path.samestat(mine, there):
            raise InputError(f"{self.path}: was replaced by another file meanwhile")
        if mine.st_size != self._size:
            raise InputError(
                f"{self.path}: was changed by another program meanwhile: it has {mine.st_size} "
                f"bytes and was left with {self._size}"
            )

    def close(self) -> None:
        """Let others have the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _locked(path: str, how: int = 0) -> io.FileIO:
    """Return a file, open and locked; `how` are flags besides those for reading and appending.

    Raises:
        InputError: it is none, or another process has it.
        OSError: it cannot be opened.
    """
    while True:
        flags = how | os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)
        file = io.FileIO(os.open(path, flags, 0o666), "r+")
        try:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError(f"{path}: cannot be written: it is not a regular file")
            if try_lock(file.fileno()) is False:
                raise InputError(f"{path}: is in use by another process")
            # Before it was locked another process may have replaced it.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                    return file
        except BaseException:
            file.close()
            raise
        file.close()


def _lost(text: str) -> str:
    lines = text.split("\n")
    return f"; not kept: {', '.join(filter(None, lines))}" if any(lines) else ""
