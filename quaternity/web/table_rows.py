"""The database rows of a game table: read them, and make the SQL statements that write them.

A command changes a table by events (see `core`). This module contains the statements that store
each kind of event.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints

from quaternity.base.errors import InputError
from quaternity.table.games import rules_of_record
from quaternity.web.changes import Entry, Statement
from quaternity.web.clock import stored_clock
from quaternity.web.core import (
    ClockSet,
    Event,
    GameBegun,
    GameEnded,
    MoveMade,
    MovesTakenBack,
    OwnerChanged,
    RematchMade,
    SeatsChanged,
    SeatsNoted,
    TableState,
    Votes,
    VotesChanged,
)
from quaternity.web.reader import Reader
from quaternity.web.seats import (
    OPEN,
    PERSON,
    PROGRAM,
    Deal,
    Options,
    Owner,
    Pace,
    Seat,
    StoredTable,
)
from quaternity.web.versioned_history import VersionedHistory

TABLE_COLUMNS = (
    "id, game, head, seed, waiting, help, practice, archive, deck, chat, clock, maker, again, "
    "evening, invitation"
)
"""Columns of the SQL table `tables`, in the order of the values of a `StoredTable`."""

SEAT_COLUMNS = "kind, name, person, token, browser, code, invitation, ready, saved, missed, origin"
"""Columns of the SQL table `seats`, in the order of the values of a `Seat`."""


def table_of_row(row: Sequence[Any]) -> StoredTable:
    """Return the `StoredTable` that a row of the columns `TABLE_COLUMNS` describes."""
    name, game, *values, maker, again, evening, invitation = row
    deal, options = Deal(*values[:3]), Options(*values[3:])
    return StoredTable(name, game, deal, options, maker, again, evening, invitation)


def seat_of_row(row: Sequence[Any]) -> Seat:
    """Return the seat that a row of the columns `SEAT_COLUMNS` describes."""
    kind, name, person, *owner, invitation, ready, saved, missed, origin = row
    pace = Pace(saved, missed)
    return Seat(kind, name, person, Owner(*owner), invitation, ready, pace, origin)


class TableRows(NamedTuple):
    """The database rows of a stored game table, all read at the same moment.

    Attributes:
        stored: The row of the SQL table `tables`.
        revision: Number of changes to the table so far.
        due: Time at which the clock of the player to move runs out, measured in seconds by
            `Store.uptime`. None if no clock is running.
        agreed: The votes as JSON: the seats that agree to take moves back, and the seats that agree
            to give away each absent player's seat. None if there are no votes.
        seats: The seats of the table.
        log: The log entries, in order. Entries up to the version given to `read_rows` are left out.
    """

    stored: StoredTable
    revision: int
    due: float | None
    agreed: str | None
    seats: tuple[Seat, ...]
    log: list[Entry]

    def state(self, history: VersionedHistory) -> TableState:
        """Return the state of the table. `history` is the game that was rebuilt from its log."""
        undo, takeovers = json.loads(self.agreed) if self.agreed else ((), {})
        votes = Votes(
            frozenset(undo), {int(seat): frozenset(voters) for seat, voters in takeovers.items()}
        )
        return TableState(self.stored, self.seats, history, self.revision, votes, self.due)


def read_table(store: Reader, name: str) -> StoredTable | None:
    """Return the stored game table with the given id. Return None if there is no such table."""
    rows = store.read(f"SELECT {TABLE_COLUMNS} FROM tables WHERE id = ?", name)
    return table_of_row(rows[0]) if rows else None


def read_rows(store: Reader, name: str, version: int = 0) -> TableRows | None:
    """Return the database rows of a stored game table. Return None if there is no such table.

    They include the log entries after `version`. By default, they include all log entries.
    """
    with store.at_one_moment():
        query = f"SELECT revision, due, agreed, {TABLE_COLUMNS} FROM tables WHERE id = ?"
        rows = store.read(query, name)
        query = f"SELECT {SEAT_COLUMNS} FROM seats WHERE table_id = ? ORDER BY seat"
        seats = store.read(query, name)
        log = store.read(
            "SELECT table_id, version, seat, id, move FROM log WHERE table_id = ? AND version > ? "
            "ORDER BY version",
            name,
            version,
        )
    if not rows:
        return None
    (revision, due, agreed, *stored), *_ = rows
    return TableRows(
        table_of_row(stored), revision, due, agreed, tuple(map(seat_of_row, seats)),
        [Entry(*entry) for entry in log],
    )  # fmt: skip


@cache
def _field_types(row: type) -> tuple[tuple[type, ...], ...]:
    """Return the types of stored values that each field of a class accepts.

    SQLite stores truth values as integers.
    """
    hints = [get_args(hint) or (hint,) for hint in get_type_hints(row).values()]
    return tuple((*kinds, int) if {bool, float} & {*kinds} else kinds for kinds in hints)


def _check_types(row: tuple[Any, ...]) -> None:
    for name, value, kinds in zip(row._fields, row, _field_types(type(row)), strict=True):  # type: ignore[attr-defined]
        if not isinstance(value, kinds):
            raise InputError(f"{name} has the wrong type")
        if isinstance(value, tuple):
            _check_types(value)


def rebuild(table: TableRows) -> VersionedHistory:
    """Replay the complete log of a stored game table, and return the game.

    If the table is damaged, any exception may be raised.
    """
    for row in (table.stored, *table.seats, *table.log):
        _check_types(row)
    revision, due, agreed = table.revision, table.due, table.agreed
    if not (isinstance(revision, int) and isinstance(due, int | float | None)
            and isinstance(agreed, str | None)):  # fmt: skip
        raise InputError("a value has the wrong type")
    stored_clock(table.stored.options.clock)
    head = table.stored.deal.head.encode()
    rules = rules_of_record(head)
    history = VersionedHistory.begin(rules, rules.replay(head).positions[0], table.log)
    versions = [entry.version for entry in table.log]
    if (
        [len(table.seats), *versions] != [rules.seats, *range(1, len(versions) + 1)]
        or not {seat.kind for seat in table.seats} <= {OPEN, PERSON, PROGRAM}
        or table.stored.game != rules.name
    ):
        raise InputError("seats or moves are missing")
    return history


# ---------------------------------------------------------------------- writing


_SEAT_NAMES = SEAT_COLUMNS.split(", ")

_STORE_SEAT = (
    f"INSERT INTO seats (table_id, seat, {SEAT_COLUMNS}) "
    f"VALUES ({', '.join('?' * (len(_SEAT_NAMES) + 2))}) ON CONFLICT (table_id, seat) "
    f"DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _SEAT_NAMES)}"
)


def seat_statement(table: str, number: int, seat: Seat) -> Statement:
    """Return the SQL statement that stores a seat of a table, or replaces the stored seat."""
    return _STORE_SEAT, (table, number, *seat[:3], *seat.owner, *seat[4:6], *seat.pace, seat.origin)


def new_table_statements(state: TableState) -> list[Statement]:
    """Return the SQL statements that store a new table and its seats, but not its log."""
    stored = state.stored
    row = (*stored[:2], *stored.deal, *stored.options, *stored[4:], state.due)
    places = ", ".join("?" for _ in row)
    table = f"INSERT INTO tables ({TABLE_COLUMNS}, due) VALUES ({places})"
    seats = [seat_statement(stored.id, number, seat) for number, seat in enumerate(state.seats)]
    return [(table, row), *seats]


def event_statements(state: TableState, event: Event) -> list[Statement]:
    """Return the SQL statements that store what an event changes, except its log entry.

    `state` is the state of the table before the event.
    """
    name = state.id
    match event:
        case MoveMade() | MovesTakenBack():
            return _end_of_votes(state)
        case GameEnded(places):
            text = None if places is None else json.dumps(places)
            update = "UPDATE tables SET over = ?, places = ? WHERE id = ?"
            return [(update, (places is not None, text, name))]
        case VotesChanged((undo, takeovers)):
            voters = {seat: sorted(agreed) for seat, agreed in takeovers.items()}
            agreed = json.dumps([sorted(undo), voters])
            return [("UPDATE tables SET agreed = ? WHERE id = ?", (agreed, name))]
        case SeatsChanged(seats):
            changed = [seat_statement(name, number, seat) for number, seat in seats.items()]
            return changed + _end_of_votes(state)
        case SeatsNoted(seats):
            return [seat_statement(name, number, seat) for number, seat in seats.items()]
        case ClockSet(due):
            return [("UPDATE tables SET due = ? WHERE id = ?", (due, name))]
        case GameBegun(head=head, seats=players):
            return [
                ("UPDATE tables SET head = ?, waiting = NULL WHERE id = ?", (head, name)),
                ("DELETE FROM seats WHERE table_id = ?", (name,)),
                *(seat_statement(name, number, seat) for number, seat in enumerate(players)),
            ]
        case RematchMade(table):
            update = "UPDATE tables SET again = ? WHERE id = ?"
            return [*new_table_statements(table), (update, (table.id, name))]
        case OwnerChanged(before, after, link):
            used = ("DELETE FROM moving WHERE link = ?", (link,))
            return [*_series_statements(state, before, after), *([used] if link else [])]
    return []


def _series_statements(state: TableState, before: Owner, after: Owner) -> list[Statement]:
    """Return SQL statements that change an owner's token and code at other tables of a series.

    They also increase the revisions (numbers of changes) of these tables, so that no server
    overwrites the seats from an older state.
    """
    first = state.stored.evening or state.id
    series = "SELECT id FROM tables WHERE (id = ? OR evening = ?) AND id != ?"
    values = before.token, first, first, state.id
    return [
        (
            "UPDATE tables SET revision = revision + 1 WHERE id IN "
            f"(SELECT table_id FROM seats WHERE token = ? AND table_id IN ({series}))",
            values,
        ),
        (
            "UPDATE seats SET token = ?, browser = ?, code = ? "
            f"WHERE token = ? AND table_id IN ({series})",
            (*after, *values),
        ),
    ]


def _end_of_votes(state: TableState) -> list[Statement]:
    if not any(state.votes):
        return []
    return [("UPDATE tables SET agreed = NULL WHERE id = ?", (state.id,))]
