"""Protocol that every game implements, so that all games share matches, records and tournaments.

A *rules* object is a game with its settings. It does not contain a running game: positions, views
and moves are separate, immutable values. A *view* contains everything that the player in one seat
may know about a position. Legal moves and displays are computed from the view alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol, TypeVar

from quaternity.base.text_record import Replay

P = TypeVar("P")
"""Type of a position: the complete state of a game, including hidden information."""
M = TypeVar("M")
"""Type of a move."""
V = TypeVar("V")
"""Type of a view: the part of a position that a seat or a bystander may know."""


class Step(NamedTuple):
    """The public information about a move: the seat that made it, and messages about it.

    A message is a text or a `quaternity.base.sentences.Message`.
    """

    seat: int
    events: tuple[str, ...]


class Rules(Protocol[P, M, V]):
    """The rules of a game with its settings."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Return the name of the game, for example "quarto". Records start with this word."""

    @property
    def settings(self) -> Any:
        """Return the settings, which are a frozen dataclass."""

    @property
    def seats(self) -> int:
        """Return the number of seats."""

    @property
    def hidden(self) -> bool:
        """Return whether players have hidden information, and so cannot share a screen."""

    def start(self, random: Random) -> P:
        """Return the first position. All random events of the game are drawn here."""

    def to_act(self, position: P) -> Sequence[int]:
        """Return the seats that may move now. There are none if the game is over."""

    def is_settled(self, position: P) -> bool:
        """Return whether the last move is complete. A question is complete when it is answered."""

    def view(self, position: P, seat: int | None) -> V:
        """Return all that a seat may know about a position. The seat None is a bystander."""

    def after(self, position: P, seat: int, move: M) -> P:
        """Return the position after a move.

        Raises:
            IllegalMove: If the move is illegal. The error lists all reasons.
        """

    def events(self, before: P, seat: int, move: M, after: P) -> Sequence[str]:
        """Return the public events of a move, one sentence for each event.

        An event can be plain text or a `quaternity.base.sentences.Message`. For a Message, pages
        can show the names of the players, and programs receive the values.
        """

    def points(self, position: P) -> Sequence[float]:
        """Return the current points of each seat. The game need not be over."""

    def places(self, position: P) -> Sequence[int] | None:
        """Return the place of each seat. Return None if the game is not over.

        The best place is 1. Seats that are tied have the same place.
        """

    def moves(self, view: V) -> Collection[M]:
        """Return the legal moves of the player who sees `view`."""

    def faults(self, view: V, move: M) -> Sequence[str]:
        """Return all reasons why a move of the player who sees `view` is illegal.

        There are none if the move is legal.
        """

    def read(self, text: str, view: V) -> M:
        """Parse a move from its text or a short form of it. The move need not be legal.

        Raises:
            InputError: If the text is not a move. The message says what a move looks like.
        """

    def write(self, move: M) -> str:
        """Return the text of a move, which `read` can parse."""

    def still_means(self, move: M, then: V, now: V) -> bool:
        """Return whether a move means the same in view `now` as in the earlier view `then`.

        If so, a player who chose the move while seeing `then` can still make it.
        """

    def default_move(self, view: V) -> M | None:
        """Return the move to make for an absent player, or None if the game must wait for them."""

    def show(self, view: V, width: int = 80) -> str:
        """Return the view as text, in lines of at most `width` characters if possible."""

    def view_json(self, view: V) -> dict[str, Any]:
        """Return the view as a JSON object."""

    def like(self, view: V, random: Random) -> P:
        """Return a random position that looks like `view` to the player who sees it."""

    def record_start(self, start: P, names: Sequence[str]) -> str:
        """Return the first lines of a record: settings, players and first position."""

    def record_move(self, before: P, seat: int, move: M, after: P) -> str:
        """Return the part of a record that describes a move."""

    @classmethod
    def of_record(cls, data: bytes) -> Rules[P, M, V]:
        """Return rules with the settings that a record contains.

        Raises:
            InputError: If the data are not a record of this game. The message names the line.
        """

    def replay(self, data: bytes) -> Replay[P, M]:
        """Return the moves and positions of a recorded game with the same settings as these rules.

        Raises:
            InputError: If the record is malformed, has other settings, or has an illegal move. The
                message names the line.
        """


class DealtRules(Rules[P, M, V], Protocol[P, M, V]):
    """Protocol of rules with two optional methods that make tournaments faster."""

    __slots__ = ()

    def start_of_deal(self, random: Random, deal: int) -> P:
        """Return the first position of the deal with the number `deal` in a tournament."""

    def record_of(self, start: P, names: Sequence[str], moves: Iterable[M]) -> tuple[str, int]:
        """Return the record of a game as text, and the number of turns in the game.

        A turn consists of consecutive moves of one player. This method is faster than adding the
        moves to the record one by one.
        """
