"""Progress of a game in an isolated process, noted in memory that the parent process can read."""

from __future__ import annotations

from mmap import mmap
from struct import Struct

MAX_NOTED_BYTES = 1 << 23
"""Maximum total size of the noted moves of a game, in bytes. Further moves are not noted."""

_STATE = Struct("<3Q")

NOTED_BYTES = _STATE.size + MAX_NOTED_BYTES
"""Size of the file of notes that is shared with the parent process, in bytes."""


class Notes:
    """The progress of a game in this process, in a file that the parent process reads.

    Writing a note takes less than a microsecond.
    """

    def __init__(self, file: int) -> None:
        self._memory = mmap(file, NOTED_BYTES)
        self._thoughts = self._used = 0
        self._fits = True

    def clear(self) -> None:
        """Delete all notes."""
        self._thoughts = self._used = 0
        self._fits = True
        _STATE.pack_into(self._memory, 0, 0, 0, 0)

    def note_thinking(self, seat: int) -> None:
        """Note that the player in a seat begins to think."""
        self._thoughts += 1
        _STATE.pack_into(self._memory, 0, self._thoughts, seat + 1, self._used)

    def note_move(self, move: str) -> None:
        """Note that a move was made and that no player is thinking."""
        line = f"{move}\n".encode()
        start, end = _STATE.size + self._used, self._used + len(line)
        self._fits = self._fits and end <= MAX_NOTED_BYTES
        if self._fits:
            self._memory[start : start + len(line)] = line
            self._used = end
        _STATE.pack_into(self._memory, 0, self._thoughts, 0, self._used)

    def state(self) -> tuple[int, int | None]:
        """Return how often players have begun to think, and the seat that is thinking (or None)."""
        thoughts, thinking, _ = _STATE.unpack_from(self._memory, 0)
        return thoughts, thinking - 1 if thinking else None

    def detach(self) -> None:
        """Detach from the shared file. Further notes are written to private memory."""
        self._memory = mmap(-1, NOTED_BYTES)

    def moves(self) -> list[str]:
        """Return the noted moves."""
        used = min(_STATE.unpack_from(self._memory, 0)[2], MAX_NOTED_BYTES)
        text = self._memory[_STATE.size : _STATE.size + used]
        return text.decode(errors="replace").splitlines()


_notes: Notes | None = None


def notes() -> Notes | None:
    """Return the `Notes` of this process, or None if this is not an isolated process."""
    return _notes


def note_in(file: int) -> Notes:
    """Start writing the notes of this process to a file, whose size must be `NOTED_BYTES`."""
    global _notes
    _notes = Notes(file)
    return _notes
