"""The state of a game table, and the events that change it, without input or output.

A command is a request to change a table. Given the state of the table, it returns the events that
carry out the change (see `move_commands`, `seat_commands` and `game_commands`). This code uses no
store, no event loop, no clock and no random generator. Callers pass the current time as `now`,
measured in seconds by `Store.uptime`. Commands contain the random tokens that they need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from quaternity.table.history import History
from quaternity.web.changes import Entry
from quaternity.web.clock import Clock, stored_clock
from quaternity.web.http_errors import NO_SEAT, NOT_YOURS, HttpError
from quaternity.web.seats import (
    NOT_ARRIVED,
    OPEN,
    PERSON,
    PROGRAM,
    READY,
    Caller,
    Owner,
    Seat,
    StoredTable,
    Visitor,
)
from quaternity.web.versioned_history import VersionedHistory, has_random_start


class Votes(NamedTuple):
    """The votes of the players at a table.

    `undo` contains the seats of the people who agree to take the last moves back. `takeovers` maps
    the seat of each absent player to the seats of those who agree that another player gets it.
    """

    undo: frozenset[int] = frozenset()
    takeovers: Mapping[int, frozenset[int]] = MappingProxyType({})


NO_VOTES = Votes()


class Attendance(NamedTuple):
    """The seats of the players who are present, and of those who have been away for a long time."""

    present: frozenset[int]
    absent: frozenset[int]


class PausedClock(NamedTuple):
    """The seconds left on a stopped clock, and the number of log entries when it was stopped."""

    version: int = -1
    left: float = 0.0


class TableState(NamedTuple):
    """The complete state of a game table. It is immutable: each event leads to a new state.

    Attributes:
        revision: Number of changes to the table. The servers of one database use it to detect
            conflicting changes.
        due: Time at which the clock of the player to move runs out, measured in seconds by
            `Store.uptime`. None if no clock is running.
    """

    stored: StoredTable
    seats: tuple[Seat, ...]
    history: VersionedHistory
    revision: int = 0
    votes: Votes = NO_VOTES
    due: float | None = None
    paused: PausedClock = PausedClock()

    @property
    def id(self) -> str:
        """The id of the table, which is part of its address."""
        return self.stored.id

    @property
    def rules(self) -> Any:
        """The rules of the game."""
        return self.history.game.rules

    @property
    def version(self) -> int:
        """The number of log entries of the table, which are moves and take-backs."""
        return self.history.version

    @property
    def clock(self) -> Clock | None:
        """The settings of the clock. None if the time for a move is not limited."""
        return stored_clock(self.stored.options.clock)

    @property
    def is_waiting(self) -> bool:
        """Return whether the game has not begun yet."""
        return self.stored.deal.waiting is not None

    @property
    def is_public(self) -> bool:
        """Return whether everybody who opens the address of the table may take a free seat."""
        return self.stored.invitation == self.stored.id

    @property
    def is_over(self) -> bool:
        """Return whether the game is over. A table that replays a recorded game counts as over."""
        return self.stored.options.archive or not self.rules.to_act(self.history.position)

    @property
    def is_secret(self) -> bool:
        """Return whether the game has a random first position, such as dealt cards."""
        return has_random_start(self.rules)

    @property
    def to_act(self) -> Sequence[int]:
        """The seats that may move now. Empty if the game has not begun or cannot continue."""
        if self.stored.options.archive or self.is_waiting:
            return ()
        acting: Sequence[int] = self.rules.to_act(self.history.position)
        return acting

    @property
    def awaited(self) -> list[int]:
        """Open seats that must be taken before anybody moves. Empty if only one seat may move."""
        acting = self.to_act
        if len(acting) < 2:
            return []
        return [seat for seat in acting if self.seats[seat].kind == OPEN]

    @property
    def people(self) -> list[int]:
        """The seats in which people play. The other seats are open or played by programs."""
        return [number for number, seat in enumerate(self.seats) if seat.kind == PERSON]

    def due_after(self, now: float) -> float | None:
        """Return the time at which the clock of the player to move runs out.

        `now` is the time at which the clock starts. Both times are measured in seconds by
        `Store.uptime`. The result is None if no clock starts, for example because a program moves.
        """
        acting = self.to_act
        if self.clock is None or len(acting) != 1 or self.seats[acting[0]].kind != PERSON:
            return None
        return now + self.clock.seconds + self.seats[acting[0]].pace.saved

    def seats_of(self, caller: Caller) -> tuple[int, ...]:
        """Return the seats that the sender of a request owns, as its token or cookie shows."""
        token, browser = caller
        return tuple(
            number
            for number, seat in enumerate(self.seats)
            if (token is not None and seat.token == token)
            or (token is None and browser is not None and seat.owner.browser == browser)
        )

    def visitor(self, caller: Caller, asked: int | None = None) -> Visitor:
        """Return the visitor (a player or a bystander) who sent a request.

        The visitor sees the game from the seat `asked`, which must be one of the visitor's seats
        unless the game is over. If `asked` is None, it is the first of the visitor's seats that may
        move, or else the visitor's first seat. A visitor without a seat is a bystander.

        Raises `HttpError` if there is no such seat or the visitor may not see the game from it.
        """
        held, browser = self.seats_of(caller), caller.cookie_hash
        maker = browser is not None and browser == self.stored.maker
        if asked is not None:
            if asked not in range(len(self.seats)):
                raise HttpError(404, NO_SEAT(seat=asked))
            if asked not in held and not self.is_over:
                raise HttpError(403, NOT_YOURS())
            return Visitor(held, maker, asked)
        acting = [seat for seat in held if seat in self.to_act] if len(held) > 1 else []
        return Visitor(held, maker, next(iter(acting or held), None))

    def is_host(self, visitor: Visitor, attendance: Attendance) -> bool:
        """Return whether a visitor made the table or is the first player who is present."""
        arrived = (seat for seat in self.people if self.seats[seat].ready != NOT_ARRIVED)
        present = (seat for seat in arrived if seat in attendance.present)
        return visitor.maker or next(present, None) in visitor.seats

    def would_show(self, seat: int, visitor: Visitor) -> bool:
        """Return whether a visitor who takes a seat from a program would see secret cards.

        The cards are secret during a game with hidden cards in which another person owns a seat.
        """
        played = self.seats[seat].kind == PROGRAM and not (self.is_over or self.is_waiting)
        # Count the owners of seats, because a player who left the seat to a program may come back.
        others = any(s.is_held and n not in visitor.seats for n, s in enumerate(self.seats))
        return bool(played and self.rules.hidden and others)

    def tokens(self, *seats: int) -> dict[int, str | None]:
        """Return the hash of the owner's token for each of the given seats, by seat number."""
        return {number: self.seats[number].token for number in seats}

    def check_owners(self, tokens: Mapping[int, str | None]) -> None:
        """Raise `HttpError` unless the owner's token of each given seat has the given hash."""
        for number, token in tokens.items():
            if number not in range(len(self.seats)) or self.seats[number].token != token:
                raise HttpError(403, NOT_YOURS())

    @property
    def is_ready(self) -> bool:
        """Return whether the game can begin: it has not yet begun, and all seats are ready."""
        return self.is_waiting and all(
            seat.kind == PROGRAM or (seat.kind == PERSON and seat.ready == READY)
            for seat in self.seats
        )

    def check_begun(self) -> None:
        """Raise `HttpError` if the game has not begun."""
        if self.is_waiting:
            raise HttpError(409, "the game has not begun", version=self.version)


