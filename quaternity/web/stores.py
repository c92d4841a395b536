"""Which store `--data` names: a folder with a file of SQLite, or a database of PostgreSQL."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from quaternity.base.errors import InputError
from quaternity.web.sqlite_file import (
    FileReader,
    FileStore,
    back_up_file,
    check_folder,
    restore_file,
)
from quaternity.web.store import Reader, Store

if TYPE_CHECKING:
    from quaternity.web.postgres import PostgresReader, PostgresStore

POSTGRES = ("postgresql", "postgres")
"""Schemes of addresses of PostgreSQL."""


def place_of(data: str | None) -> str:
    """Return what `--data` names, by default the environment's or the folder of the user.

    Raises:
        InputError: it names something else.
    """
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    place = data or os.environ.get("QUATERNITY_DATA") or str(Path(home) / "quaternity")
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", place)
    if scheme is not None and scheme[1] not in POSTGRES:
        # No more of it is shown: a password may follow.
        raise InputError(f"--data {scheme[0]}...: expected a folder or postgresql://...")
    return place


def opened_store(data: str | None, alone: bool = False) -> Store:
    """Return all tables for a server; raise InputError if they cannot be used.

    Raises `InUse` where another server has them, and they are of one alone.
    """
    place = place_of(data)
    return _postgres()[1](place, alone) if _is_database(place) else FileStore(place)


def is_shared(data: str | None) -> bool:
    """Return whether several servers may have the tables."""
    return _is_database(place_of(data))


def opened_reader(data: str | None) -> Reader:
    """Return all tables to look at beside a server; raise InputError if they cannot be read."""
    place = place_of(data)
    return _postgres()[0](place) if _is_database(place) else FileReader(place)


def check_store(data: str | None) -> None:
    """Raise InputError where a server could not keep its tables; write nothing."""
    place = place_of(data)
    if _is_database(place):
        _postgres()[0](place, for_server=True).close()
    else:
        check_folder(place)


def back_up(data: str | None, file: str) -> None:
    """Copy all tables as they are at one moment; a crash leaves the file as it was, or the new one.

    Raises:
        InputError: they cannot be read or are damaged, or the file cannot be written.
    """
    back_up_file(_folder(data, "pg_dump copies"), file)


def restore(data: str | None, file: str) -> Path | None:
    """Put a backup in the place of all tables; return where those before it are kept.

    Raises:
        InputError: a server has them, the backup is damaged, or the folder cannot be written.
    """
    return restore_file(_folder(data, "pg_restore fills"), file)


def _folder(data: str | None, program: str) -> str:
    place = place_of(data)
    if _is_database(place):
        raise InputError(f"--data: expected a folder; {program} a database of PostgreSQL")
    return place


def _is_database(place: str) -> bool:
    return "://" in place


def _postgres() -> tuple[type[PostgresReader], type[PostgresStore]]:
    try:
        from quaternity.web.postgres import PostgresReader, PostgresStore
    except ImportError as error:
        raise InputError(
            f"{error.name} is not installed; PostgreSQL needs: pip install '.[postgres]'"
        ) from None
    return PostgresReader, PostgresStore
