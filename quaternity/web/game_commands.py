"""Commands that begin a game: the start by the host, and the rematch."""

from __future__ import annotations

from typing import NamedTuple

from quaternity.web.core import Attendance, Decision, RematchMade, TableState
from quaternity.web.http_errors import HttpError
from quaternity.web.new_table import rules_with, settings_for
from quaternity.web.seating import begin, new_state, record_head
from quaternity.web.seats import (
    NOT_ARRIVED,
    OPEN,
    PROGRAM,
    READY,
    Deal,
    Seat,
    StoredTable,
    Visitor,
    renumber,
)

NOBODY = "nobody"
"""Value of `fill` that removes the open seats when the game starts."""


class Start(NamedTuple):
    """The host starts the game.

    A program plays in each open seat, or these seats are left out if `fill` is `NOBODY`. It also
    plays for people who have not yet arrived at the table of a rematch. `program` is its name.
    `deal` is the seed of the deal.
    """

    fill: str | None
    program: str
    deal: str

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the events of the start, or none if the game has already begun."""
        if not state.is_waiting:
            return Decision(())
        chosen: dict[int, Seat] = {}
        for number, seat in enumerate(state.seats):
            if seat.kind == OPEN and self.fill == NOBODY:
                continue
            if seat.kind == OPEN:
                chosen[number] = Seat(PROGRAM, self.program)
            # The owner of the seat can take it back later.
            elif seat.ready == NOT_ARRIVED:
                chosen[number] = seat._replace(kind=PROGRAM, name=self.program)
            else:
                chosen[number] = seat
        rules = state.rules
        if len(chosen) < len(state.seats):
            rules = rules_with(rules.name, settings_for(rules, len(chosen)), len(chosen))
        return Decision(begin(state, rules, chosen, self.deal, now))


def check_start(state: TableState, visitor: Visitor, attendance: Attendance) -> None:
    """Raise `HttpError` if a visitor may not start the game."""
    if not state.is_waiting:
        raise HttpError(409, "the game has already begun", version=state.version)
    if not state.is_host(visitor, attendance):
        raise HttpError(
            403,
            "only the host can start the game: the person who made the table, or the first "
            "player present",
        )


class Rematch(NamedTuple):
    """A player asks for the table of the rematch, at which every player has the next seat.

    Attributes:
        name, deal, seed, invitation: Random values for the new table: its id, the seed of its deal,
            the seed of its programs, and the invitation to any free seat.
        invitations: A random invitation for each seat, which is used if the seat is open.
    """

    visitor: Visitor
    name: str
    deal: str
    seed: str
    invitation: str
    invitations: tuple[str, ...]

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the new table as an event, and its id. Later calls return only the id."""
        if not self.visitor.seats:
            raise HttpError(403, "only players at this table can do that")
        state.check_begun()
        others = [seat for seat in state.people if seat not in self.visitor.seats]
        if state.stored.options.archive or (others and not state.is_over):
            reason = "there is no rematch before the game is over"
            raise HttpError(409, reason, version=state.version)
        if state.stored.again is not None:
            return Decision((), state.stored.again)
        moved = [self._next(state, number) for number in range(len(state.seats))]
        seats = [moved[-1], *moved[:-1]]
        waits = any(seat.ready != READY for seat in seats)
        head = record_head(state.rules, "" if waits else self.deal)
        new = StoredTable(
            self.name, state.stored.game, Deal(head, self.seed, "" if waits else None),
            state.stored.options._replace(practice=False), state.stored.maker, None,
            state.stored.evening or state.id,
            (self.name if state.is_public else self.invitation) if waits else None,
        )  # fmt: skip
        table = new_state(new, state.rules, "" if waits else self.deal, tuple(seats), now)
        return Decision((RematchMade(table),), self.name)

    def _next(self, state: TableState, number: int) -> Seat:
        """Return the seat at the rematch for the player of seat `number`."""
        seat = state.seats[number]
        is_here = number in self.visitor.seats or seat.kind == PROGRAM
        return renumber(seat, number, (number + 1) % len(state.seats))._replace(
            invitation=self.invitations[number] if seat.kind == OPEN else None,
            ready=READY if is_here else NOT_ARRIVED,
            saved=0.0,
            missed=0,
        )
