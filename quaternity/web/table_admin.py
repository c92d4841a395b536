"""Tools for stored tables: list them, export records, find damaged tables, delete old tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints

from quaternity.base.errors import InputError
from quaternity.table.games import rules_of_record
from quaternity.table.history import History
from quaternity.web.clock import DAY
from quaternity.web.seats import OPEN, PERSON, PROGRAM, Seat, StoredTable
from quaternity.web.store import Entry, Reader, Statement, Store
from quaternity.web.versioned_history import VersionedHistory, has_random_start

KEPT_COLUMNS = ", ".join(StoredTable._fields)
"""Columns of the SQL table `tables` that are fields of `StoredTable`, separated by commas."""

TABLE_PARTS = ("seats", "log", "marks", "talk", "moving", "removing", "present")
"""Names of the SQL tables, other than `tables`, whose rows belong to a stored table."""

EARLIEST_TIME = datetime(2025, 1, 1, tzinfo=UTC).timestamp()
"""Earliest time that is credible for a table, in seconds since 1970. A machine whose clock was not
set reports an earlier time."""

ORDERS = ("touched", "made", "moves", "game")
"""Allowed orders of a list of tables. Numbers and times are sorted in descending order."""


def last_activity(made: str, at: int) -> float:
    """Return the time of the last activity at a table, in seconds since 1970.

    It is `made` or the time `at` of the last log entry, whichever is later. If this time is not
    credible, return the current time, so that the table is not deleted by mistake.
    """
    try:
        last = max(datetime.fromisoformat(f"{made}+00:00").timestamp(), at)
        if last < EARLIEST_TIME:
            raise ValueError("the clock of the machine was not set")
        return datetime.fromtimestamp(last, UTC).timestamp()
    except (TypeError, ValueError, OverflowError, OSError):
        return datetime.now(UTC).timestamp()


class TableSummary(NamedTuple):
    """A summary of a stored table, without its game.

    Attributes:
        made: Time at which the table was made, as the store writes it (UTC).
        at: Time of the last entry of the log, in seconds since 1970, or 0 if the log is empty.
        moves: Number of entries of the log, which are moves and take-backs.
    """

    id: str
    game: str
    made: str
    at: int
    moves: int
    over: bool
    archive: bool
    waiting: str | None
    evening: str | None
    again: str | None
    due: float | None
    people: int
    programs: int
    open: int

    @property
    def first(self) -> str:
        """The id of the first table of its series, which may no longer exist."""
        return self.evening or self.id

    @property
    def touched(self) -> float:
        """The time of the last activity at the table, in seconds since 1970."""
        return last_activity(self.made, self.at)

    @property
    def state(self) -> str:
        """The state of the game: "uploaded", "waiting", "under way" or "over"."""
        if self.archive:
            return "uploaded"
        waits = "under way" if self.waiting is None else "waiting"
        return "over" if self.over else waits


class Retention(NamedTuple):
    """The numbers of days without activity after which finished and unfinished tables are deleted.

    With None, the tables are kept for ever.
    """

    finished: int | None = None
    unfinished: int | None = None

    @property
    def max_clock_jump(self) -> float:
        """Maximum jump of the clock with which tables are still deleted, in seconds."""
        return min((7.0, *(days / 2 for days in self if days))) * DAY

    def is_expired(self, table: TableSummary, now: float) -> bool:
        """Return whether a table is old enough to be deleted.

        A table whose clock is running never expires.
        """
        days = self.finished if table.over or table.archive else self.unfinished
        return days is not None and table.due is None and now - table.touched > days * DAY


def clock_jump(store: Store) -> tuple[float, float]:
    """Return the current time, and the seconds by which the clock seems to have jumped.

    The jump is the difference between the advance of the clock and the advance of the uptime, since
    the clock was last credible. If this was never stored, the jump is measured from the newest
    table or log entry.
    """
    now, up = store.now(), store.uptime()
    ((clock,),) = store.read("SELECT MAX(clock) FROM uptime")
    if not isinstance(clock, int | float):
        newest = "SELECT MAX(made), COALESCE((SELECT MAX(at) FROM log), 0) FROM tables"
        ((made, at),) = store.read(newest)
        return now, 0.0 if made is None else now - last_activity(made, at)
    return now, now - up - clock


def list_tables(store: Reader, which: str = "", *values: Any) -> list[TableSummary]:
    """Return the summaries of all tables, or of the tables that an SQL clause selects."""
    last = "(SELECT {} FROM log WHERE table_id = tables.id ORDER BY version DESC LIMIT 1)"
    count = "(SELECT COUNT(*) FROM seats WHERE table_id = tables.id AND kind = '{}')"
    counts = ", ".join(count.format(kind) for kind in (PERSON, PROGRAM, OPEN))
    query = (
        f"SELECT id, game, made, COALESCE({last.format('at')}, 0), "
        f"COALESCE({last.format('version')}, 0), over, archive, waiting, evening, again, due, "
        f"{counts} FROM tables {which}"
    )
    return [TableSummary(*row) for row in store.read(query, *values)]


def list_seats(store: Reader, name: str) -> list[dict[str, Any]]:
    """Return the kinds of a table's seats and the names of their players."""
    query = "SELECT seat, kind, COALESCE(person, name) FROM seats WHERE table_id = ? ORDER BY seat"
    rows = store.read(query, name)
    return [{"seat": seat, "kind": kind, "name": person} for seat, kind, person in rows]


def sort_tables(tables: Sequence[TableSummary], order: str) -> list[TableSummary]:
    """Return tables sorted by one of `ORDERS`."""
    if order not in ORDERS:
        raise InputError(f"--order {order!r}: unknown order; choose from {', '.join(ORDERS)}")
    return sorted(tables, key=lambda table: getattr(table, order), reverse=order != "game")


