"""Commands that change the seats of a table, such as taking a seat or leaving it.

A command is a request to change a table. Its method `decide` returns the events that change the
state of the table, or raises `HttpError` if the command is not allowed (see `core`). An invitation
is the secret last part of a link with which a visitor can take an open seat. A token is a secret
text that proves the ownership of a seat. Unless a class says otherwise, `token` is the hash of the
owner's token, and `deal` is the random seed of the deal, which is used if the game begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from quaternity.web.core import (
    Attendance,
    Decision,
    OwnerChanged,
    SeatGivenAway,
    SeatsNoted,
    TableState,
    Votes,
    VotesChanged,
)
from quaternity.web.http_errors import (
    NO_SEAT,
    NOT_ABSENT,
    NOT_YOURS,
    ONLY_HOST,
    WOULD_SHOW_HAND,
    HttpError,
)
from quaternity.web.new_table import check_name
from quaternity.web.seating import begin_if_ready, change_seats
from quaternity.web.seats import (
    NOT_ARRIVED,
    OPEN,
    PERSON,
    PROGRAM,
    READY,
    THINKING,
    Caller,
    Owner,
    Seat,
    Visitor,
    hash_token,
    renumber,
)


class SeatTicket(NamedTuple):
    """A seat, with a secret token for its new owner, or with an invitation if the seat is open.

    Both are None if a program plays in the seat, or if its owner already has the token.
    """

    seat: int
    token: str | None
    invitation: str | None = None


class Join(NamedTuple):
    """A command with which a visitor takes a seat by using an invitation.

    An invitation is valid for one seat or for any free seat. Before the game, a player can use an
    invitation for any free seat to change seats.

    Attributes:
        wanted: Seat that the visitor wants, if the invitation is for any free seat. None if the
            visitor has no preference.
        name: Name of the visitor as a player, or None for the default name of the seat.
        caller: The hash of the visitor's token or cookie.
        token: New token for the seat, not a hash.
        vacated: If a player changes seats, the new invitation for the seat that becomes free.
        ready: Whether the visitor is ready for the game to begin.
    """

    invitation: str
    wanted: int | None
    name: str | None
    caller: Caller
    token: str
    vacated: str
    deal: str
    ready: bool = True

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that give the visitor a seat, and a `SeatTicket` for it."""
        number = invited_seat(state, self.invitation)
        if number is None:
            number, held = self._choose(state)
            if held is not None:
                if number == held:
                    return Decision((), SeatTicket(number, None))
                moved = renumber(state.seats[held], held, number)
                left = Seat(OPEN, invitation=self.vacated)
                events = change_seats(state, {number: moved, held: left}, now)
                return Decision(events, SeatTicket(number, None))
        seat = state.seats[number]
        if seat.kind != OPEN:
            cookie = self.caller.cookie_hash
            if cookie is not None and seat.owner.browser == cookie:
                # The caller already has the seat. The response to an earlier request may have been
                # lost, so answer again.
                return Decision((), SeatTicket(number, None))
            raise HttpError(409, "this seat is already taken")
        person = check_name(self.name, number)
        owner = Owner(hash_token(self.token), self.caller.cookie_hash)
        # Keep the invitation, so that a visitor who uses it later is told that the seat is taken.
        ready = READY if self.ready or not state.is_waiting else THINKING
        new = Seat(PERSON, person, person, owner, seat.invitation, ready)
        events = change_seats(state, {number: new}, now)
        events = begin_if_ready(state, events, self.deal, now)
        return Decision(events, SeatTicket(number, self.token))

    def _choose(self, state: TableState) -> tuple[int, int | None]:
        if not state.is_waiting:
            raise HttpError(409, "the game has begun without you: you can watch it")
        seats, wanted = state.seats, self.wanted
        if wanted is not None and wanted not in range(len(seats)):
            raise HttpError(422, f"seat: must be from 0 to {len(seats) - 1}, not {wanted}")
        held = None if self.caller.cookie_hash is None else state.visitor(self.caller).looking
        if wanted is None:
            free = [number for number, seat in enumerate(seats) if seat.kind == OPEN]
            wanted = next(iter(free), None) if held is None else held
        if wanted is None:
            raise HttpError(409, "every seat is taken: you can watch the game")
        if wanted != held and seats[wanted].kind != OPEN:
            raise HttpError(409, "this seat is already taken")
        return wanted, held


