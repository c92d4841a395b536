"""The tables of a server: functions to make, open, join, change, share and delete them."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from random import Random
from time import monotonic
from typing import Any, NamedTuple

from quaternity.base.errors import InputError, QuaternityError
from quaternity.base.plugins import load_place
from quaternity.base.text_format import join_words as in_words
from quaternity.table.games import registration, rules_of_record
from quaternity.table.match import choose_move_isolated
from quaternity.web.background import BackgroundWork
from quaternity.web.clock import DAY
from quaternity.web.drawing.words import move_text
from quaternity.web.http_errors import (
    NO_SEAT,
    NO_TABLE,
    NOT_ABSENT,
    NOT_YOURS,
    ONLY_HOST,
    WOULD_SHOW_HAND,
    HttpError,
)
from quaternity.web.new_table import (
    MAX_NAME_LENGTH,
    NewTable,
    check_clock,
    check_name,
    check_player,
    deck_name,
    parse_upload,
    rules_with,
    settings_for,
)
from quaternity.web.peers import SYNC_INTERVAL_SECONDS, Peers
from quaternity.web.rate_limits import WORK
from quaternity.web.seats import (
    NOT_ARRIVED,
    OPEN,
    PERSON,
    PROGRAM,
    READY,
    THINKING,
    Caller,
    Seat,
    StoredTable,
    Visitor,
    hash_token,
    new_code,
    new_token,
    plain_code,
    renumber,
    seat_statement,
)
from quaternity.web.store import (
    REMOVED,
    STORE_RELOADING,
    ChangeNotice,
    Entry,
    Statement,
    Store,
    retry_if_stale,
)
from quaternity.web.streams import KEEPALIVE_SECONDS, Streams
from quaternity.web.table import ABSENCE_LIMIT_SECONDS, Table
from quaternity.web.table_admin import (
    KEPT_COLUMNS,
    Retention,
    TableSummary,
    clock_jump,
    last_activity,
    list_tables,
    read_rows,
    rebuild,
    removal_statements,
)
from quaternity.web.table_view import TableView

MARKS = ("yes", "no", "maybe", "none")
"""Allowed values of a pencil mark for a player and a card. The value `none` removes the mark."""

MAX_PREVIEWS = 20
"""Maximum number of tables with a live preview on a start page. Further tables are only listed."""

MOVING_SECONDS = 600.0
"""Lifetime of a link that moves a seat to another device, in seconds."""

NOBODY = "nobody"
"""Value of `fill` that removes the open seats when the game starts."""

REMOVAL_BATCH = 200
"""Maximum number of tables deleted in a batch, so that requests are not delayed."""

CLOCK_BATCH = 100
"""Maximum number of expired clocks handled in one round of the periodic tasks."""

MAX_CACHED_TABLES = 500
"""Maximum number of tables in memory, above which idle tables are dropped. A dropped table is read
again on demand."""


_log = logging.getLogger("uvicorn.error")


class SeatTicket(NamedTuple):
    """The token of a seat that a visitor has taken, or the invitation to an open seat.

    Both are None for a program's seat, or if the visitor already has the token.
    """

    seat: int
    token: str | None
    invitation: str | None


class OwnTable(NamedTuple):
    """A table in the list on a visitor's start page.

    `seconds` is the time since the last activity. `sight` is what the visitor sees of the table, as
    a preview. It is None for finished games, damaged tables, and tables after the first
    `MAX_PREVIEWS`.
    """

    table: str
    game: str
    over: bool
    seconds: int
    sight: TableView | None


class Tables:
    """All tables of a server, with those in use kept in memory."""

    def __init__(
        self, store: Store, thinking: BackgroundWork, keep: Retention | None = None
    ) -> None:
        self.store, self.thinking, self.keep = store, thinking, keep or Retention()
        self.streams = Streams()
        store.on_doubt = self.drop_cached
        self._live: OrderedDict[str, asyncio.Task[Table]] = OrderedDict()
        self._opening: Counter[str] = Counter()
        # Count all players as seen at the start, because players of an earlier process may be about
        # to reconnect.
        self._begun = monotonic()
        self.clocked = bool(store.read("SELECT 1 FROM tables WHERE clock IS NOT NULL LIMIT 1"))
        """Whether any table has a clock."""
        self._believed = True
        """Whether the clock was credible at the last check."""
        self._believes_clock(*clock_jump(store))
        self._seen: dict[str, list[float]] = {}
        """Times of the last activity of each seat, for tables that are not in memory."""
        self._keeping: asyncio.Task[None] | None = None
        self._cleaned = ""
        """Id of the last table that `clean` has checked."""
        self._rung: dict[str, float] = {}
        """For each table whose expired clock was handled, the time at which the clock ran out. The
        tables are in the order in which they were handled."""
        self._removed: set[str] = set()
        """Ids of the tables that are being deleted."""
        self.neighbours = Peers(store, thinking.admission)
        self._following: dict[str, asyncio.Task[None]] = {}

    @property
    def live(self) -> int:
        """Return the number of tables in memory."""
        return len(self._live)

    # ------------------------------------------------------------------ making

    async def make(self, new: NewTable, caller: Caller) -> tuple[str, str | None, list[SeatTicket]]:
        """Make a table. Return its id, its invitation and its seats.

        The invitation is None if the game begins immediately, without waiting for players.
        """
        rules = rules_with(new.game, new.settings, len(new.seats))
        check_clock(rules, new.clock)
        seats: list[Seat] = []
        keys: list[SeatTicket] = []
        for number, wanted in enumerate(new.seats):
            seat, key = await self._seat(rules, number, wanted, new.name, caller)
            seats.append(seat)
            keys.append(key)
        # Use two separate seeds, so that random moves of programs reveal nothing about the deal.
        deal, seed = (new_token() if new.seed is None else str(new.seed) for _ in range(2))
        waits, name = any(seat.kind == OPEN for seat in seats), new_token()
        kept = StoredTable(
            name, new.game, record_head(rules, "" if waits else deal), seed, new.help,
            new.seed is not None, False, caller.cookie_hash, None,
            deck_name(rules.settings, new.deck), _invitation(name, new.visitors) if waits else None,
            ("" if new.seed is None else deal) if waits else None, None, new.chat,
            None if new.clock is None else json.dumps(new.clock),
        )  # fmt: skip
        await self.store.write((), _kept_statements(kept, seats))
        self.clocked |= kept.clock is not None
        # Count the maker of the table as present, although no request for the table has come yet.
        self._seen[kept.id] = [monotonic()] * len(seats)
        # Opening the table starts the programs. Do not start them again, which could cancel a move
        # that is being stored.
        table = await self.open(kept.id)
        if kept.clock is not None:
            await table.begin_clock()
        return kept.id, kept.invitation, keys

    async def _seat(
        self, rules: Any, number: int, wanted: str, name: str | None, caller: Caller
    ) -> tuple[Seat, SeatTicket]:
        if wanted == "me":
            token, person = new_token(), check_name(name, number)
            seat = Seat(PERSON, person, person, hash_token(token), caller.cookie_hash)
            return seat, SeatTicket(number, token, None)
        if wanted == OPEN:
            invitation = new_token()
            return Seat(OPEN, invitation=invitation), SeatTicket(number, None, invitation)
        player = await check_player(self.thinking, rules, wanted)
        return Seat(PROGRAM, player), SeatTicket(number, None, None)

    async def again(self, table: Table, visitor: Visitor) -> str:
        """Return the id of the table of the rematch, at which every player has the next seat.

        The first call makes this table.
        """
        if not visitor.seats:
            raise HttpError(403, "only players at this table can do that")
        table.check_begun()
        others = [seat for seat in table.people() if seat not in visitor.seats]
        if table.stored.archive or (others and not table.is_over):
            raise HttpError(
                409, "there is no rematch before the game is over", version=table.version
            )
        async with table.lock:
            if table.again is None:
                seats = [
                    _in_next_seat(seat, number, len(table.seats), number in visitor.seats)
                    for number, seat in enumerate(table.seats)
                ]
                seats = [seats[-1], *seats[:-1]]
                name, waits = new_token(), any(seat.ready != READY for seat in seats)
                kept = table.stored._replace(
                    id=name, head=record_head(table.rules, "" if waits else new_token()),
                    seed=new_token(),
                    practice=False, evening=table.stored.evening or table.stored.id,
                    invitation=_invitation(name, table.is_public) if waits else None,
                    waiting="" if waits else None,
                )  # fmt: skip
                await table.link_rematch(name, _kept_statements(kept, seats))
                self._seen[name] = [monotonic()] * len(seats)
                await (await self.open(name)).begin_clock()
        assert table.again is not None, "the rematch must be stored"
        return table.again

    async def upload(self, data: bytes, caller: Caller) -> str:
        """Make a table for watching a recorded game, and return its id."""
        try:
            game, head, names, moves = await self.thinking.count(parse_upload, data, kind="record")
        except InputError as error:
            error.__traceback__ = (
                # Break the reference cycle, which would keep the uploaded data in memory.
                None
            )
            raise HttpError(422, str(error)) from None
        deck = deck_name(rules_of_record(head.encode()).settings, None)
        kept = StoredTable(
            new_token(), game, head, "", True, False, True, caller.cookie_hash, None, deck
        )
        seats = [Seat(PERSON, name[:MAX_NAME_LENGTH]) for name in names]
        log = [
            Entry(kept.id, number, seat, "", move) for number, (seat, move) in enumerate(moves, 1)
        ]
        await self.store.write(log, _kept_statements(kept, seats))
        return kept.id

    # ------------------------------------------------------------------ opening and joining

    async def open(self, name: str) -> Table:
        """Return a table from memory or from the store.

        Raises `HttpError` if there is no such table.
        """
        if name in self._removed:
            raise HttpError(404, NO_TABLE)
        task = self._live.get(name)
        if task is None:
            task = self._live[name] = asyncio.create_task(self._load(name))
            await self._make_room()
        else:
            self._live.move_to_end(name)
        self._opening[name] += 1
        try:
            return await asyncio.shield(task)
        except BaseException:
            if task.done() and self._live.get(name) is task:
                del self._live[name]
            raise
        finally:
            self._opening[name] -= 1
            if not self._opening[name]:
                del self._opening[name]

    async def open_for(
        self, name: str, caller: Caller, asked: int | None = None, kind: str = "page"
    ) -> tuple[Table, Visitor]:
        """Count a visitor's request for a table. Return the table and the visitor.

        A player's request counts for the rate limit of the seat if the table is in memory. All
        other requests count as reading for the rate limit of the client address.
        """
        task, seat = self._live.get(name), None
        if task is not None and task.done() and not task.cancelled() and not task.exception():
            seat = next(iter(task.result().seats_of(*caller)), None)
        if seat is None:
            self.thinking.admission.count("page")
        else:
            self.thinking.admission.count(kind, (name, seat))
        table = await self.open(name)
        if kind == "page":
            await table.read_shown()
        return table, table.identify(*caller, asked)

    async def _load(self, name: str) -> Table:
        try:
            row = await self.store.run_read(read_rows, self.store, name)
            if row is None:
                raise HttpError(404, NO_TABLE)
            course = await asyncio.to_thread(rebuild, row)
            seen = self._seen.get(name) or [self._begun] * len(row.seats)
            table = Table(row, course, self.store, self.thinking, seen, self.neighbours.of(name))
        except HttpError:
            raise
        # A damaged table may raise any exception.
        except Exception as error:  # damaged data may raise anything
            _log.error("table %s cannot be read: %s", name, type(error).__name__)
            raise HttpError(500, "this table cannot be read: its stored data is damaged") from None
        self._seen.pop(name, None)  # the table now stores these times
        table.set_due(row.due)
        table.wake()
        return table

    def _loaded(self) -> list[Table]:
        """Return the tables in memory."""
        done = [task for task in self._live.values() if task.done() and not task.cancelled()]
        return [task.result() for task in done if task.exception() is None]

    def drop_cached(self) -> None:
        """Drop all tables from memory, because they may be outdated.

        Pending requests fail. The next request for a table reads it again.
        """
        for table in self._loaded():
            self._seen[table.stored.id] = table.last_seen
        for task in self._live.values():
            task.add_done_callback(_stopped)
            if task.done():
                _stopped(task)
        self._live.clear()

    async def _make_room(self) -> None:
        """Drop quiet tables from memory if there are too many tables.

        The least recently used tables are dropped first.
        """
        for name, task in list(self._live.items()):
            if len(self._live) <= MAX_CACHED_TABLES:
                break
            if name in self._opening:
                # Keep a table for which requests are waiting, because there must not be two objects
                # for it.
                continue
            if task.done() and not task.cancelled() and task.exception() is None:
                table = task.result()
                if table.is_quiet:
                    self._seen[name] = table.last_seen
                    table.stop()
                    del self._live[name]

    async def join(
        self, invitation: str, name: str | None, caller: Caller, wanted: int | None = None
    ) -> tuple[str, SeatTicket]:
        """Take the seat to which an invitation leads. Return the table's id and the seat.

        If the invitation is for any seat, the visitor gets the seat `wanted`. A player who already
        has a seat moves there.

        Raises `HttpError` if the visitor cannot take the seat.
        """
        table, _ = await self.open_invitation(invitation)
        async with table.lock:
            # Read the seat again, because seats may have changed before the lock was acquired.
            _, number = await self.open_invitation(invitation)
            if number is None:
                number, held = self._chosen(table, wanted, caller)
                if held is not None:
                    if number != held:
                        moved = renumber(table.seats[held], held, number)
                        left = Seat(OPEN, invitation=new_token())
                        await table.change_seats({number: moved, held: left})
                    return table.stored.id, SeatTicket(number, None, None)
            seat = table.seats[number]
            if seat.kind != OPEN:
                if caller.cookie_hash is not None and seat.browser == caller.cookie_hash:
                    # Answer a repeated request, whose first response may have been lost.
                    return table.stored.id, SeatTicket(number, None, None)
                raise HttpError(409, "this seat is already taken")
            token, person = new_token(), check_name(name, number)
            # Keep the invitation, so that a visitor who comes too late sees that the seat is taken.
            new = Seat(
                PERSON, person, person, hash_token(token), caller.cookie_hash, seat.invitation
            )
            await table.change_seats({number: new})
            # The seat is already stored, so after a conflict with another server retry only the
            # start of the game.
            await retry_if_stale(table.begin_if_ready)
            number = next(iter(table.seats_of(new.token, None)), number)
        return table.stored.id, SeatTicket(number, token, None)

    def _chosen(self, table: Table, wanted: int | None, caller: Caller) -> tuple[int, int | None]:
        """Return the seat that a visitor gets at a waiting table, and the previous seat or None.

        Raises `HttpError` if the visitor cannot get a seat.
        """
        if not table.is_waiting:
            raise HttpError(409, "the game has begun without you: you can watch it")
        if wanted is not None and wanted not in range(len(table.seats)):
            raise HttpError(422, f"seat: must be from 0 to {len(table.seats) - 1}, not {wanted}")
        held = None if caller.cookie_hash is None else table.identify(*caller).looking
        if wanted is None:
            free = [number for number, seat in enumerate(table.seats) if seat.kind == OPEN]
            wanted = next(iter(free), None) if held is None else held
        if wanted is None:
            raise HttpError(409, "every seat is taken: you can watch the game")
        if wanted != held and table.seats[wanted].kind != OPEN:
            raise HttpError(409, "this seat is already taken")
        return wanted, held

    async def start(self, table: Table, visitor: Visitor, fill: str | None) -> None:
        """Start the game at a waiting table.

        `fill` names the program that plays in open seats, or is `nobody` to leave these seats out.

        The program also plays for people who have not yet arrived at the table of a rematch.
        """
        if not table.is_waiting:
            raise HttpError(409, "the game has begun already", version=table.version)
        if not table.is_host(visitor):
            raise HttpError(
                403,
                "only the host can start the game: the person who made the table, or the first "
                "player present",
            )
        player = fill if fill and fill != NOBODY else table.usual_program()
        player = await check_player(self.thinking, table.rules, player)
        table = await self.open(table.stored.id)  # reload it if it was dropped
        async with table.lock:
            if not table.is_waiting:
                return
            chosen: dict[int, Seat] = {}
            for number, seat in enumerate(table.seats):
                if seat.kind == OPEN and fill == NOBODY:
                    continue
                if seat.kind == OPEN:
                    chosen[number] = Seat(PROGRAM, player)
                # The owner of the seat can take it back later.
                elif seat.ready == NOT_ARRIVED:
                    chosen[number] = seat._replace(kind=PROGRAM, name=player)
                else:
                    chosen[number] = seat
            rules = table.rules
            if len(chosen) < len(table.seats):
                rules = rules_with(rules.name, settings_for(rules, len(chosen)), len(chosen))
            await table.begin(rules, chosen)

    async def set_ready(self, table: Table, seat: int, ready: bool) -> None:
        """Set whether a player is ready. Start the game once all players are ready."""
        async with table.locked(table.tokens(seat)):
            if not table.is_waiting:
                raise HttpError(409, "the game has begun already", version=table.version)
            new = table.seats[seat]._replace(ready=READY if ready else THINKING)
            await table.change_seats({seat: new})
            await retry_if_stale(table.begin_if_ready)

    async def leave(self, table: Table, seat: int) -> None:
        """Leave a seat before the game has begun, so that another visitor can take it."""
        async with table.locked(table.tokens(seat)):
            if not table.is_waiting:
                raise HttpError(
                    409,
                    "you cannot leave after the game has begun: hand the seat over",
                    version=table.version,
                )
            await table.change_seats({seat: Seat(OPEN, invitation=new_token())})

    # ------------------------------------------------------------------ moving and restoring seats

    async def moving_link(self, table: Table, seat: int) -> str:
        """Return a new link that moves a seat to another device.

        The link works once, within ten minutes. An earlier link for the seat becomes invalid.
        """
        link, now, token = new_token(), self.store.uptime(), table.seats[seat].token
        keep = "INSERT INTO moving (link, table_id, token, until) VALUES (?, ?, ?, ?)"
        await self.store.write((), (
            ("DELETE FROM moving WHERE until < ? OR token = ?", (now, token)),
            (keep, (hash_token(link), table.stored.id, token, now + MOVING_SECONDS)),
        ))  # fmt: skip
        return link

    async def open_moving_link(self, link: str) -> tuple[Table, int]:
        """Return the table and the seat that a link moves. The link can still be used afterwards.

        Raises `HttpError` if the link is not valid.
        """
        query = "SELECT table_id, token FROM moving WHERE link = ? AND until >= ?"
        for name, token in await self.store.rows(query, hash_token(link), self.store.uptime()):
            table = await self.open(name)
            for number, seat in enumerate(table.seats):
                if seat.token == token:  # still the same owner
                    return table, number
        raise HttpError(404, "this link was used, or it is older than ten minutes")

    async def move_seat(self, link: str, caller: Caller) -> tuple[str, SeatTicket]:
        """Move a seat to the device of the caller, who has its link.

        The token of the old device becomes invalid.
        """
        table, _ = await self.open_moving_link(link)
        async with table.lock:
            # Check the link again, because it may have been used before the lock was acquired.
            _, number = await self.open_moving_link(link)
            before, spend = table.seats[number], "DELETE FROM moving WHERE link = ?"
            seated = await self._given(table, number, caller, (spend, (hash_token(link),)))
        await self._take_along(table, before, table.seats[number])
        return table.stored.id, seated

    async def fresh_code(self, table: Table, seat: int) -> str:
        """Return a new code that restores a seat. An earlier code becomes invalid."""
        code = new_code()
        async with table.locked(table.tokens(seat)):
            before = table.seats[seat]
            new = before._replace(code=hash_token(plain_code(code)))
            await table.keep_code(seat, new)
        await self._take_along(table, before, new)
        return code

    async def restore_seat(self, code: str, caller: Caller) -> tuple[str, SeatTicket]:
        """Give a seat back to the caller, who has its code.

        If the code belongs to seats at several tables of a series, it is the seat at the latest
        table.
        """
        written = hash_token(plain_code(code))
        rows = await self.store.rows(
            "SELECT table_id, seat FROM seats JOIN tables ON id = table_id WHERE code = ? "
            "ORDER BY tables.rowid DESC LIMIT 1",
            written,
        )
        gone = HttpError(404, "there is no seat with this code")
        if not rows:
            raise gone
        ((name, number),) = rows
        table = await self.open(name)
        async with table.lock:
            before = table.seats[number]
            if before.code != written:
                raise gone
            seated = await self._given(table, number, caller)
        await self._take_along(table, before, table.seats[number])
        return table.stored.id, seated

    async def _given(
        self, table: Table, number: int, caller: Caller, *more: Statement
    ) -> SeatTicket:
        """Give a seat to its owner on another device (`caller`). The caller must hold the lock."""
        token, seat = new_token(), table.seats[number]
        if not seat.is_held:
            raise HttpError(409, "this seat no longer has an owner")
        new = seat._replace(
            kind=PERSON, name=seat.person, token=hash_token(token), browser=caller.cookie_hash
        )
        table.end_streams(number)
        await table.change_seats({number: new}, *more)
        return SeatTicket(number, token, None)

    async def _take_along(self, table: Table, before: Seat, after: Seat) -> None:
        """Copy the new token and code to the player's seats at the other tables of the series."""
        first = table.stored.evening or table.stored.id
        rows = await self.store.rows(
            "SELECT table_id FROM seats JOIN tables ON id = table_id "
            "WHERE token = ? AND id != ? AND (id = ? OR evening = ?)",
            before.token,
            table.stored.id,
            first,
            first,
        )
        for (name,) in rows:
            other = await self.open(name)

            async def take_along(other: Table = other) -> None:
                async with other.lock:
                    await other.change_seats({
                        number: seat._replace(
                            token=after.token, browser=after.browser, code=after.code
                        )
                        for number, seat in enumerate(other.seats) if seat.token == before.token
                    })  # fmt: skip

            await retry_if_stale(take_along)

    async def open_invitation(self, invitation: str) -> tuple[Table, int | None]:
        """Return the table of an invitation, and the seat.

        The seat is None if the invitation is for any free seat.
        """
        rows = await self.store.rows(
            "SELECT table_id, seat FROM seats WHERE invitation = ? UNION ALL "
            "SELECT id, NULL FROM tables WHERE invitation = ?",
            invitation,
            invitation,
        )
        if not rows:
            raise HttpError(404, "there is no such invitation")
        name, seat = rows[0]
        return await self.open(name), seat

    async def marks(self, table: Table, seat: int) -> dict[str, str]:
        """Return the pencil marks of a seat, by player and card, as in `1 0/2`."""
        # Check the token in the query, because another server may just have given the seat away.
        query = (
            "SELECT cell, mark FROM marks JOIN seats USING (table_id, seat) "
            "WHERE table_id = ? AND seat = ? AND token = ?"
        )
        return dict(await self.store.rows(query, table.stored.id, seat, table.seats[seat].token))

    async def mark(self, table: Table, seat: int, player: int, card: str, mark: str) -> None:
        """Store or remove a pencil mark, which only the player of the seat sees.

        Raises `HttpError` if the game has no such player, card or mark.
        """
        table.check_begun()
        sets = getattr(table.rules.settings, "sets", 0)
        size = getattr(table.rules.settings, "set_size", 0)
        hands = getattr(
            table.rules.settings,
            "hands",
            len(table.seats),
            # Cards that are set aside count as a further hand.
        )
        if player not in range(hands):
            raise HttpError(422, f"player: must be from 0 to {hands - 1}, not {player}")
        if card not in {f"{index}/{number}" for index in range(sets) for number in range(size)}:
            raise HttpError(422, "card: must be a card of this game, such as 0/2")
        if mark not in MARKS:
            raise HttpError(422, f"mark: must be one of {in_words(MARKS)}")
        cell = f"{player} {card}"
        rub = "DELETE FROM marks WHERE table_id = ? AND seat = ? AND cell = ?"
        statements: list[Statement] = [(rub, (table.stored.id, seat, cell))]
        if mark != "none":
            keep = "INSERT INTO marks (table_id, seat, cell, mark) VALUES (?, ?, ?, ?)"
            statements.append((keep, (table.stored.id, seat, cell, mark)))
        await self.store.write((), statements)

    async def hand_over(
        self, table: Table, visitor: Visitor, number: int, player: str
    ) -> str | None:
        """Give a seat to a program, to its owner (`me`) or to nobody (`open`).

        If the seat is now open, return the invitation to it, otherwise None.

        Raises `HttpError` if the visitor may not hand the seat over.
        """
        if number not in range(len(table.seats)) or table.stored.archive:
            raise HttpError(404, NO_SEAT(seat=number))
        if not (visitor.seats or visitor.maker):
            raise HttpError(403, "only players at this table can do that")
        is_own, tokens = number in visitor.seats, table.tokens(*visitor.seats)
        if table.is_waiting and not is_own and not table.is_host(visitor):
            raise HttpError(403, ONLY_HOST())

        def check_absent() -> None:
            if is_own or not table.seats[number].is_held:
                return
            if not table.is_host(visitor) and player != OPEN:
                raise HttpError(403, ONLY_HOST())
            if not table.is_absent(number):
                raise HttpError(403, NOT_ABSENT(seat=number))

        if player not in ("me", OPEN):
            check_absent()
            # Check the program without the lock, so that the game can go on during the check.
            player = await check_player(self.thinking, table.rules, player)
            table = await self.open(table.stored.id)  # reload it if it was dropped
        async with table.locked(tokens):
            if number not in range(len(table.seats)):
                raise HttpError(404, NO_SEAT(seat=number))
            seat = table.seats[number]
            if player == "me":
                if not is_own:
                    raise HttpError(403, NOT_YOURS(seat=number))
                new, invitation = seat._replace(kind=PERSON, name=seat.person), None
            elif player == OPEN:
                if seat.is_held:
                    check_absent()
                    if not await table.agree_to_give(number, visitor):
                        return None
                elif table.would_show(number, visitor):
                    raise HttpError(403, WOULD_SHOW_HAND(seat=number))
                invitation = new_token()
                new = Seat(OPEN, invitation=invitation)
            else:
                # Check again, because the owner may have come back in the meantime.
                check_absent()
                new, invitation = seat._replace(kind=PROGRAM, name=player), None
            await table.change_seats({number: new})
            if seat.is_held and not is_own:
                table.say_of_seat(number, seat, new)
            await retry_if_stale(table.begin_if_ready)
        return invitation

    # ------------------------------------------------------------------ views and help

    async def sight(
        self, name: str, caller: Caller, seat: int | None = None, at: int | None = None
    ) -> TableView:
        """Return the view of a table for a visitor.

        By default, it is the view from the visitor's own seat after the last move.
        """
        table, visitor = await self.open_for(name, caller, seat)
        if at is None:
            return table.sight(visitor)
        moment = await table.moment(at)
        return table.sight(table.identify(*caller, seat), moment)

    async def help(
        self, table: Table, visitor: Visitor, word: str, asked: Mapping[str, str]
    ) -> Any:
        """Return the help that a visitor requests.

        The words and their answers are described in `quaternity.web.hints`. Raises `HttpError` if
        help is not allowed or cannot be computed.
        """
        table.check_begun()
        rules = table.rules
        helpers = registration(rules.name).helpers
        if word != "hint" and word not in helpers:
            raise HttpError(404, f"help: choose from {', '.join((*helpers, 'hint'))}")
        if not table.stored.help:
            raise HttpError(403, "help is not allowed at this table")
        view = rules.view(table.history.position, visitor.looking)
        try:
            if word == "hint":
                return await self._hint(table, visitor, view)
            record = "" if table.secret else await table.record(visitor)
            helper = load_place(helpers[word])
            kind = word if word in WORK else "help"
            return await self.thinking.count(helper, rules, view, record, dict(asked), kind=kind)
        except QuaternityError as error:
            if isinstance(error, HttpError):
                raise
            raise HttpError(422, str(error)) from None

    async def _hint(self, table: Table, visitor: Visitor, view: Any) -> dict[str, Any]:
        rules, seat = table.rules, visitor.looking
        if seat is None or seat not in visitor.seats or seat not in table.to_act:
            raise HttpError(409, "it is not this seat's turn", version=table.version)
        name = registration(rules.name).strongest
        chance = table.history.chance(table.stored.seed, "hint")
        player = self.thinking.players.get((rules.name, name), name)
        steps = tuple(table.history.steps)
        # Use the processes for counts, so that hints do not delay the moves of programs.
        text, _ = await self.thinking.count(
            choose_move_isolated, rules, player, seat, steps, view, chance
        )
        if text is None:
            return {"move": None, "by": name}
        move, more = rules.read(text, view), {}
        if (advice := registration(rules.name).part("advice")) is not None:
            more = await self.thinking.count(advice, view, move)
        return {"move": move_text(move, text), "by": name, **more}

    async def of_browser(self, browser: str | None) -> list[OwnTable]:
        """Return at most 100 tables that the user of a browser has made or plays at.

        Unfinished tables come before finished tables, and newer tables before older tables.
        """
        rows = await self.store.rows(
            "SELECT DISTINCT id, game, over, tables.rowid, made, "
            "COALESCE((SELECT MAX(at) FROM log WHERE log.table_id = id), 0) FROM tables "
            "JOIN seats ON seats.table_id = id WHERE (browser = ? OR maker = ?) AND archive = 0 "
            "ORDER BY over, 4 DESC LIMIT 100",
            browser,
            browser,
        )
        now, tables = int(datetime.now(UTC).timestamp()), list[OwnTable]()
        for name, game, over, _, made, at in rows:
            sight = None
            if not over and len(tables) < MAX_PREVIEWS:
                # List a damaged table without a preview. Its page shows the error.
                with suppress(HttpError):
                    table = await self.open(name)
                    sight = table.sight(table.identify(None, browser, comes=False))
            tables.append(
                OwnTable(name, game, bool(over), now - int(last_activity(made, at)), sight)
            )
        return tables

    # ------------------------------------------------------------------ sharing with other servers

    def apply_changes(self, news: Sequence[ChangeNotice]) -> None:
        """Apply changes that other servers have announced."""
        for notice in news:
            task = self._live.get(notice.table)
            if task is None:
                continue
            # Reload a table that is being read, because it may have been read before the change.
            if not task.done():
                self._follow(notice.table)
            elif not task.cancelled() and task.exception() is None:
                table = task.result()
                if notice.event is not None:
                    table.send_event(notice.event, notice.data, notice.revision)
                elif not table.apply_notice(notice):
                    self._follow(notice.table)

    def on_listen_lost(self) -> None:
        """Reload all tables in memory that have changed, because notices may have been lost."""
        for name in self._live:
            self._follow(name)

    def _follow(self, name: str) -> None:
        """Reload a table that another server has changed, in the background."""

        async def follow() -> None:
            # Ignore errors, because the table was deleted, or the next request reloads it.
            with suppress(HttpError):
                table = await self.open(name)
                async with table.lock:
                    await table.refresh()

        task = self._following.get(name)
        if task is not None:
            # Reload the table once more, because the running reload may have read it before this
            # change.
            task.add_done_callback(lambda done: self._follow(name))
            return
        task = self._following[name] = asyncio.create_task(follow())
        task.add_done_callback(lambda done: self._following.pop(name, None))

    async def sync_presence(self) -> None:
        """Listen to other servers of the same tables, and exchange presence with them, for ever.

        Return immediately if no other server can share the tables.
        """
        if not self.store.shared:
            return
        self.store.listen(self.apply_changes, self.on_listen_lost)
        while True:
            try:
                await self.neighbours.meet(self._loaded())
                # Write something. If it is unknown whether the last write succeeded, this reloads
                # all tables.
                if self.store.trouble:
                    await self.store.keep_uptime()
            except Exception as error:
                _log.error("the exchange with other servers failed: %s", type(error).__name__)
            await asyncio.sleep(SYNC_INTERVAL_SECONDS)

    # ------------------------------------------------------------------ periodic tasks

    async def tick(self) -> None:
        """Run the periodic tasks of the server and of its tables, for ever."""
        while True:
            await asyncio.sleep(KEEPALIVE_SECONDS)
            self._tick_once()

    def _tick_once(self) -> None:
        """Run the periodic tasks once. A failure at one table does not affect the other tables."""
        gone = monotonic() - ABSENCE_LIMIT_SECONDS
        self._seen = {name: seen for name, seen in self._seen.items() if max(seen) > gone}
        doing = [
            ("the streams", self.streams.send_keepalive),
            ("expired tables", self._look_at_house),
        ]
        doing += [(f"table {table.stored.id}", table.tick) for table in self._loaded()]
        if self.clocked or self.store.shared or self.store.trouble:
            doing.append(("the clocks", self._look_at_clocks))
        for task_name, act in doing:
            try:
                act()
            except Exception as error:
                # Log only the type of the error, because its text may reveal a player's hand.
                _log.error("the periodic task for %s failed: %s", task_name, type(error).__name__)

    def _look_at_house(self) -> None:
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self.run_maintenance())

    async def run_maintenance(self) -> None:
        """Delete expired tables, and tables that an operator wants to delete.

        After a failure, the next call tries again.
        """
        try:
            ordered = await self.store.rows("SELECT table_id FROM removing LIMIT ?", REMOVAL_BATCH)
            await self.remove([name for (name,) in ordered])
            if any(self.keep):
                now, jump = await self.store.run_read(clock_jump, self.store)
                if self._believes_clock(now, jump):
                    await self.clean(now)
        except Exception as error:
            # Log every error, because nothing awaits this task, and it must run again later.
            reason = error if isinstance(error, HttpError) else type(error).__name__
            _log.error("tables could not be deleted: %s", reason)

    def _believes_clock(self, now: float, jump: float) -> bool:
        """Return whether the machine's clock is credible. Log an error when it no longer is."""
        believed = abs(jump) <= self.keep.max_clock_jump
        if believed:
            self.store.believe_clock(now)
        elif self._believed and any(self.keep):
            _log.error(
                "the clock says %s UTC and seems to be %.1f days %s: no table is deleted by its "
                "age; if the clock is right, run: quaternity tables confirm-clock",
                datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M"),
                abs(jump) / DAY, "ahead" if jump > 0 else "behind",
            )  # fmt: skip
        self._believed = believed
        return believed

    async def clean(self, now: float) -> None:
        """Check the next batch of tables, and delete the expired ones.

        A table of a series is deleted only together with the whole series.
        """
        clause = "WHERE id > ? ORDER BY id LIMIT ?"
        batch = await self.store.run_read(
            list_tables, self.store, clause, self._cleaned, REMOVAL_BATCH
        )
        self._cleaned = batch[-1].id if batch else ""
        firsts = [table.first for table in batch if self._may_go(table, now)]
        if firsts:
            which = f"IN ({', '.join('?' for _ in firsts)})"
            evenings = f"WHERE id {which} OR evening {which}"
            going = await self.store.run_read(list_tables, self.store, evenings, *firsts, *firsts)
            stay = {table.first for table in going if not self._may_go(table, now)}
            await self.remove([table.id for table in going if table.first not in stay])

    def _may_go(self, table: TableSummary, now: float) -> bool:
        if table.id in self._seen or not self.keep.is_expired(table, now):
            return False
        if self.neighbours.of(table.id):
            return False
        if table.id not in self._live:
            return True
        return any(loaded.is_deserted for loaded in self._loaded() if loaded.stored.id == table.id)

    async def remove(self, names: Sequence[str]) -> None:
        """Delete tables from the store and from memory."""
        if not names:
            return
        self._removed.update(names)  # prevents opening them
        try:
            async with AsyncExitStack() as held:
                gone = []
                for name in names:
                    # A damaged table raises an error here. It has no object in memory that must be
                    # stopped.
                    with suppress(HttpError):
                        if task := self._live.get(name):
                            table = await asyncio.shield(task)
                            await held.enter_async_context(table.lock)
                            gone.append(table)
                news = [ChangeNotice(name, REMOVED) for name in names]
                await self.store.write((), removal_statements(names), None, news)
                for table in gone:
                    table.lock.gone = 404, NO_TABLE
                    table.stop()
            for name in names:
                self._live.pop(name, None)
                self._seen.pop(name, None)
            for table in self._loaded():
                if table.again in names:
                    table.again = None
        finally:
            self._removed.difference_update(names)

    def _look_at_clocks(self) -> None:
        self._ticking = asyncio.create_task(self.look_at_clocks())

    async def look_at_clocks(self) -> None:
        """Let programs move for players whose time has run out, even at tables not in memory."""
        query = "SELECT id, due FROM tables WHERE due <= ? ORDER BY due LIMIT ?"
        try:
            await self.store.keep_uptime()
            rows = await self.store.rows(query, self.store.uptime(), CLOCK_BATCH + len(self._rung))
        except HttpError:
            # Try again in the next round. The reason of the failure is in `store.trouble`.
            return
        # Handle the clocks that were already handled, without success, after all other clocks.
        still = set(rows)
        self._rung = {name: due for name, due in self._rung.items() if (name, due) in still}
        turns = {name: turn for turn, name in enumerate(self._rung)}
        rows.sort(key=lambda row: turns.get(row[0], -1))
        for name, due in rows[:CLOCK_BATCH]:
            self._rung.pop(name, None)
            self._rung[name] = due
            try:
                (await self.open(name)).look_at_clock()
            except HttpError:
                continue
            except Exception as error:
                # Log the error, because it must not stop the clocks of the other tables.
                _log.error("the clock of a table could not be checked: %s", type(error).__name__)

    def end(self) -> None:
        """End all streams, tables and programs of the server."""
        self.streams.end()
        for table in self._loaded():
            table.stop()
        self.thinking.end()


