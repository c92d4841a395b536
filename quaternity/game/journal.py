"""A record kept while a game is played: every move is on disk before the next question.

An interrupted game resumes from its journal, a `GrowingFile`: moves are appended as whole lines; an
undo, or a last line that was cut off, shortens it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Self

from quaternity.errors import InputError
from quaternity.files.growing_file import GrowingFile
from quaternity.files.reading import read_bytes
from quaternity.game.game import Game
from quaternity.game.question import Move
from quaternity.game.record import header_text, parse_record
from quaternity.game.settings import Settings

_LINE_END = re.compile(rb"\r\n|\n|\r")


class Journal(GrowingFile):
    """The record file of one game.

    Open with `Journal.begin` for a new file or `Journal.resume` for one that exists.
    """

    @classmethod
    def begin(cls, path: str, settings: Settings) -> Self:
        """Start a new record.

        Raises:
            InputError: the file cannot be written, is not empty, or another process has it.
        """
        return cls.create(path, header_text(settings))

    @classmethod
    def resume(cls, path: str, asked: Mapping[str, object]) -> tuple[Self, Game, tuple[str, ...]]:
        """Take up a record: the journal, the game so far, and what was odd about the file.

        Args:
            asked: the settings that were named, by field; they must be the record's.

        Raises:
            InputError: the file cannot be read or written, is no record, has other settings, or
                another process plays in it.
            ImpossibleRecord: the game in it breaks the rules.
        """
        journal = cls(path)
        try:
            data = read_bytes(path)
            record = parse_record(data)
            agree_on(record.settings, asked)
            game = record.replay()
            if record.whole_bytes < len(data):
                journal.shorten(record.whole_bytes)
            elif not data.endswith((b"\n", b"\r")):
                journal.append("\n")
        except BaseException:
            journal.close()
            raise
        return journal, game, record.warnings

    def add(self, move: Move) -> None:
        """Append a move; it is on disk when this returns.

        Raises:
            InputError: the file cannot be written, or was changed by somebody else.
        """
        self.append(f"{move}\n")

    def rewrite(self, game: Game) -> None:
        """Shorten the record to a game's, after an undo.

        What was written before the first move that is gone stays as it was, comments too.

        Raises:
            InputError: the file cannot be written, or was changed by somebody else.
        """
        count = len(game.moves)
        data = read_bytes(self.path)
        record = parse_record(data)
        if record.settings != game.settings or record.moves[:count] != game.moves:
            raise InputError(f"{self.path}: was changed by another program meanwhile")
        if len(record.moves) > count:
            before = record.lines[count] - 1
            self.shorten(list(_LINE_END.finditer(data))[before - 1].end())


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
