"""A game from its start to now as one immutable value, for all games that are played at the table.

A game's room has a class of its own, with its rules and its picture; see `quaternity.kwartet`,
`quaternity.quarto` and `quaternity.ternary`.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeVar

from quaternity.base.errors import IllegalMove, InputError, warn_of
from quaternity.base.plain_values import entries, numbered, text, whole
from quaternity.base.reading import read_bytes
from quaternity.base.wording import listed, shown
from quaternity.table.protocol import M, P, V

S = TypeVar("S")
"""Settings."""


@dataclass(frozen=True, slots=True, repr=False)
class PlayedGame(Generic[S, P, M, V]):
    """A game under way or over. `play` and `undo` give another one.

    Attributes:
        rules: the game with its settings.
        positions: the whole truth, what is hidden too; the start first, one more than moves.
        moves: each with the seat that made it.
    """

    rules: Any
    positions: tuple[P, ...]
    moves: tuple[tuple[int, M], ...]

    rules_class: ClassVar[type]
    settings_class: ClassVar[type]
    move_class: ClassVar[type]

    def __post_init__(self) -> None:
        if not isinstance(self.rules, self.rules_class):
            raise InputError(f"rules: {shown(self.rules)} is not a {self.rules_class.__name__}")
        for name in ("positions", "moves"):
            object.__setattr__(self, name, entries(getattr(self, name), name))

    @classmethod
    def start(cls, settings: S | None = None, seed: int | str | None = None) -> Self:
        """Return a game before its first move.

        Args:
            settings: None for the usual ones.
            seed: of what is dealt, as `--seed` at the terminal; None for fresh chance.
        """
        kind = cls.settings_class
        settings = kind() if settings is None else settings
        if not isinstance(settings, kind):
            raise InputError(f"settings: {shown(settings)} is not a {kind.__name__}")
        if seed is not None and not isinstance(seed, str):
            seed = whole(seed, "seed")
        rules = cls.rules_class(settings)
        drawn = secrets.token_hex(16) if seed is None else seed
        return cls(rules, (rules.start(Random(f"{drawn}/deal")),), ())

    @classmethod
    def parse(cls, data: str | bytes) -> Self:
        """Return the game of a record; what is odd about it is a `FileWarning`.

        Raises:
            InputError: it is no record of this game, or breaks its rules; names the line.
        """
        if not isinstance(data, str | bytes):
            raise InputError(f"data: {shown(data)} is not the text of a record")
        return cls._of_record(data.encode() if isinstance(data, str) else data)

    @classmethod
    def read(cls, path: str) -> Self:
        """Return the game of a record in a file (`-`: standard input); as `parse`."""
        return cls._of_record(read_bytes(path))

    @classmethod
    def _of_record(cls, data: bytes) -> Self:
        rules = cls.rules_class.of_record(data)  # type: ignore[attr-defined]  # each has it
        replay = rules.replay(data)
        warn_of(replay.warnings)
        return cls(rules, replay.positions, replay.moves)

    def record(self, names: Sequence[str] = ()) -> str:
        """Return the record of the game, every secret included; `parse` reads it.

        Args:
            names: who sits where.
        """
        moves = zip(self.positions, self.moves, self.positions[1:], strict=False)
        for index, name in enumerate(names := entries(names, "names")):
            text(name, "a name", f"names[{index}]")
        head: str = self.rules.record_start(self.positions[0], names)
        return head + "".join(
            self.rules.record_move(before, seat, move, after)
            for before, (seat, move), after in moves
        )

    @property
    def settings(self) -> S:
        """What was agreed before the game."""
        settings: S = self.rules.settings
        return settings

    @property
    def position(self) -> P:
        """The position now."""
        return self.positions[-1]

    @property
    def to_act(self) -> tuple[int, ...]:
        """The seats that may move now; none when the game is over."""
        return tuple(self.rules.to_act(self.position))

    @property
    def turn(self) -> int | None:
        """The player on turn; None when several may move, or the game is over."""
        acting = self.to_act
        return acting[0] if len(acting) == 1 else None

    @property
    def is_over(self) -> bool:
        """True when nobody can move any more."""
        return not self.to_act

    @property
    def points(self) -> tuple[float, ...]:
        """Per player, at any time; whole ones are `int`."""
        points = self.rules.points(self.position)
        return tuple([int(count) if count == int(count) else count for count in points])

    @property
    def winners(self) -> tuple[int, ...]:
        """The players in the first place once the game is over; none before."""
        places = self.rules.places(self.position) or ()
        return tuple([seat for seat, place in enumerate(places) if place == 1])

    @property
    def legal_moves(self) -> Collection[M]:
        """The legal moves of the player on turn, or of anybody where several may move."""
        each = [self.rules.moves(self.view(seat)) for seat in self.to_act]
        return each[0] if len(each) == 1 else tuple(dict.fromkeys(chain.from_iterable(each)))

    def view(self, seat: int | None = None) -> V:
        """Return all that a seat may know now; None for a bystander."""
        place = None if seat is None else numbered(seat, self.rules.seats, "seat")
        view: V = self.rules.view(self.position, place)
        return view

    def play(self, move: M | str, seat: int | None = None) -> Self:
        """Return the game one move later.

        Args:
            move: a move, or its text as at the terminal.
            seat: who moves; needed only where several may.

        Raises:
            IllegalMove: with all that is wrong.
        """
        acting = self.to_act
        if not isinstance(move, str | self.move_class):
            raise InputError(f"move: {shown(move)} is not a {self.move_class.__name__} or a text")
        if seat is not None:
            seat = numbered(seat, self.rules.seats, "seat")
        elif len(acting) > 1:
            raise InputError(f"seat: several may move, say who: {listed([*map(str, acting)])}")
        if not acting:
            raise IllegalMove(f"'{move}' is not a legal move", ["the game is over"])
        mover = acting[0] if seat is None else seat
        made = self.rules.read(move, self.view(mover)) if isinstance(move, str) else move
        after = self.rules.after(self.position, mover, made)
        return type(self)(self.rules, (*self.positions, after), (*self.moves, (mover, made)))

    def undo(self) -> Self:
        """Return the game without its last move.

        Raises:
            InputError: If no move was made.
        """
        if not self.moves:
            raise InputError("undo: no move was made")
        return type(self)(self.rules, self.positions[:-1], self.moves[:-1])

    def board(self, seat: int | None = None) -> str:
        """Return the board as text, as a seat (None: a bystander) sees it at the terminal."""
        shown_to: str = self.rules.show(self.view(seat))
        return shown_to

    def svg(self, seat: int | None = None) -> str:
        """Return the board as a drawing, as a seat (None: a bystander) sees it."""
        raise NotImplementedError

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.board()

    def __repr__(self) -> str:
        whose = "over" if self.is_over else f"turn {self.turn}"
        return f"<{type(self).__name__}, {len(self.moves)} moves, {whose}, points {self.points}>"
