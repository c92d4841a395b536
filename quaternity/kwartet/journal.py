"""A game log kept while the game is played: the deal first, every request before the next prompt.

Requests are appended as whole lines, each together with the announcements that follow from it, so
an interrupted game resumes from its log. Only a last line that was cut off makes the file change
otherwise: it is replaced in one step by its whole lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from quaternity.errors import InputError
from quaternity.kwartet.hands import Hand
from quaternity.kwartet.log import GameLog, announced_at_deal, header_text
from quaternity.kwartet.log_reading import parse_log
from quaternity.kwartet.position import Position
from quaternity.kwartet.requests import Event
from quaternity.kwartet.settings import KwartetSettings
from quaternity.reading import read_bytes
from quaternity.writing import append_text, write_bytes, write_text


class KwartetJournal:
    """The log file of one game.

    Open with `KwartetJournal.begin` for a new file or `KwartetJournal.resume` for one that exists.
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
    def begin(
        cls, path: str, settings: KwartetSettings, hands: tuple[Hand, ...], names: Sequence[str]
    ) -> KwartetJournal:
        """Start a new log with a deal, and what was announced at once.

        Raises:
            InputError: the file cannot be written.
        """
        announced = announced_at_deal(Position.start(settings, hands))
        text = header_text(settings, hands, names) + "".join(f"{line}\n" for line in announced)
        write_text(path, text)
        return cls(path)

    @classmethod
    def resume(cls, path: str) -> tuple[KwartetJournal, GameLog]:
        """Take up a log: the journal and the game so far.

        Raises:
            InputError: the file cannot be read or written.
            LogError: it is no log, or the game in it breaks the rules.
        """
        data = read_bytes(path)
        log = parse_log(data, path)
        whole = data
        if not data.endswith((b"\n", b"\r")):
            # A last line without an end counts only if nothing can be missing from it.
            whole = _up_to_last_line_end(data) if log.warnings else data + b"\n"
        whole += b"".join(f"{line}\n".encode() for line in _not_yet_announced(log, whole))
        if whole != data:
            write_bytes(path, whole)
        return cls(path), log

    def add(self, event: Event) -> None:
        """Append a request with its result and announcements; it is on disk when this returns.

        Raises:
            InputError: the file cannot be written.
        """
        append_text(self.path, f"{event}\n")


def _up_to_last_line_end(data: bytes) -> bytes:
    return data[: max(data.rfind(b"\n"), data.rfind(b"\r")) + 1]


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
