"""The view of a table for one visitor. Nothing else of a position is shown to anybody."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from quaternity.table.protocol import Step
from quaternity.web.chat import Line
from quaternity.web.clock import Clock
from quaternity.web.series import Score

MAX_PAIRS = 60
"""Maximum number of pairs of a player and a card for which the event loop draws the table."""


class SeatView(NamedTuple):
    """A seat and its player, as others see them.

    Attributes:
        name: Name of the person or program; None if the seat is open.
        kind: "person", "open" or "program".
        present: Whether a stream of this seat is open now.
        invitation: The last part of the invitation link of an open seat, for the host; otherwise
            None.
        ready: Whether the player is ready for the game to begin.
    """

    name: str | None
    kind: str
    present: bool = False
    invitation: str | None = None
    ready: bool = True


class TableView(NamedTuple):
    """Everything that one visitor, a player or a bystander, may see of a table.

    Attributes:
        table: Id of the table, which cannot be guessed.
        game: Name of the game, as in the first line of its records.
        rules: Rules of the game.
        settings: Settings by name, as in requests.
        version: Length of the table's log, which has an entry for each move and each take-back.
        number: Number of moves before the shown position; less than `last` in a replay.
        last: Number of moves made so far.
        seat: Seat from which the visitor looks; None for a bystander.
        own_seats: All seats that the visitor holds.
        seats: The seats and their players.
        to_act: Seats that may move; empty if the game is over.
        view: `rules.view(position, seat)`.
        moves: The public events of each move before the shown position.
        points: Points of each seat.
        places: Place of each seat if the game is over; otherwise None.
        help: Whether counts and hints are allowed.
        practice: Whether the maker of the table chose the seed, and so may know the hidden cards.
        thinking: Seats whose programs are choosing a move.
        undo: Seats of the people who have agreed to take the last move back.
        notice: Message about a problem at the table, or None.
        bystander_link: Last part of the link for bystanders.
        rematch: Id of the table of the rematch, or None.
        revealed: First position of a game with hidden information that is over; otherwise None.
        empty_seats: Seats that must be taken before anybody may move.
        deck: Name of the deck; see `quaternity.decks`.
        begun: Whether the game has begun; before, `view` is None.
        invitation: Invitation to the table before the game has begun; None for a visitor unless
            every visitor may sit down.
        may_start: Whether the visitor may start the game.
        series: Score of the series, if the same people have played before.
        chat: Whether the table has a chat.
        lines: Latest chat lines: those of the players or those of the bystanders.
        clock: Time limit of the moves; None if there is none.
        times_left: Seconds left for the next move of each seat; empty without a clock.
        takeover_votes: For the seat of an absent player, the seats of those who have agreed to give
            it away.
        absent: Seats of people who have been away long enough to lose them.
    """

    table: str
    game: str
    rules: Any
    settings: dict[str, Any]
    version: int
    number: int
    last: int
    seat: int | None
    own_seats: tuple[int, ...]
    seats: tuple[SeatView, ...]
    to_act: tuple[int, ...]
    view: Any
    moves: tuple[Step, ...]
    points: tuple[float, ...]
    places: tuple[int, ...] | None
    help: bool
    practice: bool
    thinking: tuple[int, ...] = ()
    undo: tuple[int, ...] = ()
    notice: str | None = None
    bystander_link: str = ""
    rematch: str | None = None
    revealed: Any = None
    empty_seats: tuple[int, ...] = ()
    deck: str = "plain"
    begun: bool = True
    invitation: str | None = None
    may_start: bool = False
    series: tuple[Score, ...] = ()
    chat: bool = False
    lines: tuple[Line, ...] = ()
    clock: Clock | None = None
    times_left: tuple[float, ...] = ()
    takeover_votes: Mapping[int, tuple[int, ...]] = MappingProxyType({})
    absent: tuple[int, ...] = ()

    @property
    def is_large(self) -> bool:
        """Return whether another process should draw the table."""
        cards = self.settings.get("sets", 1) * self.settings.get("set_size", 1)
        links = sum(seat.invitation is not None for seat in self.seats)  # each has a QR code
        return cards * len(self.seats) > MAX_PAIRS or len(self.moves) > 500 or links > 2

    @property
    def invites(self) -> bool:
        """Return whether the page has invitation links, which depend on the host of the request."""
        return any((self.invitation, *(seat.invitation for seat in self.seats)))


DERIVED = ("rules", "settings", "view", "moves", "revealed")
"""Attributes determined by the table, its version, the number of moves and the seat, once the game
has begun."""


def page_key(sight: TableView) -> Hashable:
    """Return a cache key for the page: two sights with equal keys show the same.

    It holds every attribute except those of `DERIVED`, which are large.
    """
    entries = {name: entry for name, entry in sight._asdict().items() if name not in DERIVED}
    entries["takeover_votes"] = tuple(sorted(sight.takeover_votes.items()))
    return sight.revealed is not None, *entries.values()
