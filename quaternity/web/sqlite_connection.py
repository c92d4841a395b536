"""Functions that open, lock, check and update the SQLite file with all game tables.

A server locks the folder of its file, so that no other server uses the same tables.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from time import sleep

from quaternity.base.errors import InputError
from quaternity.base.writing import try_lock
from quaternity.web.migrations import MIGRATIONS
from quaternity.web.reader import InUse

FILE = "tables.sqlite"
"""Name of the SQLite file that contains the game tables of a folder."""

LOCK_TRIES, LOCK_PAUSE = 20, 0.05
"""Number of attempts to lock a file, and the pause after each failed attempt, in seconds."""

DAMAGE_ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError)
"""Exceptions that a damaged file causes. A text that is not UTF-8 causes a UnicodeDecodeError."""

ADVICE = (
    "; replace it by a backup (quaternity tables restore); without a backup, the command "
    ".recover of SQLite may rescue a part"
)
"""Advice to the operator at the end of an error message about a damaged file."""


@contextmanager
def raising_input_errors(path: Path, advice: str = ADVICE) -> Iterator[None]:
    """Raise `InputError` if an error about a file or its folder occurs in the `with` block.

    `advice` is appended to the message if the file is damaged.
    """
    try:
        yield
    except OSError as error:
        raise InputError(f"{path.parent}: {error.strerror}") from error
    except sqlite3.OperationalError as error:
        raise InputError(f"{path}: {error}") from error
    except DAMAGE_ERRORS as error:
        raise InputError(f"{path}: is damaged ({error}){advice}") from error


def lock_folder(path: Path, opened: ExitStack) -> None:
    """Lock an SQLite file and its folder until `opened` is closed. Make the folder if necessary.

    The file is locked as well, because other folders may have links to it. If a lock is not free,
    retry for a second, because the server that holds it may be ending.

    Raises:
        InUse: If another server uses the folder or the file.
        OSError: If the folder or the file cannot be opened.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    opened.callback(os.close, lock)
    give_owner(lock, path)
    handles = [lock]
    if path.exists():
        # Keep this handle open until SQLite closes the file, because closing the handle would
        # release SQLite's locks.
        handles.append(os.open(path, os.O_RDWR))
        opened.callback(os.close, handles[1])
    tries = iter(range(LOCK_TRIES * len(handles)))
    for handle in handles:
        while try_lock(handle) is False:
            if next(tries, None) is None:
                raise InUse(f"{path.parent}: another server is using the tables of this folder")
            sleep(LOCK_PAUSE)


def give_owner(made: int | Path, path: Path) -> None:
    """Give a new file the same owner as the folder of `path`, if the system permits it.

    `made` is the path or descriptor of the new file. If root runs a command on the folder, the
    server can then still use the file.
    """
    owner = path.parent.stat()
    with suppress(OSError):  # only root may change the owner
        os.chown(made, owner.st_uid, owner.st_gid)


def connect(path: Path, opened: ExitStack) -> sqlite3.Connection:
    """Return a connection to an SQLite file for reading and writing.

    The connection is closed when `opened` is closed.
    """
    database = sqlite3.connect(path, 1.0, isolation_level=None, check_same_thread=False)
    opened.callback(database.close)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA cache_size = -8000")
    return database


def connect_for_reading(path: Path, opened: ExitStack) -> sqlite3.Connection:
    """Return a connection to the SQLite file with all game tables, for reading.

    The connection is closed when `opened` is closed.

    Raises:
        InputError: If there is no such file, or its newest moves cannot be read.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")
    real = path.resolve()
    # Open the file for writing if possible. The last process that closes it can then remove the
    # files that SQLite keeps beside it.
    mode = "rw"
    if not (os.access(real, os.W_OK) and os.access(real.parent, os.W_OK)):
        recent = real.with_name(f"{real.name}-wal")
        if recent.exists() and recent.stat().st_size:
            raise InputError(
                f"{path}: the newest moves are in {recent.name}, which cannot be read without "
                "write permission; copy both files to a folder in which you may write"
            )
        mode = "ro&immutable=1"
    place = f"{real.as_uri()}?mode={mode}"
    database = sqlite3.connect(place, uri=True, isolation_level=None)
    opened.callback(database.close)
    database.execute("PRAGMA query_only = ON")
    return database


def check_database(database: sqlite3.Connection) -> None:
    """Check that an SQLite file and the time stored in it are not damaged.

    Raises:
        sqlite3.DatabaseError: If the file is damaged.
    """
    (fault,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if fault != "ok":
        raise sqlite3.DatabaseError(" ".join(fault.split()))
    if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'uptime'").fetchone():
        return  # a file of an older version, which stores no uptime
    bad = "typeof(seconds) NOT IN ('real', 'integer') OR NOT seconds BETWEEN 0 AND 1e12"
    if database.execute(f"SELECT 1 FROM uptime WHERE {bad}").fetchone():
        raise sqlite3.DatabaseError("uptime: not a valid number of seconds")


def stored_version(database: sqlite3.Connection, path: Path) -> int:
    """Return the version of the SQL tables in a file, or 0 if the file is empty.

    The version is the number of `MIGRATIONS` that have been applied to the file.

    Raises:
        InputError: If another program, a newer version or an unreleased version wrote the file.
    """
    version: int
    (version,) = database.execute("PRAGMA user_version").fetchone()
    schema = {*database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")}
    names = {name for name, _ in schema}
    # Require two of the names, because another program may use one of them by coincidence.
    if names and len(names & {"tables", "seats", "log"}) < 2:
        raise InputError(
            f"{path}: another program wrote this file: it contains no tables of this program"
        )
    if version > len(MIGRATIONS):
        raise InputError(
            f"{path}: was written by a newer version of this program "
            f"(its tables have version {version}; this program knows up to {len(MIGRATIONS)})"
        )
    with closing(sqlite3.connect(":memory:")) as made:
        migrate(made, 0, version)
        expected = made.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        differing = sorted({name for name, _ in {*expected} - schema})
    if differing or (version < 1 and names):
        raise InputError(
            f"{path}: its structure is not that of version {version} "
            f"({', '.join(differing or sorted(names))}): an unreleased version of this program "
            "wrote it, or it was changed by hand; export its tables with the version that wrote it"
        )
    return version


def migrate(database: sqlite3.Connection, version: int, end: int = len(MIGRATIONS)) -> None:
    """Update the SQL tables of a file from one version to a later version (see `MIGRATIONS`)."""
    for number in range(version, end):
        # Run each script as one transaction, so that a crash leaves the old version.
        database.executescript(
            f"BEGIN; {MIGRATIONS[number]}; PRAGMA user_version = {number + 1}; COMMIT;"
        )
