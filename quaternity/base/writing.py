"""Files that are replaced in one step: whatever stops a run, they are the old or the new ones.

Every file that the program writes goes through here, but for a game that grows move by move
(`quaternity.base.growing_file`) and the working files of `quaternity.perfect`.
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
    """Replace the content of a file in one step (temporary file and rename).

    A pipe or a device is written to as it is.

    Args:
        path: The file.
        text: The new content.
        private: Whether only the owner may read the file.

    Raises:
        InputError: If the file cannot be written.
    """
    write_bytes(path, text.encode(), private=private)


def write_bytes(path: str | Path, data: bytes, *, private: bool = False) -> None:
    """Replace the content of a file by bytes; see `write_text`."""
    target = Path(path)
    if target.exists() and not target.is_file():
        # A pipe or a device is written to: a file in its place would do harm.
        try:
            with target.open("wb") as file:
                file.write(data)
        except OSError as error:
            raise cannot_be_written(path, error) from error
        return
    with replacing(path, private=private) as part:
        part.write_bytes(data)


def check_may_be_written(path: str) -> None:
    """Raise `InputError`, before long work, if a file or its directory cannot be written."""
    there = Path(path)
    may_be_written = all(os.access(x, os.W_OK) for x in (there, there.parent) if x.exists())
    if not there.parent.is_dir() or there.is_dir() or not may_be_written:
        raise InputError(f"{path}: cannot be written")


@contextmanager
def replacing(path: str | Path, *, private: bool = False) -> Iterator[Path]:
    """Open an empty file that takes the place of another in one step after the block.

    It is on the disk before it does so, and keeps mode and, where that is allowed, owner of the
    file it replaces; a file without the right to be written is not replaced. It is this run's
    alone, so runs that write the same file do not disturb each other: one of them is the last. When
    the block ends by an exception the old file stays. What killed runs left behind is removed.
    Only the owner may read a private file, whatever the mode of the old file was.

    Raises:
        InputError: it cannot be written.
    """
    with replacing_locked(path, private=private) as (part, _):
        yield part


@contextmanager
def replacing_locked(path: str | Path, *, private: bool = False) -> Iterator[tuple[Path, int]]:
    """As `replacing`, with a handle on the file; `os.dup` of it keeps the lock after the block."""
    try:
        # What a link leads to is replaced, not the link.
        target = Path(path).resolve()
        _remove_dead_parts(target)
        old = target.stat() if target.exists() else None
        if old is not None and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        # Nobody may read the part who may not read the file.
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
            if not CAN_LOCK:  # where an open file cannot be renamed either
                part.replace(target)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
        synchronise_names(target.parent)
    except OSError as error:
        raise cannot_be_written(path, error) from error


def cannot_be_written(path: str | Path, error: OSError) -> InputError:
    """Return what to raise for a file that the system refuses."""
    return InputError(f"{path}: cannot be written: {error.strerror or error}")


def try_lock(handle: int) -> bool | None:
    """Lock an open file against other processes until it is closed; a crash releases the lock.

    Reading is not hindered. Returns False when another process has it, None where there are no such
    locks: on Windows, on some network file systems.
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


# A part is locked by the run that fills it: one that can be locked was left by a run that is dead.


def _new_part(target: Path, mode: int) -> tuple[Path, int]:
    while True:
        part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        # From `mode` the system takes what new files are not to have.
        handle = os.open(part, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL, mode)
        # Another run may have taken it for dead before it was locked.
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
        with suppress(OSError):  # not everybody may give files away
            os.chown(part, old.st_uid, old.st_gid)
    part.chmod(stat.S_IMODE(old.st_mode))


def synchronise_names(directory: Path) -> None:
    """Put the names of a directory on the disk, where the system knows how to.

    Raises:
        OSError: the disk failed.
    """
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:  # Windows opens no directories, and others none that may not be listed
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)
