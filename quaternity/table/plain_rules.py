"""Base class of the rules of most games: legal moves, places by points, and text records."""

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
    replay_moves,
    settings_text,
)
from quaternity.table.protocol import M, P, Rules, V


class LegalMoves(Sequence[M]):
    """The legal moves of a view, computed lazily."""

    def __init__(self, rules: PlainRules[Any, M, V], view: V) -> None:
        self._rules, self._view = rules, view

    def __iter__(self) -> Iterator[M]:
        return self._rules.iter_moves(self._view)

    def __contains__(self, move: Any) -> bool:
        return not self._rules.faults(self._view, move)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]


class PlainRules(Rules[P, M, V], Protocol[P, M, V]):
    """Base class of the rules of games in which every move is complete and is written as text.

    The record (`quaternity.base.text_record`) has a line for each setting, a line with the players,
    and a line for each move. All settings have defaults.

    Attributes:
        first_line: first line of a record.
        chance_keys: keys of the header lines that contain the results of chance.
    """

    __slots__ = ()

    first_line: str = ""
    chance_keys: tuple[str, ...] = ()

    def __init__(self, settings: Any = None) -> None:
        """Create the rules with the given settings, or with the default settings."""

    def iter_moves(self, view: V) -> Iterator[M]:
        """Return an iterator over the legal moves of the seat that has this view, in order."""

    def chance_text(self, start: P) -> str:
        """Return the header lines of a record that contain the results of chance."""
        del start
        return ""

    def recorded_start(self, record: TextRecord) -> P:
        """Return the first position of a recorded game."""
        del record
        return self.start(Random(0))

    def is_settled(self, position: P) -> bool:
        """Return True, because every move is complete."""
        del position
        return True

    def still_means(self, move: M, then: V, now: V) -> bool:
        """Return whether a move has the same meaning now as in an earlier view."""
        del move
        return then == now

    def default_move(self, view: V) -> M | None:
        """Return None, because most games have no default move of an absent player."""
        del view
        return None

    def places(self, position: P) -> tuple[int, ...] | None:
        """Rank the seats by points once the game is over. Seats with equal points share a place."""
        if self.to_act(position):
            return None
        points = self.points(position)
        return tuple(1 + sum(other > own for other in points) for own in points)

    def moves(self, view: V) -> Collection[M]:
        """Return the legal moves."""
        return LegalMoves(self, view)

    def write(self, move: M) -> str:
        """Return the text of a move, which `read` can parse."""
        return str(move)

    def record_start(self, start: P, names: Sequence[str]) -> str:
        """Return the header: first line, settings, players and the results of chance."""
        players = f"players {', '.join(names)}\n" if names else ""
        settings = settings_text(self.settings)
        return f"{self.first_line}\n{settings}{players}{self.chance_text(start)}"

    def record_move(self, before: P, seat: int, move: M, after: P) -> str:
        """Return the line of a move."""
        del before, after
        return f"{seat} {move}\n"

    @classmethod
    def _parse_record(cls, data: bytes) -> TextRecord:
        settings = [field.name for field in fields(cls().settings)]
        return parse_text_record(data, cls.first_line, (*settings, "players", *cls.chance_keys))

    @classmethod
    def of_record(cls, data: bytes) -> Self:
        """Return the rules with the settings of a record."""
        return cls(read_settings(cls._parse_record(data), cls().settings))

    def replay(self, data: bytes) -> Replay[P, M]:
        """Read a record that has the same settings."""
        check_same(self.settings, self.of_record(data).settings)
        record = self._parse_record(data)
        return replay_moves(self, record, self.recorded_start(record))
