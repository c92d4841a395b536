"""The interface of a game, for matches, players, records, tournaments and user interfaces.

A *rules* object is a game with its settings. It has no state: positions, views and moves are
immutable values that can be compared. A seat gets information only through `view` and `events`. The
legal moves, the reasons for a refusal, the parsing of moves and the display depend only on the
view.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol, TypeVar

from quaternity.base.text_record import Replay

P = TypeVar("P")
"""A position: the complete state of a game, including hidden information."""
M = TypeVar("M")
"""A move."""
V = TypeVar("V")
"""A view: the part of a position that a seat, or a bystander, may know."""


class Step(NamedTuple):
    """What everybody sees of a move: the seat, and messages (`quaternity.base.sentences`)."""

    seat: int
    events: tuple[str, ...]


class Rules(Protocol[P, M, V]):
    """The rules of a game, with its settings."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Return the name of the game, the first word of its records, for example "quarto"."""

    @property
    def settings(self) -> Any:
        """Return the settings, a frozen dataclass."""

    @property
    def seats(self) -> int:
        """Return the number of seats."""

    @property
    def hidden(self) -> bool:
        """Return whether seats have different views, so that two people cannot share a screen."""

    def start(self, random: Random) -> P:
        """Return the first position. This draws all random events of the game."""

    def to_act(self, position: P) -> Sequence[int]:
        """Return the seats that may move now, or none if the game is over."""

    def is_settled(self, position: P) -> bool:
        """Return whether the last move is complete: False while a question waits for its answer."""

    def view(self, position: P, seat: int | None) -> V:
        """Return all that a seat (None: a bystander) may know of a position, and nothing else."""

    def after(self, position: P, seat: int, move: M) -> P:
        """Return the position after a move.

        Raises:
            IllegalMove: If the move is illegal. The error lists all reasons.
        """

    def events(self, before: P, seat: int, move: M, after: P) -> Sequence[str]:
        """Return what everybody sees of a move, one sentence for each event.

        If an event is a `quaternity.base.sentences.Message` instead of plain text, pages can show
        the names of the players, and programs get the values.
        """

    def points(self, position: P) -> Sequence[float]:
        """Return the current points of each seat, during or after the game."""

    def places(self, position: P) -> Sequence[int] | None:
        """Return the place of each seat, or None while the game is not over.

        The best place is 1. Seats that are tied have the same place.
        """

    def moves(self, view: V) -> Collection[M]:
        """Return the legal moves of the seat that has this view."""

    def faults(self, view: V, move: M) -> Sequence[str]:
        """Return all reasons why a move of this seat is illegal, or none if it is legal."""

    def read(self, text: str, view: V) -> M:
        """Parse a move, in the form of `write` or shorter. The move need not be legal.

        Raises:
            InputError: If the text is not a move. The message says what a move looks like.
        """

    def write(self, move: M) -> str:
        """Return the text of a move, which `read` can parse."""

    def still_means(self, move: M, then: V, now: V) -> bool:
        """Return whether a move has the same meaning now as in an earlier view."""

    def default_move(self, view: V) -> M | None:
        """Return the default move of an absent player, or None if the others must wait."""

    def show(self, view: V, width: int = 80) -> str:
        """Return the table as this seat sees it, as text of at most `width` columns if possible."""

    def view_json(self, view: V) -> dict[str, Any]:
        """Return the view as a JSON object."""

    def like(self, view: V, random: Random) -> P:
        """Return a random position that gives this view."""

    def record_start(self, start: P, names: Sequence[str]) -> str:
        """Return the header of a record, as complete lines."""

    def record_move(self, before: P, seat: int, move: M, after: P) -> str:
        """Return the text of a move in a record."""

    @classmethod
    def of_record(cls, data: bytes) -> Rules[P, M, V]:
        """Return the rules with the settings of a record.

        Raises:
            InputError: If the data are not a record of this game. The message names the line.
        """

    def replay(self, data: bytes) -> Replay[P, M]:
        """Read a record of this game that has the same settings.

        Raises:
            InputError: If the record is malformed, has other settings, or has an illegal move. The
                message names the line.
        """


class DealtRules(Rules[P, M, V], Protocol[P, M, V]):
    """Rules with optional methods that make tournaments faster."""

    __slots__ = ()

    def start_of_deal(self, random: Random, deal: int) -> P:
        """Return the first position of the deal with a number."""

    def record_of(self, start: P, names: Sequence[str], moves: Iterable[M]) -> tuple[str, int]:
        """Return the record of a game and its number of goes.

        A go is a sequence of moves by one player. This method is faster than adding the moves to
        the record one by one.
        """