def _stopped(task: asyncio.Task[Table]) -> None:
    """Mark a table in memory as outdated: stop it and refuse all further changes of this object."""
    if not task.cancelled() and task.exception() is None:
        table = task.result()
        table.lock.gone = 503, STORE_RELOADING
        table.stop()


def _kept_statements(kept: StoredTable, seats: Sequence[Seat]) -> list[Statement]:
    """Return the statements that store a new table."""
    table = f"INSERT INTO tables ({KEPT_COLUMNS}) VALUES ({', '.join('?' for _ in kept)})"
    rows = [seat_statement(kept.id, number, seat) for number, seat in enumerate(seats)]
    return [(table, kept), *rows]


def record_head(rules: Any, seed: str) -> str:
    """Return the head of the record of the game that a seed deals.

    The empty seed gives the head of a waiting table, whose deal is not played.
    """
    return str(rules.record_start(rules.start(Random(f"{seed}/deal")), ()))


def _invitation(name: str, visitors: bool) -> str:
    """Return the invitation to any free seat of a table.

    It is the id of the table if all visitors may take a seat, otherwise a random token.
    """
    return name if visitors else new_token()


def _in_next_seat(seat: Seat, number: int, seats: int, is_here: bool) -> Seat:
    """Return a seat of the rematch, at which every player moves on by one seat."""
    return renumber(seat, number, (number + 1) % seats)._replace(
        invitation=new_token() if seat.kind == OPEN else None,
        ready=READY if is_here or seat.kind == PROGRAM else NOT_ARRIVED,
        saved=0.0,
        missed=0,
    )
