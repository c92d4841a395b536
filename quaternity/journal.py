"""A record kept while a game is played: every move is on disk before the next question.

An interrupted game resumes from its journal. Moves are appended as whole lines and flushed to the
disk; what must change earlier text (an undo, a last line that was cut off) replaces the file in one
step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from quaternity.errors import InputError
from quaternity.game import Game
from quaternity.question import Move
from quaternity.reading import read_bytes
from quaternity.record import header_text, parse_record, record_text
from quaternity.settings import Settings
from quaternity.writing import append_text, write_bytes, write_text

_LINE_END = re.compile(rb"\r\n|\n|\r")


class Journal:
    """The record file of one game.

    Open with `Journal.begin` for a new file or `Journal.resume` for one that exists.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def exists(cls, path: str) -> bool:
        """Whether there is something to resume: a file that is not empty."""
        try:
            return Path(path).stat().st_size > 0
        except OSError:
            return False

    @classmethod
    def begin(cls, path: str, settings: Settings) -> Journal:
        """Start a new record.

        Raises:
            InputError: the file cannot be written.
        """
        write_text(path, header_text(settings))
        return cls(path)

    @classmethod
    def resume(
        cls, path: str, asked: Mapping[str, object]
    ) -> tuple[Journal, Game, tuple[str, ...]]:
        """Take up a record: the journal, the game so far, and what was odd about the file.

        Args:
            asked: the settings that were named, by field; they must be the record's.

        Raises:
            InputError: the file cannot be read, is no record, or has other settings.
            ImpossibleRecord: the game in it breaks the rules.
        """
        data = read_bytes(path)
        record = parse_record(data)
        agree_on(record.settings, asked)
        game = record.replay()
        whole = data[: record.whole_bytes]
        if whole and not whole.endswith((b"\n", b"\r")):
            whole += b"\n"
        if whole != data:
            write_bytes(path, whole)
        return cls(path), game, record.warnings

    def add(self, move: Move) -> None:
        """Append a move; it is on disk when this returns.

        Raises:
            InputError: the file cannot be written.
        """
        append_text(self.path, f"{move}\n")

    def rewrite(self, game: Game) -> None:
        """Replace the record by a game's, after an undo.

        What was written before the first move that is gone stays as it was, comments too.
        """
        write_bytes(self.path, self._up_to(game) or record_text(game).encode())

    def _up_to(self, game: Game) -> bytes | None:
        """The file up to a game's last move; None when it is not the record of that game."""
        count = len(game.moves)
        try:
            data = read_bytes(self.path)
            record = parse_record(data)
        except InputError:
            return None
        if record.settings != game.settings or record.moves[:count] != game.moves:
            return None
        if len(record.moves) == count:
            return data
        before = record.lines[count] - 1
        return data[: list(_LINE_END.finditer(data))[before - 1].end()]


def agree_on(recorded: Settings, asked: Mapping[str, object]) -> None:
    """Make sure that the settings of a record are what was asked for.

    Args:
        asked: the settings that were named, by field.

    Raises:
        InputError: a setting was asked for that differs from the record's.
    """
    differing = [
        f"{name.replace('_', '-')} {value} was asked for, but the record has "
        f"{getattr(recorded, name)}"
        for name, value in asked.items()
        if getattr(recorded, name) != value
    ]
    if differing:
        raise InputError("; ".join(differing))


__all__ = ["Journal", "agree_on"]