def read_table(store: Reader, name: str) -> StoredTable | None:
    """Return the stored row of a table, or None if there is no such table."""
    rows = store.read(f"SELECT {KEPT_COLUMNS} FROM tables WHERE id = ?", name)
    return StoredTable(*rows[0]) if rows else None


def removal_statements(names: Sequence[str]) -> list[Statement]:
    """Return the statements that delete tables with all their rows and the requests to do so."""
    # Delete from `tables` first, because this waits for a server that is writing a table.
    parts = {"tables": "id"} | dict.fromkeys(TABLE_PARTS, "table_id")
    which = f"IN ({', '.join('?' for _ in names)})"
    texts = [f"DELETE FROM {kind} WHERE {column} {which}" for kind, column in parts.items()]
    texts.append(f"UPDATE tables SET again = NULL WHERE again {which}")
    return [(text, names) for text in texts]


class TableRows(NamedTuple):
    """A consistent snapshot of a stored table, with the log entries after a given version.

    `agreed` contains the pending votes as JSON: the seats that agree to take moves back, and for
    each absent player the seats that agree to give the seat away.
    """

    kept: StoredTable
    revision: int
    due: float | None
    agreed: str | None
    seats: list[Seat]
    log: list[Entry]


def read_rows(store: Reader, name: str, version: int = 0) -> TableRows | None:
    """Return a snapshot of a stored table, or None if there is no such table."""
    columns = ", ".join(Seat._fields)
    with store.at_one_moment():
        query = f"SELECT revision, due, agreed, {KEPT_COLUMNS} FROM tables WHERE id = ?"
        rows = store.read(query, name)
        query = f"SELECT {columns} FROM seats WHERE table_id = ? ORDER BY seat"
        seats = store.read(query, name)
        log = store.read(
            "SELECT table_id, version, seat, id, move FROM log WHERE table_id = ? AND version > ? "
            "ORDER BY version",
            name,
            version,
        )
    if not rows:
        return None
    (revision, due, agreed, *kept), *_ = rows
    return TableRows(
        StoredTable(*kept), revision, due, agreed, [Seat(*row) for row in seats],
        [Entry(*entry) for entry in log],
    )  # fmt: skip


@cache
def _field_types(row: type) -> tuple[tuple[type, ...], ...]:
    """Return the allowed types of each field of a row.

    Integers are also allowed for truth values, which SQLite stores as numbers.
    """
    hints = [get_args(hint) or (hint,) for hint in get_type_hints(row).values()]
    return tuple((*kinds, int) if {bool, float} & {*kinds} else kinds for kinds in hints)


def _check_types(row: tuple[Any, ...]) -> None:
    """Raise `InputError` if a value has a type that is not allowed for its field."""
    for name, value, kinds in zip(row._fields, row, _field_types(type(row)), strict=True):  # type: ignore[attr-defined]
        if not isinstance(value, kinds):
            raise InputError(f"{name} has the wrong type")


def rebuild(table: TableRows) -> VersionedHistory:
    """Rebuild the game of a stored table from its log.

    Raises any exception if the table is damaged.
    """
    for row in (table.kept, *table.seats, *table.log):
        _check_types(row)
    revision, due, agreed = table.revision, table.due, table.agreed
    if not (isinstance(revision, int) and isinstance(due, int | float | None)
            and isinstance(agreed, str | None)):  # fmt: skip
        raise InputError("a value has the wrong type")
    head = table.kept.head.encode()
    rules = rules_of_record(head)
    start = rules.replay(head).positions[0]
    course = VersionedHistory(rules, start, table.log)
    versions = [entry.version for entry in table.log]
    if (
        [len(table.seats), *versions] != [rules.seats, *range(1, len(versions) + 1)]
        or not {seat.kind for seat in table.seats} <= {OPEN, PERSON, PROGRAM}
        or table.kept.game != rules.name
    ):  # fmt: skip
        raise InputError("seats or moves are missing")
    return course


def whole_record(
    seats: Sequence[Seat], rules: Any, start: Any, moves: Sequence[tuple[int, Any]]
) -> str:
    """Return the complete record of a game, including all hidden cards.

    The record calls people `you`.
    """
    names = [str(seat.name) if seat.kind == PROGRAM else "you" for seat in seats]
    return History(rules, start, moves).record(names)


def export_record(reader: Reader, name: str, hidden: bool) -> str:
    """Return the record of a table.

    Args:
        hidden: Whether to export a game under way even if its record shows hidden cards.

    Raises:
        InputError: If there is no such table, it cannot be read, its game has not begun, or its
            record would show hidden cards of a game under way.
    """
    try:
        table = read_rows(reader, name)
        course = None if table is None else rebuild(table)
    # A damaged table may raise any exception.
    except Exception as error:
        # Show only the type of the error, because its text may reveal a player's hand.
        raise DamagedTable(f"{name}: cannot be rebuilt ({type(error).__name__})") from None
    if table is None or course is None:
        raise InputError(f"{name}: there is no such table")
    kept = table.kept
    if kept.waiting is not None:
        raise InputError(f"{name}: there is no record, because the game has not begun")
    over = kept.archive or not course.rules.to_act(course.position)
    if has_random_start(course.rules) and not over and not hidden:
        raise InputError(
            f"{name}: the game is under way, and its record would show hidden cards; "
            "use --hidden to export it anyway"
        )
    return whole_record(table.seats, course.rules, course.start, course.moves)


class DamagedTable(InputError):
    """Error for a damaged table, whose game cannot be rebuilt."""
