"""All tables: who makes them, who comes to them, and those that are under way."""

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
from quaternity.base.wording import listed as in_words
from quaternity.review.reviewing import Review, review
from quaternity.table.games import registration, rules_of_record
from quaternity.table.match import chosen_apart
from quaternity.web.admission import WORK
from quaternity.web.clock import DAY
from quaternity.web.drawing.words import move_text
from quaternity.web.keeping import (
    KEPT,
    Keep,
    Listed,
    clock_jump,
    listed,
    rebuilt,
    removal,
    stored,
    touched,
)
from quaternity.web.neighbours import MEET_SECONDS, Neighbours
from quaternity.web.new_table import (
    MAX_NAME_LENGTH,
    NewTable,
    check_clock,
    checked_name,
    checked_player,
    deck_name,
    parsed_record,
    rules_with,
    settings_for,
)
from quaternity.web.refusal import (
    NO_SEAT,
    NO_TABLE,
    NOT_YOURS,
    ONLY_HOST,
    WAS_HERE,
    WOULD_SEE,
    Refusal,
)
from quaternity.web.seats import (
    BUSY,
    COMING,
    OPEN,
    PERSON,
    PROGRAM,
    READY,
    Caller,
    Kept,
    Seat,
    Who,
    fresh,
    fresh_code,
    hashed,
    plain_code,
    renamed,
    seat_statement,
)
from quaternity.web.sight import Sight
from quaternity.web.store import GONE, READ_ANEW, Entry, News, Statement, Store, anew
from quaternity.web.streams import BEAT_SECONDS, Streams
from quaternity.web.table import ABSENT_SECONDS, Table
from quaternity.web.thinking import Thinking

MARKS = ("yes", "no", "maybe", "none")
"""What a pencil mark says of a player and a card; `none` rubs it out."""

MAX_PREVIEWS = 20
"""Maximum number of tables on a user's start page that show a live preview; further ones are only
listed."""

MOVING_SECONDS = 600.0
"""Seconds for which a link that moves a seat to another device is valid."""

REVIEW_SECONDS, REVIEW_PATIENCE = 8.0, 2.0
"""Time budget for the review of a game, in seconds, and its factor for the wall-clock time."""

MAX_REVIEWS = 50
"""Maximum number of finished reviews that are kept, so that a page shows the same one again."""

NOBODY = "nobody"
"""What plays in a seat that is left out when a game begins."""

REMOVAL_BATCH = 200
"""Maximum number of tables deleted per batch, so that requests are not delayed."""

CLOCK_BATCH = 100
"""Maximum number of expired clocks handled per pass."""

MAX_CACHED_TABLES = 500
"""Number of tables above which idle ones are dropped from memory and read again on demand."""


_log = logging.getLogger("uvicorn.error")


class Seated(NamedTuple):
    """A seat of a new table: its token, or what invites to it, if there is such a thing."""

    seat: int
    token: str | None
    invitation: str | None


class OwnTable(NamedTuple):
    """A table of somebody; `sight` is what they see of it, for the latest under way.

    `seconds` are those since the last move, or since it was made, as the machine's clock says.
    """

    table: str
    game: str
    over: bool
    seconds: int
    sight: Sight | None


