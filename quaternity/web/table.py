"""A table in memory, at which people and programs play a game.

Each change is stored before anybody sees it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from math import inf
from random import Random
from time import monotonic
from typing import Any, NamedTuple

from quaternity.base.errors import IllegalMove, PlayerTimeout
from quaternity.base.sentences import Message, MessageTemplate
from quaternity.base.text_format import name_numbers
from quaternity.base.text_record import settings_text
from quaternity.table.games import registration
from quaternity.table.history import MAX_PROGRAM_MOVES
from quaternity.table.setting_fields import settings_of
from quaternity.web.background import BackgroundWork
from quaternity.web.chat import LINES_SHOWN, Line, chat_statements, check_reaction, lines
from quaternity.web.clock import MAX_MISSED_MOVES, stored_clock
from quaternity.web.drawing.words import page_words, seat_names
from quaternity.web.http_errors import (
    CANNOT_AGREE,
    NO_SEAT,
    NO_TABLE,
    NOT_YOURS,
    ONLY_HOST,
    WAIT_FOR,
    HttpError,
)
from quaternity.web.seats import (
    NOT_ARRIVED,
    OPEN,
    PERSON,
    PROGRAM,
    READY,
    Seat,
    StoredTable,
    Visitor,
    new_token,
    renumber,
    seat_statement,
)
from quaternity.web.series import Score, evening_score
from quaternity.web.store import (
    TAKEN_BACK,
    ChangeNotice,
    Entry,
    Statement,
    Store,
    VersionConflict,
    retry_if_stale,
)
from quaternity.web.streams import Stream, message, send
from quaternity.web.table_admin import TableRows, read_rows, rebuild, whole_record
from quaternity.web.table_view import SeatView, TableView
from quaternity.web.versioned_history import VersionedHistory, has_random_start, replay_position

FAILED = MessageTemplate(
    "failed", "{name:called} failed: hand its seat over to another player (at the end of More)"
)
TAKES_TOO_LONG = MessageTemplate(
    "takes_too_long",
    "{name:called} takes too long: hand its seat over to another player (at the end of More)",
)
GIVEN_AWAY = MessageTemplate(
    "given_away", "{name:called} was away, so seat {seat} is free: you can invite another player"
)
GIVEN_TO_PROGRAM = MessageTemplate(
    "given_away", "{name:called} was away, so {program:called} plays in seat {seat}"
)

MAX_ALARM_SECONDS = 3_600.0
"""Maximum time between two checks of a running clock, in seconds."""

ABSENCE_LIMIT_SECONDS = 120.0
"""Time of absence after which a player's seat may be given away, in seconds."""

PRESENCE_TIMEOUT_SECONDS = 40.0
"""Seconds without an open stream or a request after which a player counts as absent."""

TALK = message("talk", {})

MAX_REPLAYED = 150
"""Maximum number of moves that are replayed in the event loop. Longer games are replayed in another
process."""

MAX_MOMENTS = 8
"""Number of replayed positions of a long game that are kept in memory."""

MAX_REPLAYED_VERSIONS = 200
"""Maximum number of missed versions that a returning client is sent. A client that has missed more
versions reloads the table."""


_log = logging.getLogger("uvicorn.error")


class RemotePresence(NamedTuple):
    """The presence of a player at other servers, in times of this server's `monotonic`.

    The player counts as having an open stream until `streams_until`. `seen` is the time of the
    player's last activity.
    """

    streams_until: float
    seen: float


class _Lock(asyncio.Lock):
    """The lock for changes of a table.

    If `gone` is set because the table was deleted or dropped from memory, acquiring the lock raises
    `HttpError` with this status and message.
    """

    gone: tuple[int, str] | None = None

    async def __aenter__(self) -> None:
        await super().__aenter__()
        if self.gone is not None:
            self.release()
            raise HttpError(*self.gone)


