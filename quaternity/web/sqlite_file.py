"""Storage of game tables in an SQLite file, for a single server and for operator commands."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any

from quaternity.base.errors import InputError, QuaternityError
from quaternity.web.changes import VersionConflict
from quaternity.web.http_errors import NOT_SAVED, HttpError
from quaternity.web.migrations import MIGRATIONS
from quaternity.web.reader import DamagedFile, Reader
from quaternity.web.sqlite_connection import (
    ADVICE,
    DAMAGE_ERRORS,
    FILE,
    check_database,
    connect,
    connect_for_reading,
    lock_folder,
    migrate,
    raising_input_errors,
    stored_version,
)
from quaternity.web.store import Store
from quaternity.web.writer import Job

DISK_FULL_CODES = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
"""Error codes of SQLite for a write that failed, usually because the disk or the quota is full."""

_APPEND = """
    INSERT INTO log (table_id, version, seat, id, move, at)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
        json_extract(value, '$[3]'), json_extract(value, '$[4]'), strftime('%s', 'now')
    FROM json_each(?)
"""


_log = logging.getLogger("uvicorn.error")


def check_folder(folder: str) -> None:
    """Raise InputError if a server could not use a folder. The stored data do not change."""
    path = Path(folder) / FILE
    if path.exists():
        with ExitStack() as opened, raising_input_errors(path):
            if not os.access(path, os.W_OK):
                raise InputError(f"{path}: cannot be written")
            lock_folder(path, opened)
            database = connect_for_reading(path, opened)
            stored_version(database, path)
            check_database(database)
        return
    existing = next(folder for folder in path.parents if folder.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"{path.parent}: cannot be written")


class FileReader(Reader):
    """Access to the SQLite file with all game tables, which a server may use at the same time."""

    def __init__(self, folder: str) -> None:
        """Open the SQLite file of a folder for reading.

        Raises:
            InputError: If the file does not exist, is empty or cannot be read, or if another
                version of this program wrote it.
        """
        self.path = Path(folder) / FILE
        self.where = str(self.path)
        with ExitStack() as opened, raising_input_errors(self.path):
            self._reader = connect_for_reading(self.path, opened)
            version = stored_version(self._reader, self.path)
            if not version:
                raise InputError(f"{self.path}: is empty")
            if version < len(MIGRATIONS):
                raise InputError(
                    f"{self.path}: an older version of this program wrote it; start `quaternity "
                    "serve` once, which brings it up to date"
                )
            self._close = opened.pop_all().close
        self._reading = RLock()

    def read(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run an SQL query and return its rows. See `Reader.read`."""
        try:
            with self._reading:
                return self._reader.execute(query, values).fetchall()
        except DAMAGE_ERRORS as error:
            # Omit the end of the message, which quotes stored text that may be secret.
            fault = str(error).partition(" with text ")[0]
            _log.error("%s cannot be read: %s", self.path, fault)
            raise self.read_error(fault) from None

    def read_error(self, fault: str) -> QuaternityError:
        """Return the error for a read that failed because the file is damaged."""
        return DamagedFile(f"{self.path}: is damaged ({fault}){ADVICE}")

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Let all reads in a `with` block see the file as it is at the beginning."""
        with self._reading:
            if self._reader.in_transaction:
                yield
                return
            self._reader.execute("BEGIN")
            try:
                yield
            finally:
                self._reader.execute("ROLLBACK")

    def faults(self) -> list[str]:
        """Return a message about each fault of the stored data. See `Reader.faults`."""
        try:
            check_database(self._reader)
            orphans = self._reader.execute("PRAGMA foreign_key_check").fetchall()
        except DAMAGE_ERRORS as error:
            return [f"{self.path}: {error}"]
        kinds = sorted({kind for kind, *_ in orphans})
        return [
            f"{self.path}: the SQL table {kind} has rows of game tables that no longer exist"
            for kind in kinds
        ]

    def change(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute an SQL statement once for each row of values. See `Reader.change`.

        Raises:
            InputError: If the file cannot be written.
        """
        if not os.access(self.path.parent, os.W_OK):
            raise InputError(f"{self.path.parent}: cannot be written")
        with ExitStack() as opened, raising_input_errors(self.path):
            connect(self.path, opened).executemany(text, rows)

    def close(self) -> None:
        """Close the file."""
        self._close()