class SetReady(NamedTuple):
    """A command with which a player says whether they are ready for the game to begin.

    If `counts_down` is true, the game does not begin with this command. Once every player is ready,
    a countdown starts. At its end, a `Begin` command begins the game.
    """

    seat: int
    token: str | None
    ready: bool
    deal: str
    counts_down: bool = False

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that mark the player as ready or not. They may also begin the game."""
        state.check_owners({self.seat: self.token})
        if not state.is_waiting:
            raise HttpError(409, "the game has already begun", version=state.version)
        seat = state.seats[self.seat]._replace(ready=READY if self.ready else THINKING)
        events = change_seats(state, {self.seat: seat}, now)
        if self.counts_down:
            return Decision(events)
        return Decision(begin_if_ready(state, events, self.deal, now))


class Begin(NamedTuple):
    """A command with which the server begins the game at the end of a countdown."""

    deal: str

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that begin the game. There are none if a player is not ready."""
        return Decision(begin_if_ready(state, (), self.deal, now))


class Arrive(NamedTuple):
    """A command that marks players as ready when they arrive at the table of their rematch.

    The server sends this command. Once every player is ready, a countdown starts. At its end, a
    `Begin` command begins the game.
    """

    seats: tuple[int, ...]

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that mark the players as ready. There are none during a game."""
        arriving = {
            number: state.seats[number]._replace(ready=READY)
            for number in self.seats
            if state.is_waiting and state.seats[number].ready == NOT_ARRIVED
        }
        return Decision(change_seats(state, arriving, now) if arriving else ())


class Leave(NamedTuple):
    """A command with which a player gives up a seat before the game has begun.

    `invitation` is a new invitation, with which another visitor can take the seat.
    """

    seat: int
    token: str | None
    invitation: str

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that free the seat for another player."""
        state.check_owners({self.seat: self.token})
        if not state.is_waiting:
            reason = "you cannot leave after the game has begun: hand the seat over"
            raise HttpError(409, reason, version=state.version)
        left = Seat(OPEN, invitation=self.invitation)
        return Decision(change_seats(state, {self.seat: left}, now))


class SetCode(NamedTuple):
    """A command that stores the hash of a new code with which the owner can get a seat back."""

    seat: int
    token: str | None
    code: str

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that store the hash of the code, and the old and the new `Owner`."""
        del now
        state.check_owners({self.seat: self.token})
        before = state.seats[self.seat].owner
        after = before._replace(code=self.code)
        seat = state.seats[self.seat]._replace(owner=after)
        events = SeatsNoted({self.seat: seat}), OwnerChanged(before, after)
        return Decision(events, (before, after))


class Reclaim(NamedTuple):
    """A command with which the owner of a seat moves it to another device, with a link or a code.

    Attributes:
        proof: Hash of the owner's token if a link is used, or hash of the owner's code.
        link: Hash of the link, or None if a code is used.
        caller: Hash of the token or cookie that the other device sent.
        token: New token for the seat, not a hash.
    """

    proof: str
    link: str | None
    caller: Caller
    token: str

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that give the seat to the device that sent the request.

        The answer to the sender is a tuple: a `SeatTicket`, the old `Owner` and the new `Owner`.
        """
        numbers = [
            number
            for number, seat in enumerate(state.seats)
            if self.proof == (seat.owner.code if self.link is None else seat.owner.token)
        ]
        if not numbers:
            raise unknown_code() if self.link is None else unknown_link()
        number = numbers[0]
        seat = state.seats[number]
        if not seat.is_held:
            raise HttpError(409, "this seat no longer has an owner")
        owner = seat.owner._replace(token=hash_token(self.token), browser=self.caller.cookie_hash)
        new = seat._replace(kind=PERSON, name=seat.person, owner=owner)
        changed = OwnerChanged(seat.owner, owner, self.link)
        events = (*change_seats(state, {number: new}, now), changed)
        return Decision(events, (SeatTicket(number, self.token), seat.owner, owner))


def unknown_link() -> HttpError:
    """Return the error for a link that is not valid."""
    return HttpError(404, "this link has already been used, or it is more than ten minutes old")


def unknown_code() -> HttpError:
    """Return the error for a code that is not valid."""
    return HttpError(404, "there is no seat with this code")


class ChangeOwner(NamedTuple):
    """A command that replaces the token, cookie and code of a person at this table.

    The server sends it after these have changed at another table of the same series of rematches.
    `token` is the hash of the old token, and `owner` has the new values. If they are already
    stored, the command only announces the change.
    """

    token: str | None
    owner: Owner

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that give the owner's seats the new token, cookie and code."""
        seats = {
            number: seat._replace(owner=self.owner)
            for number, seat in enumerate(state.seats)
            if seat.token in (self.token, self.owner.token)
        }
        return Decision(change_seats(state, seats, now) if seats else ())


