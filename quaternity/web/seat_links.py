"""Links with which players move a seat to another device, and codes that restore a lost seat."""

from __future__ import annotations

from quaternity.web.actor import LiveTable
from quaternity.web.http_errors import HttpError
from quaternity.web.live_tables import LiveTables
from quaternity.web.seat_commands import (
    ChangeOwner,
    Reclaim,
    SeatTicket,
    SetCode,
    unknown_code,
    unknown_link,
)
from quaternity.web.seats import Caller, Owner, hash_token, new_code, new_token, plain_code

MOVING_SECONDS = 600.0
"""Lifetime of a link that moves a seat to another device, in seconds."""


class SeatLinks:
    """Makes and checks the links and codes with which players continue a game on another device.

    Only hashes of links, codes and tokens are stored.
    """

    def __init__(self, live: LiveTables) -> None:
        self._live, self._store = live, live.store

    async def moving_link(self, table: LiveTable, seat: int) -> str:
        """Return the last part of a new link with which a player moves a seat to another device.

        The link can be used once, within ten minutes. Earlier links for the seat become invalid.
        """
        link, now, token = new_token(), self._store.uptime(), table.state.seats[seat].token
        keep = "INSERT INTO moving (link, table_id, token, until) VALUES (?, ?, ?, ?)"
        await table.write((
            ("DELETE FROM moving WHERE until < ? OR token = ?", (now, token)),
            (keep, (hash_token(link), table.state.id, token, now + MOVING_SECONDS)),
        ))  # fmt: skip
        return link

    async def open_moving_link(self, link: str) -> tuple[LiveTable, int]:
        """Return the table and the seat to which a link belongs. The link stays valid.

        Raises `HttpError` if the link is not valid.
        """
        query = "SELECT table_id, token FROM moving WHERE link = ? AND until >= ?"
        for name, token in await self._store.rows(query, hash_token(link), self._store.uptime()):
            table = await self._live.open(name)
            for number, seat in enumerate(table.state.seats):
                if seat.token == token:  # the owner has not changed
                    return table, number
        raise unknown_link()

    async def move_seat(self, link: str, caller: Caller) -> tuple[str, SeatTicket]:
        """Give the seat of a link to the caller's device. Return the id of the table and the seat.

        The old device loses the seat. Raises `HttpError` if the link is not valid.
        """
        table, number = await self.open_moving_link(link)
        proof = table.state.seats[number].token or ""
        return await self._reclaim(table, Reclaim(proof, hash_token(link), caller, new_token()))

    async def restore_seat(self, code: str, caller: Caller) -> tuple[str, SeatTicket]:
        """Give a seat back to a caller who has its code. Return the id of the table and the seat.

        If the code is for seats at several tables of a series of rematches, the caller gets all
        these seats. The result is then the latest table and its seat.

        Raises `HttpError` if there is no seat with this code.
        """
        written = hash_token(plain_code(code))
        rows = await self._store.rows(
            "SELECT table_id FROM seats JOIN tables ON id = table_id WHERE code = ? "
            "ORDER BY tables.rowid DESC LIMIT 1",
            written,
        )
        if not rows:
            raise unknown_code()
        ((name,),) = rows
        table = await self._live.open(name)
        return await self._reclaim(table, Reclaim(written, None, caller, new_token()))

    async def _reclaim(self, table: LiveTable, command: Reclaim) -> tuple[str, SeatTicket]:
        ticket, before, after = await table.submit(command)
        await self._announce(table, before, after)
        return table.state.id, ticket

    async def fresh_code(self, table: LiveTable, seat: int) -> str:
        """Return a new code with which the owner can get the seat back.

        Earlier codes for the seat become invalid.
        """
        code, token = new_code(), table.state.seats[seat].token
        owners = await table.submit(SetCode(seat, token, hash_token(plain_code(code))))
        await self._announce(table, *owners)
        return code

    async def _announce(self, table: LiveTable, before: Owner, after: Owner) -> None:
        """Tell the other tables of a series that an owner's token, cookie or code has changed."""
        name = table.state.id
        first = table.state.stored.evening or name
        try:
            rows = await self._store.rows(
                "SELECT table_id FROM seats JOIN tables ON id = table_id "
                "WHERE token IN (?, ?) AND id != ? AND (id = ? OR evening = ?)",
                before.token,
                after.token,
                name,
                first,
                first,
            )
        except HttpError:
            self._live.drop_cached()
            return
        for (other,) in rows:
            try:
                await (await self._live.open(other)).submit(ChangeOwner(before.token, after))
            except HttpError:
                self._live.drop(other)
