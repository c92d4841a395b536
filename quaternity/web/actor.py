"""A game table in memory, which executes the commands from its queue one at a time.

A command is a request to change the table, such as a move. It is executed in four steps: compute
the events that carry out the change, store the events, apply them to the state of the table, and
send them to the visitors. The events are stored before they are sent, so that nobody sees a change
that gets lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import Context
from typing import Any

from quaternity.web.background import BackgroundWork
from quaternity.web.changes import MAX_TRIES, ChangeNotice, Entry, Statement, VersionConflict
from quaternity.web.chat import chat_statements
from quaternity.web.command_queue import CommandQueue, ForgetRematch, QueuedCommand, Reload
from quaternity.web.core import (
    Attendance,
    ClockSet,
    Command,
    Event,
    GameEnded,
    MoveMade,
    MovesTakenBack,
    RematchMade,
    TableState,
    apply,
    decide,
)
from quaternity.web.feed import TableFeed
from quaternity.web.http_errors import NO_TABLE, HttpError
from quaternity.web.move_commands import Move, VoteUndo
from quaternity.web.presence import RemotePresence, TablePresence
from quaternity.web.programs import TablePrograms
from quaternity.web.publisher import Publisher
from quaternity.web.replays import Replays
from quaternity.web.seat_commands import Arrive, Begin
from quaternity.web.seats import NOT_ARRIVED, Caller, Visitor, new_token
from quaternity.web.store import Store
from quaternity.web.streams import Stream
from quaternity.web.table_rows import event_statements, read_rows, rebuild
from quaternity.web.talk import TableTalk

COUNTDOWN_SECONDS = 3.0
"""Seconds between the moment when all players are ready and the start of the game."""


class LiveTable:
    """A game table in memory, which executes commands (requests to change the table) one at a time.

    Attributes:
        state: The current state of the table. Only a command from the queue, or a message from
            another server, changes it.
        queue: The queue of commands that have not been executed yet.
    """

    def __init__(
        self, state: TableState, store: Store, thinking: BackgroundWork, seen: Sequence[float],
        remote: Mapping[int, RemotePresence],
    ) -> None:  # fmt: skip
        """Set up a table in memory.

        Args:
            state: The stored state of the table.
            seen: Time at which the owner of each seat was last active at this server, as returned
                by `monotonic`.
            remote: What other servers have reported about the owners of seats, by seat.
        """
        self.state = state
        self.presence = TablePresence(seen, remote)
        self.feed = TableFeed(state.id, state.revision, self.presence, store)
        self.talk = TableTalk(store, self.feed)
        self.programs = TablePrograms(self, store, thinking)
        self.replays = Replays(thinking)
        self.queue = CommandQueue(self._execute)
        self._store = store
        self._countdown: asyncio.Task[None] | None = None
        self._publisher = Publisher(self.presence, self.feed, self.talk, self.programs)

    def uptime(self) -> float:
        """Return the total time during which at least one server was running, in seconds.

        The clocks of games measure this time. See `Store.uptime`.
        """
        return self._store.uptime()

    @property
    def notice(self) -> str | None:
        """A message to visitors about a problem, such as a failed write, or None."""
        return self._store.trouble or self.feed.notice

    @property
    def is_quiet(self) -> bool:
        """Return whether the table is idle, so that it can be dropped from memory.

        An idle table has no open event stream, no running computer player, command or countdown.
        """
        is_used = self.presence.streams or self.programs.tasks or self._countdown
        return not (is_used or self.queue.is_busy)

    def attendance(self) -> Attendance:
        """Return which players are present, and which have been away for a long time."""
        return self.presence.attendance(self.state.seats)

    # ------------------------------------------------------------------ visitors

    def identify(self, caller: Caller, asked: int | None = None, *, comes: bool = True) -> Visitor:
        """Return the visitor who sent a request, recognized by the token or cookie in `caller`.

        The visitor sees the game from seat `asked` (see `TableState.visitor`). If `comes` is true
        and the visitor owns seats, the visitor counts as present from now on.
        """
        state = self.state
        held = state.seats_of(caller)
        self.presence.note_request(held if comes else ())
        if comes and state.is_waiting:
            arriving = tuple(seat for seat in held if state.seats[seat].ready == NOT_ARRIVED)
            if arriving:
                self._arriving = asyncio.create_task(self._arrive(Arrive(arriving)))
        self.programs.go_on()
        self._count_down()
        return state.visitor(caller, asked)

    def _count_down(self) -> None:
        if not self.state.is_ready:
            if self._countdown is not None:
                self._countdown.cancel()
            self._countdown = None
        elif self._countdown is None:
            self._countdown = asyncio.create_task(self._begin_later())

    async def _begin_later(self) -> None:
        await asyncio.sleep(COUNTDOWN_SECONDS)
        self._countdown = None  # so that `_count_down` does not cancel this task
        with suppress(HttpError):  # the next request starts another countdown
            await self.submit(Begin(new_token()))

    async def _arrive(self, command: Arrive) -> None:
        with suppress(HttpError):  # the next request tries again
            await self.submit(command)

    def listen(self, stream: Stream, last: int | None) -> None:
        """Send future events at the table to the event stream of a visitor.

        `last` is the latest version of the table (number of log entries) that the visitor has seen.
        Unless it is None or too old, the moves since then are sent first.
        """
        self.feed.begin_stream(stream, last, self.state.history, self._on_stream)
        self.programs.go_on()

    def _on_stream(self, stream: Stream) -> None:
        if stream.seat is not None:
            self.presence.note_seat(stream.seat)
            self.feed.seats_changed()

    async def say(self, seat: int | None, name: str, text: str) -> None:
        """Store a chat line, and notify the visitors who may read it.

        If `seat` is None, a bystander wrote the line and the bystanders may read it. Otherwise the
        players may read it.

        Raises `HttpError` if the table has no chat, or the line is invalid or cannot be stored.
        """
        if not self.state.stored.options.chat:
            raise HttpError(403, "chat is switched off at this table")
        watching = seat is None
        await self.write(chat_statements(self.state.id, watching, seat, name, text))
        self.feed.send_everywhere("talk", {"watching": watching}, self.state.revision)

    # ------------------------------------------------------------------ commands

    async def submit(self, command: Command) -> Any:
        """Execute a command once all earlier commands are finished, and return its result.

        Raises `HttpError` if the command is not allowed or its changes cannot be stored.
        """
        return await self.queue.submit(command)

    async def write(self, statements: Sequence[Statement]) -> None:
        """Execute SQL statements that store other data than the table's state, such as chat lines.

        Raises `HttpError` if the table was deleted or dropped from memory, or the write fails.
        """
        self.queue.check_open()
        await self._store.write((), statements)

    def stop(self) -> None:
        """Stop the countdown and the computer players of this table, and end its event streams."""
        if self._countdown is not None:
            self._countdown.cancel()
        self.programs.stop()
        self.presence.end_all()

    async def _execute(self, command: QueuedCommand, context: Context) -> Any:
        if isinstance(command, Reload):
            return await self._refresh(context)
        if isinstance(command, ForgetRematch):
            stored = self.state.stored
            if stored.again in command.deleted:
                self.state = self.state._replace(stored=stored._replace(again=None))
            return None
        if (
            self._store.shared
            and isinstance(command, Move | VoteUndo)
            and command.version > self.state.version
        ):
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
            self.state = after
            self._count_down()
            context.run(self._publisher.publish, state, after, events)
            return answer
        raise VersionConflict

    async def _write(self, state: TableState, events: Sequence[Event]) -> TableState:
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

    # ------------------------------------------------------------------ sharing with other servers

    def apply_notice(self, news: ChangeNotice) -> bool:
        """Apply a change to this table that another server has made and announced.

        Return whether this table now includes the announced change. If not, it must be reloaded.
        """
        follows = news.revision == self.state.revision + 1 and not self.queue.is_busy
        if follows and news.entry and news.entry[1] == self.state.version + 1:
            entry = Entry(*news.entry)
            made = MoveMade(entry, self.state.history.game_after(entry))
            before = self.state
            self.state = apply(before, made)._replace(revision=news.revision)
            self._publisher.publish(before, self.state, [made, GameEnded(None)])
            self._count_down()
        return 0 <= news.revision <= self.state.revision

    async def _refresh(self, context: Context) -> None:
        before = self.state
        row = await self._store.run_read(read_rows, self._store, before.id, before.version)
        if row is None:
            self.queue.gone = 404, NO_TABLE
            self.stop()
            raise HttpError(404, NO_TABLE)
        if row.revision == before.revision:
            return
        begun = before.is_waiting and row.stored.deal.waiting is None
        history = before.history
        if begun:
            history = await asyncio.to_thread(rebuild, row)
        log = () if begun else row.log
        for entry in log:
            history = history.with_entry(entry)
        self.state = row.state(history)._replace(paused=before.paused)
        self._count_down()
        context.run(self._publisher.report_changes, before, self.state, log, begun)
