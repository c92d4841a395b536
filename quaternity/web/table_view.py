"""The view of a table for one visitor, which contains everything that the visitor may see."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from quaternity.table.protocol import Step
from quaternity.web.chat import Line
from quaternity.web.clock import Clock
from quaternity.web.series import Score

MAX_PAIRS = 60
"""Maximum product of the numbers of players and cards for which the page of a table is drawn in the
event loop."""


class SeatView(NamedTuple):
    """A seat and its player, as others see them.

    Attributes:
        name: Name of the person or program, or None if the seat is open.
        kind: "person", "open" or "program".
        present: Whether the player has an open event stream now.
        invitation: Last part of the invitation link to an open seat, if the visitor is a host.
            Otherwise None.
        ready: Whether the player is ready for the game to begin.
    """

    name: str | None
    kind: str
    present: bool = False
    invitation: str | None = None
    ready: bool = True


@dataclass(frozen=True, eq=False)
class TableInfo:
    """The properties of a table that do not change.

    Attributes:
        table: Id of the table, which cannot be guessed.
        game: Name of the game, as in the first line of its records.
        rules: Rules of the game.
        settings: Settings by name, as in requests.
        deck: Name of the deck, as in `quaternity.decks`.
        help: Whether counts and hints are allowed.
        practice: Whether the maker of the table chose the seed, and may therefore know all cards.
        chat: Whether the table has a chat.
    """

    table: str
    game: str
    rules: Any
    settings: dict[str, Any]
    deck: str = "plain"
    help: bool = False
    practice: bool = False
    chat: bool = False


@dataclass(frozen=True, eq=False)
class GameView:
    """The game at one moment, as a seat sees it.

    Attributes:
        number: Number of moves before the shown position. In a replay, it may be less than `last`.
        last: Number of moves made so far.
        to_act: Seats that may move. Empty if the game is over.
        view: What `seat` sees of the position, as returned by `rules.view`. None if the game has
            not begun.
        moves: The moves before the shown position, each with its seat and its public events.
        points: Points of each seat.
        places: Place of each seat if the game is over, otherwise None.
        revealed: First position of the game, if the game had hidden cards and is over. Otherwise
            None.
    """

    number: int
    last: int
    to_act: tuple[int, ...]
    view: Any
    moves: tuple[Step, ...]
    points: tuple[float, ...]
    places: tuple[int, ...] | None
    revealed: Any = None


@dataclass(frozen=True, eq=False)
class Viewpoint:
    """The visitor of a table, and everything that only this visitor may see or do.

    Attributes:
        seat: Seat whose view of the game the visitor sees, or None for the view of bystanders.
        own_seats: All seats that the visitor holds.
        may_start: Whether the visitor may start the game.
        invitation: Last part of the invitation link to any free seat before the game has begun.
            None if the visitor may not see the link.
        lines: Latest lines of the chat that the visitor may read.
    """

    seat: int | None
    own_seats: tuple[int, ...]
    may_start: bool = False
    invitation: str | None = None
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, eq=False)
class TableStatus:
    """The present status of a table.

    Attributes:
        version: Number of entries in the table's log, which are moves and take-backs.
        seats: The seats and their players.
        begun: Whether the game has begun.
        notice: Message about a problem at the table, or None.
        rematch: Id of the table of the rematch, or None if there is no rematch.
        series: Score of the series of rematches. Empty if the table belongs to no series.
        clock: Time limit of the moves, or None if there is no limit.
        times_left: Seconds left for the next move of each seat. Empty if there is no clock.
    """

    version: int
    seats: tuple[SeatView, ...]
    begun: bool = True
    notice: str | None = None
    rematch: str | None = None
    series: tuple[Score, ...] = ()
    clock: Clock | None = None
    times_left: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class PlayerStatus:
    """The present activities and votes of players and programs.

    Attributes:
        thinking: Seats whose programs are choosing a move.
        undo: Seats of the people who have agreed to take the last move back.
        empty_seats: Open seats that must be taken before anybody may move.
        takeover_votes: For each seat of an absent player, the seats of the players who have agreed
            to give it away.
        absent: Seats of people who have been away so long that their seats may be given away.
        taken_back: Number of moves that the last change took back. 0 if the last change was a move.
    """

    thinking: tuple[int, ...] = ()
    undo: tuple[int, ...] = ()
    empty_seats: tuple[int, ...] = ()
    takeover_votes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    absent: tuple[int, ...] = ()
    taken_back: int = 0


class TableView(TableInfo, GameView, Viewpoint, TableStatus, PlayerStatus):
    """Everything that one visitor, a player or a bystander, may see of a table.

    It inherits the attributes of its parts.
    """

    def __init__(
        self,
        info: TableInfo,
        game: GameView,
        viewpoint: Viewpoint,
        status: TableStatus,
        players: PlayerStatus,
    ) -> None:
        for part in (info, game, viewpoint, status, players):
            vars(self).update(vars(part))

    def _replace(self, **changes: Any) -> TableView:
        """Return a copy with other values of some attributes."""
        unknown = changes.keys() - vars(self)
        assert not unknown, unknown
        copy = object.__new__(TableView)
        vars(copy).update(vars(self) | changes)
        return copy

    @property
    def is_large(self) -> bool:
        """Return whether another process should draw the table."""
        cards = self.settings.get("sets", 1) * self.settings.get("set_size", 1)
        links = sum(seat.invitation is not None for seat in self.seats)  # drawn with a QR code
        return cards * len(self.seats) > MAX_PAIRS or len(self.moves) > 500 or links > 2

    @property
    def invites(self) -> bool:
        """Return whether the page has invitation links, which contain the host of the request."""
        return any((self.invitation, *(seat.invitation for seat in self.seats)))


DERIVED = ("rules", "settings", "view", "moves", "revealed")
"""Attributes that follow from other attributes, and are therefore left out of the cache key."""


def page_key(sight: TableView) -> Hashable:
    """Return a cache key for the page of a table. Views with equal keys have equal pages.

    The key contains all attributes except those in `DERIVED`, which are large.
    """
    entries = {name: entry for name, entry in vars(sight).items() if name not in DERIVED}
    entries["takeover_votes"] = tuple(sorted(sight.takeover_votes.items()))
    return sight.revealed is not None, *entries.values()
