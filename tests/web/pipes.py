"""Named pipes that let work in other processes continue when a test says so, not after a delay."""

from __future__ import annotations

import os
from pathlib import Path


class Pipe:
    """A named pipe, from which `tests.own_process_calls.until_told` reads a letter.

    Attributes:
        name: its path.
    """

    def __init__(self, folder: Path) -> None:
        self.name = str(folder / "pipe")
        os.mkfifo(self.name)
        # Open for reading and writing, so that opening does not wait for the other side.
        self._file = os.open(self.name, os.O_RDWR)

    def tell(self, letters: str) -> None:
        """Let as many readers continue as there are letters."""
        os.write(self._file, letters.encode())

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._file)


__all__ = ["Pipe"]
