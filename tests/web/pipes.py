"""What lets work in other processes go on when a test says so, and not by a clock."""

from __future__ import annotations

import os
from pathlib import Path


class Pipe:
    """A pipe by name, of which `tests.own_process_calls.wait_for_letter` reads a letter.

    Attributes:
        name: its path.
    """

    def __init__(self, folder: Path) -> None:
        self.name = str(folder / "pipe")
        os.mkfifo(self.name)
        # Open for both, so that nobody waits for the other side to be opened.
        self._file = os.open(self.name, os.O_RDWR)

    def tell(self, letters: str) -> None:
        """Let as many go on as there are letters."""
        os.write(self._file, letters.encode())

    def close(self) -> None:
        """Leave nothing open."""
        os.close(self._file)


__all__ = ["Pipe"]
