"""The commands that change the game at a table: moves, and votes to take moves back.

A command is a request to change a table. Its method `decide` returns the events that carry out the
change (see `core`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from quaternity.base.errors import IllegalMove
from quaternity.base.text_format import name_numbers
from quaternity.table.games import registration
from quaternity.web.changes import TAKEN_BACK, Entry
from quaternity.web.core import (
    ClockSet,
    Decision,
    Event,
    GameEnded,
    MoveMade,
    MovesTakenBack,
    SeatsNoted,
    TableState,
    VotesChanged,
    apply,
)
from quaternity.web.drawing.words import page_words, player_name, seat_names
from quaternity.web.http_errors import CANNOT_AGREE, WAIT_FOR, HttpError
from quaternity.web.seating import change_seats
from quaternity.web.seats import PERSON, PROGRAM, Pace, Seat


class Move(NamedTuple):
    """A command that makes a move for a person or a computer player.

    Attributes:
        token: Hash of the token that the owner of the seat had when the move was sent.
        version: The number of log entries of the table that the player saw. If only one player may
            act, it must be the latest number.
        identity: Id that the client chose for the move. Empty for a computer player.
        text: The move, as the rules of the game write it. It refers to the table at `version`.
    """

    seat: int
    token: str | None
    version: int
    identity: str
    text: str

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that make the move, and the number of log entries after it.

        There are no changes if the client has already sent this move.
        """
        state.check_owners({self.seat: self.token})
        known = state.history.versions_by_id.get((self.seat, self.identity))
        if self.identity and known is not None:
            return Decision((), known)
        self._check_turn(state)
        move = state.history.read_move(self.seat, self.version, self.text)
        made = self._make_move(state, move)
        events: list[Event] = [made]
        if not state.rules.to_act(made.game.position):
            events.append(_game_end(state.rules.places(made.game.position)))
        if state.clock is not None:
            mover = SeatsNoted({self.seat: self._mover(state, now)})
            events += [mover, ClockSet(apply(state, made, mover).due_after(now), state.paused)]
        return Decision(tuple(events), made.entry.version)

    def _check_turn(self, state: TableState) -> None:
        state.check_begun()
        acting = state.to_act
        if self.version != state.version and len(acting) < 2:
            raise _stale_error(state)
        if self.seat not in acting:
            names = seat_names(state.seats, state.stored.game)
            wait = WAIT_FOR(names=[names[other] for other in acting])
            reason = wait if acting else "the game is over"
            raise HttpError(409, reason, version=state.version)
        if awaited := state.awaited:
            reason = f"nobody may move before a player has taken {name_numbers('seat', awaited)}"
            raise HttpError(409, reason, version=state.version)

    def _make_move(self, state: TableState, move: Any) -> MoveMade:
        try:
            game = state.history.game.play(self.seat, move)
            game.steps()  # A move whose events cannot be computed must not be stored.
        except IllegalMove as error:
            words = page_words(state.stored.options.deck, state.seats, state.stored.game)
            texts = [words.refusal(fault) for fault in error.faults]
            raise HttpError(422, str(error), faults=error.faults, words=texts) from None
        text = state.rules.write(move)
        entry = Entry(state.id, state.version + 1, self.seat, self.identity, text)
        return MoveMade(entry, game)

    def _mover(self, state: TableState, now: float) -> Seat:
        mover = state.seats[self.seat]
        if state.clock is None or state.due is None:  # a program's move, without a clock
            return mover
        saved = state.clock.saved_after(mover.pace.saved, max(0.0, state.due - now))
        return mover._replace(pace=Pace(saved, 0 if self.identity else mover.pace.missed + 1))


class VoteUndo(NamedTuple):
    """A command with which a player votes to take the last moves back, or withdraws the vote.

    The moves are taken back as soon as all people at the table agree.

    Attributes:
        token: Hash of the token that the owner of the seat had when the vote was sent.
        version: The number of log entries of the table that the player saw.
        agree: Whether the player agrees. False withdraws an earlier vote.
    """

    seat: int
    token: str | None
    version: int
    agree: bool

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that follow from the vote, and the number of log entries after it."""
        state.check_owners({self.seat: self.token})
        self._check(state)
        undo = state.votes.undo
        undo = undo | {self.seat} if self.agree else undo - {self.seat}
        if not undo.issuperset(state.people):
            votes = state.votes._replace(undo=undo)
            return Decision((VotesChanged(votes, "undo"),), state.version)
        count = state.history.game.undo_length(state.people)
        entry = Entry(state.id, state.version + 1, TAKEN_BACK, "", str(count))
        events: list[Event] = [MovesTakenBack(entry), _game_end(None)]
        if state.clock is not None:
            events.append(ClockSet(apply(state, *events).due_after(now), state.paused))
        return Decision(tuple(events), entry.version)

    def _check(self, state: TableState) -> None:
        if self.version != state.version:
            raise _stale_error(state)
        leavers = [
            player_name(seat.person, number)
            for number, seat in enumerate(state.seats)
            if seat.kind == PROGRAM and seat.is_held
        ]
        reason = None
        if not state.history.game.moves or state.stored.options.archive:
            reason = "there is nothing to take back"
        elif state.is_over and state.is_secret:
            reason = "the game is over and all cards are revealed, so no move can be taken back"
        elif state.seats[self.seat].kind != PERSON:
            reason = "a program plays in this seat and cannot take back a move"
        elif state.rules.hidden and leavers:
            # Require the people who left their seats to programs, too. Otherwise the others could
            # ask a question, see the answer, and take the question back.
            raise HttpError(409, CANNOT_AGREE(name=leavers[0]))
        if reason is not None:
            raise HttpError(409, reason, version=state.version)


class LeaveToProgram(NamedTuple):
    """A command that gives a computer player the seat of a person who missed many moves.

    `due` is the time at which the person's clock ran out, measured in seconds by `Store.uptime`. If
    the clock of the table now runs out at another time, the command changes nothing.
    """

    seat: int
    due: float

    def decide(self, state: TableState, now: float) -> Decision:
        """Return the changes that give a program the seat, or none if the clock has changed."""
        late = state.seats[self.seat]
        if late.kind != PERSON or self.seat not in state.to_act or state.due != self.due:
            return Decision(())
        program = registration(state.rules.name).usual_program
        seat = late._replace(kind=PROGRAM, name=program, pace=Pace(late.pace.saved))
        return Decision(change_seats(state, {self.seat: seat}, now))


def _game_end(places: Any) -> GameEnded:
    return GameEnded(None if places is None else tuple(places))


def _stale_error(state: TableState) -> HttpError:
    return HttpError(
        409,
        "the game has changed in the meantime: look at the table and try again",
        version=state.version,
    )
