"""A game log kept while the game is played: the deal first, every request before the next prompt.

An interrupted game resumes from its log, a `GrowingFile`: requests are appended as whole lines,
each together with the announcements that follow from it; a last line that was cut off is taken
away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from quaternity.errors import InputError
from quaternity.files.growing_file import GrowingFile
from quaternity.files.reading import read_bytes
from quaternity.kwartet.hands import Hand
from quaternity.kwartet.log import GameLog, announced_at_deal, header_text
from quaternity.kwartet.log_reading import parse_log
from quaternity.kwartet.position import Position
from quaternity.kwartet.requests import Event
from quaternity.kwartet.settings import KwartetSettings


class KwartetJournal(GrowingFile):
    """The log file of one game.

    Open with `KwartetJournal.begin` for a new file or `KwartetJournal.resume` for one that exists.
    """

    @classmethod
    def begin(
        cls, path: str, settings: KwartetSettings, hands: tuple[Hand, ...], names: Sequence[str]
    ) -> Self:
        """Start a new log with a deal, and what was announced at once.

        Raises:
            InputError: the file cannot be written, is not empty, or another process has it.
        """
        announced = announced_at_deal(Position.start(settings, hands))
        text = header_text(settings, hands, names) + "".join(f"{line}\n" for line in announced)
        return cls.create(path, text)

    @classmethod
    def resume(
        cls,
        path: str,
        names: Sequence[str] | None = None,
        asked: Mapping[str, object] | None = None,
    ) -> tuple[Self, GameLog]:
        """Take up a log: the journal and the game so far.

        Args:
            names, asked: as for `agree_on`; by default any log will do.

        Raises:
            InputError: the file cannot be read or written, has other players or settings, or
                another process plays in it.
            LogError: it is no log, or the game in it breaks the rules.
        """
        journal = cls(path)
        try:
            data = read_bytes(path)
            log = parse_log(data, path)
            agree_on(log, names, asked or {})
            missing = ""
            if not data.endswith((b"\n", b"\r")):
                # A last line without an end counts only if nothing can be missing from it.
                if log.warnings:
                    data = data[: max(data.rfind(b"\n"), data.rfind(b"\r")) + 1]
                    journal.shorten(len(data))
                else:
                    missing = "\n"
            missing += "".join(f"{line}\n" for line in _not_yet_announced(log, data))
            if missing:
                journal.append(missing)
        except BaseException:
            journal.close()
            raise
        return journal, log

    def add(self, event: Event) -> None:
        """Append a request with its result and announcements; it is on disk when this returns.

        Raises:
            InputError: the file cannot be written, or was changed by somebody else.
        """
        self.append(f"{event}\n")


def _not_yet_announced(log: GameLog, data: bytes) -> list[str]:
    """The announcements that follow from the last request and are not in the file."""
    if log.events:
        last = log.events[-1]
        wanted = [(last.question.asker, index) for index in last.announced]
    else:
        removed = log.positions[0].public.removed
        wanted = [(player, index) for index, player in enumerate(removed) if player is not None]
    said = set()
    for line in data.decode().splitlines():
        words = line.split("#", 1)[0].split()
        if words[1:3] == ["puts", "down"]:
            said.add((int(words[0]), int(words[3])))
    return [
        f"{player} puts down {index}" for player, index in wanted if (player, index) not in said
    ]


def agree_on(log: GameLog, names: Sequence[str] | None, asked: Mapping[str, object]) -> None:
    """Make sure that a log has the players and the settings that were asked for.

    Args:
        names: who was asked for in the seats, if anybody; a log without names agrees with anybody.
        asked: the settings that were named, by field of `KwartetSettings`.

    Raises:
        InputError: lists every difference.
    """
    pairs = [(name, value, getattr(log.settings, name)) for name, value in asked.items()]
    if names is not None and log.names:
        pairs.append(("seats", repr(",".join(names)), repr(",".join(log.names))))
    elif names is not None:
        pairs.append(("players", len(names), log.settings.players))
    differing = [
        f"{name.replace('_', '-')} {_said(value)} was asked for, but the record has "
        f"{_said(recorded)}"
        for name, value, recorded in pairs
        if recorded != value
    ]
    if differing:
        raise InputError("; ".join(differing))


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


__all__ = ["KwartetJournal", "agree_on"]