class MoveMade(NamedTuple):
    """Event: a move was made. `game` is the history of the game after this move."""

    entry: Entry
    game: History[Any, Any, Any]

    def apply(self, state: TableState) -> TableState:
        """Return the state of the table after the move."""
        history = state.history.with_game(*self)
        return state._replace(history=history, votes=NO_VOTES)


class MovesTakenBack(NamedTuple):
    """Event: the last moves were taken back. The log entry contains their number."""

    entry: Entry

    def apply(self, state: TableState) -> TableState:
        """Return the state of the table after the moves were taken back."""
        return state._replace(history=state.history.with_entry(self.entry), votes=NO_VOTES)


class GameEnded(NamedTuple):
    """Event: the game ended. If `places` is None, a take-back has made it go on again."""

    places: tuple[int, ...] | None

    def apply(self, state: TableState) -> TableState:
        """Return the state unchanged. The places are computed from the position of the game."""
        return state


class VotesChanged(NamedTuple):
    """Event: a vote on taking moves back, or (topic "seats") on giving a seat away, changed."""

    votes: Votes
    topic: str

    def apply(self, state: TableState) -> TableState:
        """Return the state of the table with the new votes."""
        return state._replace(votes=self.votes)


class SeatsChanged(NamedTuple):
    """Event: some seats have another player or owner. All votes end."""

    seats: Mapping[int, Seat]

    def apply(self, state: TableState) -> TableState:
        """Return the state of the table with the new seats and without votes."""
        return SeatsNoted(self.seats).apply(state)._replace(votes=NO_VOTES)


