"""The moves of computer players (programs) at a table, and moves for absent players.

A program also moves for a player whose time has run out.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Coroutine
from typing import Any, Protocol

from quaternity.base.errors import InputError, PlayerTimeout
from quaternity.base.sentences import MessageTemplate
from quaternity.base.text_format import quote_short
from quaternity.table.games import registration
from quaternity.table.history import MAX_PROGRAM_MOVES
from quaternity.web.background import BackgroundWork
from quaternity.web.changes import TAKEN_BACK
from quaternity.web.clock import MAX_MISSED_MOVES
from quaternity.web.command_queue import CommandQueue
from quaternity.web.core import Attendance, Command, TableState
from quaternity.web.drawing.words import seat_names
from quaternity.web.feed import TableFeed
from quaternity.web.http_errors import HttpError
from quaternity.web.move_commands import LeaveToProgram, Move
from quaternity.web.new_table import known_players
from quaternity.web.presence import TablePresence
from quaternity.web.seats import OPEN, PROGRAM
from quaternity.web.store import Store

FAILED = MessageTemplate(
    "failed", "{name:called} failed: choose another player under “Hand over a seat”"
)
TAKES_TOO_LONG = MessageTemplate(
    "takes_too_long",
    "{name:called} takes too long: choose another player under “Hand over a seat”",
)

MAX_ALARM_SECONDS = 3_600.0
"""Maximum time after which a running clock is checked again, in seconds."""

_PROGRAM = re.compile(r"[a-z-]{1,20}(:[0-9]{1,5})?")

_log = logging.getLogger("uvicorn.error")


class PlayedTable(Protocol):
    """The parts of a `LiveTable` that the computer players at the table use."""

    state: TableState
    presence: TablePresence
    feed: TableFeed
    queue: CommandQueue

    def attendance(self) -> Attendance:
        """Return which players are present, and which have been away for a long time."""

    async def submit(self, command: Command) -> Any:
        """Execute a command, which is a request to change the table, and return its result."""


class TablePrograms:
    """The computer players (programs) at a table.

    `tasks` contains the running task of each seat for which the server chooses or makes a move.
    """

    def __init__(self, table: PlayedTable, store: Store, thinking: BackgroundWork) -> None:
        self.table, self._store, self._thinking = table, store, thinking
        self.tasks: dict[int, asyncio.Task[object]] = {}
        self._elsewhere: set[int] = set()
        """Seats of computer players whose next move another server is probably choosing."""
        self._woken: int | None = None
        """Number of log entries of the table when computer players were last asked for moves."""
        self._alone = 0
        """Number of moves that computer players have made since the last move of a person."""
        self._retry = False
        """Whether a move must be chosen again, because it could not be stored."""
        self.alarm: asyncio.TimerHandle | None = None
        """The timer for the next check of the clock."""

    def wake(self) -> None:
        """Let each computer player that may move now choose and make a move.

        Computations of earlier choices are cancelled. No computer player moves if nobody watches
        the table, if they have made too many moves in a row, or if a seat must be taken first.
        """
        for task in self.tasks.values():
            task.cancel()
        self.tasks, self._retry, self._elsewhere = {}, False, set()
        state = self.table.state
        watched = self.table.presence.is_watched
        if not watched or self._alone > MAX_PROGRAM_MOVES or state.awaited:
            return
        self._woken = state.version
        for seat in state.to_act:
            if state.seats[seat].kind == PROGRAM:
                self._begin(seat, self._move(seat))
        self.end_absent_turns()

    def go_on(self) -> None:
        """Let computer players move that had to wait, for example because nobody watched.

        This includes players that another server was running, because it may have ended.
        """
        if self.table.queue.is_busy:
            return
        state = self.table.state
        if self._woken != state.version:
            self.wake()
        while self._elsewhere:
            seat = self._elsewhere.pop()
            is_program = state.seats[seat].kind == PROGRAM
            if is_program and seat in state.to_act and seat not in self.tasks:
                self._begin(seat, self._move(seat))

    def count_move(self, seat: int) -> None:
        """Update the number of moves that computer players have made in a row.

        `seat` is the seat that has moved, or `TAKEN_BACK`. The number becomes 0 when a person moves
        or moves are taken back.
        """
        moved = seat != TAKEN_BACK and self.table.state.seats[seat].kind == PROGRAM
        self._alone = self._alone + 1 if moved else 0

    def count_seats(self) -> None:
        """Start to count the consecutive program moves from 0 again: a seat has another player."""
        self._alone = 0

    def tick(self) -> None:
        """Let computer players move if necessary, and move for absent players.

        This method is called periodically. It also repeats moves that could not be stored.
        """
        if self._retry and not self.table.queue.is_busy:
            self.wake()
        else:
            self.go_on()
            self.end_absent_turns()

    def end_absent_turns(self) -> None:
        """Play a default move for each absent player, so that the game continues.

        Do nothing unless several players may act at the same time.
        """
        state = self.table.state
        acting = state.to_act
        if len(acting) < 2 or state.awaited:
            return
        present = self.table.attendance().present
        for seat in acting:
            if seat in self.tasks or state.seats[seat].kind == PROGRAM or seat in present:
                continue
            move = state.rules.default_move(state.rules.view(state.history.position, seat))
            if move is not None:
                self._begin(seat, self._send_move(seat, state.version, state.rules.write(move)))

    def stop(self) -> None:
        """Stop the clock and all computer players."""
        self.set_alarm(None)
        for task in self.tasks.values():
            task.cancel()
        self.tasks = {}

    # ------------------------------------------------------------------ clock

    def set_alarm(self, due: float | None) -> None:
        """Schedule a check of the clock at time `due`, measured in seconds by `Store.uptime`.

        The new check replaces an earlier one. If `due` is None, only cancel the earlier check.
        """
        if self.alarm is not None:
            self.alarm.cancel()
            self.alarm = None
        if due is not None:
            wait = max(0.0, due - self._store.uptime())
            loop = asyncio.get_running_loop()
            self.alarm = loop.call_later(min(wait, MAX_ALARM_SECONDS), self.look_at_clock)

    def look_at_clock(self) -> None:
        """Let a computer player move for a person whose time has run out.

        After `MAX_MISSED_MOVES` missed moves, the computer player takes over the seat.
        """
        state = self.table.state
        acting, due = state.to_act, state.due
        if due is None:
            return
        if self.table.queue.is_busy or due > self._store.uptime():
            # Check again later, because a move may be about to be stored, or some time is left.
            self.set_alarm(due)
            return
        if len(acting) != 1 or acting[0] in self.tasks:
            return
        seat = acting[0]
        if state.seats[seat].pace.missed + 1 < MAX_MISSED_MOVES:
            self._begin(seat, self._move(seat, registration(state.rules.name).usual_program))
        else:
            self._begin(seat, self._send(LeaveToProgram(seat, due)))

    # ------------------------------------------------------------------ tasks

    def _begin(self, seat: int, doing: Coroutine[Any, Any, object]) -> None:
        task = self.tasks[seat] = asyncio.create_task(doing)
        task.add_done_callback(lambda done: self._done(seat, done))

    def _done(self, seat: int, task: asyncio.Task[object]) -> None:
        if self.tasks.get(seat) is task:
            del self.tasks[seat]
        if task.cancelled() or (error := task.exception()) is None:
            return
        if isinstance(error, HttpError):
            self._retry = error.status in (503, 507)
            return
        # Do not show or log the text of the error, because it may reveal the program's hand.
        kind = TAKES_TOO_LONG if isinstance(error, PlayerTimeout) else FAILED
        state, fault = self.table.state, type(error).__name__
        name = state.seats[seat].name
        _log.warning("the %s program %s failed: %s", state.rules.name, name, fault)
        shown = seat_names(state.seats, state.stored.game)[seat]
        self.table.feed.notify(kind(name=shown), state.revision)

    async def _move(self, seat: int, program: str | None = None) -> None:
        """Let a computer player choose and make a move, unless another server already does so."""
        key = f"{self.table.state.id}/{seat}"
        if not await self._store.sharing.claim(key):
            self._elsewhere.add(seat)
            return
        try:
            await self._think(seat, program)
        finally:
            self._store.sharing.release(key)

    async def _think(self, seat: int, program: str | None) -> None:
        state = self.table.state
        name, rules, history = program or state.seats[seat].name or "", state.rules, state.history
        random = history.game.chance(state.stored.deal.seed, seat)
        view = rules.view(history.position, seat)
        planned = await self._thinking.plan(rules, name, seat, history.game.steps(), view, random)
        if planned is None:
            self.table.feed.seats_changed()
            return
        if len(self.table.state.to_act) > 1:
            await asyncio.sleep(planned.seconds)
        await self._send_move(seat, state.version, rules.write(planned.move))

    async def _send_move(self, seat: int, version: int, text: str) -> None:
        await self._send(Move(seat, self.table.state.seats[seat].token, version, "", text))

    async def _send(self, command: Command) -> None:
        await self.table.submit(command)


async def check_player(thinking: BackgroundWork, rules: Any, name: str) -> str:
    """Return the name of the computer player that a request asks for.

    A request may name a level of strength, a player of this package, such as `slow` or `slow:20`,
    or a player that the operator has added. It cannot name a module or a file.

    Raises `HttpError` if the request may not ask for the player, or if the player does not play
    with the settings of the game.
    """
    further = thinking.players.get((rules.name, name))
    if further is not None:
        try:
            await thinking.try_player(rules, further)
        # Do not quote the error, because it may name files of this machine.
        except InputError as error:
            message = f"program {name!r} does not play with these settings of the game"
            raise HttpError(422, message) from error
        return name
    levels = {level.name: level.player for level in registration(rules.name).levels}
    name = levels.get(name, name)
    base, colon, _ = name.partition(":")
    if not _PROGRAM.fullmatch(name) or base not in known_players(rules.name, {}):
        choices = ", ".join(("me", OPEN, *levels, *known_players(rules.name, thinking.players)))
        raise HttpError(
            422, f"unknown player {quote_short(name)} for a seat; choose from {choices}"
        )
    if colon:
        try:
            await thinking.try_player(rules, name)
        except InputError as error:
            raise HttpError(422, str(error)) from None
    return name
