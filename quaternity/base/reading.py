"""Text from files that anybody may have written: bounded, decoded, and with clear refusals."""

from __future__ import annotations

import sys
from pathlib import Path

from quaternity.base.errors import InputError

MAX_BYTES = 16 * 2**20
"""Largest file that is read (16 MiB); the largest state in the documented limits is smaller."""


def read_bytes(path: str, most: int = MAX_BYTES) -> bytes:
    """Return the content of a file, or of standard input for `-`.

    Raises `InputError` if it is no path or file, cannot be read, or is larger than so many bytes.
    """
    try:
        if path == "-":
            data = sys.stdin.buffer.read(most + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(most + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except (TypeError, ValueError) as error:  # no path, or a null character in the name
        raise InputError(f"{path!r}: {error}") from error
    if len(data) > most:
        raise InputError(f"{path}: larger than {most} bytes, the limit for a file")
    return data


def decode(data: bytes) -> str:
    """Return UTF-8 text, with or without a byte order mark; `InputError` names a wrong byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 text (byte {error.start} is {data[error.start]:#04x})"
        ) from None
