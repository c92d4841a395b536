"""Reading of untrusted text files, with a size limit and clear error messages.

A file must be UTF-8 text, with or without a byte order mark.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from quaternity.base.errors import InputError

MAX_BYTES = 16 * 2**20
"""Maximum size of an input file, in bytes. This is enough for every state of a game within the
documented limits."""

_WIDE = re.compile(rb"\xff\xfe|\xfe\xff|\0{0,3}[\t-\r -~]\0|\0{1,3}[\t-\r -~]")
"""Pattern that matches the first bytes of text in UTF-16 or UTF-32."""


def read_bytes(path: str, limit: int = MAX_BYTES) -> bytes:
    """Return the content of a text file, or of standard input for `-`.

    `limit` is the maximum size of the file, in bytes. Raise `InputError` if the path is invalid,
    or the file does not exist, cannot be read, is larger than the limit, or is UTF-16 or UTF-32.
    """
    try:
        if path == "-":
            data = sys.stdin.buffer.read(limit + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(limit + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except (TypeError, ValueError) as error:  # not a path, or a null character in the name
        raise InputError(f"{path!r}: {error}") from error
    if len(data) > limit:
        raise InputError(f"{path}: the file is larger than the limit of {limit} bytes")
    try:
        strip_bom(data)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return data


def strip_bom(data: bytes) -> bytes:
    """Return text without its byte order mark. Raise `InputError` if it is UTF-16 or UTF-32."""
    if _WIDE.match(data):
        raise InputError("the text is UTF-16 or UTF-32; save it as UTF-8")
    return data.removeprefix(b"\xef\xbb\xbf")


def decode(data: bytes) -> str:
    """Decode UTF-8 text and remove its byte order mark.

    Raise `InputError` if the text is not UTF-8. The message names the first invalid byte.
    """
    strip_bom(data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"the text is not UTF-8 (byte {error.start} is {data[error.start]:#04x}); "
            "save it as UTF-8"
        ) from None
