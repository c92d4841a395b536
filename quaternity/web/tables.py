"""The tables of a server, with everything that requests and periodic tasks do with them."""

from __future__ import annotations

from quaternity.web.assistance import Assistance
from quaternity.web.background import BackgroundWork
from quaternity.web.live_tables import LiveTables
from quaternity.web.lobby import Lobby
from quaternity.web.maintenance import Maintenance
from quaternity.web.seat_links import SeatLinks
from quaternity.web.seats import Caller
from quaternity.web.store import Store
from quaternity.web.table_admin import Retention
from quaternity.web.table_view import TableView
from quaternity.web.view import view_table


class Tables:
    """The tables of a server.

    Attributes:
        live: The tables in memory.
        lobby: Makes, finds and starts tables, and gives their seats to players.
        links: Links and codes with which players take their seats to other devices.
        assistance: Help for players.
        maintenance: The periodic tasks.
    """

    def __init__(
        self, store: Store, thinking: BackgroundWork, keep: Retention | None = None
    ) -> None:
        self.store, self.thinking = store, thinking
        self.live = LiveTables(store, thinking)
        self.streams = self.live.streams
        self.lobby, self.links = Lobby(self.live), SeatLinks(self.live)
        self.assistance = Assistance(self.live)
        self.maintenance = Maintenance(self.live, keep or Retention())

    async def view(
        self, name: str, caller: Caller, seat: int | None = None, at: int | None = None
    ) -> TableView:
        """Return the view of a table for a visitor.

        By default, it is the view from the visitor's own seat after the last move. `at` is a number
        of moves.
        """
        table, visitor = await self.live.open_for(name, caller, seat)
        if at is None:
            return view_table(table, visitor)
        moment = await table.replays.position(table.state, at)
        return view_table(table, table.identify(caller, seat), moment)
