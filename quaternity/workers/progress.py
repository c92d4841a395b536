"""Progress notes of a running game, so that an error report can say where the game stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quaternity.workers.notes import notes


class Progress:
    """The moves of a game so far, and the player who is thinking.

    In an isolated process, the parent process can also read them.

    Attributes:
        moves: The moves, each with the seat that made it.
        thinking: The seat of the player that was asked last.
    """

    __slots__ = ("_notes", "_write", "moves", "thinking")

    def __init__(self, write: Callable[[Any], str] = str) -> None:
        self.moves: list[tuple[int, Any]] = []
        self.thinking: int | None = None
        self._notes, self._write = notes(), write

    def note_thinking(self, seat: int) -> None:
        """Note that the player in a seat has begun to think."""
        self.thinking = seat
        if self._notes is not None:
            self._notes.note_thinking(seat)

    def note_move(self, seat: int, move: Any) -> None:
        """Note that the player in a seat has made a move."""
        self.moves.append((seat, move))
        if self._notes is not None:
            self._notes.note_move(f"{seat} {self._write(move)}")
