"""Record file of a running match. Each move is written to the disk before any player sees it.

If the user changes the players during a match, a comment such as `# seats: you, search` names the
new players.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Self

from quaternity.base.append_file import AppendOnlyFile
from quaternity.base.errors import InputError, QuaternityError
from quaternity.base.names import split_names
from quaternity.base.reading import read_bytes
from quaternity.base.text_record import Replay
from quaternity.table.match import Match

_SEATS = re.compile(rb"^# seats: (.*?)\r?$", re.MULTILINE)


class MatchJournal(AppendOnlyFile):
    """The record file of a match that is being played. `begin` or `resume` opens the file.

    Attributes:
        seats: the players that `note_seats` wrote last, by seat. Empty if it was never called.
    """

    _ends: list[int]
    _written: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()

    @classmethod
    def begin(cls, path: str, match: Match[Any, Any, Any]) -> Self:
        """Write a match, with the moves so far, to a new or empty file. Return the open file."""
        text = match.rules.record_start(match.history.start, match.names)
        journal = cls.create(path, text)
        journal._ends = [len(text.encode())]
        for number in range(len(match.moves)):
            journal._append(match, number)
        return journal

    @classmethod
    def resume(cls, path: str, rules: Any) -> tuple[Self, Replay[Any, Any]]:
        """Open an existing record. Return the open file and the game so far.

        Raises:
            InputError: If the file cannot be read or written, is in use by another process, is not
                a record of this game with these settings, or has an illegal move.
        """
        journal = cls(path)
        try:
            data = read_bytes(path)
            replay = rules.replay(data)
            whole = data[: replay.whole_bytes]
            if len(whole) < len(data):
                journal.shorten(len(whole))
            waits = not rules.is_settled(replay.positions[-1])
            if whole and not waits and not whole.endswith((b"\n", b"\r")):
                journal.append("\n")
        except BaseException:
            journal.close()
            raise
        journal.seats = journal._written = _seats_in(data)
        # Comments after the last move stay where they are when a move is added.
        journal._ends = [*replay.ends[:-1], journal.size]
        return journal, replay

    def add(self, match: Match[Any, Any, Any]) -> None:
        """Append the last move of a match. When this method returns, the move is on the disk."""
        self._append(match, len(match.moves) - 1)
        # The move is saved. If the comment cannot be written, the next call of `add` tries again.
        with suppress(InputError):
            self._write_seats(match)

    def note_seats(self, match: Match[Any, Any, Any]) -> None:
        """Record in a comment that players were replaced. The comment names the current players.

        If the last move is a question without an answer, the comment is written after the answer.
        """
        self.seats = tuple(match.names)
        self._write_seats(match)

    def _write_seats(self, match: Match[Any, Any, Any]) -> None:
        if self.seats == self._written or not match.rules.is_settled(match.position):
            return
        line = f"# seats: {', '.join(self.seats)}\n"
        self.append(line)
        self._written = self.seats
        self._ends[-1] += len(line.encode())

    def _append(self, match: Match[Any, Any, Any], number: int) -> None:
        text = match.rules.record_move(*next(match.history.transitions(number)))
        self.append(text, match.steps[number].events[0])
        self._ends.append(self._ends[-1] + len(text.encode()))

    def rewrite(self, match: Match[Any, Any, Any]) -> None:
        """Remove from the file the moves that were taken back in the match.

        Raises:
            InputError: If the file was changed by another program.
        """
        length = self._ends[len(match.moves)]
        data = read_bytes(self.path)[:length]
        try:
            replay = match.rules.replay(data)
            same = replay.moves == match.moves
        except QuaternityError:
            same = False
        if not same:
            raise InputError(f"{self.path}: another program changed the file while it was open")
        self.shorten(length)
        del self._ends[len(match.moves) + 1 :]
        self._written = _seats_in(data)
        self._write_seats(match)


def _seats_in(data: bytes) -> tuple[str, ...]:
    lines = _SEATS.findall(data)
    return tuple(split_names(lines[-1].decode(errors="replace"))) if lines else ()
