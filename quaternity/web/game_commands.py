"""The commands that start the game at a table, and that make a table for a rematch.

A command is a request to change a table. Its method `decide` returns the events that carry out the
change (see `core`).
"""

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
    Pace,
    Seat,
    StoredTable,
    Visitor,
    renumber,
)

NOBODY = "nobody"
"""Value of `Start.fill` that removes the open seats when the game starts."""


class Start(NamedTuple):
    """A command with which the host starts the game at a table.

    Attributes:
        fill: `NOBODY` to remove the open seats. With any other value, a computer player gets them.
        program: Name of this computer player. It also plays for people who have not yet arrived at
            the table of a rematch.
        deal: Seed of the deal, which is used unless the maker of the table chose a seed.
    """

    fill: str | None
    program: str
    deal: str

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that start the game. There are none if it has already begun."""
        if not state.is_waiting:
            return Decision(())
        chosen: dict[int, Seat] = {}
        for number, seat in enumerate(state.seats):
            if seat.kind == OPEN and self.fill == NOBODY:
                continue
            if seat.kind == OPEN:
                chosen[number] = Seat(PROGRAM, self.program)
            # The owner can take the seat back from the program later.
            elif seat.ready == NOT_ARRIVED:
                chosen[number] = seat._replace(kind=PROGRAM, name=self.program)
            else:
                chosen[number] = seat
        rules = state.rules
        if len(chosen) < len(state.seats):
            rules = rules_with(rules.name, settings_for(rules, len(chosen)), len(chosen))
        return Decision(begin(state, rules, chosen, self.deal, now))


def check_start(state: TableState, visitor: Visitor, attendance: Attendance) -> None:
    """Raise `HttpError` if a visitor may not start the game at a table."""
    if not state.is_waiting:
        raise HttpError(409, "the game has already begun", version=state.version)
    if not state.is_host(visitor, attendance):
        raise HttpError(
            403,
            "only the host can start the game: the person who made the table, or the first "
            "player present",
        )


class Rematch(NamedTuple):
    """A command that makes a table for a rematch, in which every player moves to the next seat.

    Attributes:
        visitor: The player who asks for the rematch.
        name: Random id of the new table.
        deal: Random seed of the deal.
        seed: Random seed of the moves of computer players.
        invitation: New invitation (a secret text in a link) that is valid for any free seat.
        invitations: A new invitation for each seat. It is used only if the seat is open.
    """

    visitor: Visitor
    name: str
    deal: str
    seed: str
    invitation: str
    invitations: tuple[str, ...]

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the change that makes the new table, and the id of the new table.

        If this table already has a rematch, there is no change, and the id is that of its table.
        """
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
        seat = state.seats[number]
        is_here = number in self.visitor.seats or seat.kind == PROGRAM
        return renumber(seat, number, (number + 1) % len(state.seats))._replace(
            invitation=self.invitations[number] if seat.kind == OPEN else None,
            ready=READY if is_here else NOT_ARRIVED,
            pace=Pace(),
            origin=(seat.origin or f"{state.id}/{number}") if seat.kind == PROGRAM else None,
        )
