"""Notes of a process for its parent about the game it plays, in memory that outlives it."""

from __future__ import annotations

from mmap import mmap
from struct import Struct

MAX_NOTED_BYTES = 1 << 23
"""Maximum size of the noted moves, in bytes; the moves of a longer game are noted up to there."""

_STATE = Struct("<3Q")

NOTED_BYTES = _STATE.size + MAX_NOTED_BYTES
"""Bytes of the file that the two share."""


class Notes:
    """Notes of a process about the game it plays, in memory that its parent sees.

    Cost: less than a microsecond a note.
    """

    def __init__(self, file: int) -> None:
        self._memory = mmap(file, NOTED_BYTES)
        self._thoughts = self._used = 0
        self._fits = True

    def clear(self) -> None:
        """Nothing noted."""
        self._thoughts = self._used = 0
        self._fits = True
        _STATE.pack_into(self._memory, 0, 0, 0, 0)

    def thinks(self, seat: int) -> None:
        """Note that a player begins to think."""
        self._thoughts += 1
        _STATE.pack_into(self._memory, 0, self._thoughts, seat + 1, self._used)

    def moved(self, move: str) -> None:
        """Note that a move was made, and nobody thinks."""
        line = f"{move}\n".encode()
        start, end = _STATE.size + self._used, self._used + len(line)
        self._fits = self._fits and end <= MAX_NOTED_BYTES
        if self._fits:
            self._memory[start : start + len(line)] = line
            self._used = end
        _STATE.pack_into(self._memory, 0, self._thoughts, 0, self._used)

    def state(self) -> tuple[int, int | None]:
        """Return how often a player began to think, and the seat of the one that thinks now."""
        thoughts, thinking, _ = _STATE.unpack_from(self._memory, 0)
        return thoughts, thinking - 1 if thinking else None

    def leave(self) -> None:
        """Note elsewhere from now on."""
        self._memory = mmap(-1, NOTED_BYTES)

    def moves(self) -> list[str]:
        """Return the moves noted."""
        used = min(_STATE.unpack_from(self._memory, 0)[2], MAX_NOTED_BYTES)
        text = self._memory[_STATE.size : _STATE.size + used]
        return text.decode(errors="replace").splitlines()


_notes: Notes | None = None


def notes() -> Notes | None:
    """Return where to tell about a game, in a process that is watched; None elsewhere."""
    return _notes


def note_in(file: int) -> Notes:
    """Have this process tell about its games in a file of `NOTED_BYTES`."""
    global _notes
    _notes = Notes(file)
    return _notes
