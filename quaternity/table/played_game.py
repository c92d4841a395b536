"""Base class for played games: immutable objects that contain the moves of a game.

The packages `quaternity.kwartet`, `quaternity.quarto` and `quaternity.ternary` each contain a
subclass.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeVar

from quaternity.base.errors import IllegalMove, InputError, warn_irregularities
from quaternity.base.reading import read_bytes
from quaternity.base.text_format import join_words, quote_value
from quaternity.base.validation import as_int, as_tuple, check_index, check_text
from quaternity.base.writing import write_text
from quaternity.table.history import History
from quaternity.table.protocol import M, P, V

S = TypeVar("S")
"""Type of the settings of a game."""


@dataclass(frozen=True, slots=True, repr=False)
class PlayedGame(Generic[S, P, M, V]):
    """An immutable game with its moves so far. The methods `play` and `undo` return another game.

    Attributes:
        history: the rules, the first position and the moves so far.
    """

    history: History[P, M, V]

    rules_class: ClassVar[type]
    settings_class: ClassVar[type]
    move_class: ClassVar[type]

    def __post_init__(self) -> None:
        if not isinstance(self.history, History):
            raise InputError(f"history: {quote_value(self.history)} is not a History")
        if not isinstance(self.rules, self.rules_class):
            raise InputError(
                f"history: its rules are {quote_value(self.rules)}, not {self.rules_class.__name__}"
            )

    @classmethod
    def start(cls, settings: S | None = None, seed: int | str | None = None) -> Self:
        """Return a game in which no move has been made.

        Args:
            settings: the settings; None for the default settings.
            seed: seed of the deal, like `--seed` of the command `play`; None for a random deal.
        """
        kind = cls.settings_class
        settings = kind() if settings is None else settings
        if not isinstance(settings, kind):
            raise InputError(f"settings: {quote_value(settings)} is not a {kind.__name__}")
        if seed is not None and not isinstance(seed, str):
            seed = as_int(seed, "seed")
        rules = cls.rules_class(settings)
        drawn = secrets.token_hex(16) if seed is None else seed
        return cls(History(rules, rules.start(Random(f"{drawn}/deal"))))

    @classmethod
    def parse(cls, data: str | bytes) -> Self:
        """Return the game of a record, given its text.

        Issue a `FileWarning` for each irregularity that does not prevent reading.

        Raises:
            InputError: If the text is not a record of this game, or breaks its rules. The message
                names the line.
        """
        if not isinstance(data, str | bytes):
            raise InputError(f"data: {quote_value(data)} is not the text of a record")
        return cls._of_record(data.encode() if isinstance(data, str) else data)

    @classmethod
    def read(cls, path: str) -> Self:
        """Return the game of a record file. The path `-` is standard input. See `parse`."""
        return cls._of_record(read_bytes(path))

    @classmethod
    def _of_record(cls, data: bytes) -> Self:
        rules = cls.rules_class.of_record(data)  # type: ignore[attr-defined]  # each has it
        replay = rules.replay(data)
        warn_irregularities(replay.warnings)
        return cls(History.of_replay(rules, replay))

    def record(self, names: Sequence[str] = ()) -> str:
        """Return the record of the game as text, including hidden information.

        Args:
            names: names of the players by seat. By default, the record contains no names.
        """
        for index, name in enumerate(names := as_tuple(names, "names")):
            check_text(name, "a name", f"names[{index}]")
        return self.history.record(names)

    def write(self, path: str) -> None:
        """Write the game's record, including hidden information, to a file that `read` can read.

        Raises:
            InputError: If the file cannot be written.
        """
        write_text(path, self.record())

    @property
    def rules(self) -> Any:
        """The rules, with the settings of the game."""
        return self.history.rules

    @property
    def moves(self) -> tuple[tuple[int, M], ...]:
        """The moves, each with the seat that made it."""
        return self.history.moves

    @property
    def positions(self) -> tuple[P, ...]:
        """The positions before and after each move, including hidden information."""
        return self.history.positions()

    @property
    def settings(self) -> S:
        """The settings of this game."""
        settings: S = self.rules.settings
        return settings

    @property
    def position(self) -> P:
        """The current position."""
        return self.history.position

    @property
    def to_act(self) -> tuple[int, ...]:
        """The seats that may move now. Empty if the game is over."""
        return tuple(self.rules.to_act(self.position))

    @property
    def turn(self) -> int | None:
        """The player to move. None if several players may move, or if the game is over."""
        acting = self.to_act
        return acting[0] if len(acting) == 1 else None

    @property
    def is_over(self) -> bool:
        """Whether the game is over, so that no player may move."""
        return not self.to_act

    @property
    def points(self) -> tuple[float, ...]:
        """The current points of each player. A whole number is an `int`."""
        points = self.rules.points(self.position)
        return tuple([int(count) if count == int(count) else count for count in points])

    @property
    def winners(self) -> tuple[int, ...]:
        """The players in first place. Empty if the game is not over."""
        places = self.rules.places(self.position) or ()
        return tuple([seat for seat, place in enumerate(places) if place == 1])

    @property
    def legal_moves(self) -> Collection[M]:
        """The legal moves of the player to move, or of all players if several may move."""
        by_seat = [self.rules.moves(self.view(seat)) for seat in self.to_act]
        return (
            by_seat[0] if len(by_seat) == 1 else tuple(dict.fromkeys(chain.from_iterable(by_seat)))
        )

    def view(self, seat: int | None = None) -> V:
        """Return everything that a player may know now. The seat None is a bystander."""
        place = None if seat is None else check_index(seat, self.rules.seats, "seat")
        view: V = self.rules.view(self.position, place)
        return view

    def play(self, move: M | str, seat: int | None = None) -> Self:
        """Return the game after a move, without changing this game.

        Args:
            move: a move, or its text as a player types it.
            seat: the player who moves. It is required only if several players may move.

        Raises:
            InputError: If the move or the seat is malformed, or the seat is missing.
            IllegalMove: If the move is illegal. The error lists all reasons.
        """
        acting = self.to_act
        if not isinstance(move, str | self.move_class):
            raise InputError(
                f"move: must be a {self.move_class.__name__} or a string, not {quote_value(move)}"
            )
        if seat is not None:
            seat = check_index(seat, self.rules.seats, "seat")
        elif len(acting) > 1:
            raise InputError(
                f"seat: several players may move; choose from {join_words([*map(str, acting)])}"
            )
        if not acting:
            raise IllegalMove(f"'{move}' is not a legal move", ["the game is over"])
        mover = acting[0] if seat is None else seat
        parsed = self.rules.read(move, self.view(mover)) if isinstance(move, str) else move
        return type(self)(self.history.play(mover, parsed))

    def undo(self) -> Self:
        """Return the game without its last move.

        Raises:
            InputError: If the game has no moves.
        """
        if not self.moves:
            raise InputError("undo: there is no move to undo")
        return type(self)(self.history.undo())

    def board(self, seat: int | None = None) -> str:
        """Return the board as text, as a seat sees it. The seat None is a bystander."""
        board: str = self.rules.show(self.view(seat))
        return board

    def svg(self, seat: int | None = None) -> str:
        """Return the board as an SVG drawing, as a seat sees it. The seat None is a bystander."""
        raise NotImplementedError

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.board()

    def __repr__(self) -> str:
        return f"{type(self).__name__}.parse({self.record()!r})"