class Tables:
    """All tables of a server."""

    def __init__(self, store: Store, thinking: Thinking, keep: Keep | None = None) -> None:
        self.store, self.thinking, self.keep = store, thinking, keep or Keep()
        self.streams = Streams()
        store.on_doubt = self.forget
        self._live: OrderedDict[str, asyncio.Task[Table]] = OrderedDict()
        self._opening: Counter[str] = Counter()
        # Who was there before this server is on the way back: nobody else gets their seats.
        self._begun = monotonic()
        self.clocked = bool(store.read("SELECT 1 FROM tables WHERE clock IS NOT NULL LIMIT 1"))
        """Whether there is any clock."""
        self._believed = True
        """Whether the clock was credible at the last check."""
        self._believes_clock(*clock_jump(store))
        self._seen: dict[str, list[float]] = {}
        """When the seats of tables that left memory were seen last."""
        self._keeping: asyncio.Task[None] | None = None
        self._cleaned = ""
        """The last table at which `clean` has looked."""
        self._rung: dict[str, float] = {}
        """When clocks ran out that were looked at, by table; the one looked at last is the last."""
        self._removed: set[str] = set()
        """Tables that are about to go."""
        self.neighbours = Neighbours(store, thinking.admission)
        self._following: dict[str, asyncio.Task[None]] = {}
        self._reviews: OrderedDict[tuple[str, int], Review] = OrderedDict()
        """The latest finished reviews, by table and version."""

    @property
    def live(self) -> int:
        """Return how many tables are in memory."""
        return len(self._live)

    # ------------------------------------------------------------------ making

    async def make(self, new: NewTable, caller: Caller) -> tuple[str, str | None, list[Seated]]:
        """Return the name of a new table, what invites to it if it waits, and its seats."""
        rules = rules_with(new.game, new.settings, len(new.seats))
        check_clock(rules, new.clock)
        seats: list[Seat] = []
        keys: list[Seated] = []
        for number, wanted in enumerate(new.seats):
            seat, key = await self._seat(rules, number, wanted, new.name, caller)
            seats.append(seat)
            keys.append(key)
        # Two of them: what programs do by chance says nothing of what was dealt.
        deal, seed = (fresh() if new.seed is None else str(new.seed) for _ in range(2))
        waits, name = any(seat.kind == OPEN for seat in seats), fresh()
        kept = Kept(
            name, new.game, dealt(rules, "" if waits else deal), seed, new.help,
            new.seed is not None, False, caller.browser, None,
            deck_name(rules.settings, new.deck), _invitation(name, new.visitors) if waits else None,
            ("" if new.seed is None else deal) if waits else None, None, new.chat,
            None if new.clock is None else json.dumps(new.clock),
        )  # fmt: skip
        await self.store.write((), _kept_statements(kept, seats))
        self.clocked |= kept.clock is not None
        # Who has just made a table is there, and has asked for nothing yet.
        self._seen[kept.id] = [monotonic()] * len(seats)
        # Its programs begin; to wake them once more would end a move that is being kept.
        table = await self.open(kept.id)
        if kept.clock is not None:
            await table.begin_clock()
        return kept.id, kept.invitation, keys

    async def _seat(
        self, rules: Any, number: int, wanted: str, name: str | None, caller: Caller
    ) -> tuple[Seat, Seated]:
        if wanted == "me":
            token, person = fresh(), checked_name(name, number)
            seat = Seat(PERSON, person, person, hashed(token), caller.browser)
            return seat, Seated(number, token, None)
        if wanted == OPEN:
            invitation = fresh()
            return Seat(OPEN, invitation=invitation), Seated(number, None, invitation)
        player = await checked_player(self.thinking, rules, wanted)
        return Seat(PROGRAM, player), Seated(number, None, None)

    async def again(self, table: Table, who: Who) -> str:
        """Return the table at which the same play the same again, each in the next seat."""
        if not who.held:
            raise Refusal(403, "only who sits at the table can do that")
        table.check_begun()
        others = [seat for seat in table.people() if seat not in who.held]
        if table.kept.archive or (others and not table.is_over):
            raise Refusal(409, "the game is not over", version=table.version)
        async with table.lock:
            if table.again is None:
                seats = [
                    _in_next_seat(seat, number, len(table.seats), number in who.held)
                    for number, seat in enumerate(table.seats)
                ]
                seats = [seats[-1], *seats[:-1]]
                name, waits = fresh(), any(seat.ready != READY for seat in seats)
                kept = table.kept._replace(
                    id=name, head=dealt(table.rules, "" if waits else fresh()), seed=fresh(),
                    practice=False, evening=table.kept.evening or table.kept.id,
                    invitation=_invitation(name, table.is_public) if waits else None,
                    waiting="" if waits else None,
                )  # fmt: skip
                await table.keep_again(name, _kept_statements(kept, seats))
                self._seen[name] = [monotonic()] * len(seats)
                await (await self.open(name)).begin_clock()
        assert table.again is not None, "it is kept"
        return table.again

    async def upload(self, data: bytes, caller: Caller) -> str:
        """Return a table to look at only: that of a record."""
        try:
            game, head, names, moves = await self.thinking.count(parsed_record, data, kind="record")
        except InputError as error:
            error.__traceback__ = None  # a circle with its frames would keep what was sent
            raise Refusal(422, str(error)) from None
        deck = deck_name(rules_of_record(head.encode()).settings, None)
        kept = Kept(fresh(), game, head, "", True, False, True, caller.browser, None, deck)
        seats = [Seat(PERSON, name[:MAX_NAME_LENGTH]) for name in names]
        log = [
            Entry(kept.id, number, seat, "", move) for number, (seat, move) in enumerate(moves, 1)
        ]
        await self.store.write(log, _kept_statements(kept, seats))
        return kept.id

    # ------------------------------------------------------------------ coming

    async def open(self, name: str) -> Table:
        """Return a table."""
        if name in self._removed:
            raise Refusal(404, NO_TABLE)
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

    async def admitted(
        self, name: str, caller: Caller, asked: int | None = None, kind: str = "page"
    ) -> tuple[Table, Who]:
        """Return a table and who asks; their request is counted first.

        Who has a seat at a table in memory has a budget of their own. All others share that of
        their address for reading, whatever they ask for.
        """
        task, seat = self._live.get(name), None
        if task is not None and task.done() and not task.cancelled() and not task.exception():
            seat = next(iter(task.result().held(*caller)), None)
        if seat is None:
            self.thinking.admission.count("page")
        else:
            self.thinking.admission.count(kind, (name, seat))
        table = await self.open(name)
        if kind == "page":
            await table.read_shown()
        return table, table.who(*caller, asked)

    async def _load(self, name: str) -> Table:
        try:
            now = await self.store.ask(stored, self.store, name)
            if now is None:
                raise Refusal(404, NO_TABLE)
            course = await asyncio.to_thread(rebuilt, now)
            seen = self._seen.get(name) or [self._begun] * len(now.seats)
            table = Table(now, course, self.store, self.thinking, seen, self.neighbours.of(name))
        except Refusal:
            raise
        except Exception as error:  # what was changed on the disk may raise anything
            _log.error("table %s cannot be read: %s", name, type(error).__name__)
            raise Refusal(500, "this table cannot be read: its file was changed") from None
        self._seen.pop(name, None)  # from now on the table knows
        table.set_due(now.due)
        table.wake()
        return table

    def _loaded(self) -> list[Table]:
        """Return the tables in memory."""
        done = [task for task in self._live.values() if task.done() and not task.cancelled()]
        return [task.result() for task in done if task.exception() is None]

    def forget(self) -> None:
        """Forget all tables: what was read of them may be old; who waits for one asks again."""
        for table in self._loaded():
            self._seen[table.kept.id] = table.seen
        for task in self._live.values():
            task.add_done_callback(_stopped)
            if task.done():
                _stopped(task)
        self._live.clear()

    async def _make_room(self) -> None:
        """Forget tables at which nothing happens, the longest first."""
        for name, task in list(self._live.items()):
            if len(self._live) <= MAX_CACHED_TABLES:
                break
            if name in self._opening:
                continue  # who waits for a table gets the one that stays: it is not there twice
            if task.done() and not task.cancelled() and task.exception() is None:
                table = task.result()
                if table.is_quiet:
                    self._seen[name] = table.seen
                    table.stop()
                    del self._live[name]

    async def join(
        self, invitation: str, name: str | None, caller: Caller, wanted: int | None = None
    ) -> tuple[str, Seated]:
        """Sit down where an invitation leads to; the table, and the seat.

        Who has a seat already at a table that waits moves to the `wanted` one.
        """
        table, _ = await self.invited(invitation)
        async with table.lock:
            _, number = await self.invited(invitation)  # seats may have moved on meanwhile
            if number is None:
                number, held = self._chosen(table, wanted, caller)
                if held is not None:
                    if number != held:
                        moved = renamed(table.seats[held], held, number)
                        left = Seat(OPEN, invitation=fresh())
                        await table.change_seats({number: moved, held: left})
                    return table.kept.id, Seated(number, None, None)
            seat = table.seats[number]
            if seat.kind != OPEN:
                if caller.browser is not None and seat.browser == caller.browser:
                    return table.kept.id, Seated(number, None, None)  # they ask again
                raise Refusal(409, "somebody has this seat already")
            token, person = fresh(), checked_name(name, number)
            # The invitation stays, so that who comes late hears that they do.
            new = Seat(PERSON, person, person, hashed(token), caller.browser, seat.invitation)
            await table.change_seats({number: new})
            # They sit already: if another server comes before, only this is judged anew.
            await anew(table.begin_if_ready)
            number = next(iter(table.held(new.token, None)), number)
        return table.kept.id, Seated(number, token, None)

    def _chosen(self, table: Table, wanted: int | None, caller: Caller) -> tuple[int, int | None]:
        """Return the seat that somebody gets at a table that waits, and the one they have."""
        if not table.waits:
            raise Refusal(409, "the game has begun without you: you can watch it")
        if wanted is not None and wanted not in range(len(table.seats)):
            raise Refusal(422, f"seat: {wanted} is none of 0 to {len(table.seats) - 1}")
        held = None if caller.browser is None else table.who(*caller).looking
        if wanted is None:
            free = [number for number, seat in enumerate(table.seats) if seat.kind == OPEN]
            wanted = next(iter(free), None) if held is None else held
        if wanted is None:
            raise Refusal(409, "every seat is taken: you can watch the game")
        if wanted != held and table.seats[wanted].kind != OPEN:
            raise Refusal(409, "somebody has this seat already")
        return wanted, held

    async def start(self, table: Table, who: Who, fill: str | None) -> None:
        """Begin: programs play in seats to which nobody has come, or `nobody` does, if it may."""
        if not table.waits:
            raise Refusal(409, "the game has begun already", version=table.version)
        if not table.is_host(who):
            raise Refusal(403, "only who made the table can begin, or the first who is there")
        player = fill if fill and fill != NOBODY else table.usual_program()
        player = await checked_player(self.thinking, table.rules, player)
        table = await self.open(table.kept.id)  # which may have left memory meanwhile
        async with table.lock:
            if not table.waits:
                return
            chosen: dict[int, Seat] = {}
            for number, seat in enumerate(table.seats):
                if seat.kind == OPEN and fill == NOBODY:
                    continue
                if seat.kind == OPEN:
                    chosen[number] = Seat(PROGRAM, player)
                elif seat.ready == COMING:  # and theirs again when they want it
                    chosen[number] = seat._replace(kind=PROGRAM, name=player)
                else:
                    chosen[number] = seat
            rules = table.rules
            if len(chosen) < len(table.seats):
                rules = rules_with(rules.name, settings_for(rules, len(chosen)), len(chosen))
            await table.begin(rules, chosen)

    async def set_ready(self, table: Table, seat: int, ready: bool) -> None:
        """Say whether the game may begin; when all are ready, it does."""
        async with table.locked(table.tokens(seat)):
            if not table.waits:
                raise Refusal(409, "the game has begun already", version=table.version)
            new = table.seats[seat]._replace(ready=READY if ready else BUSY)
            await table.change_seats({seat: new})
            await anew(table.begin_if_ready)

    async def leave(self, table: Table, seat: int) -> None:
        """Leave a seat before the game has begun: others may sit there."""
        async with table.locked(table.tokens(seat)):
            if not table.waits:
                raise Refusal(409, "the game has begun: hand the seat over", version=table.version)
            await table.change_seats({seat: Seat(OPEN, invitation=fresh())})

    # ------------------------------------------------------------------ a seat elsewhere

    async def moving_link(self, table: Table, seat: int) -> str:
        """Return what moves a seat to another device: good once, and for ten minutes."""
        link, now, token = fresh(), self.store.uptime(), table.seats[seat].token
        keep = "INSERT INTO moving (link, table_id, token, until) VALUES (?, ?, ?, ?)"
        await self.store.write((), (
            ("DELETE FROM moving WHERE until < ? OR token = ?", (now, token)),
            (keep, (hashed(link), table.kept.id, token, now + MOVING_SECONDS)),
        ))  # fmt: skip
        return link

    async def moving(self, link: str) -> tuple[Table, int]:
        """Return the table and the seat that a link moves; opening it spends nothing."""
        query = "SELECT table_id, token FROM moving WHERE link = ? AND until >= ?"
        for name, token in await self.store.rows(query, hashed(link), self.store.uptime()):
            table = await self.open(name)
            for number, seat in enumerate(table.seats):
                if seat.token == token:  # nobody else has got the seat meanwhile
                    return table, number
        raise Refusal(404, "this link was used, or it is older than ten minutes")

    async def move_seat(self, link: str, caller: Caller) -> tuple[str, Seated]:
        """Move a seat to who shows its link, and end the right of who had it."""
        table, _ = await self.moving(link)
        async with table.lock:
            _, number = await self.moving(link)  # nobody spends it twice
            before, spend = table.seats[number], "DELETE FROM moving WHERE link = ?"
            seated = await self._given(table, number, caller, (spend, (hashed(link),)))
        await self._take_along(table, before, table.seats[number])
        return table.kept.id, seated

    async def fresh_code(self, table: Table, seat: int) -> str:
        """Return a code that brings a seat back; one before it is good no longer."""
        code = fresh_code()
        async with table.locked(table.tokens(seat)):
            before = table.seats[seat]
            new = before._replace(code=hashed(plain_code(code)))
            await table.keep_code(seat, new)
        await self._take_along(table, before, new)
        return code

    async def back(self, code: str, caller: Caller) -> tuple[str, Seated]:
        """Give a seat back to who has its code, at the last table of the evening."""
        written = hashed(plain_code(code))
        rows = await self.store.rows(
            "SELECT table_id, seat FROM seats JOIN tables ON id = table_id WHERE code = ? "
            "ORDER BY tables.rowid DESC LIMIT 1",
            written,
        )
        gone = Refusal(404, "there is no seat with this code")
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
        return table.kept.id, seated

    async def _given(self, table: Table, number: int, caller: Caller, *more: Statement) -> Seated:
        """Make a seat somebody's, who had it on another device; the lock is held."""
        token, seat = fresh(), table.seats[number]
        if not seat.is_held:
            raise Refusal(409, "this seat is nobody's now")
        new = seat._replace(
            kind=PERSON, name=seat.person, token=hashed(token), browser=caller.browser
        )
        table.end_streams(number)
        await table.change_seats({number: new}, *more)
        return Seated(number, token, None)

    async def _take_along(self, table: Table, before: Seat, after: Seat) -> None:
        """Give somebody's seats at the other tables of the evening the same token and code."""
        first = table.kept.evening or table.kept.id
        rows = await self.store.rows(
            "SELECT table_id FROM seats JOIN tables ON id = table_id "
            "WHERE token = ? AND id != ? AND (id = ? OR evening = ?)",
            before.token,
            table.kept.id,
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

            await anew(take_along)

    async def invited(self, invitation: str) -> tuple[Table, int | None]:
        """Return the table that an invitation leads to, and the seat if it is for one."""
        rows = await self.store.rows(
            "SELECT table_id, seat FROM seats WHERE invitation = ? UNION ALL "
            "SELECT id, NULL FROM tables WHERE invitation = ?",
            invitation,
            invitation,
        )
        if not rows:
            raise Refusal(404, "there is no such invitation")
        name, seat = rows[0]
        return await self.open(name), seat

    async def marks(self, table: Table, seat: int) -> dict[str, str]:
        """Return the pencil marks of a seat, by player and card: `1 0/2`."""
        # Of who lost the seat at another server in this moment nothing is known here yet.
        query = (
            "SELECT cell, mark FROM marks JOIN seats USING (table_id, seat) "
            "WHERE table_id = ? AND seat = ? AND token = ?"
        )
        return dict(await self.store.rows(query, table.kept.id, seat, table.seats[seat].token))

    async def mark(self, table: Table, seat: int, player: int, card: str, mark: str) -> None:
        """Keep a pencil mark with a seat, or rub it out: nobody else sees it, nor the record.

        Raises `Refusal` if the game has no such player, card or mark.
        """
        table.check_begun()
        sets = getattr(table.rules.settings, "sets", 0)
        size = getattr(table.rules.settings, "set_size", 0)
        hands = getattr(table.rules.settings, "hands", len(table.seats))  # cards aside are one
        if player not in range(hands):
            raise Refusal(422, f"player: {player} is none of 0 to {hands - 1}")
        if card not in {f"{index}/{number}" for index in range(sets) for number in range(size)}:
            raise Refusal(422, "card: a card of this game is expected, as 0/2")
        if mark not in MARKS:
            raise Refusal(422, f"mark: one of {in_words(MARKS)} is expected")
        cell = f"{player} {card}"
        rub = "DELETE FROM marks WHERE table_id = ? AND seat = ? AND cell = ?"
        statements: list[Statement] = [(rub, (table.kept.id, seat, cell))]
        if mark != "none":
            keep = "INSERT INTO marks (table_id, seat, cell, mark) VALUES (?, ?, ?, ?)"
            statements.append((keep, (table.kept.id, seat, cell, mark)))
        await self.store.write((), statements)

    async def hand_over(self, table: Table, who: Who, number: int, player: str) -> str | None:
        """Put a program, `me` or nobody (`open`) in a seat; return what invites to an open one."""
        if number not in range(len(table.seats)) or table.kept.archive:
            raise Refusal(404, NO_SEAT(seat=number))
        if not (who.held or who.maker):
            raise Refusal(403, "only who sits at the table can do that")
        mine, tokens = number in who.held, table.tokens(*who.held)
        if table.waits and not mine and not table.is_host(who):
            raise Refusal(403, ONLY_HOST())

        def check_absent() -> None:
            if mine or not table.seats[number].is_held:
                return
            if not table.is_host(who) and player != OPEN:
                raise Refusal(403, ONLY_HOST())
            if not table.is_absent(number):
                raise Refusal(403, WAS_HERE(seat=number))

        if player not in ("me", OPEN):
            check_absent()
            # Before the lock is taken: while a program is tried, the table plays on.
            player = await checked_player(self.thinking, table.rules, player)
            table = await self.open(table.kept.id)  # which may have left memory meanwhile
        async with table.locked(tokens):
            if number not in range(len(table.seats)):
                raise Refusal(404, NO_SEAT(seat=number))
            seat = table.seats[number]
            if player == "me":
                if not mine:
                    raise Refusal(403, NOT_YOURS(seat=number))
                new, invitation = seat._replace(kind=PERSON, name=seat.person), None
            elif player == OPEN:
                if seat.is_held:
                    check_absent()
                    if not await table.agree_to_give(number, who):
                        return None
                elif table.would_show(number, who):
                    raise Refusal(403, WOULD_SEE(seat=number))
                invitation = fresh()
                new = Seat(OPEN, invitation=invitation)
            else:
                check_absent()  # somebody may have come back, or sat down, meanwhile
                new, invitation = seat._replace(kind=PROGRAM, name=player), None
            await table.change_seats({number: new})
            if seat.is_held and not mine:
                table.say_of_seat(number, seat, new)
            await anew(table.begin_if_ready)
        return invitation

    # ------------------------------------------------------------------ looking

    async def sight(
        self, name: str, caller: Caller, seat: int | None = None, at: int | None = None
    ) -> Sight:
        """Return what somebody may be shown of a table: if not said, from their own seat, now."""
        table, who = await self.admitted(name, caller, seat)
        if at is None:
            return table.sight(who)
        moment = await table.moment(at)
        return table.sight(table.who(*caller, seat), moment)

    async def help(self, table: Table, who: Who, word: str, asked: Mapping[str, str]) -> Any:
        """Return what somebody asked for; see `quaternity.web.helping`."""
        table.check_begun()
        rules = table.rules
        helpers = registration(rules.name).helpers
        if word != "hint" and word not in helpers:
            raise Refusal(404, f"help: known are {', '.join((*helpers, 'hint'))}")
        if not table.kept.help:
            raise Refusal(403, "at this table no help is allowed")
        view = rules.view(table.course.position, who.looking)
        try:
            if word == "hint":
                return await self._hint(table, who, view)
            record = "" if table.secret else await table.record(who)
            helper = load_place(helpers[word])
            kind = word if word in WORK else "help"
            return await self.thinking.count(helper, rules, view, record, dict(asked), kind=kind)
        except QuaternityError as error:
            if isinstance(error, Refusal):
                raise
            raise Refusal(422, str(error)) from None

    async def review(self, table: Table, who: Who) -> Review:
        """Return the review of a game that is over."""
        table.check_begun()
        if table.rules.to_act(table.course.position):
            raise Refusal(409, "the game is not over", version=table.version)
        key = table.kept.id, table.version
        done: Review | None = self._reviews.get(key)
        if done is None:
            record = await table.record(who)
            done = await self.thinking.count(
                review, record, None, REVIEW_SECONDS, 0, REVIEW_PATIENCE, kind="review"
            )
            assert done is not None
            if not done.is_timed_out:
                self._reviews[key] = done
                if len(self._reviews) > MAX_REVIEWS:
                    self._reviews.popitem(last=False)
        return done

    async def _hint(self, table: Table, who: Who, view: Any) -> dict[str, Any]:
        rules, seat = table.rules, who.looking
        if seat is None or seat not in who.held or seat not in table.to_act:
            raise Refusal(409, "it is not this seat's turn", version=table.version)
        name = registration(rules.name).strongest
        chance = table.course.chance(table.kept.seed, "hint")
        player = self.thinking.players.get((rules.name, name), name)
        steps = tuple(table.course.steps)
        # Counted like the rest, not among the programs: who asks often keeps no seat waiting.
        text, _ = await self.thinking.count(chosen_apart, rules, player, seat, steps, view, chance)
        if text is None:
            return {"move": None, "by": name}
        move, more = rules.read(text, view), {}
        if (advice := registration(rules.name).part("advice")) is not None:
            more = await self.thinking.count(advice, view, move)
        return {"move": move_text(move, text), "by": name, **more}

    async def of_browser(self, browser: str | None) -> list[OwnTable]:
        """List somebody's tables: those under way first, and of each kind the latest."""
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
                with suppress(Refusal):  # of one that cannot be read its page says so
                    table = await self.open(name)
                    sight = table.sight(table.who(None, browser, comes=False))
            tables.append(OwnTable(name, game, bool(over), now - int(touched(made, at)), sight))
        return tables

    # ------------------------------------------------------------------ beside other servers

    def hear(self, news: Sequence[News]) -> None:
        """Follow what other servers have written or told."""
        for each in news:
            task = self._live.get(each.table)
            if task is None:
                continue
            if not task.done():  # it may have been read before
                self._follow(each.table)
            elif not task.cancelled() and task.exception() is None:
                table = task.result()
                if each.event is not None:
                    table.hear(each.event, each.data, each.revision)
                elif not table.follow(each):
                    self._follow(each.table)

    def miss(self) -> None:
        """Look at all tables again: some may have changed unheard."""
        for name in self._live:
            self._follow(name)

    def _follow(self, name: str) -> None:
        """Read a table again that another server has changed."""

        async def follow() -> None:
            with suppress(Refusal):  # it is gone, or is read anew when somebody looks
                table = await self.open(name)
                async with table.lock:
                    await table.refresh()

        task = self._following.get(name)
        if task is not None:
            # What it has read may be older than this.
            task.add_done_callback(lambda done: self._follow(name))
            return
        task = self._following[name] = asyncio.create_task(follow())
        task.add_done_callback(lambda done: self._following.pop(name, None))

    async def meet(self) -> None:
        """Beside other servers: hear of what they do, and tell who is here, again and again."""
        if not self.store.shared:
            return
        self.store.listen(self.hear, self.miss)
        while True:
            try:
                await self.neighbours.meet(self._loaded())
                if self.store.trouble:  # reads all again if the last write is in doubt
                    await self.store.keep_uptime()
            except Exception as error:
                _log.error("what is told to other servers: %s", type(error).__name__)
            await asyncio.sleep(MEET_SECONDS)

    # ------------------------------------------------------------------ now and then

    async def tick(self) -> None:
        """Now and then: keep streams alive, and do what is done for those who are not there."""
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            self._tick_once()

    def _tick_once(self) -> None:
        """Do what is done now and then; what fails at a table ends nothing for the others."""
        gone = monotonic() - ABSENT_SECONDS
        self._seen = {name: seen for name, seen in self._seen.items() if max(seen) > gone}
        doing = [("the streams", self.streams.beat), ("tables to go", self._look_at_house)]
        doing += [(f"table {table.kept.id}", table.tick) for table in self._loaded()]
        if self.clocked or self.store.shared or self.store.trouble:
            doing.append(("the clocks", self._look_at_clocks))
        for what, act in doing:
            try:
                act()
            except Exception as error:
                # No more is said: it may tell what somebody has in their hand.
                _log.error("what is done for %s now and then: %s", what, type(error).__name__)

    def _look_at_house(self) -> None:
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self.keep_house())

    async def keep_house(self) -> None:
        """Remove the tables that are to go; what cannot be done now is tried again."""
        try:
            ordered = await self.store.rows("SELECT table_id FROM removing LIMIT ?", REMOVAL_BATCH)
            await self.remove([name for (name,) in ordered])
            if any(self.keep):
                now, jump = await self.store.ask(clock_jump, self.store)
                if self._believes_clock(now, jump):
                    await self.clean(now)
        except Exception as error:
            # Whatever a row holds: nobody waits for this task, and the next look has to come.
            what = error if isinstance(error, Refusal) else type(error).__name__
            _log.error("tables that are to go cannot be removed: %s", what)

    def _believes_clock(self, now: float, jump: float) -> bool:
        """Return whether the clock is credible, and log when it no longer is."""
        believed = abs(jump) <= self.keep.most_jump
        if believed:
            self.store.believe_clock(now)
        elif self._believed and any(self.keep):
            _log.error(
                "the clock says %s UTC and seems to be %.1f days %s: no table is removed by its "
                "age; if the clock is right, run: quaternity tables confirm-clock",
                datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M"),
                abs(jump) / DAY, "ahead" if jump > 0 else "behind",
            )  # fmt: skip
        self._believed = believed
        return believed

    async def clean(self, now: float) -> None:
        """Look at the next tables, and remove those that may go; those of one evening together."""
        most = "WHERE id > ? ORDER BY id LIMIT ?"
        some = await self.store.ask(listed, self.store, most, self._cleaned, REMOVAL_BATCH)
        self._cleaned = some[-1].id if some else ""
        firsts = [table.first for table in some if self._may_go(table, now)]
        if firsts:
            which = f"IN ({', '.join('?' for _ in firsts)})"
            evenings = f"WHERE id {which} OR evening {which}"
            going = await self.store.ask(listed, self.store, evenings, *firsts, *firsts)
            stay = {table.first for table in going if not self._may_go(table, now)}
            await self.remove([table.id for table in going if table.first not in stay])

    def _may_go(self, table: Listed, now: float) -> bool:
        if table.id in self._seen or not self.keep.is_past(table, now):
            return False
        if self.neighbours.of(table.id):
            return False
        if table.id not in self._live:
            return True
        return any(each.is_deserted for each in self._loaded() if each.kept.id == table.id)

    async def remove(self, names: Sequence[str]) -> None:
        """Remove tables with all that is kept of them; who looks at one finds it gone."""
        if not names:
            return
        self._removed.update(names)  # nobody opens them any more
        try:
            async with AsyncExitStack() as held:
                gone = []
                for name in names:
                    with suppress(Refusal):  # of one that cannot be read nobody has anything
                        if task := self._live.get(name):
                            table = await asyncio.shield(task)
                            await held.enter_async_context(table.lock)
                            gone.append(table)
                news = [News(name, GONE) for name in names]
                await self.store.write((), removal(names), None, news)
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
        """Let programs move for those whose time is over, also at tables nobody looks at."""
        query = "SELECT id, due FROM tables WHERE due <= ? ORDER BY due LIMIT ?"
        try:
            await self.store.keep_uptime()
            rows = await self.store.rows(query, self.store.uptime(), CLOCK_BATCH + len(self._rung))
        except Refusal:
            return  # the store says what is wrong; it is tried again
        # Those that could not be helped keep nobody else waiting, and are looked at in turn.
        still = set(rows)
        self._rung = {name: due for name, due in self._rung.items() if (name, due) in still}
        turns = {name: turn for turn, name in enumerate(self._rung)}
        rows.sort(key=lambda row: turns.get(row[0], -1))
        for name, due in rows[:CLOCK_BATCH]:
            self._rung.pop(name, None)
            self._rung[name] = due
            try:
                (await self.open(name)).look_at_clock()
            except Refusal:
                continue
            except Exception as error:
                # Nor does what fails at one table, whatever it is.
                _log.error("the clock of a table stands still: %s", type(error).__name__)

    def end(self) -> None:
        """Let no program think and no stream stay open."""
        self.streams.end()
        for table in self._loaded():
            table.stop()
        self.thinking.end()