class Table:
    """A table in memory: its seats, its game, its streams and its clock."""

    def __init__(
        self, stored: TableRows, course: VersionedHistory, store: Store, thinking: BackgroundWork,
        seen: Sequence[float], afar: Mapping[int, RemotePresence],
    ) -> None:  # fmt: skip
        """Set up a table from its stored rows, with its game in `course`.

        `seen` contains, for each seat, the `monotonic` time of its owner's last activity at this
        server. `afar` is the known presence of players at other servers, by seat.
        """
        self.streams: set[Stream] = set()
        self.remote_presence = afar
        self.revision = stored.revision
        """Number of changes of the table, by which servers of the same store detect conflicts."""
        self.undo: set[int] = set()
        self.given: dict[int, set[int]] = {}
        """For each seat of an absent player, the seats of the players who agree to give it away."""
        self._read_agreed(stored.agreed)
        self.notice: str | None = None
        self._noticed = self.revision
        """The revision of the table at the time of the latest notice."""
        self.due: float | None = None
        """Time at which the clock of the player to move runs out, in seconds of `Store.uptime`.
        None if no clock is running."""
        self._left = -1, 0.0
        """The version in which a change of players last stopped the clock, and the seconds left on
        the clock."""
        self._alarm: asyncio.TimerHandle | None = None
        self._evening: tuple[Score, ...] | None = None
        self._moments: dict[tuple[int, int], Any] = {}
        """Recently replayed positions, by version and number of moves."""
        self._lines: dict[bool, list[Line]] = {False: [], True: []}
        self._arriving: asyncio.Task[None] | None = None
        self._lay(stored.kept, stored.seats, course)
        self.lock = _Lock()
        """The lock that must be held during any change of the table."""
        self._store, self._thinking = store, thinking
        self._elsewhere: set[int] = set()
        """Seats whose programs seem to be running at another server."""
        self.reported: dict[int, tuple[int, float]] = {}
        """For each seat, the number of streams and the last activity as last reported to peers."""
        self.last_seen = list(seen)
        self._asked = monotonic()
        """Time of the last request about the table, as returned by `monotonic`."""
        self._woken: int | None = None
        """The version of the table in which programs were last started."""
        self.tasks: dict[int, asyncio.Task[object]] = {}
        self._alone = 0
        self._retry = False
        """Whether a program must move again because its move could not be stored."""

    def _lay(self, kept: StoredTable, seats: list[Seat], course: VersionedHistory) -> None:
        self.stored, self.seats, self.history, self.again = kept, seats, course, kept.again
        self.clock = stored_clock(kept.clock)
        self.rules: Any = course.rules
        self.secret = has_random_start(self.rules)

    @property
    def is_waiting(self) -> bool:
        """Return whether the game has not begun."""
        return self.stored.waiting is not None

    @property
    def is_public(self) -> bool:
        """Return whether every visitor may take a free seat, because the address invites them."""
        return self.stored.invitation == self.stored.id

    @property
    def version(self) -> int:
        """The version of the table, which is the number of entries in its log."""
        return self.history.version

    @property
    def to_act(self) -> Sequence[int]:
        """The seats that may move now."""
        if self.stored.archive or self.is_waiting:
            return ()
        acting: Sequence[int] = self.rules.to_act(self.history.position)
        return acting

    @property
    def awaited(self) -> list[int]:
        """The open seats that must be taken before anybody may move.

        Empty unless several players may act simultaneously.
        """
        acting = self.to_act if len(self.to_act) > 1 else ()
        return [seat for seat in acting if self.seats[seat].kind == OPEN]

    @property
    def is_over(self) -> bool:
        """Return whether the game is over or an uploaded record, so that nothing is hidden."""
        return self.stored.archive or not self.rules.to_act(self.history.position)

    @property
    def is_quiet(self) -> bool:
        """Return whether the table has no open stream, no running program and no pending change."""
        return not (self.streams or self.tasks or self.lock.locked())

    @property
    def is_deserted(self) -> bool:
        """Return whether the table is quiet and nobody has been active recently."""
        return (
            self.is_quiet
            and monotonic() - max(self._asked, *self.last_seen) >= PRESENCE_TIMEOUT_SECONDS
        )

    # ------------------------------------------------------------------ visitors and presence

    def tokens(self, *seats: int) -> dict[int, str | None]:
        """Return the token hashes of some seats, so that `locked` can detect a change of owners."""
        return {number: self.seats[number].token for number in seats}

    @asynccontextmanager
    async def locked(self, tokens: Mapping[int, str | None]) -> AsyncIterator[None]:
        """Hold the lock during an `async with` block.

        Raises `HttpError` if a seat no longer has the given token hash, because its owner has
        changed.
        """
        async with self.lock:
            for number, token in tokens.items():
                if number not in range(len(self.seats)) or self.seats[number].token != token:
                    raise HttpError(403, NOT_YOURS(seat=number))
            yield

    def seats_of(self, token: str | None, browser: str | None) -> tuple[int, ...]:
        """Return the seats of a visitor with the given hash of a token or cookie."""
        return tuple(
            number
            for number, seat in enumerate(self.seats)
            if (token is not None and seat.token == token)
            or (token is None and browser is not None and seat.browser == browser)
        )

    def identify(
        self, token: str | None, browser: str | None, asked: int | None = None, *,
        comes: bool = True,
    ) -> Visitor:  # fmt: skip
        """Return the visitor with the given hash of a token or cookie.

        The visitor sees the game from the seat `asked`, which must be one of the visitor's seats
        unless the game is over. By default, it is the visitor's seat that may move, or else the
        first one. If `comes` is true, the visitor counts as present at the table.

        Raises `HttpError` if the visitor may not see the game from the seat.
        """
        held = self.seats_of(token, browser)
        self._asked = monotonic()
        for number in held if comes else ():
            self.last_seen[number] = self._asked
        if (
            comes
            and self.is_waiting
            and any(self.seats[number].ready == NOT_ARRIVED for number in held)
        ):
            self._arriving = asyncio.create_task(self._arrive(held))
        self._go_on()
        maker = browser is not None and browser == self.stored.maker
        if asked is not None:
            if asked not in range(len(self.seats)):
                raise HttpError(404, NO_SEAT(seat=asked))
            if asked not in held and not self.is_over:
                raise HttpError(403, NOT_YOURS(seat=asked))
            return Visitor(held, maker, asked)
        acting = [h for h in held if h in self.to_act] if len(held) > 1 else []
        return Visitor(held, maker, next(iter(acting or held), None))

    def is_present(self, seat: int) -> bool:
        """Return whether the player of a seat has an open stream or was active recently."""
        lately = self.seats[seat].kind != OPEN and self._unseen(seat) < PRESENCE_TIMEOUT_SECONDS
        return seat in self.streaming() or lately

    def _unseen(self, seat: int) -> float:
        """Return the seconds since the last activity of a seat's owner at any server."""
        afar = self.remote_presence.get(seat)
        return monotonic() - max(self.last_seen[seat], -inf if afar is None else afar.seen)

    def streaming(self) -> set[int | None]:
        """Return the seats that have an open stream at any server.

        The set contains None if bystanders have a stream at this server.
        """
        now = monotonic()
        seats = {stream.seat for stream in self.streams}
        return seats | {
            seat for seat, afar in self.remote_presence.items() if afar.streams_until > now
        }

    def is_absent(self, seat: int) -> bool:
        """Return whether a player has been away so long that the seat may be given away."""
        return self._unseen(seat) >= ABSENCE_LIMIT_SECONDS and seat not in self.streaming()

    async def agree_to_give(self, seat: int, visitor: Visitor) -> bool:
        """Vote to give away the seat of an absent player. Return whether it may be given away now.

        All players who are present must agree. If the new player would see nothing hidden, no vote
        is needed, and the host alone decides.

        Raises `HttpError` if the visitor may not vote.
        """
        if not self.rules.hidden or self.is_waiting or self.is_over:
            if seat not in visitor.seats and not self.is_host(visitor):
                raise HttpError(403, ONLY_HOST())
            return True
        voters = [other for other in self.people() if other != seat and self.is_present(other)]
        if set(voters) <= set(visitor.seats):
            raise HttpError(
                403,
                "nobody else is here to agree that a new player takes this seat and sees its cards",
            )
        agreed = self.given.get(seat, set()) | {*visitor.seats}
        if agreed.issuperset(voters):
            return True
        await self._agree(self.undo, {**self.given, seat: agreed})
        self.seats_changed()
        return False

    def say_of_seat(self, seat: int, before: Seat, after: Seat) -> None:
        """Tell all visitors that the seat of an absent player was given away."""
        kind = GIVEN_TO_PROGRAM if after.kind == PROGRAM else GIVEN_AWAY
        self._notify(kind(name=before.person, seat=seat, program=after.name))

    def end_streams(self, *seats: int) -> None:
        """End the streams of the given seats, which have changed owners."""
        for stream in [stream for stream in self.streams if stream.seat in seats]:
            stream.end()

    def people(self) -> list[int]:
        """Return the seats in which people play."""
        return [number for number, seat in enumerate(self.seats) if seat.kind == PERSON]

    def check_begun(self) -> None:
        """Raise `HttpError` if the game has not begun."""
        if self.is_waiting:
            raise HttpError(409, "the game has not begun", version=self.version)

    def is_host(self, visitor: Visitor) -> bool:
        """Return whether a visitor is a host: the table's maker or the first person present."""
        arrived = (seat for seat in self.people() if self.seats[seat].ready != NOT_ARRIVED)
        present = (seat for seat in arrived if self.is_present(seat))
        return visitor.maker or next(present, None) in visitor.seats

    def would_show(self, seat: int, visitor: Visitor) -> bool:
        """Return whether a program's seat would show a secret hand to a visitor who takes it.

        The hand is secret during a game with hidden cards in which another person owns a seat.
        """
        played = self.seats[seat].kind == PROGRAM and not (self.is_over or self.is_waiting)
        # Count the owners of seats, because a player who left a seat to a program may come back.
        others = any(s.is_held and n not in visitor.seats for n, s in enumerate(self.seats))
        return played and self.rules.hidden and others

    # ------------------------------------------------------------------ views and streams

    async def moment(self, number: int) -> tuple[int, Any]:
        """Return the position after `number` moves, and the number, limited to the moves made."""
        course, last = self.history, len(self.history.moves)
        number = min(max(number, 0), last)
        if number == last:
            return last, course.position
        if number <= MAX_REPLAYED:
            return number, course.positions_to(number)[number]
        key = self.version, number
        if key not in self._moments:
            game = course.rules, course.start, course.moves[:number]
            position = await self._thinking.draw(True, replay_position, *game)
            self._moments = {**dict([*self._moments.items()][-MAX_MOMENTS:]), key: position}
        return number, self._moments[key]

    def sight(self, visitor: Visitor, at: tuple[int, Any] | None = None) -> TableView:
        """Return the table view of a visitor, now or at an earlier moment of the game.

        `at` is the result of `moment`, or None for now.
        """
        rules, last = self.rules, len(self.history.moves)
        number, position = (last, self.history.position) if at is None else at
        over, waits = self.is_over, self.is_waiting
        streaming = self.streaming()
        seats = tuple(
            SeatView(
                seat.name,
                seat.kind,
                index in streaming,
                seat.invitation if seat.kind == OPEN and self.is_host(visitor) else None,
                seat.ready == READY,
            )
            for index, seat in enumerate(self.seats)
        )
        places = rules.places(position)
        points = (0.0,) * len(seats) if waits else tuple(rules.points(position))
        return TableView(
            self.stored.id, rules.name, rules, settings_of(rules), self.version, number, last,
            visitor.looking, visitor.seats, seats,
            () if self.stored.archive or waits else tuple(rules.to_act(position)),
            None if waits else rules.view(position, visitor.looking),
            tuple(self.history.steps[:number]), points, None if places is None else tuple(places),
            bool(self.stored.help), bool(self.stored.practice) and self.secret,
            tuple(sorted(self.tasks)), tuple(sorted(self.undo)),
            self._store.trouble or self.notice, self.stored.id, self.again,
            self.history.start if over and self.secret else None,
            tuple(self.awaited), self.stored.deck, not waits,
            self.stored.invitation if waits and (visitor.seats or self.is_public) else None,
            waits and self.is_host(visitor), self.evening(), bool(self.stored.chat),
            tuple(self._lines[not visitor.seats]), self.clock, self.times_left(),
            {seat: tuple(sorted(agreed)) for seat, agreed in self.given.items()},
            tuple(seat for seat in self.people() if self.is_absent(seat)),
        )  # fmt: skip

    def times_left(self) -> tuple[float, ...]:
        """Return the seconds left for the next move of each seat. Empty if there is no clock."""
        if self.clock is None:
            return ()
        left = [self.clock.seconds + seat.saved for seat in self.seats]
        if self.due is not None:
            left[self.to_act[0]] = max(0.0, self.due - self._store.uptime())
        return tuple(left)

    def evening(self) -> tuple[Score, ...]:
        """Return the score of the series of rematches. Empty if the table belongs to no series."""
        return self._evening or ()

    async def record(self, visitor: Visitor) -> str:
        """Return the record of the game.

        Before the end of a game with hidden cards, return a text with what the visitor may see
        instead.

        The record calls people `you`, as records of the terminal do, so that the game can be
        continued there.
        """
        self.check_begun()
        rules = self.rules
        if self.secret and not self.is_over:
            lines = [
                f"an unfinished game of {rules.name}: what everybody sees, and what only you see",
                *settings_text(rules.settings).splitlines(),
                *rules.show(rules.view(self.history.position, visitor.looking)).splitlines(),
                *(event for step in self.history.steps for event in step.events),
            ]
            return "".join(f"# {line}\n" for line in lines)
        seats, moves = tuple(self.seats), tuple(self.history.moves)
        game = whole_record, seats, rules, self.history.start, moves
        return await self._thinking.draw(len(moves) > MAX_REPLAYED, *game)

    def listen(self, stream: Stream, last: int | None) -> None:
        """Begin a stream by sending the events that its reader has missed after version `last`.

        The next message contains the current version. A client with an older version reloads the
        table.
        """
        stream.on_end = self._came_or_left
        if last is not None and 0 <= self.version - last <= MAX_REPLAYED_VERSIONS:
            for version in range(last + 1, self.version + 1):
                stream.put(self.history.event_message(version))
        stream.put(message("version", {"version": self.version}, self.version))
        self._came_or_left(stream)
        self._go_on()

    def _came_or_left(self, stream: Stream) -> None:
        if stream.seat is not None:
            self.last_seen[stream.seat] = monotonic()
            self.seats_changed()

    def _tell(self, event: str, data: dict[str, Any]) -> None:
        if self.streams:
            send(self.streams, message(event, data))

    def _tell_all(self, event: str, data: dict[str, Any]) -> None:
        """Send an event, which is not stored, to the streams of the table at all servers."""
        self.send_event(event, data, self.revision)
        self._store.notify(ChangeNotice(self.stored.id, self.revision, None, event, data))

    def send_event(self, event: str, data: dict[str, Any], revision: int) -> None:
        """Send an event to the streams of the table at this server.

        The event may come from another server, at which the table has the given revision. A notice
        to the players is kept only if it is about the current revision or a later one.
        """
        if event == "talk":
            send([s for s in self.streams if (s.seat is None) == data["watching"]], TALK)
            return
        if event == "notice":
            notice = Message(MessageTemplate(*data["kind"]), data["about"])
            if revision >= self.revision:
                self.notice, self._noticed = notice, revision
            data = {"text": notice}
        self._tell(event, data)

    def _notify(self, notice: Message) -> None:
        self._tell_all("notice", {"kind": notice.kind, "about": notice.data})

    # ------------------------------------------------------------------ sharing with other servers

    async def _write(
        self, entries: Sequence[Entry] = (), statements: Sequence[Statement] = (),
        entry: Entry | None = None,
    ) -> None:  # fmt: skip
        """Store a change of the table. The caller must hold the lock.

        `entry` is the new log entry if nothing else changes, so that other servers need not reload
        the table.

        Raises:
            VersionConflict: If another server has changed the table. The table is reloaded.
        """
        name, revision = self.stored.id, self.revision
        news = ChangeNotice(name, revision + 1, entry)
        try:
            await self._store.write(entries, statements, (name, revision), (news,))
        except VersionConflict:
            await self.refresh()
            raise
        self.revision = revision + 1

    def apply_notice(self, news: ChangeNotice) -> bool:
        """Apply a change that another server has announced.

        Return whether the table is now current. If not, it must be reloaded.
        """
        follows = news.revision == self.revision + 1 and not self.lock.locked()
        if follows and news.entry and news.entry[1] == self.version + 1:
            self.history.apply_entry(Entry(*news.entry))
            self.revision = news.revision
            self.undo.clear()
            self.given.clear()
            self._evening = None
            self._count_alone(news.entry[2])
            self._changed()
        return 0 <= news.revision <= self.revision

    async def refresh(self) -> None:
        """Reload the table from the store if it has changed. The caller must hold the lock."""
        version = self.version
        row = await self._store.run_read(read_rows, self._store, self.stored.id, version)
        if row is None:
            self.lock.gone = 404, NO_TABLE
            self.stop()
            raise HttpError(404, NO_TABLE)
        if row.revision == self.revision:
            return
        before, again = self.seats, self.again
        begun = self.is_waiting and row.kept.waiting is None
        course = await asyncio.to_thread(rebuild, row) if begun else self.history
        self.revision = row.revision
        if len(row.seats) != len(before):
            self.last_seen, self.remote_presence = [monotonic()] * len(row.seats), {}
            self.end_streams(*range(len(before)))
        self._lay(row.kept, row.seats, course)
        for entry in () if begun else row.log:
            self.history.apply_entry(entry)
            self._count_alone(entry.seat)
            self._tell_version()
        if self._noticed < row.revision and (row.log or row.seats != before):
            # Clear the notice, as the server that made the change has done.
            self.notice = None
        self._read_agreed(row.agreed)
        self.set_due(row.due)
        self._evening = None
        tokens = {seat.token for seat in self.seats}
        lost = [n for n, seat in enumerate(before) if seat.is_held and seat.token not in tokens]
        # End the streams of previous owners, whose clients reconnect with their current rights.
        self.end_streams(*lost)
        sits = {seat.token: n for n, seat in enumerate(self.seats) if seat.token is not None}
        self._follow_readers(dict(enumerate(before)), sits)
        if begun:
            self._tell("start", {})
        elif row.seats != before or not row.log:
            self.seats_changed()
        if self.again != again:
            self._tell("again", {"table": self.again})
        self.wake()

    def _read_agreed(self, text: str | None) -> None:
        undo, votes = json.loads(text) if text else ((), {})
        self.undo = set(undo)
        self.given = {int(seat): set(agreed) for seat, agreed in votes.items()}

    async def _agree(self, undo: set[int], takeovers: Mapping[int, set[int]]) -> None:
        """Store who agrees to take moves back, and who agrees to give seats away."""
        document = [sorted(undo), {seat: sorted(agreed) for seat, agreed in takeovers.items()}]
        update = "UPDATE tables SET agreed = ? WHERE id = ?"
        await self._write((), ((update, (json.dumps(document), self.stored.id)),))
        self.undo, self.given = set(undo), dict(takeovers)

    def _disagreed(self) -> tuple[Statement, ...]:
        """Return the statements that delete the stored votes. Empty if there are no votes."""
        if not (self.undo or self.given):
            return ()
        return (("UPDATE tables SET agreed = NULL WHERE id = ?", (self.stored.id,)),)

    # ------------------------------------------------------------------ moves and seats

    async def _catch_up(self, version: int) -> None:
        """Reload the table if a client has already seen a later version, written by another server.

        Raises:
            VersionConflict: If the table was reloaded. The caller must check the request again.
        """
        before = self.revision
        if self._store.shared and version > self.version:
            await self.refresh()
        if self.revision != before:
            raise VersionConflict

    async def play(self, seat: int, version: int, identity: str, text: str) -> int:
        """Make a move, and return the version of the table after the move.

        If the seat has already made a move with this `identity`, no move is made, and the version
        after that move is returned.

        If several players may act simultaneously, `text` is interpreted as in `version`, the
        version that the player saw.

        Raises `HttpError` if the move is refused.
        """
        async with self.locked(self.tokens(seat)):
            known = self.history.versions_by_id.get((seat, identity)) if identity else None
            if known is not None:
                return known
            await self._catch_up(version)
            self.check_begun()
            acting = self.to_act
            stale = version != self.version
            if stale and len(acting) < 2:
                raise HttpError(
                    409,
                    "the game has changed in the meantime: look at the table and try again",
                    version=self.version,
                )
            if seat not in acting:
                names = seat_names(self.seats, self.stored.game)
                wait = WAIT_FOR(names=[names[other] for other in acting])
                reason = wait if acting else "the game is over"
                raise HttpError(409, reason, version=self.version)
            if awaited := self.awaited:
                reason = (
                    f"nobody may move before a player has taken {name_numbers('seat', awaited)}"
                )
                raise HttpError(409, reason, version=self.version)
            return await self._play(seat, identity, self.history.read_move(seat, version, text))

    async def _play(self, seat: int, identity: str, move: Any) -> int:
        """Check a move, store it, apply it to the game and notify the streams."""
        try:
            after = self.rules.after(self.history.position, seat, move)
        except IllegalMove as error:
            words = [
                page_words(self.stored.deck, self.seats, self.stored.game).refusal(fault)
                for fault in error.faults
            ]
            raise HttpError(422, str(error), faults=error.faults, words=words) from None
        step = self.history.step(seat, move, after)
        entry = Entry(self.stored.id, self.version + 1, seat, identity, self.rules.write(move))
        acting = self.rules.to_act(after)
        over = () if acting else self._marked_over(self.rules.places(after))
        statements = (*over, *self._disagreed())
        if self.clock is None:
            await self._write((entry,), statements, entry)
        else:
            mover = self._after_move(seat, bool(identity))
            kept = seat_statement(self.stored.id, seat, mover)
            due = self._due_for(acting, {seat: mover})
            await self._write((entry,), (*statements, kept, *self._due_statements(due)))
            self.seats[seat] = mover
            self.set_due(due)
        self.history.advance(entry, move, after, step)
        self._count_alone(seat)
        self._changed()
        return self.version

    def _count_alone(self, mover: int) -> None:
        """Count the consecutive moves of programs since the last move of a person."""
        moved = mover != TAKEN_BACK and self.seats[mover].kind == PROGRAM
        self._alone = self._alone + 1 if moved else 0

    def _marked_over(self, places: Sequence[int] | None) -> tuple[Statement, ...]:
        """Return the statement that stores the places of a finished game.

        With None as `places`, it stores that the game is not over.
        """
        self._evening = None
        text = None if places is None else json.dumps(list(places))
        update = "UPDATE tables SET over = ?, places = ? WHERE id = ?"
        return ((update, (places is not None, text, self.stored.id)),)

    def _changed(self) -> None:
        """Finish a change of the log: clear the votes, notify the streams and start programs."""
        self.undo.clear()
        self.given.clear()
        self.notice = None
        self._tell_version()
        self.wake()

    def _tell_version(self) -> None:
        if self.streams:
            send(self.streams, self.history.event_message(self.version))

    async def agree_to_undo(self, seat: int, version: int, agree: bool) -> int:
        """Agree to take the last moves back, or withdraw the agreement. Return the new version.

        The moves are taken back as soon as all people agree.
        """
        async with self.locked(self.tokens(seat)):
            await self._catch_up(version)
            if version != self.version:
                raise HttpError(
                    409,
                    "the game has changed in the meantime: look at the table and try again",
                    version=self.version,
                )
            if not self.history.moves or self.stored.archive:
                raise HttpError(409, "there is nothing to take back", version=self.version)
            if self.is_over and self.secret:
                raise HttpError(
                    409,
                    "the game is over and all cards are revealed, so no move can be taken back",
                    version=self.version,
                )
            if self.seats[seat].kind != PERSON:
                raise HttpError(
                    409,
                    "a program plays in this seat and cannot take back a move",
                    version=self.version,
                )
            leavers = [s.person for s in self.seats if s.kind == PROGRAM and s.is_held]
            if self.rules.hidden and leavers:
                # Require the people who left their seats to programs, too. Otherwise the others
                # could ask a question, see the answer, and take the question back.
                raise HttpError(409, CANNOT_AGREE(name=leavers[0]))
            agreed = self.undo | {seat} if agree else self.undo - {seat}
            people = self.people()
            if not agreed.issuperset(people):
                await self._agree(agreed, self.given)
                self._tell("undo", {"agreed": sorted(self.undo)})
                return self.version
            count = self.history.undo_length(people)
            entry = Entry(self.stored.id, self.version + 1, TAKEN_BACK, "", str(count))
            kept = len(self.history.moves) - count
            acting = self.rules.to_act(self.history.positions_to(kept)[kept])
            due = self._due_for(acting, {})
            await self._write(
                (entry,),
                (*self._marked_over(None), *self._disagreed(), *self._due_statements(due)),
            )
            self.history.take_back(count)
            self.set_due(due)
            self._changed()
            return self.version

    def _follow_readers(self, before: Mapping[int, Seat], sits: Mapping[Any, int]) -> None:
        """Reassign the streams of the seats in `before`, so that they follow their readers.

        `sits` maps the token of each reader to the reader's new seat. Other readers become
        bystanders.
        """
        for stream in self.streams:
            if stream.seat is not None and stream.seat in before:
                stream.seat = sits.get(before[stream.seat].token)

    async def change_seats(self, seats: Mapping[int, Seat], *more: Statement) -> None:
        """Store and apply changes of seats. The statements `more` are part of the transaction."""
        name, due, now = self.stored.id, self.due, self._store.uptime()
        if any(seats[seat].kind != self.seats[seat].kind for seat in self.to_act if seat in seats):
            if due is not None:
                self._left = self.version, due - now
            due = self._due_for(self.to_act, seats)
            if due is not None and self._left[0] == self.version:
                # Keep the seconds left, so that a player cannot gain time by leaving the seat for a
                # while.
                due = now + self._left[1]
        statements = [seat_statement(name, *changed) for changed in seats.items()]
        await self._write(
            (), [*statements, *self._disagreed(), *self._due_statements(due), *more]
        )  # fmt: skip
        sits: dict[str | None, int] = {
            new.token: seat for seat, new in seats.items() if new.token is not None
        }
        self._follow_readers({seat: self.seats[seat] for seat in seats}, sits)
        for seat, new in seats.items():
            self.seats[seat] = new
            if new.kind == PERSON:
                self.last_seen[seat] = monotonic()
        self.set_due(due)
        self.notice = None
        self._alone = 0
        self.undo.clear()
        self.given.clear()
        self.seats_changed()
        self.wake()

    # ------------------------------------------------------------------ before the game

    async def _arrive(self, seats: Sequence[int]) -> None:
        """Mark people who have arrived at the table of a rematch as ready."""
        with suppress(HttpError):  # the next request tries again
            async with self.lock:
                coming = [
                    seat
                    for seat in seats
                    if self.is_waiting and self.seats[seat].ready == NOT_ARRIVED
                ]
                await self.change_seats({
                    seat: self.seats[seat]._replace(ready=READY) for seat in coming
                })  # fmt: skip
                await retry_if_stale(self.begin_if_ready)

    async def keep_code(self, seat: int, new: Seat) -> None:
        """Store a seat whose code has changed, but not its player."""
        await self._write((), (seat_statement(self.stored.id, seat, new),))
        self.seats[seat] = new

    async def link_rematch(self, name: str, statements: Sequence[Statement]) -> None:
        """Store the table of the rematch and notify the streams. The caller must hold the lock."""
        update = "UPDATE tables SET again = ? WHERE id = ?"
        await self._write((), (*statements, (update, (name, self.stored.id))))
        self.again = name
        self._tell("again", {"table": name})

    async def begin_if_ready(self) -> None:
        """Start the game if every seat is taken and ready. The caller must hold the lock."""
        kinds = {(seat.kind, seat.kind != PERSON or seat.ready == READY) for seat in self.seats}
        if self.is_waiting and kinds <= {(PERSON, True), (PROGRAM, True)}:
            await self.begin(self.rules, dict(enumerate(self.seats)))

    async def begin(self, rules: Any, chosen: Mapping[int, Seat]) -> None:
        """Deal, and start the game with the `chosen` seats. The caller must hold the lock."""
        deal, name = self.stored.waiting or new_token(), self.stored.id
        start = rules.start(Random(f"{deal}/deal"))
        kept = self.stored._replace(head=rules.record_start(start, ()), waiting=None)
        seats = [
            renumber(seat, number, index)._replace(ready=READY, saved=0.0, missed=0)
            for index, (number, seat) in enumerate(chosen.items())
        ]
        due = self._due_for(rules.to_act(start), dict(enumerate(seats)))
        await self._write((), (
            *self._due_statements(due),
            ("UPDATE tables SET head = ?, waiting = NULL WHERE id = ?", (kept.head, name)),
            ("DELETE FROM seats WHERE table_id = ?", (name,)),
            *(seat_statement(name, number, seat) for number, seat in enumerate(seats)),
        ))  # fmt: skip
        moved = {number: index for index, number in enumerate(chosen)}
        self.last_seen, self.remote_presence = [self.last_seen[number] for number in chosen], {}
        for stream in self.streams:
            stream.seat = None if stream.seat is None else moved.get(stream.seat)
        self._lay(kept, seats, VersionedHistory(rules, start))
        self.set_due(due)
        self._tell("start", {})
        self.wake()

    def seats_changed(self) -> None:
        """Notify the streams that the seats, their players or the players' presence changed."""
        self._tell("seats", {})

    # ------------------------------------------------------------------ clocks

    def _due_for(self, acting: Sequence[int], seats: Mapping[int, Seat]) -> float | None:
        """Return when the clock of the player to move will run out, or None if no clock will run.

        `seats` contains the seats that are about to change.
        """
        if self.clock is None or len(acting) != 1:
            return None
        seat = seats.get(acting[0]) or self.seats[acting[0]]
        if seat.kind != PERSON:
            return None
        return self._store.uptime() + self.clock.seconds + seat.saved

    async def begin_clock(self) -> None:
        """Start the clock of a table whose game began when the table was made."""
        async with self.lock:
            due = self._due_for(self.to_act, {})
            if due is None:
                return
            await self._write((), self._due_statements(due))
            self.set_due(due)

    def _due_statements(self, due: float | None) -> tuple[Statement, ...]:
        keep = ("UPDATE tables SET due = ? WHERE id = ?", (due, self.stored.id))
        # Store the uptime in the same transaction, so that a crash does not give the player more
        # time.
        return (keep,) if due is None else (keep, self._store.uptime_statement())

    def set_due(self, due: float | None) -> None:
        """Set the time at which the clock runs out, and schedule a check of the clock."""
        self.due = due
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if due is not None:
            wait = max(0.0, due - self._store.uptime())
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(min(wait, MAX_ALARM_SECONDS), self.look_at_clock)

    def _after_move(self, seat: int, is_theirs: bool) -> Seat:
        """Return a seat's entry after its move, with its new saved time and number of missed moves.

        `is_theirs` is false if a program moved in place of the player.
        """
        mover = self.seats[seat]
        if self.clock is None or self.due is None:  # a program's move, without a clock
            return mover
        left = max(0.0, self.due - self._store.uptime())
        saved = self.clock.saved_after(mover.saved, left)
        return mover._replace(saved=saved, missed=0 if is_theirs else mover.missed + 1)

    def look_at_clock(self) -> None:
        """Let a program move for a player whose time has run out.

        After `MAX_MISSED_MOVES` missed moves, the program takes over the seat.
        """
        acting = self.to_act
        if self.due is None or len(acting) != 1 or acting[0] in self.tasks or self.lock.locked():
            if self.due is not None and self.lock.locked():
                # Check again soon, because a move may be about to be stored.
                self.set_due(self.due)
            return
        if self.due > self._store.uptime():
            self.set_due(self.due)
            return
        seat = acting[0]
        if self.seats[seat].missed + 1 < MAX_MISSED_MOVES:
            self._begin(seat, self._program(seat, self.usual_program()))
        else:
            self._begin(seat, self._leave_to_program(seat))

    async def _leave_to_program(self, seat: int) -> None:
        async with self.lock:
            late, program = self.seats[seat], self.usual_program()
            if late.kind == PERSON and seat in self.to_act and self.due is not None:
                new = late._replace(kind=PROGRAM, name=program, missed=0)
                await self.change_seats({seat: new})

    def usual_program(self) -> str:
        """Return the program of the game's middle level. Without levels, it is the strongest."""
        game = registration(self.rules.name)
        return game.levels[len(game.levels) // 2].player if game.levels else game.strongest

    # ------------------------------------------------------------------ chat and score

    async def say(self, seat: int | None, name: str, text: str) -> None:
        """Send a chat line to the players, or to the bystanders if `seat` is None."""
        if not self.stored.chat:
            raise HttpError(403, "chat is switched off at this table")
        watching = seat is None
        await self._store.write((), chat_statements(self.stored.id, watching, seat, name, text))
        self._tell_all("talk", {"watching": watching})

    async def lines(self, visitor: Visitor, after: int = 0) -> list[Line]:
        """Return the chat lines that a visitor may read, with numbers greater than `after`."""
        if not self.stored.chat:
            return []
        return await self._store.run_read(
            lines, self._store, self.stored.id, not visitor.seats, after
        )

    async def read_shown(self) -> None:
        """Read the chat and the score that pages show. If this fails, keep the previous ones."""
        name, first = self.stored.id, self.stored.evening

        def read() -> None:
            if self.stored.chat:
                for watching in (False, True):
                    self._lines[watching] = lines(self._store, name, watching)[-LINES_SHOWN:]
            if first is not None and self._evening is None:
                self._evening = evening_score(self._store, first)

        wanted = self.stored.chat or (first is not None and self._evening is None)
        if wanted and not self._store.trouble:
            with suppress(HttpError):
                await self._store.run_read(read)

    def react(self, seat: int | None, name: str, reaction: str) -> None:
        """Send a reaction to all visitors. It is not stored."""
        # Do not show the name of a bystander, because bystanders can choose any name.
        public_name = None if seat is None else name
        data = {"seat": seat, "name": public_name, "reaction": check_reaction(reaction)}
        self._tell_all("reaction", data)

    # ------------------------------------------------------------------ programs

    def wake(self) -> None:
        """Start the programs that may move now, and stop all others.

        The caller must hold the lock, so that no program is stopped while its move is being stored.
        """
        for task in self.tasks.values():
            if task is not asyncio.current_task():
                task.cancel()
        self.tasks, self._retry, self._elsewhere = {}, False, set()
        looked_at = self.streams or monotonic() - self._asked < PRESENCE_TIMEOUT_SECONDS
        if not looked_at or self._alone > MAX_PROGRAM_MOVES or self.awaited:
            return
        self._woken = self.version
        for seat in self.to_act:
            if self.seats[seat].kind == PROGRAM:
                self._begin(seat, self._program(seat))
        self.end_absent_turns()

    def _go_on(self) -> None:
        """Start programs that were paused because nobody was present, or whose server has ended."""
        if self.lock.locked():
            return
        if self._woken != self.version:
            self.wake()
        while self._elsewhere:
            seat = self._elsewhere.pop()
            is_program = self.seats[seat].kind == PROGRAM
            if is_program and seat in self.to_act and seat not in self.tasks:
                self._begin(seat, self._program(seat))

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
        name = self.seats[seat].name
        _log.warning("the %s program %s failed: %s", self.rules.name, name, type(error).__name__)
        self._notify(kind(name=seat_names(self.seats, self.stored.game)[seat]))

    def tick(self) -> None:
        """Retry moves of programs, act for absent players and free old positions."""
        self.history.forget_positions()
        if self._retry and not self.lock.locked():
            self.wake()
        else:
            self._go_on()
            self.end_absent_turns()

    def end_absent_turns(self) -> None:
        """Play the default move of each absent player, so that the game continues.

        This applies only if several players may act simultaneously.
        """
        acting = self.to_act
        if len(acting) < 2 or self.awaited:
            return
        for seat in acting:
            if seat in self.tasks or self.seats[seat].kind == PROGRAM or self.is_present(seat):
                continue
            move = self.rules.default_move(self.rules.view(self.history.position, seat))
            if move is not None:
                text = self.rules.write(move)
                self._begin(seat, self.play(seat, self.version, "", text))

    async def _program(self, seat: int, program: str | None = None) -> None:
        """Let a program choose and make a move, unless another server already runs the program.

        By default, it is the program that plays in the seat.
        """
        key = f"{self.stored.id}/{seat}"
        if not await self._store.claim(key):
            self._elsewhere.add(seat)
            return
        try:
            await self._think(seat, program)
        finally:
            self._store.release(key)

    async def _think(self, seat: int, program: str | None) -> None:
        """Let a program choose a move, and make the move if it is still possible then."""
        course, version, name = self.history, self.version, program or self.seats[seat].name or ""
        random = course.chance(self.stored.seed, seat)
        view = self.rules.view(course.position, seat)
        steps = tuple(course.steps)
        planned = await self._thinking.plan(self.rules, name, seat, steps, view, random)
        if planned is None:
            self.seats_changed()
            return
        if len(self.to_act) > 1:
            await asyncio.sleep(planned.seconds)
        await self.play(seat, version, "", self.rules.write(planned.move))

    def stop(self) -> None:
        """Stop the clock and the programs of this table, and end its streams."""
        self.set_due(None)
        for task in self.tasks.values():
            task.cancel()
        self.tasks = {}
        for stream in list(self.streams):
            stream.end()
