"""Functions for stored game tables: list them, export records, and find tables to delete.

The operator's commands and the periodic tasks of a server use these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.table.history import History
from quaternity.web.changes import Statement
from quaternity.web.clock import DAY
from quaternity.web.reader import DamagedFile, Reader
from quaternity.web.seats import OPEN, PERSON, PROGRAM, Seat
from quaternity.web.store import Store
from quaternity.web.table_rows import read_rows, rebuild
from quaternity.web.versioned_history import has_random_start

TABLE_PARTS = ("seats", "log", "marks", "talk", "moving", "removing", "present")
"""Names of the SQL tables with further data about a game table. The main data are in `tables`."""

EARLIEST_TIME = datetime(2025, 1, 1, tzinfo=UTC).timestamp()
"""Earliest time of activity at a table that can be correct, in seconds since 1970. A machine whose
clock was not set stores earlier times."""


def last_activity(made: str, at: int) -> float:
    """Return the time of the last activity at a table, in seconds since 1970.

    Args:
        made: Time at which the table was made, as the store writes it (UTC).
        at: Time of the last log entry, in seconds since 1970.

    The later of the two times is returned. If it cannot be right, the current time is returned
    instead, so that the table is not deleted by mistake.
    """
    try:
        last = max(datetime.fromisoformat(f"{made}+00:00").timestamp(), at)
        if last < EARLIEST_TIME:
            raise ValueError("the system clock is wrong")
        return datetime.fromtimestamp(last, UTC).timestamp()
    except (TypeError, ValueError, OverflowError, OSError):
        return datetime.now(UTC).timestamp()


class Activity(NamedTuple):
    """When a stored game table was made and last changed, and how many moves were made.

    Attributes:
        made: Time at which the table was made, as the store writes it (UTC).
        at: Time of the last entry of the log, in seconds since 1970, or 0 if the log is empty.
        moves: Number of entries of the log, which are moves and take-backs.
    """

    made: str
    at: int
    moves: int


class Progress(NamedTuple):
    """How far the game at a stored table has come.

    Attributes:
        over: Whether the game is over.
        archive: Whether the table shows an uploaded record, and no game is played.
        waiting: The chosen seed of the deal, or an empty text, before the game begins. None once
            the game has begun.
        due: Time at which the running clock runs out, measured in seconds by `Store.uptime`. None
            if no clock is running.
    """

    over: bool
    archive: bool
    waiting: str | None
    due: float | None


class SeatCounts(NamedTuple):
    """The numbers of seats owned by people, seats played by programs, and open seats."""

    people: int
    programs: int
    open: int


class TableSummary(NamedTuple):
    """A summary of a stored game table, which does not contain the moves of its game.

    `evening` and `again` are described in `StoredTable`.
    """

    id: str
    game: str
    activity: Activity
    progress: Progress
    evening: str | None
    again: str | None
    seats: SeatCounts

    @property
    def first(self) -> str:
        """The id of the first table in the series of rematches, which may be deleted already."""
        return self.evening or self.id

    @property
    def made(self) -> str:
        """The time (UTC) at which the table was made, in ISO 8601."""
        return f"{str(self.activity.made).replace(' ', 'T')}Z"

    @property
    def touched_at(self) -> str:
        """The time (UTC) of the last activity at the table, in ISO 8601."""
        return f"{datetime.fromtimestamp(self.touched, UTC):%Y-%m-%dT%H:%M:%SZ}"

    @property
    def touched(self) -> float:
        """The time of the last activity at the table, in seconds since 1970."""
        return last_activity(self.activity.made, self.activity.at)

    @property
    def state(self) -> str:
        """The state of the game: "uploaded", "waiting", "under way" or "over"."""
        if self.progress.archive:
            return "uploaded"
        waits = "under way" if self.progress.waiting is None else "waiting"
        return "over" if self.progress.over else waits

    def document(self) -> dict[str, Any]:
        """Return the summary as a dictionary of values for JSON."""
        return {
            "id": self.id, "game": self.game, "made": self.made, "touched": self.touched_at,
            **self.seats._asdict(), "moves": self.activity.moves, "state": self.state,
        }  # fmt: skip


class Retention(NamedTuple):
    """The numbers of days after which tables with finished and unfinished games are deleted.

    The days are counted from the last activity at a table. If a number is None, tables of this kind
    are never deleted.
    """

    finished: int | None = None
    unfinished: int | None = None

    @property
    def max_clock_jump(self) -> float:
        """Largest jump after which the system clock is still trusted, in seconds.

        After a larger jump, no tables are deleted.
        """
        return min((7.0, *(days / 2 for days in self if days))) * DAY

    def is_expired(self, table: TableSummary, now: float) -> bool:
        """Return whether a table is old enough to be deleted.

        A table at which a player's clock is running is never deleted.
        """
        progress = table.progress
        days = self.finished if progress.over or progress.archive else self.unfinished
        return days is not None and progress.due is None and now - table.touched > days * DAY


def clock_jump(store: Store) -> tuple[float, float]:
    """Return the current time, and the seconds by which the system clock has jumped forward.

    A negative number means that the clock was set back. Time without a running server also counts
    as a jump. The jump is measured since the clock was last known to be right or, if there is no
    such time, since the newest table or log entry. If there are no tables either, it is 0.
    """
    now, up = store.now(), store.uptime()
    ((clock,),) = store.read("SELECT MAX(clock) FROM uptime")
    if not isinstance(clock, int | float):
        newest = "SELECT MAX(made), COALESCE((SELECT MAX(at) FROM log), 0) FROM tables"
        ((made, at),) = store.read(newest)
        return now, 0.0 if made is None else now - last_activity(made, at)
    return now, now - up - clock


def list_tables(store: Reader, which: str = "", *given: Any) -> list[TableSummary]:
    """Return summaries of all stored game tables, or of those that a clause selects.

    `which` is an SQL clause that follows `FROM tables`, such as a `WHERE` clause. `given` contains
    the values for its placeholders.
    """
    last = "(SELECT {} FROM log WHERE table_id = tables.id ORDER BY version DESC LIMIT 1)"
    count = "(SELECT COUNT(*) FROM seats WHERE table_id = tables.id AND kind = '{}')"
    counts = ", ".join(count.format(kind) for kind in (PERSON, PROGRAM, OPEN))
    query = (
        f"SELECT id, game, made, COALESCE({last.format('at')}, 0), "
        f"COALESCE({last.format('version')}, 0), over, archive, waiting, due, evening, again, "
        f"{counts} FROM tables {which}"
    )
    tables = []
    for name, game, *values, evening, again, people, programs, free in store.read(query, *given):
        activity, progress = Activity(*values[:3]), Progress(*values[3:])
        seats = SeatCounts(people, programs, free)
        tables.append(TableSummary(name, game, activity, progress, evening, again, seats))
    return tables


class SeatSummary(NamedTuple):
    """The number and kind of a seat, and the name of its player. An open seat has no name."""

    seat: int
    kind: str
    name: str | None


def list_seats(store: Reader, name: str) -> list[SeatSummary]:
    """Return summaries of the seats of the table with the given id."""
    query = "SELECT seat, kind, COALESCE(person, name) FROM seats WHERE table_id = ? ORDER BY seat"
    return [SeatSummary(*row) for row in store.read(query, name)]


ORDERS: dict[str, Callable[[TableSummary], Any]] = {
    "touched": lambda table: table.touched,
    "made": lambda table: table.activity.made,
    "moves": lambda table: table.activity.moves,
    "game": lambda table: table.game,
}
"""Functions that return the key by which a list of tables is sorted. `game` sorts in ascending
order, and all other names sort in descending order."""


def sort_tables(tables: Sequence[TableSummary], order: str) -> list[TableSummary]:
    """Return the tables sorted by `order`, which is a key of `ORDERS`.

    Raises:
        InputError: If there is no such order.
    """
    if order not in ORDERS:
        raise InputError(f"--order {order!r}: unknown order; choose from {', '.join(ORDERS)}")
    return sorted(tables, key=ORDERS[order], reverse=order != "game")


def removal_statements(names: Sequence[str]) -> list[Statement]:
    """Return the SQL statements that delete the game tables with the given ids.

    The statements also delete all other rows that belong to these tables, and references from other
    tables to rematches at these tables.
    """
    # Delete from `tables` first. This statement waits until no other server is writing these
    # tables.
    parts = {"tables": "id"} | dict.fromkeys(TABLE_PARTS, "table_id")
    which = f"IN ({', '.join('?' for _ in names)})"
    texts = [f"DELETE FROM {kind} WHERE {column} {which}" for kind, column in parts.items()]
    texts.append(f"UPDATE tables SET again = NULL WHERE again {which}")
    return [(text, names) for text in texts]


def whole_record(
    seats: Sequence[Seat], rules: Any, start: Any, moves: Sequence[tuple[int, Any]]
) -> str:
    """Return the complete record of a game, including all hidden cards.

    In the record, every person has the name "you".
    """
    names = [str(seat.name) if seat.kind == PROGRAM else "you" for seat in seats]
    return History(rules, start, moves).record(names)


def export_record(reader: Reader, name: str, hidden: bool) -> str:
    """Return the record of the game at a stored table.

    Args:
        reader: Access to the stored tables.
        name: Id of the table.
        hidden: Whether to export a game under way even if its record shows hidden cards.

    Raises:
        DamagedTable: If the table cannot be read.
        InputError: If there is no such table, its game has not begun, or its record would show
            hidden cards of a game under way.
    """
    try:
        table = read_rows(reader, name)
        history = None if table is None else rebuild(table)
    except DamagedFile as error:
        raise DamagedTable(f"{name}: {error}") from None
    # A damaged table may raise any exception.
    except Exception as error:
        # Show only the type of the error, because its text may reveal a player's hand.
        raise DamagedTable(f"{name}: its game cannot be rebuilt ({type(error).__name__})") from None
    if table is None or history is None:
        raise InputError(f"{name}: there is no such table")
    if table.stored.deal.waiting is not None:
        raise InputError(f"{name}: there is no record, because the game has not begun")
    game = history.game
    over = table.stored.options.archive or not game.rules.to_act(game.position)
    if has_random_start(game.rules) and not over and not hidden:
        raise InputError(
            f"{name}: the game is under way, and its record would show hidden cards; "
            "use --hidden to export it anyway"
        )
    return whole_record(table.seats, game.rules, game.start, game.moves)


class DamagedTable(InputError):
    """Error for a stored game table that cannot be rebuilt, because its data are damaged."""