def _stopped(task: asyncio.Task[Table]) -> None:
    """Let nobody do any more with a table as it was read."""
    if not task.cancelled() and task.exception() is None:
        table = task.result()
        table.lock.gone = 503, READ_ANEW
        table.stop()


def _kept_statements(kept: Kept, seats: Sequence[Seat]) -> list[Statement]:
    """Return what keeps a new table."""
    table = f"INSERT INTO tables ({KEPT}) VALUES ({', '.join('?' for _ in kept)})"
    rows = [seat_statement(kept.id, number, seat) for number, seat in enumerate(seats)]
    return [(table, kept), *rows]


def dealt(rules: Any, seed: str) -> str:
    """Return the head of the record of a game that a seed deals; all know that of the empty one."""
    return str(rules.record_start(rules.start(Random(f"{seed}/deal")), ()))


def _invitation(name: str, visitors: bool) -> str:
    """Return an invitation to a table: its own name if every visitor may sit down."""
    return name if visitors else fresh()


def _in_next_seat(seat: Seat, number: int, seats: int, is_here: bool) -> Seat:
    """Move a seat on by one; a person without a name of their own is called by the new number."""
    return renamed(seat, number, (number + 1) % seats)._replace(
        invitation=fresh() if seat.kind == OPEN else None,
        ready=READY if is_here or seat.kind == PROGRAM else COMING,
        saved=0.0,
        missed=0,
    )