class HandOver(NamedTuple):
    """A command with which a visitor gives a seat to another player.

    Attributes:
        player: Name of the program that gets the seat, `me` if the owner takes it back, or `open`
            if anyone with the invitation may take it.
        tokens: Hashes of the visitor's tokens, by seat.
        attendance: The seats of the players who are present, and of those absent for a long time.
        invitation: New invitation to the seat. It is used only if the seat becomes open.
    """

    seat: int
    player: str
    visitor: Visitor
    tokens: Mapping[int, str | None]
    attendance: Attendance
    invitation: str
    deal: str

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that give the seat away, and an invitation if the seat becomes open.

        If other players must agree first, the only change is that the visitor's vote is counted.
        """
        self.check(state)
        state.check_owners(self.tokens)
        seat, is_own = state.seats[self.seat], self.seat in self.visitor.seats
        invitation = None
        if self.player == "me":
            if not is_own:
                raise HttpError(403, NOT_YOURS())
            new = seat._replace(kind=PERSON, name=seat.person)
        elif self.player == OPEN:
            if seat.is_held:
                self.check_absent(state)
                votes = self._count_votes(state)
                if votes is not None:
                    return Decision((VotesChanged(votes, "seats"),))
            elif state.would_show(self.seat, self.visitor):
                raise HttpError(403, WOULD_SHOW_HAND())
            invitation = self.invitation
            new = Seat(OPEN, invitation=invitation)
        else:
            # Another program does not continue the score of the program that played here.
            origin = seat.origin if seat.name == self.player else None
            new = seat._replace(kind=PROGRAM, name=self.player, origin=origin)
        events = change_seats(state, {self.seat: new}, now)
        if seat.is_held and not is_own:
            program = new.name if new.kind == PROGRAM else None
            events = (*events, SeatGivenAway(self.seat, seat.person, program))
        return Decision(begin_if_ready(state, events, self.deal, now), invitation)

    def check(self, state: TableState) -> None:
        """Raise `HttpError` if the visitor may not give the seat away. `decide` calls this, too."""
        if self.seat not in range(len(state.seats)) or state.stored.options.archive:
            raise HttpError(404, NO_SEAT(seat=self.seat))
        if not (self.visitor.seats or self.visitor.maker):
            raise HttpError(403, "only players at this table can do that")
        is_own, is_host = self.seat in self.visitor.seats, self._is_host(state)
        if state.is_waiting and not is_own and not is_host:
            raise HttpError(403, ONLY_HOST())
        if self.player not in ("me", OPEN):
            self.check_absent(state)

    def check_absent(self, state: TableState) -> None:
        """Raise `HttpError` if the visitor may not take the seat away from another person."""
        if self.seat in self.visitor.seats or not state.seats[self.seat].is_held:
            return
        if not self._is_host(state) and self.player != OPEN:
            raise HttpError(403, ONLY_HOST())
        if self.seat not in self.attendance.absent:
            raise HttpError(403, NOT_ABSENT())

    def _is_host(self, state: TableState) -> bool:
        return state.is_host(self.visitor, self.attendance)

    def _count_votes(self, state: TableState) -> Votes | None:
        """Return the votes after the visitor's vote. Return None if no more votes are needed."""
        if not state.rules.hidden or state.is_waiting or state.is_over:
            if self.seat not in self.visitor.seats and not self._is_host(state):
                raise HttpError(403, ONLY_HOST())
            return None
        voters = {*state.people} & self.attendance.present - {self.seat}
        if voters <= {*self.visitor.seats}:
            raise HttpError(
                403,
                "nobody else is here to let a new player take this seat and see its cards",
            )
        agreed = state.votes.takeovers.get(self.seat, frozenset()) | {*self.visitor.seats}
        if agreed.issuperset(voters):
            return None
        return state.votes._replace(takeovers={**state.votes.takeovers, self.seat: agreed})


def invited_seat(state: TableState, invitation: str) -> int | None:
    """Return the seat that an invitation is for. Return None if it is for any free seat.

    Raises `HttpError` if the table has no such invitation.
    """
    for number, seat in enumerate(state.seats):
        if seat.invitation == invitation:
            return number
    if state.stored.invitation == invitation:
        return None
    raise HttpError(404, "there is no such invitation")
