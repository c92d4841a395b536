"""States that show a fault, kept as files so that the fault can be looked at again."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from quaternity.errors import InputError
from quaternity.writing import write_text


def check_directory(directory: str) -> None:
    """Make sure, before long work, that a finding could be saved.

    Raises:
        InputError: no directory, or not writable.
    """
    if not Path(directory).is_dir():
        raise InputError(f"{directory}: not a directory")
    if not os.access(directory, os.W_OK):
        raise InputError(f"{directory}: cannot be written")


def save_finding(directory: str, text: str) -> str:
    """Save the text of a state file under a name made from its content; gives the name.

    Raises:
        InputError: it cannot be written.
    """
    path = Path(directory) / f"disagreement-{sha256(text.encode()).hexdigest()[:8]}.json"
    write_text(path, text)
    return str(path)


__all__ = ["check_directory", "save_finding"]
