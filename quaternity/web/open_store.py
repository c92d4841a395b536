"""Functions that open, check, back up and restore the database with a server's game tables.

The option `--data` names the database: the folder of an SQLite file, or the URL of a PostgreSQL
database. Only an SQLite file can be backed up and restored here.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from quaternity.base.errors import InputError
from quaternity.base.extras import needs_extra
from quaternity.web.reader import Reader
from quaternity.web.sqlite_backup import back_up_file, restore_file
from quaternity.web.sqlite_file import FileReader, FileStore, check_folder
from quaternity.web.store import Store

if TYPE_CHECKING:
    from quaternity.web.postgres import PostgresStore
    from quaternity.web.postgres_reader import PostgresReader

POSTGRES = ("postgresql", "postgres")
"""URL schemes that stand for a PostgreSQL database."""


def place_of(data: str | None) -> str:
    """Return the folder of the SQLite file, or the URL of the PostgreSQL database.

    `data` is the value of the option `--data`. If it is None, the environment variable
    `QUATERNITY_DATA` is used, or else the user's data folder.

    Raises:
        InputError: If `data` is a URL, but not a URL of PostgreSQL.
    """
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    place = data or os.environ.get("QUATERNITY_DATA") or str(Path(home) / "quaternity")
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", place)
    if scheme is not None and scheme[1] not in POSTGRES:
        # Show only the scheme of the URL, because the rest may contain a password.
        raise InputError(f"--data {scheme[0]}...: must be a folder or postgresql://...")
    return place


def open_store(data: str | None, alone: bool = False) -> Store:
    """Open the database or the file with all game tables, for use by a server.

    Args:
        data: The value of `--data`, or None for the default (see `place_of`).
        alone: Whether to refuse a PostgreSQL database that another server uses.

    Raises:
        InUse: If another server uses the database, and the two servers cannot share it.
        InputError: If the database cannot be used.
    """
    place = place_of(data)
    return _postgres()[1](place, alone) if _is_database(place) else FileStore(place)


def is_shared(data: str | None) -> bool:
    """Return whether the option `--data` names a PostgreSQL database, which servers can share."""
    return _is_database(place_of(data))


def open_reader(data: str | None) -> Reader:
    """Open the database that `--data` names for reading. A server may use it at the same time.

    Raises:
        InputError: If the database cannot be read.
    """
    place = place_of(data)
    return _postgres()[0](place) if _is_database(place) else FileReader(place)


def check_store(data: str | None) -> None:
    """Raise InputError if a server could not use the database. The stored data do not change."""
    place = place_of(data)
    if _is_database(place):
        _postgres()[0](place, for_server=True).close()
    else:
        check_folder(place)


def back_up(data: str | None, file: str) -> None:
    """Copy a snapshot of all game tables to a file. An existing file is replaced atomically.

    Raises:
        InputError: If the data cannot be read or are damaged, or the file cannot be written.
    """
    back_up_file(_folder(data, "pg_dump to copy"), file)


def restore(data: str | None, file: str) -> Path | None:
    """Replace all game tables by a backup, and return the new path of the previous file.

    The path is None if there was no previous file.

    Raises:
        InputError: If a server uses the data, or a file is damaged or cannot be written.
    """
    return restore_file(_folder(data, "pg_restore to restore"), file)


def _folder(data: str | None, program: str) -> str:
    place = place_of(data)
    if _is_database(place):
        raise InputError(f"--data: must be a folder; use {program} a PostgreSQL database")
    return place


def _is_database(place: str) -> bool:
    return "://" in place


def _postgres() -> tuple[type[PostgresReader], type[PostgresStore]]:
    with needs_extra("PostgreSQL needs", "postgres"):
        from quaternity.web.postgres import PostgresStore
        from quaternity.web.postgres_reader import PostgresReader
    return PostgresReader, PostgresStore
