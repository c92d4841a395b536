"""Base class for the rules of a game, with defaults for moves, ranks and text records."""

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
    """The legal moves of a player, as a sequence that computes them when they are needed."""

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
    """Base class for the rules of a game in which no move needs an answer.

    A record (`quaternity.base.text_record`) has one line for each setting, one for the players, and
    one for each move. Every setting must have a default value.

    Attributes:
        first_line: first line of a record.
        chance_keys: names of the lines of a record that contain random results, such as the deal.
    """

    __slots__ = ()

    first_line: str = ""
    chance_keys: tuple[str, ...] = ()

    def __init__(self, settings: Any = None) -> None:
        """Create the rules with the given settings. None stands for the default settings."""

    def iter_moves(self, view: V) -> Iterator[M]:
        """Return an iterator over the legal moves of the player who sees `view`."""

    def chance_text(self, start: P) -> str:
        """Return the lines of a record that contain random results. By default, there are none."""
        del start
        return ""

    def recorded_start(self, record: TextRecord) -> P:
        """Return the first position of the game that a record contains."""
        del record
        return self.start(Random(0))

    def is_settled(self, position: P) -> bool:
        """Return True, because no move waits for an answer."""
        del position
        return True

    def still_means(self, move: M, then: V, now: V) -> bool:
        """Return True if the views are equal, because otherwise a move may mean something else."""
        del move
        return then == now

    def default_move(self, view: V) -> M | None:
        """Return None, because most games have no default move for an absent player."""
        del view
        return None

    def places(self, position: P) -> tuple[int, ...] | None:
        """Return the place of each seat. More points give a better place, and ties share a place.

        Return None if the game is not over.
        """
        if self.to_act(position):
            return None
        points = self.points(position)
        return tuple(1 + sum(other > own for other in points) for own in points)

    def moves(self, view: V) -> Collection[M]:
        """Return the legal moves of the player who sees `view`."""
        return LegalMoves(self, view)

    def write(self, move: M) -> str:
        """Return the text of a move, which `read` can parse."""
        return str(move)

    def record_start(self, start: P, names: Sequence[str]) -> str:
        """Return the first lines of a record: settings, players and random results."""
        players = f"players {', '.join(names)}\n" if names else ""
        settings = settings_text(self.settings)
        return f"{self.first_line}\n{settings}{players}{self.chance_text(start)}"

    def record_move(self, before: P, seat: int, move: M, after: P) -> str:
        """Return the line of a record that describes a move."""
        del before, after
        return f"{seat} {move}\n"

    @classmethod
    def _parse_record(cls, data: bytes) -> TextRecord:
        settings = [field.name for field in fields(cls().settings)]
        return parse_text_record(data, cls.first_line, (*settings, "players", *cls.chance_keys))

    @classmethod
    def of_record(cls, data: bytes) -> Self:
        """Return rules with the settings that a record contains."""
        return cls(read_settings(cls._parse_record(data), cls().settings))

    def replay(self, data: bytes) -> Replay[P, M]:
        """Return the moves and positions of a recorded game with the settings of these rules."""
        check_same(self.settings, self.of_record(data).settings)
        record = self._parse_record(data)
        return replay_moves(self, record, self.recorded_start(record))
