"""A table in memory: it executes the commands of its queue one at a time.

Each command is decided, stored, applied and published, in this order, so that nobody sees a change
before it is stored.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from typing import Any

from quaternity.base.sentences import MessageTemplate
from quaternity.web.background import BackgroundWork
from quaternity.web.core import (
    Attendance,
    ClockSet,
    Command,
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
    apply,
    decide,
)
from quaternity.web.feed import TableFeed
from quaternity.web.http_errors import NO_TABLE, HttpError
from quaternity.web.move_commands import Move, VoteUndo
from quaternity.web.presence import RemotePresence, TablePresence
from quaternity.web.programs import TablePrograms
from quaternity.web.seat_commands import Arrive
from quaternity.web.seats import NOT_ARRIVED, Caller, Visitor, new_token
from quaternity.web.store import MAX_TRIES, ChangeNotice, Entry, Store, VersionConflict
from quaternity.web.streams import Stream
from quaternity.web.table_rows import TableRows, event_statements, read_rows, rebuild
from quaternity.web.talk import TableTalk
from quaternity.web.view import Moments

GIVEN_AWAY = MessageTemplate(
    "given_away", "{name:called} was away, so seat {seat} is free: you can invite another player"
)
GIVEN_TO_PROGRAM = MessageTemplate(
    "given_away", "{name:called} was away, so {program:called} plays in seat {seat}"
)


class Reload:
    """A command to reload the table from the store, because another server has changed it."""


class LiveTable:
    """A table in memory, with a queue of commands.

    Attributes:
        state: The state of the table. Only the queue changes it.
        gone: Status and message of the error for all further commands, because the table was
            deleted or dropped from memory. Otherwise None.
    """

    def __init__(
        self, state: TableState, store: Store, thinking: BackgroundWork, seen: Sequence[float],
        remote: Mapping[int, RemotePresence],
    ) -> None:  # fmt: skip
        """Set up a table in memory.

        `seen` contains, for each seat, the `monotonic` time of its owner's last activity at this
        server. `remote` is the known presence of players at other servers, by seat.
        """
        self.state = state
        self.gone: tuple[int, str] | None = None
        self.presence = TablePresence(seen, remote)
        self.feed = TableFeed(state.id, state.revision, self.presence, store)
        self.talk = TableTalk(store, self.feed)
        self.programs = TablePrograms(self, store, thinking)
        self.moments = Moments(thinking)
        self._store = store
        self._queue: deque[tuple[Command | Reload, Context, asyncio.Future[Any]]] = deque()
        self._worker: asyncio.Task[None] | None = None

    def uptime(self) -> float:
        """Return the time of the clocks, in seconds of `Store.uptime`."""
        return self._store.uptime()

    @property
    def notice(self) -> str | None:
        """The notice that visitors see: a problem of the store or of the table, or None."""
        return self._store.trouble or self.feed.notice

    @property
    def is_busy(self) -> bool:
        """Return whether a command is being executed or waits."""
        return self._worker is not None

    @property
    def is_quiet(self) -> bool:
        """Return whether the table has no open stream, no running program and no command."""
        return not (self.presence.streams or self.programs.tasks or self.is_busy)

    @property
    def is_deserted(self) -> bool:
        """Return whether the table is quiet and nobody has been active recently."""
        return self.is_quiet and self.presence.is_deserted

    def attendance(self) -> Attendance:
        """Return which players are present, and which absent for a long time."""
        return self.presence.attendance(self.state.seats)

    # ------------------------------------------------------------------ visitors

    def identify(self, caller: Caller, asked: int | None = None, *, comes: bool = True) -> Visitor:
        """Return the visitor with the given credentials. See `TableState.visitor`.

        If `comes` is true, the visitor counts as present at the table.
        """
        state = self.state
        held = state.seats_of(caller)
        self.presence.note_request(held if comes else ())
        if comes and state.is_waiting:
            arriving = tuple(seat for seat in held if state.seats[seat].ready == NOT_ARRIVED)
            if arriving:
                self._arriving = asyncio.create_task(self._arrive(Arrive(arriving, new_token())))
        self.programs.go_on()
        return state.visitor(caller, asked)

    async def _arrive(self, command: Arrive) -> None:
        with suppress(HttpError):  # the next request tries again
            await self.submit(command)

    def listen(self, stream: Stream, last: int | None) -> None:
        """Begin a stream, whose reader has seen version `last`. See `TableFeed.begin_stream`."""
        self.feed.begin_stream(stream, last, self.state.history, self._on_stream)
        self.programs.go_on()

    def _on_stream(self, stream: Stream) -> None:
        if stream.seat is not None:
            self.presence.note_seat(stream.seat)
            self.feed.seats_changed()

    # ------------------------------------------------------------------ commands

    async def submit(self, command: Command | Reload) -> Any:
        """Execute a command after those that wait, and return its answer.

        Raises `HttpError` if the command is refused or cannot be stored.
        """
        self._check_gone()
        done = asyncio.get_running_loop().create_future()
        # Decide in the context of the sender, which has the language of messages.
        self._queue.append((command, copy_context(), done))
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())
        return await done

    async def reload(self) -> None:
        """Reload the table from the store if it has changed."""
        await self.submit(Reload())

    async def close(self, status: int, message: str) -> None:
        """Refuse all further commands with an error, and wait for the command under way."""
        self.gone = status, message
        if self._worker is not None:
            await asyncio.shield(self._worker)

    def reopen(self) -> None:
        """Accept commands again after `close`."""
        self.gone = None
        self.programs.wake()

    def forget_rematch(self, removed: Sequence[str]) -> None:
        """Forget the table of the rematch if it was deleted."""
        if self.state.stored.again in removed:
            self.state = self.state._replace(stored=self.state.stored._replace(again=None))

    def stop(self) -> None:
        """Stop the clock and the programs of this table, and end its streams."""
        self.programs.stop()
        self.presence.end_all()

    def _check_gone(self) -> None:
        if self.gone is not None:
            raise HttpError(*self.gone)

    async def _work(self) -> None:
        while self._queue:
            command, context, done = self._queue.popleft()
            if done.cancelled():
                continue
            try:
                self._check_gone()
                answer = await self._execute(command, context)
            except Exception as error:
                # Pass every error to the sender, so that the next command is executed.
                if not done.done():
                    done.set_exception(error)
            else:
                if not done.done():
                    done.set_result(answer)
        self._worker = None

    async def _execute(self, command: Command | Reload, context: Context) -> Any:
        if isinstance(command, Reload):
            return await self._refresh(context)
        has_version = isinstance(command, Move | VoteUndo)
        if has_version and self._store.shared and command.version > self.state.version:
            # The client has seen a later version, which another server has written.
            await self._refresh(context)
        for _ in range(MAX_TRIES):
            state = self.state
            events, answer = context.run(decide, state, command, self._store.uptime())
            if not events:
                return answer
            try:
                after = await self._write(state, events)
            except VersionConflict:
                # Decide again on the newer state.
                await self._refresh(context)
                continue
            context.run(self._publish, state, after, events)
            return answer
        raise VersionConflict

    async def _write(self, state: TableState, events: Sequence[Event]) -> TableState:
        """Store the events of a command. Return the state after them."""
        name, revision = state.id, state.revision
        entries, statements = [], []
        for event in events:
            if isinstance(event, MoveMade | MovesTakenBack):
                entries.append(event.entry)
            statements += event_statements(state, event)
            state = apply(state, event)
        if any(isinstance(event, ClockSet | RematchMade) for event in events):
            # Store the uptime in the same transaction, so that a crash does not give the player
            # more time.
            statements.append(self._store.uptime_statement())
        # Other servers need not reload the table if nothing but a move has changed.
        is_move = isinstance(events[0], MoveMade) and isinstance(events[-1], MoveMade | GameEnded)
        news = ChangeNotice(name, revision + 1, entries[0] if is_move else None)
        await self._store.write(entries, statements, (name, revision), (news,))
        return state._replace(revision=revision + 1)

    def _publish(self, before: TableState, after: TableState, events: Sequence[Event]) -> None:
        """Adopt a new state, and report its events to streams, programs and the clock."""
        self.state = after
        for event in events:
            self._publish_event(before, event)
        if any(isinstance(e, MoveMade | MovesTakenBack | SeatsChanged | GameBegun) for e in events):
            self.programs.wake()

    def _publish_event(self, before: TableState, event: Event) -> None:
        match event:
            case MoveMade(entry) | MovesTakenBack(entry):
                self.feed.notice = None
                self.programs.count_move(entry.seat)
                self.feed.send_version(self.state.history)
            case GameEnded():
                self.talk.forget_score()
            case VotesChanged(votes, "undo"):
                self.feed.send("undo", {"agreed": sorted(votes.undo)})
            case VotesChanged():
                self.feed.seats_changed()
            case SeatsChanged(seats):
                self.feed.notice = None
                self.presence.change_seats(before.seats, seats)
                self.programs.count_seats()
                self.feed.seats_changed()
            case SeatGivenAway(seat, person, program):
                kind = GIVEN_AWAY if program is None else GIVEN_TO_PROGRAM
                notice = kind(name=person, seat=seat, program=program)
                self.feed.notify(notice, self.state.revision)
            case ClockSet(due):
                self.programs.set_alarm(due)
            case GameBegun(numbers=numbers):
                self.presence.renumber(numbers)
                self.feed.send("start", {})
            case RematchMade(table):
                self.feed.send("again", {"table": table.id})

    # ------------------------------------------------------------------ sharing with other servers

    def apply_notice(self, news: ChangeNotice) -> bool:
        """Apply a change that another server has announced.

        Return whether the table is now current. If not, it must be reloaded.
        """
        follows = news.revision == self.state.revision + 1 and not self.is_busy
        if follows and news.entry and news.entry[1] == self.state.version + 1:
            entry = Entry(*news.entry)
            made = move_of_entry(self.state, entry)
            after = apply(self.state, made)._replace(revision=news.revision)
            self._publish(self.state, after, [made, GameEnded(None)])
        return 0 <= news.revision <= self.state.revision

    async def _refresh(self, context: Context) -> None:
        """Reload the table from the store if it has changed."""
        before = self.state
        row = await self._store.run_read(read_rows, self._store, before.id, before.version)
        if row is None:
            self.gone = 404, NO_TABLE
            self.stop()
            raise HttpError(*self.gone)
        if row.revision == before.revision:
            return
        begun = before.is_waiting and row.stored.deal.waiting is None
        history = await asyncio.to_thread(rebuild, row) if begun else before.history
        context.run(self._adopt, row, row.state(history)._replace(paused=before.paused), begun)

    def _adopt(self, row: TableRows, after: TableState, begun: bool) -> None:
        """Adopt the state that another server has stored, and report what is different."""
        before = self.state
        if len(row.seats) != len(before.seats):
            self.presence.reset(len(row.seats))
        for entry in () if begun else row.log:
            after = after._replace(history=after.history.with_entry(entry))
            self.state = after
            self.programs.count_move(entry.seat)
            self.feed.send_version(after.history)
        self.state = after
        if self.feed.noticed < row.revision and (row.log or row.seats != before.seats):
            # Clear the notice, as the server that made the change has done.
            self.feed.notice = None
        self.programs.set_alarm(after.due)
        self.talk.forget_score()
        tokens = {seat.token for seat in after.seats}
        lost = [n for n, s in enumerate(before.seats) if s.is_held and s.token not in tokens]
        # End the streams of previous owners, whose clients reconnect with their current rights.
        self.presence.end_streams(*lost)
        self.presence.follow(dict(enumerate(before.seats)), dict(enumerate(after.seats)))
        if begun:
            self.feed.send("start", {})
        elif row.seats != before.seats or not row.log:
            self.feed.seats_changed()
        if after.stored.again != before.stored.again:
            self.feed.send("again", {"table": after.stored.again})
        self.programs.wake()


def move_of_entry(state: TableState, entry: Entry) -> MoveMade:
    """Return the event of a move that another server has stored."""
    history = state.history
    move = state.rules.read(entry.move, state.rules.view(history.position, entry.seat))
    after = state.rules.after(history.position, entry.seat, move)
    return MoveMade(entry, move, after, history.step(entry.seat, move, after))
