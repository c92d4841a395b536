"""Atomic replacement of files: after a crash, a file has its old or its new content.

This module writes all files of the program except game records that grow move by move
(`quaternity.base.append_file`) and the working files of `quaternity.perfect`.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from quaternity.base.errors import InputError

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows
    CAN_LOCK = False
else:
    CAN_LOCK = True


def write_text(path: str | Path, text: str, *, private: bool = False) -> None:
    """Replace the content of a file atomically, by renaming a temporary file.

    If `private` is true, only the owner may read the file. If the path leads to a pipe or a device,
    the text is written to it directly. Raise `InputError` if the file cannot be written.
    """
    write_bytes(path, text.encode(), private=private)


def write_bytes(path: str | Path, data: bytes, *, private: bool = False) -> None:
    """Replace the content of a file with bytes atomically (see `write_text`)."""
    target = Path(path)
    if target.exists() and not target.is_file():
        # Write to a pipe or a device directly, because replacing it with a file would do harm.
        try:
            with target.open("wb") as file:
                file.write(data)
        except OSError as error:
            raise write_error(path, error) from error
        return
    with replace_file(path, private=private) as part:
        part.write_bytes(data)


def check_writable(path: str) -> None:
    """Check, before a long computation, that its result can be written to a file.

    Raise `InputError` if the file or its directory cannot be written.
    """
    target = Path(path)
    may_be_written = all(os.access(x, os.W_OK) for x in (target, target.parent) if x.exists())
    if not target.parent.is_dir() or target.is_dir() or not may_be_written:
        raise InputError(f"{path}: cannot be written")


@contextmanager
def replace_file(path: str | Path, *, private: bool = False) -> Iterator[Path]:
    """Yield an empty temporary file that replaces the file at `path` after the `with` block.

    If the block raises an exception, the old file is kept. After a crash, the file has its old or
    its new content. The new file gets the mode and, if permitted, the owner of the old file. A
    write-protected file is not replaced. Processes can write the same file at the same time, and
    the last write wins. Temporary files of killed processes are removed.

    Args:
        path: the file to replace. A symbolic link is followed.
        private: whether only the owner may read the new file, whatever the mode of the old file.

    Raises:
        InputError: If the file cannot be written.
    """
    with replace_file_locked(path, private=private) as (part, _):
        yield part


@contextmanager
def replace_file_locked(path: str | Path, *, private: bool = False) -> Iterator[tuple[Path, int]]:
    """Replace a file as `replace_file` does, but lock the temporary file.

    Yield the path and the descriptor of the temporary file. A duplicate of the descriptor
    (`os.dup`) keeps the lock after the `with` block.
    """
    try:
        # Replace the target of a symbolic link, not the link.
        target = Path(path).resolve()
        _remove_dead_parts(target)
        old = target.stat() if target.exists() else None
        if old is not None and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        # Only users who may read the file may read the temporary file.
        mode = 0o666 if old is None else old.st_mode & 0o777 | 0o600
        part, handle = _new_part(target, 0o600 if private else mode)
        try:
            try:
                yield part, handle
                os.fsync(handle)
                if old is not None:
                    _take_over(part, old)
                if private:
                    part.chmod(0o600)
                if CAN_LOCK:
                    part.replace(target)
            finally:
                os.close(handle)
            if not CAN_LOCK:  # Windows cannot rename an open file
                part.replace(target)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
        sync_directory(target.parent)
    except OSError as error:
        raise write_error(path, error) from error


def write_error(path: str | Path, error: OSError) -> InputError:
    """Return the error for a file that the operating system cannot write."""
    return InputError(f"{path}: cannot be written: {error.strerror or error}")


def try_lock(handle: int) -> bool | None:
    """Try to lock an open file against other writers until it is closed.

    A crash releases the lock. The file can still be read.

    Returns:
        True if the file is locked now, False if another process has locked it, or None if the
        system has no such locks (Windows, some network file systems).
    """
    if not CAN_LOCK:
        return None
    try:
        flock(handle, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


# A process locks the temporary file that it fills. So a temporary file that can be locked was left
# behind by a process that has died.


def _new_part(target: Path, mode: int) -> tuple[Path, int]:
    while True:
        part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        # `os.open` removes the bits of the umask from `mode`.
        handle = os.open(part, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL, mode)
        # Another process may have removed the file as a leftover before it was locked.
        if try_lock(handle) is not False and part.exists():
            return part, handle
        os.close(handle)


def _remove_dead_parts(target: Path) -> None:
    with suppress(OSError):
        for name in os.listdir(target.parent):
            if name.startswith(f".{target.name}.") and name.endswith(".part"):
                part = target.with_name(name)
                handle = os.open(part, os.O_RDWR)
                try:
                    if try_lock(handle):
                        part.unlink()
                finally:
                    os.close(handle)


def _take_over(part: Path, old: os.stat_result) -> None:
    new = part.stat()
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(OSError):  # changing the owner may need privileges
            os.chown(part, old.st_uid, old.st_gid)
    part.chmod(stat.S_IMODE(old.st_mode))


def sync_directory(directory: Path) -> None:
    """Flush the list of files in a directory to the disk, if the system supports that.

    Raise `OSError` if the disk fails.
    """
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:  # Windows cannot open directories; elsewhere read permission may be missing
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)
