"""The class `TableView`, which contains what the page of a table shows to one visitor.

A `TableView` contains everything that the visitor may see, and nothing that is hidden from the
visitor. `view.view_table` makes it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from quaternity.table.protocol import Step
from quaternity.web.chat import Line
from quaternity.web.clock import Clock
from quaternity.web.series import Score

MAX_PAIRS = 60
"""Maximum number of pairs (player, card) at a table whose page is drawn in the event loop. Another
process draws the pages of larger tables."""


class SeatView(NamedTuple):
    """What a visitor may see of a seat and its player.

    Attributes:
        name: Name of the person or program, or None if the seat is open.
        kind: "person", "open" or "program".
        present: Whether the player is connected, which means that an event stream is open.
        invitation: Last part of the invitation link to the seat. None if the seat is not open, or
            if the visitor is not a host.
        ready: Whether the player is ready for the game to begin.
        origin: The table and the seat at which a program has joined a series of rematches.
    """

    name: str | None
    kind: str
    present: bool = False
    invitation: str | None = None
    ready: bool = True
    origin: str | None = None


@dataclass(frozen=True, eq=False)
class TableInfo:
    """The properties of a table that never change, such as its game.

    Attributes:
        table: Id of the table, which cannot be guessed.
        game: Name of the game, as in the first line of its records.
        rules: Rules of the game.
        settings: Values of the settings, by the names that requests use.
        deck: Name of the deck, as in `quaternity.decks`.
        help: Whether help is allowed, such as hints and the number of possible deals.
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
    """What a visitor may see of the game, at the position that the page shows.

    Attributes:
        number: Number of moves before the shown position. It is less than `last` if the page shows
            an earlier position.
        last: Number of moves made so far.
        to_act: Seats that may move at this position. Empty if the game is over or has not begun, or
            if the table shows an uploaded record.
        view: The part of the position that the visitor sees, as `rules.view` returns it. None if
            the game has not begun.
        moves: The moves before the shown position, each with its seat and its public events.
        points: Points of each seat.
        places: Place of each seat if the game is over, otherwise None.
        revealed: First position of a finished game that began at a random position. Otherwise None.
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
    """The seats, permissions and chat of one visitor of a table.

    Attributes:
        seat: Seat from which the visitor sees the game, or None if the visitor sees only what
            everybody may see.
        own_seats: All seats that the visitor owns.
        may_start: Whether the visitor may start the game, which has not begun.
        invitation: Last part of the invitation link to any free seat before the game has begun.
            None if the visitor may not see the link.
        lines: Latest chat lines that the visitor may read. Bystanders have a separate chat.
    """

    seat: int | None
    own_seats: tuple[int, ...]
    may_start: bool = False
    invitation: str | None = None
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, eq=False)
class TableStatus:
    """The current state of a table and its seats, without the game.

    Attributes:
        version: Number of entries in the table's log, which are moves and take-backs.
        seats: The seats and their players.
        begun: Whether the game has begun.
        notice: Message about a problem with the store or the table. None if there is no problem.
        rematch: Id of the table of the rematch, or None if there is no rematch.
        series: Scores of the players in the series of rematches. Empty without a series.
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
    """What the players at a table are doing: thinking, voting or being away.

    Attributes:
        thinking: Seats whose programs are choosing a move.
        undo: Seats of the people who have agreed to take the last moves back.
        empty_seats: Open seats that must be taken before anybody may move.
        takeover_votes: For each seat of an absent player, the seats of the players who have agreed
            to give it away.
        absent: Seats of people who have been away so long that their seats may be given away.
        taken_back: Number of moves that the last log entry took back. 0 if this entry is a move.
    """

    thinking: tuple[int, ...] = ()
    undo: tuple[int, ...] = ()
    empty_seats: tuple[int, ...] = ()
    takeover_votes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    absent: tuple[int, ...] = ()
    taken_back: int = 0


class TableView(TableInfo, GameView, Viewpoint, TableStatus, PlayerStatus):
    """Everything that one visitor (a player or a bystander) may see of a table.

    The view has all attributes of the five objects that are passed to the constructor.
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
        unknown = changes.keys() - vars(self)
        assert not unknown, unknown
        copy = object.__new__(TableView)
        vars(copy).update(vars(self) | changes)
        return copy

    @property
    def is_large(self) -> bool:
        """Return whether the page of the table is so large that another process should draw it."""
        cards = self.settings.get("sets", 1) * self.settings.get("set_size", 1)
        links = sum(seat.invitation is not None for seat in self.seats)  # drawn with a QR code
        return cards * len(self.seats) > MAX_PAIRS or len(self.moves) > 500 or links > 2

    @property
    def invites(self) -> bool:
        """Return whether the page shows invitation links.

        If it does, it is different for each host name, because the links contain the host name.
        """
        return any((self.invitation, *(seat.invitation for seat in self.seats)))


DERIVED = ("rules", "settings", "view", "moves", "revealed")
"""Attributes of a `TableView` that follow from its other attributes. `page_key` omits them."""


def page_key(sight: TableView) -> Hashable:
    """Return a key for a cache of pages. Two tables with equal keys have the same page.

    The key contains all attributes of the view except those in `DERIVED`, which may be large.
    """
    entries = {name: entry for name, entry in vars(sight).items() if name not in DERIVED}
    entries["takeover_votes"] = tuple(sorted(sight.takeover_votes.items()))
    return sight.revealed is not None, *entries.values()
