"""The sight of a table for one who looks at it: the only way out of a position."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from quaternity.table.protocol import Step
from quaternity.web.clock import Clock
from quaternity.web.evening import Score
from quaternity.web.talk import Line

MAX_PAIRS = 60
"""Maximum number of pairs of a player and a card in a table that the event loop draws."""


class SeatSight(NamedTuple):
    """A seat and who sits there, as others see it.

    Attributes:
        name: of a person or of a program; None while nobody sits there.
        kind: "person", "open" or "program".
        present: whether a stream of this seat is open now.
        invitation: what invites to the seat; None but for who made the table, while it is open.
        ready: whether the game may begin, as far as they are concerned.
    """

    name: str | None
    kind: str
    present: bool = False
    invitation: str | None = None
    ready: bool = True


class Sight(NamedTuple):
    """All that one seat, or a bystander, may be shown of one table, and nothing else.

    Attributes:
        table: its name, which nobody can guess.
        game: as in the first line of its records.
        rules: of the game.
        settings: by name, as in requests.
        version: the length of the table's log: moves, and moves taken back.
        number: how many moves lie before this sight; less than `last` in a replay.
        last: how many moves were made so far.
        seat: whose sight it is; None: a bystander.
        mine: all seats that whoever looks holds.
        seats: who sits where.
        to_act: the seats that may move; none when the game is over.
        view: `rules.view(position, seat)`.
        moves: what everybody saw of the moves so far.
        points: per seat.
        places: per seat its place when the game is over.
        help: whether counts and hints are allowed.
        practice: whether who made the table chose the seed, so that they may know what is hidden.
        thinking: the seats whose program is at work.
        undo: the people who have agreed to take back.
        notice: what went wrong at the table; None while nothing did.
        watch: the last part of the link for bystanders.
        again: the table at which the same people play again, once there is one.
        revealed: the first position of a game with hidden things, when it is over.
        awaited: the seats to which somebody has to come before anybody may move.
        deck: the name of the deck; see `quaternity.decks`.
        begun: whether the game has begun; before, `view` is None.
        invitation: invitation to the table before the game has begun; None for a visitor unless
            every visitor may sit down.
        may_start: whether whoever looks may begin the game.
        evening: who won how often, where the same people have played before.
        chat: whether people may talk here.
        lines: what was said last, among those at the table or among bystanders.
        clock: how long a move may take; None: as long as one likes.
        times_left: per seat the seconds for its next move, where there is a clock.
        given: per seat of who is away, who agrees that somebody else gets it.
        absent: the people who are away for so long that this may be.
    """

    table: str
    game: str
    rules: Any
    settings: dict[str, Any]
    version: int
    number: int
    last: int
    seat: int | None
    mine: tuple[int, ...]
    seats: tuple[SeatSight, ...]
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
    watch: str = ""
    again: str | None = None
    revealed: Any = None
    awaited: tuple[int, ...] = ()
    deck: str = "plain"
    begun: bool = True
    invitation: str | None = None
    may_start: bool = False
    evening: tuple[Score, ...] = ()
    chat: bool = False
    lines: tuple[Line, ...] = ()
    clock: Clock | None = None
    times_left: tuple[float, ...] = ()
    given: Mapping[int, tuple[int, ...]] = MappingProxyType({})
    absent: tuple[int, ...] = ()

    @property
    def is_large(self) -> bool:
        """Return whether another process draws the table."""
        cards = self.settings.get("sets", 1) * self.settings.get("set_size", 1)
        links = sum(seat.invitation is not None for seat in self.seats)  # each has a QR code
        return cards * len(self.seats) > MAX_PAIRS or len(self.moves) > 500 or links > 2

    @property
    def invites(self) -> bool:
        """Return whether it has invitations; their links depend on the host of the request."""
        return any((self.invitation, *(seat.invitation for seat in self.seats)))


DERIVED = ("rules", "settings", "view", "moves", "revealed")
"""What the table, its version, the number of moves and the seat decide, once the game has begun."""


def page_key(sight: Sight) -> Hashable:
    """Return what is equal for two sights only if they show the same.

    It has every entry but those of `DERIVED`, which are large.
    """
    shown = {name: entry for name, entry in sight._asdict().items() if name not in DERIVED}
    shown["given"] = tuple(sorted(sight.given.items()))
    return sight.revealed is not None, *shown.values()
