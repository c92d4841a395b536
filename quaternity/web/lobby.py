"""The lobby, which makes, finds and starts tables, and gives their seats to players.

An invitation is a random text at the end of a link. It is valid for one seat of a table, or for any
free seat. A visitor who opens the link may take such a seat.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.table.games import registration, rules_of_record
from quaternity.web.actor import LiveTable
from quaternity.web.changes import Entry
from quaternity.web.core import TableState
from quaternity.web.game_commands import NOBODY, Rematch, Start, check_start
from quaternity.web.http_errors import HttpError
from quaternity.web.live_tables import LiveTables
from quaternity.web.new_table import (
    MAX_NAME_LENGTH,
    NewTable,
    check_clock,
    check_name,
    deck_name,
    parse_upload,
    rules_with,
)
from quaternity.web.programs import check_player
from quaternity.web.seat_commands import HandOver, Join, Leave, SeatTicket, SetReady
from quaternity.web.seating import new_state, record_head
from quaternity.web.seats import (
    OPEN,
    PERSON,
    PROGRAM,
    THINKING,
    Caller,
    Deal,
    Options,
    Owner,
    Seat,
    StoredTable,
    Visitor,
    hash_token,
    new_token,
)
from quaternity.web.table_admin import last_activity
from quaternity.web.table_rows import new_table_statements
from quaternity.web.table_view import TableView
from quaternity.web.view import view_table

MAX_PREVIEWS = 20
"""Maximum number of tables whose position a start page shows. Other tables are only listed."""


class OwnTable(NamedTuple):
    """A table in the list of a visitor's own tables, which the start page shows.

    Attributes:
        table: Id of the table.
        game: Name of the game.
        over: Whether the game is over.
        seconds: Seconds since the last move, or since the table was made.
        sight: What the visitor may see of the table, for a preview. None for finished games, for
            damaged tables, and for tables after the first `MAX_PREVIEWS`.
    """

    table: str
    game: str
    over: bool
    seconds: int
    sight: TableView | None


class Lobby:
    """Makes, finds and starts game tables, and gives their seats to players."""

    def __init__(self, live: LiveTables) -> None:
        self._live, self._store, self._thinking = live, live.store, live.thinking

    async def make(
        self, new: NewTable, caller: Caller, ready: bool = True
    ) -> tuple[str, str | None, list[SeatTicket]]:
        """Make a table. Return its id, an invitation to any free seat, and a `SeatTicket` per seat.

        An invitation is a secret text in a link. It is None if no seat is open, because the game
        then begins immediately. `ready` says whether the maker is ready for the game to begin.

        Raises `HttpError` if the server does not allow such a table.
        """
        rules = rules_with(new.game, new.settings, len(new.seats))
        check_clock(rules, new.clock)
        seats: list[Seat] = []
        tickets: list[SeatTicket] = []
        for number, wanted in enumerate(new.seats):
            seat, ticket = await self._seat(rules, number, wanted, new.name, caller)
            seats.append(seat)
            tickets.append(ticket)
        # Use two separate seeds, so that random moves of programs reveal nothing about the deal.
        deal, seed = (new_token() if new.seed is None else str(new.seed) for _ in range(2))
        waits, name = any(seat.kind == OPEN for seat in seats), new_token()
        shown = "" if waits else deal
        waiting = "" if new.seed is None else deal
        deck = deck_name(rules.settings, new.deck)
        clock = None if new.clock is None else json.dumps(new.clock)
        stored = StoredTable(
            name, new.game, Deal(record_head(rules, shown), seed, waiting if waits else None),
            Options(new.allowed.help, new.seed is not None, False, deck, new.allowed.chat, clock),
            caller.cookie_hash, None, None,
            (name if new.allowed.visitors else new_token()) if waits else None,
        )  # fmt: skip
        if waits and not ready:
            seats = [
                seat._replace(ready=THINKING) if seat.kind == PERSON else seat for seat in seats
            ]
        state = new_state(stored, rules, shown, tuple(seats), self._store.uptime())
        await self.store(state)
        self._live.has_clocks |= new.clock is not None
        self._live.note_made(name, len(seats))
        await self._live.open(name)  # starts the programs
        return name, stored.invitation, tickets

    async def _seat(
        self, rules: Any, number: int, wanted: str, name: str | None, caller: Caller
    ) -> tuple[Seat, SeatTicket]:
        if wanted == "me":
            token, person = new_token(), check_name(name, number)
            owner = Owner(hash_token(token), caller.cookie_hash)
            return Seat(PERSON, person, person, owner), SeatTicket(number, token)
        if wanted == OPEN:
            invitation = new_token()
            return Seat(OPEN, invitation=invitation), SeatTicket(number, None, invitation)
        player = await check_player(self._thinking, rules, wanted)
        return Seat(PROGRAM, player), SeatTicket(number, None)

    async def store(self, state: TableState, log: Sequence[Entry] = ()) -> None:
        """Store a new table, with the entries of its log if a game has already been played."""
        statements = new_table_statements(state)
        if state.due is not None:
            statements.append(self._store.uptime_statement())
        await self._store.write(log, statements)

    async def upload(self, data: bytes, caller: Caller) -> str:
        """Make a table at which an uploaded game can be watched, and return the id of the table.

        `data` is the record of the game. Raises `HttpError` if the record is not valid.
        """
        try:
            game, head, names, moves = await self._thinking.count(parse_upload, data, kind="record")
        except InputError as error:
            # Break the reference cycle, which would keep the uploaded data in memory.
            error.__traceback__ = None
            raise HttpError(422, str(error)) from None
        rules = rules_of_record(head.encode())
        options = Options(True, False, True, deck_name(rules.settings, None))
        name = new_token()
        stored = StoredTable(name, game, Deal(head, ""), options, caller.cookie_hash)
        seats = tuple(Seat(PERSON, person[:MAX_NAME_LENGTH]) for person in names)
        log = [Entry(name, number, seat, "", move) for number, (seat, move) in enumerate(moves, 1)]
        await self.store(new_state(stored, rules, "", seats, self._store.uptime()), log)
        return name

    async def open_invitation(self, invitation: str) -> tuple[LiveTable, int | None]:
        """Return the table and the seat for which an invitation is valid.

        An invitation is the secret last part of a link. The seat is None if any free seat may be
        taken.

        Raises `HttpError` if there is no such invitation.
        """
        rows = await self._store.rows(
            "SELECT table_id, seat FROM seats WHERE invitation = ? UNION ALL "
            "SELECT id, NULL FROM tables WHERE invitation = ?",
            invitation,
            invitation,
        )
        if not rows:
            raise HttpError(404, "there is no such invitation")
        name, seat = rows[0]
        return await self._live.open(name), seat

    async def join(
        self, invitation: str, name: str | None, caller: Caller, wanted: int | None = None,
        ready: bool = True,
    ) -> tuple[str, SeatTicket]:  # fmt: skip
        """Give the caller the seat of an invitation, and return the table's id and the seat.

        With an invitation to any free seat, the caller gets the seat `wanted`. If it is None, the
        caller gets any free seat, or keeps the seat that they already have.
        """
        table, _ = await self.open_invitation(invitation)
        draws = new_token(), new_token(), new_token()
        ticket = await table.submit(Join(invitation, wanted, name, caller, *draws, ready))
        return table.state.id, ticket

    async def start(self, table: LiveTable, visitor: Visitor, fill: str | None) -> None:
        """Start the game at a table, which has not begun yet.

        `fill` names the computer player that gets the open seats. If it is `nobody`, these seats
        are removed. If it is None, the usual computer player of the game gets them.

        Raises `HttpError` if the visitor is not the host, or the game has already begun.
        """
        check_start(table.state, visitor, table.attendance())
        player = (
            fill if fill and fill != NOBODY else registration(table.state.rules.name).usual_program
        )
        player = await check_player(self._thinking, table.state.rules, player)
        table = await self._live.open(table.state.id)  # reload it if it was dropped
        await table.submit(Start(fill, player, new_token()))

    async def set_ready(
        self, table: LiveTable, seat: int, ready: bool, counts_down: bool = False
    ) -> None:
        """Store whether the player in a seat is ready for the game to begin.

        The game begins once all players are ready. If `counts_down` is true, there is a countdown
        before it begins.
        """
        token = table.state.seats[seat].token
        await table.submit(SetReady(seat, token, ready, new_token(), counts_down))

    async def leave(self, table: LiveTable, seat: int) -> None:
        """Free the seat of a player who leaves before the game begins."""
        await table.submit(Leave(seat, table.state.seats[seat].token, new_token()))

    async def hand_over(
        self, table: LiveTable, visitor: Visitor, number: int, player: str
    ) -> str | None:
        """Give a seat to another player. If the seat is now open, return an invitation to it.

        `player` is the name of a computer player, `me` for the owner of the seat, or `open` to let
        other people take the seat.

        Raises `HttpError` if the visitor may not give the seat to this player.
        """
        draws = new_token(), new_token()
        tokens = table.state.tokens(*visitor.seats)
        command = HandOver(number, player, visitor, tokens, table.attendance(), *draws)
        command.check(table.state)
        if player not in ("me", OPEN):
            # Check the program before submitting the command, which would delay other commands.
            player = await check_player(self._thinking, table.state.rules, player)
            table = await self._live.open(table.state.id)  # reload it if it was dropped
            # The owner may have come back in the meantime.
            command = command._replace(player=player, attendance=table.attendance())
        invitation: str | None = await table.submit(command)
        return invitation

    async def again(self, table: LiveTable, visitor: Visitor) -> str:
        """Return the id of the table for the rematch. The first call makes this table.

        In the rematch, every player moves to the next seat.
        """
        new, deal, seed, invitation = (new_token() for _ in range(4))
        invitations = tuple(new_token() for _ in table.state.seats)
        command = Rematch(visitor, new, deal, seed, invitation, invitations)
        name: str = await table.submit(command)
        if name == new:
            self._live.note_made(name, len(invitations))
            await self._live.open(name)
        return name

    async def of_browser(self, browser: str | None) -> list[OwnTable]:
        """Return at most 100 tables that the user of a browser has made or plays at.

        `browser` is the hash of the browser's cookie. If it is None, the list is empty. Unfinished
        games come before finished games, and newer tables before older tables.
        """
        rows = await self._store.rows(
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
                    await asyncio.sleep(0)  # let other requests run between two tables
                    table = await self._live.open(name)
                    visitor = table.identify(Caller(None, browser), comes=False)
                    sight = view_table(table, visitor)
            seconds = now - int(last_activity(made, at))
            tables.append(OwnTable(name, game, bool(over), seconds, sight))
        return tables
