"""`tables`: list, export, check, back up and delete the tables that a server has stored."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.base.text_format import with_noun
from quaternity.base.text_table import table_lines
from quaternity.base.writing import write_text
from quaternity.cli.app import app
from quaternity.cli.help_pages import HelpGroup
from quaternity.cli.options import AsJson
from quaternity.cli.serve import Data
from quaternity.cli.status import ExitStatus, ExitWithStatus
from quaternity.cli.terminal import progress, say, warn, width
from quaternity.web.http_errors import HttpError
from quaternity.web.open_store import back_up, open_reader, open_store, restore
from quaternity.web.reader import DamagedFile, InUse, Reader
from quaternity.web.table_admin import (
    ORDERS,
    DamagedTable,
    TableSummary,
    export_record,
    list_seats,
    list_tables,
    removal_statements,
    sort_tables,
)
from quaternity.web.table_rows import read_table

tables = typer.Typer(cls=HelpGroup, no_args_is_help=True, rich_markup_mode=None)
app.add_typer(tables, name="tables")

HEAD = ("id", "game", "made", "touched", "people", "programs", "open", "moves", "state")
"""Names of the columns in the printed list of tables."""

# An ID may begin with one hyphen, but every option begins with two.
_IDS = {"ignore_unknown_options": True}

Name = Annotated[str, typer.Argument(metavar="ID", help="ID of a table, as shown by `list`.")]
Names = Annotated[
    list[str] | None, typer.Argument(metavar="ID", help="IDs of tables, as shown by `list`.")
]


@tables.callback()
def group() -> None:
    """Manage the tables of a server: list, export, back up.

    All commands except `restore` work while the server runs, without disturbing it. Keep the IDs
    of tables secret: anybody who has one can watch the game.
    """


@contextmanager
def _reader(data: str | None) -> Iterator[Reader]:
    reader = open_reader(data)
    try:
        yield reader
    finally:
        reader.close()


def _cells(table: TableSummary) -> list[str]:
    numbers = map(str, (*table.seats, table.activity.moves))
    return [table.id, table.game, table.made, table.touched_at, *numbers, table.state]


@tables.command(name="list")
def listing(
    data: Data = None,
    order: Annotated[
        str, typer.Option(metavar="COLUMN", help=f"Column to sort by: {', '.join(ORDERS)}.")
    ] = "touched",
    limit: Annotated[
        int, typer.Option(metavar="N", min=0, help="Maximum number of tables; 0 lists all.")
    ] = 50,
    as_json: AsJson = False,
) -> None:
    """List the tables, most recently changed first.

    Each line has the game, the times (UTC) at which the table was made and last changed (touched),
    and the numbers of people, programs, open seats and moves. The state says whether the game has
    not started, is under way, is over, or was uploaded.

    Example: quaternity tables list --data tables --order moves --limit 10
    """
    with _reader(data) as reader:
        every = sort_tables(list_tables(reader), order)
    listed = every[: limit or None]
    if as_json:
        rows = [table.document() for table in listed]
        print(json.dumps({"tables": rows, "kept": len(every)}))
        return
    print("\n".join(table_lines(HEAD, list(map(_cells, listed)), width(), 1, "<<<<>>>><")))
    if len(listed) < len(every):
        say(f"{len(listed)} of {with_noun(len(every), 'table')}; --limit 0 lists all")


@tables.command(context_settings=_IDS)
def show(name: Name, data: Data = None, as_json: AsJson = False) -> None:
    """Show a table and its players, without the hidden cards and the invitation.

    Example: quaternity tables show AVPf5L9ZTLWJ8vSwvzq5Mw --data tables
    """
    with _reader(data) as reader, reader.at_one_moment():
        table = next(iter(list_tables(reader, "WHERE id = ?", name)), None)
        seats = list_seats(reader, name)
    if table is None:
        raise InputError(f"{name}: there is no such table; `quaternity tables list` shows the IDs")
    series = {"evening": table.evening, "again": table.again}
    if as_json:
        more = series | {"seats": [seat._asdict() for seat in seats]}
        print(json.dumps(table.document() | more))
        return
    for key, value in (*zip(HEAD, _cells(table), strict=True), *series.items()):
        if value is not None:
            say(f"{key}: {value}")
    for seat in seats:
        say(f"seat {seat.seat}: {' '.join(filter(None, (seat.kind, seat.name)))}")


@tables.command(context_settings=_IDS)
def export(
    names: Names = None,
    data: Data = None,
    every: Annotated[
        bool, typer.Option("--all", help="Export all tables that have a record.")
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Write each record to ID.record in this folder.  [default: standard output]",
        ),
    ] = None,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Include unfinished games, with hidden hands and deck.")
    ] = False,
) -> None:
    """Export tables as records, which `watch` and `review` read.

    Without --hidden, an unfinished game with hidden cards is refused, because players could cheat
    with its record. With --all, such games are left out.

    Example: quaternity tables export --all --out records --data tables
    """
    if every == bool(names) or (out is None and (every or len(names or ()) > 1)):
        raise InputError("expected one ID; several IDs or --all need --out FOLDER")
    with _reader(data) as reader, ExitWithStatus() as leaving:
        if out is not None:
            Path(out).mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in names or [table.id for table in list_tables(reader)]:
            try:
                record = export_record(reader, name, hidden)
            except InputError as error:
                if not every:
                    raise
                warn(f"not exported: {error}")
                if isinstance(error, DamagedTable):
                    leaving.status = ExitStatus.IMPOSSIBLE
                continue
            if out is None:
                print(record, end="")
            else:
                write_text(Path(out) / f"{name}.record", record, private=True)


@tables.command()
def backup(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Backup file, replaced in one step if it exists.")
    ],
    data: Data = None,
) -> None:
    """Copy a snapshot of all tables to a file, and check the copy.

    The file contains hands, so other users of this machine cannot read it.

    Example: quaternity tables backup /backups/tables.sqlite --data tables
    """
    back_up(data, file)


@tables.command(context_settings=_IDS)
def delete(
    names: Annotated[
        list[str], typer.Argument(metavar="ID", help="IDs of tables, as shown by `list`.")
    ],
    data: Data = None,
) -> None:
    """Delete tables and all their data permanently.

    A running server deletes them within half a minute; their players see that the table is gone.

    Example: quaternity tables delete AVPf5L9ZTLWJ8vSwvzq5Mw --data tables
    """
    amount = with_noun(len(names), "table")
    with _reader(data) as reader:
        for name in names:
            if read_table(reader, name) is None:
                raise InputError(
                    f"{name}: there is no such table; `quaternity tables list` shows the IDs"
                )
    try:
        with closing(open_store(data, alone=True)) as store:
            asyncio.run(store.write((), removal_statements(names)))
        say(f"{amount} removed")
    except InUse:
        with _reader(data) as reader:
            reader.order_removal(names)
        say(f"the server removes {amount} within half a minute")


@tables.command(name="confirm-clock")
def confirm_clock(data: Data = None) -> None:
    """Confirm that the clock is right, after a server has refused to remove old tables.

    A running server resumes the removal within half a minute.

    Example: quaternity tables confirm-clock --data tables
    """
    with _reader(data) as reader:
        now = datetime.fromtimestamp(reader.confirm_clock(), UTC)
    say(f"the time {now:%Y-%m-%d %H:%M} UTC is confirmed")


@tables.command(name="restore")
def put_back(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Backup file, which is checked first.")
    ],
    data: Data = None,
) -> None:
    """Replace all tables by a backup. No server may be running. The replaced tables are kept.

    Example: quaternity tables restore /backups/tables.sqlite --data tables
    """
    before = restore(data, file)
    say("restored" if before is None else f"restored; the replaced tables are in {before}")


@tables.command()
def check(data: Data = None, as_json: AsJson = False) -> None:
    """Check all stored data, and rebuild every table from its moves.

    The exit status is 1 if a fault is found.

    Example: quaternity tables check --data tables
    """
    with _reader(data) as reader, ExitWithStatus() as leaving:
        faults = reader.faults()
        try:
            names = [table.id for table in list_tables(reader)]
        except (HttpError, DamagedFile):
            names = []  # The faults already include the reason.
        with progress("tables", len(names)) as bar:
            for name in names:
                try:
                    export_record(reader, name, True)
                except DamagedTable as error:
                    faults.append(str(error))
                except InputError:
                    pass  # The game has not started, or the table was removed meanwhile.
                bar.advance()
        leaving.status = ExitStatus.IMPOSSIBLE if faults else ExitStatus.DONE
        if as_json:
            print(json.dumps({"tables": len(names), "faults": faults}))
            return
        for fault in faults:
            say(fault)
        say(f"{with_noun(len(names), 'table')}, {with_noun(len(faults), 'fault')}")