class SeatsNoted(NamedTuple):
    """Event: data of some seats changed, such as a code or the saved time, but not the players."""

    seats: Mapping[int, Seat]

    def apply(self, state: TableState) -> TableState:
        """Return the state of the table with the new seats."""
        seats = (self.seats.get(number, seat) for number, seat in enumerate(state.seats))
        return state._replace(seats=tuple(seats))


class SeatGivenAway(NamedTuple):
    """Event: the seat of an absent player was given to a program, or is now open.

    Attributes:
        person: Name of the player who lost the seat.
        program: Name of the program that plays in the seat now, or None if the seat is open.
    """

    seat: int
    person: str | None
    program: str | None

    def apply(self, state: TableState) -> TableState:
        """Return the state unchanged. A separate `SeatsChanged` event changes the seat."""
        return state


class ClockSet(NamedTuple):
    """Event: a clock was started and runs out at `due`, or it was stopped and `due` is None."""

    due: float | None
    paused: PausedClock = PausedClock()

    def apply(self, state: TableState) -> TableState:
        """Return the state of the table with the new clock."""
        return state._replace(due=self.due, paused=self.paused)


class GameBegun(NamedTuple):
    """Event: the game began.

    Attributes:
        head: Beginning of the record of the game, which contains its first position.
        seats: The seats in their new order.
        numbers: For each new seat, the number that the seat had before.
    """

    rules: Any
    start: Any
    head: str
    seats: tuple[Seat, ...]
    numbers: tuple[int, ...]

    def apply(self, state: TableState) -> TableState:
        """Return the state of the table at the beginning of the game."""
        deal = state.stored.deal._replace(head=self.head, waiting=None)
        return state._replace(
            stored=state.stored._replace(deal=deal),
            seats=self.seats,
            history=VersionedHistory.begin(self.rules, self.start),
        )


class RematchMade(NamedTuple):
    """Event: a new table was made for the rematch. `table` is its state."""

    table: TableState

    def apply(self, state: TableState) -> TableState:
        """Return the state of the old table, with the id of the table of the rematch."""
        return state._replace(stored=state.stored._replace(again=self.table.id))


class OwnerChanged(NamedTuple):
    """Event: the owner of a seat got another token, cookie or code.

    The change also applies to the other tables of the series of rematches. `link` is the hash of
    the link with which the owner moved the seat to another device. It is None if no link was used.
    """

    before: Owner
    after: Owner
    link: str | None = None

    def apply(self, state: TableState) -> TableState:
        """Return the state unchanged. A separate event changes the seat at this table."""
        return state


Event = (
    MoveMade | MovesTakenBack | GameEnded | VotesChanged | SeatsChanged | SeatsNoted
    | SeatGivenAway | ClockSet | GameBegun | RematchMade | OwnerChanged
)  # fmt: skip


class Decision(NamedTuple):
    """The changes to a table (events) that carry out a command, and the answer to its sender."""

    events: tuple[Event, ...]
    answer: Any = None


class Command(Protocol):
    """A request to change a game table, such as to make a move or take a seat."""

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that carry out the command, and the answer to its sender.

        `now` is the current time, measured in seconds by `Store.uptime`.
        """


def decide(state: TableState, command: Command, now: float) -> Decision:
    """Return the changes to a table that carry out a command, and the answer to its sender.

    Raises `HttpError` if the command is not allowed.
    """
    return command.decide(state, now)


def apply(state: TableState, *events: Event) -> TableState:
    """Return the state of a table after the changes that the given events describe."""
    for event in events:
        state = event.apply(state)
    return state
