"""The class `Tables`, with which request handlers find the tables of a server."""

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
    """All game tables of a server, and the objects that work on them.

    Attributes:
        store: The storage of all tables.
        thinking: The worker processes for computer players and computations.
        live: The tables in memory.
        streams: The open event streams.
        lobby: The object that makes, finds and starts tables, and gives their seats to players.
        links: Links and codes with which players take their seats to other devices.
        assistance: Help for players, and their pencil marks.
        maintenance: The periodic tasks, such as the deletion of old tables.
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
        """Return what a visitor may see of a table, at the current position or an earlier one.

        Args:
            name: Id of the table.
            caller: The hash of the token or cookie that the visitor sent.
            seat: Seat from which the visitor sees the game. If it is None, `TableState.visitor`
                chooses the seat.
            at: Number of moves before the shown position, or None for the current position.

        Raises:
            HttpError: If there is no such table, a rate limit is exceeded, or the visitor may not
                see the game from the seat.
        """
        table, visitor = await self.live.open_for(name, caller, seat)
        if at is None:
            return view_table(table, visitor)
        moment = await table.replays.position(table.state, at)
        return view_table(table, table.identify(caller, seat), moment)
