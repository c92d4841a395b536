"""What a game is, for everything that happens around it: matches, players, records, terminals.

A *rules* object is one game with its settings chosen. It holds no state: positions, views and moves
are immutable values with equality. What a seat may know reaches it by `view` and `events` alone,
and all that is offered, refused, read or shown to a seat is made of its view.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol, TypeVar

from quaternity.base.text_record import Replay

P = TypeVar("P")
"""A position: the whole truth, hidden things included."""
M = TypeVar("M")
"""A move."""
V = TypeVar("V")
"""A view: what one seat, or a bystander, may know of a position."""


class Step(NamedTuple):
    """What everybody sees of a move: who moved, and sentences (`quaternity.base.sentences`)."""

    seat: int
    events: tuple[str, ...]


class Rules(Protocol[P, M, V]):
    """One game with its settings."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Return the name in its record's first line, for example "quarto"."""

    @property
    def settings(self) -> Any:
        """Return the settings, a frozen dataclass."""

    @property
    def seats(self) -> int:
        """Return how many take part."""

    @property
    def hidden(self) -> bool:
        """Return whether seats see different things, so two people cannot share a screen."""

    def start(self, random: Random) -> P:
        """Return the first position. All chance of the game is drawn here."""

    def to_act(self, position: P) -> Sequence[int]:
        """Return the seats that may move now; none when the game is over."""

    def is_settled(self, position: P) -> bool:
        """Return whether a whole move has been made: False while a question waits."""

    def view(self, position: P, seat: int | None) -> V:
        """Return all that a seat (None: a bystander) may know of a position, and nothing else."""

    def after(self, position: P, seat: int, move: M) -> P:
        """Return the position after a move; or raise IllegalMove with all that is wrong with it."""

    def events(self, before: P, seat: int, move: M, after: P) -> Sequence[str]:
        """Return what everybody sees of a move, a sentence each.

        A `quaternity.base.sentences.Sentence` in place of plain text calls players by their names
        in a browser, and tells programs what happened by values.
        """

    def points(self, position: P) -> Sequence[float]:
        """Per seat, at any time."""

    def places(self, position: P) -> Sequence[int] | None:
        """Per seat its place when the game is over, 1 the best, equal for a tie; else None."""

    def moves(self, view: V) -> Collection[M]:
        """Return the legal moves of the seat whose view it is."""

    def faults(self, view: V, move: M) -> Sequence[str]:
        """Return everything that makes a move of this seat illegal; empty when it is legal."""

    def read(self, text: str, view: V) -> M:
        """Return the move in a text, as `write` gives or shorter; it need not be legal.

        An InputError says what a move looks like.
        """

    def write(self, move: M) -> str:
        """Return a move as it is printed; `read` takes it."""

    def still_means(self, move: M, then: V, now: V) -> bool:
        """Return whether a move means now what it meant in an earlier view."""

    def for_absent(self, view: V) -> M | None:
        """Return what is done for a seat whose player is away; None lets the others wait."""

    def show(self, view: V, width: int = 80) -> str:
        """Show the table as this seat sees it, in plain text of so many columns if it can."""

    def view_json(self, view: V) -> dict[str, Any]:
        """Return the view as a document."""

    def like(self, view: V, random: Random) -> P:
        """Return a position that gives this view, drawn by chance."""

    def record_start(self, start: P, names: Sequence[str]) -> str:
        """Return the head of a record, whole lines."""

    def record_move(self, before: P, seat: int, move: M, after: P) -> str:
        """Return the lines of one move."""

    @classmethod
    def of_record(cls, data: bytes) -> Rules[P, M, V]:
        """Return the rules that a record of this game was played by; a refusal names the line."""

    def replay(self, data: bytes) -> Replay[P, M]:
        """Read a record of this game with these settings; a refusal names the line."""


class DealtRules(Rules[P, M, V], Protocol[P, M, V]):
    """What a tournament uses besides, where rules have it."""

    __slots__ = ()

    def start_of_deal(self, random: Random, deal: int) -> P:
        """Return the first position of the deal of a number."""

    def record_of(self, start: P, names: Sequence[str], moves: Iterable[M]) -> tuple[str, int]:
        """Return a whole record, and how many goes it has; quicker than move by move."""