class FileStore(FileReader, Store):
    """Storage of all game tables in an SQLite file, which only one server at a time can use."""

    def __init__(self, folder: str) -> None:
        """Open the SQLite file of a folder, or create it, and bring its SQL tables up to date.

        Raises:
            InUse: If another server uses the folder.
            InputError: If the folder or the file cannot be used, the file is damaged, or a newer
                version of this program wrote it.
        """
        self.path = Path(folder) / FILE
        self.where = str(self.path)
        self._beside = Path(f"{os.path.realpath(self.path)}-wal")
        self._reading = RLock()
        with ExitStack() as opened, raising_input_errors(self.path):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Forbid other users to read the file and the files that SQLite keeps beside it, because
            # they contain hidden cards.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            lock_folder(self.path, opened)
            self.writer = connect(self.path, opened)
            version = stored_version(self.writer, self.path)
            check_database(self.writer)
            migrate(self.writer, version)
            self._reader = connect(self.path, opened)
            self._close = opened.pop_all().close
        self._start()
        self._files = self._file_ids()

    def read_error(self, fault: str) -> QuaternityError:
        """Return the error for a client whose request failed because the file is damaged."""
        return HttpError(503, f"the tables cannot be read now ({fault})")

    def _file_ids(self) -> list[tuple[int, int]]:
        """Return the device and inode of the file and of its log, or [] if one does not exist."""
        try:
            stats = [os.stat(path) for path in (self.path, self._beside)]
        except OSError:
            return []
        return [(stat.st_dev, stat.st_ino) for stat in stats] if stats[0].st_size else []

    def size(self) -> int:
        """Return the size of the file and of its write-ahead log, in bytes."""
        files = (self.path, self._beside)
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """Write the changes that wait, and close and unlock the file."""
        Store.close(self)

    def _end(self) -> None:
        # Ignore a failure, such as a full disk. Only the uptime since the last write is then lost.
        with suppress(sqlite3.Error):
            self.writer.execute(*self.uptime_statement())
        self._close()

    def refusal(self, error: Exception) -> HttpError:
        """Return the HTTP error for changes that could not be written because of `error`."""
        if isinstance(error, sqlite3.IntegrityError):
            return VersionConflict()
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return HttpError(507 if code in DISK_FULL_CODES else 503, NOT_SAVED(error=error))

    def commit(self, batch: Sequence[Job]) -> Collection[int]:
        """Write a batch of jobs (sets of changes) in one durable transaction. See `Store.commit`.

        The result is always empty, because no other server can change the file.
        """
        # Check the files, because SQLite would continue to write to a file that was moved or
        # removed.
        if not self._files or self._file_ids() != self._files:
            raise sqlite3.DatabaseError(f"{FILE} was moved, removed or emptied")
        # No other server uses the tables, so the revisions of the jobs need no check.
        entries = [entry for job in batch for entry in job.entries]
        statements = [statement for job in batch for statement in job.statements]
        # Insert all entries in one call, because the thread that serves requests can delay each
        # call.
        rows = json.dumps(entries)
        if not statements:
            self.writer.execute(_APPEND, (rows,))
            return ()
        try:
            self.writer.execute("BEGIN IMMEDIATE")
            for text, values in statements:
                self.writer.execute(text, values)
            if entries:
                self.writer.execute(_APPEND, (rows,))
            self.writer.execute("COMMIT")
        except BaseException:
            if self.writer.in_transaction:
                self.writer.execute("ROLLBACK")
            raise
        return ()
