"""What the rules of most games have in common: moves, places by points, and plain records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields
from random import Random
from typing import Any, Protocol, Self

from quaternity.base.text_record import (
    Replay,
    TextRecord,
    check_same,
    parse_text_record,
    read_settings,
    replayed,
    settings_text,
)
from quaternity.table.protocol import M, P, Rules, V


class LegalMoves(Sequence[M]):
    """The legal moves of a view, as a game lists them; none before one is asked for."""

    def __init__(self, rules: PlainRules[Any, M, V], view: V) -> None:
        self._rules, self._view = rules, view

    def __iter__(self) -> Iterator[M]:
        return self._rules.listed(self._view)

    def __contains__(self, move: Any) -> bool:
        return not self._rules.faults(self._view, move)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]


class PlainRules(Rules[P, M, V], Protocol[P, M, V]):
    """Rules of a game to which every move is a whole one, and is written as its text.

    Its record (`quaternity.base.text_record`) has a line for each setting, who plays, and a line a
    move. Settings have defaults. `chance_keys` are of lines in its head that say what was drawn.
    """

    __slots__ = ()

    first_line: str = ""
    chance_keys: tuple[str, ...] = ()

    def __init__(self, settings: Any = None) -> None:
        """Rules with these settings, or with the usual ones."""

    def listed(self, view: V) -> Iterator[M]:
        """Return the legal moves of the seat whose view it is, in order."""

    def chance_text(self, start: P) -> str:
        """Return the lines of a record's head that say what was drawn by chance."""
        del start
        return ""

    def recorded_start(self, record: TextRecord) -> P:
        """Return the first position of a record."""
        del record
        return self.start(Random(0))

    def is_settled(self, position: P) -> bool:
        """Return True: every move is a whole one."""
        del position
        return True

    def still_means(self, move: M, then: V, now: V) -> bool:
        """Return whether a move means now what it meant in an earlier view."""
        del move
        return then == now

    def for_absent(self, view: V) -> M | None:
        """Give what is done for a seat whose player is not there, so that the others can go on."""
        del view
        return None

    def places(self, position: P) -> tuple[int, ...] | None:
        """By points."""
        if self.to_act(position):
            return None
        points = self.points(position)
        return tuple(1 + sum(other > mine for other in points) for mine in points)

    def moves(self, view: V) -> Collection[M]:
        """Return the legal moves."""
        return LegalMoves(self, view)

    def write(self, move: M) -> str:
        """Return a move as `read` takes it."""
        return str(move)

    def record_start(self, start: P, names: Sequence[str]) -> str:
        """First line, settings, who plays, and what was drawn by chance."""
        players = f"players {', '.join(names)}\n" if names else ""
        settings = settings_text(self.settings)
        return f"{self.first_line}\n{settings}{players}{self.chance_text(start)}"

    def record_move(self, before: P, seat: int, move: M, after: P) -> str:
        """One line."""
        del before, after
        return f"{seat} {move}\n"

    @classmethod
    def _parsed(cls, data: bytes) -> TextRecord:
        settings = [field.name for field in fields(cls().settings)]
        return parse_text_record(data, cls.first_line, (*settings, "players", *cls.chance_keys))

    @classmethod
    def of_record(cls, data: bytes) -> Self:
        """Return the rules that a record was played by."""
        return cls(read_settings(cls._parsed(data), cls().settings))

    def replay(self, data: bytes) -> Replay[P, M]:
        """Read a record with these settings."""
        check_same(self.settings, self.of_record(data).settings)
        record = self._parsed(data)
        return replayed(self, record, self.recorded_start(record))
