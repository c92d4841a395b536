"""Files that a crash leaves old or new, never in between, or one whole line longer."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quaternity.errors import InputError


def write_text(path: str | Path, text: str) -> None:
    """Replace a file by a new content in one step (temporary file and rename).

    A pipe or a device is written to as it is.

    Raises:
        InputError: it cannot be written.
    """
    write_bytes(path, text.encode())


def write_bytes(path: str | Path, data: bytes) -> None:
    """As `write_text`, for bytes."""
    target = Path(path)
    if target.exists() and not target.is_file():
        # A pipe or a device is written to: a file in its place would do harm.
        try:
            with target.open("wb") as file:
                file.write(data)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
        return
    with replacing(path) as part:
        part.write_bytes(data)


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """An empty file to fill within the block, which then takes the place of another in one step.

    It is this run's alone, so runs that write the same file do not disturb each other: one of them
    is the last. When the block ends by an exception the old file stays.

    Raises:
        InputError: it cannot be written.
    """
    try:
        # What a link leads to is replaced, not the link.
        target = Path(path).resolve()
        handle, name = tempfile.mkstemp(
            prefix=f".{target.name}.", suffix=".part", dir=target.parent
        )
        part = Path(name)
        try:
            os.close(handle)
            yield part
            with part.open("rb+") as file:
                os.fsync(file.fileno())
            # A temporary file is private; what it becomes has the usual rights.
            mask = os.umask(0)
            os.umask(mask)
            part.chmod(0o666 & ~mask)
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error


def append_text(path: str | Path, text: str) -> None:
    """Add whole lines to the end of a file; they are on the disk when this returns.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        with Path(path).open("ab") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error


__all__ = ["append_text", "replacing", "write_bytes", "write_text"]
