"""Delivery of changes at a table to its event streams, its computer players and its clock."""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.base.sentences import MessageTemplate
from quaternity.web.changes import Entry
from quaternity.web.core import (
    ClockSet,
    Event,
    GameBegun,
    GameEnded,
    MoveMade,
    MovesTakenBack,
    RematchMade,
    SeatGivenAway,
    SeatsChanged,
    TableState,
    VotesChanged,
)
from quaternity.web.feed import TableFeed
from quaternity.web.presence import TablePresence
from quaternity.web.programs import TablePrograms
from quaternity.web.talk import TableTalk

GIVEN_AWAY = MessageTemplate(
    "given_away", "{name:called} was away, so the seat is free: you can invite another player"
)
GIVEN_TO_PROGRAM = MessageTemplate(
    "given_away", "{name:called} was away, so a program plays instead"
)


class Publisher:
    """Reports changes at a table to its event streams, its computer players and its clock."""

    def __init__(
        self, presence: TablePresence, feed: TableFeed, talk: TableTalk, programs: TablePrograms
    ) -> None:
        self._presence, self._feed = presence, feed
        self._talk, self._programs = talk, programs

    def publish(self, before: TableState, after: TableState, events: Sequence[Event]) -> None:
        """Report changes of the table (events) to its visitors, computer players and clock."""
        for event in events:
            self._publish_event(before, after, event)
        restarting = MoveMade | MovesTakenBack | SeatsChanged | GameBegun
        if any(isinstance(event, restarting) for event in events):
            self._programs.wake()

    def _publish_event(self, before: TableState, after: TableState, event: Event) -> None:
        match event:
            case MoveMade(entry) | MovesTakenBack(entry):
                self._feed.notice = None
                self._programs.count_move(entry.seat)
                self._feed.send_version(after.history, entry.version)
            case GameEnded():
                self._talk.forget_score()
            case VotesChanged(votes, "undo"):
                self._feed.send("undo", {"agreed": sorted(votes.undo)})
            case VotesChanged():
                self._feed.seats_changed()
            case SeatsChanged(seats):
                self._feed.notice = None
                self._talk.forget_score()
                self._presence.change_seats(before.seats, seats)
                self._programs.count_seats()
                self._feed.seats_changed()
            case SeatGivenAway(_, person, program):
                kind = GIVEN_AWAY if program is None else GIVEN_TO_PROGRAM
                self._feed.notify(kind(name=person), after.revision)
            case ClockSet(due):
                self._programs.set_alarm(due)
            case GameBegun(numbers=numbers):
                self._talk.forget_score()
                self._presence.renumber(numbers)
                self._feed.send("start", {})
            case RematchMade(table):
                self._feed.send("again", {"table": table.id})

    def report_changes(
        self, before: TableState, after: TableState, log: Sequence[Entry], begun: bool
    ) -> None:
        """Report changes that another server has made to the table.

        `log` contains the new entries of the table's log. `begun` says whether the game has begun
        in the meantime.
        """
        if len(after.seats) != len(before.seats):
            self._presence.reset(len(after.seats))
        for entry in log:
            self._programs.count_move(entry.seat)
            self._feed.send_version(after.history, entry.version)
        if self._feed.noticed < after.revision and (log or after.seats != before.seats):
            # Clear the notice, as the server that made the change has done.
            self._feed.notice = None
        self._programs.set_alarm(after.due)
        self._talk.forget_score()
        tokens = {seat.token for seat in after.seats}
        lost = [n for n, s in enumerate(before.seats) if s.is_held and s.token not in tokens]
        # End the streams of previous owners, whose clients reconnect with their current rights.
        self._presence.end_streams(*lost)
        self._presence.follow(dict(enumerate(before.seats)), dict(enumerate(after.seats)))
        if begun:
            self._feed.send("start", {})
        elif after.seats != before.seats or not log:
            self._feed.seats_changed()
        if after.stored.again != before.stored.again:
            self._feed.send("again", {"table": after.stored.again})
        self._programs.wake()
