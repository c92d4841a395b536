"""Storage of tables in an SQLite file, with backups."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from time import sleep
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.writing import replace_file, try_lock
from quaternity.web.http_errors import NOT_SAVED, HttpError
from quaternity.web.store import MIGRATIONS, InUse, Job, Reader, Store, VersionConflict

FILE = "tables.sqlite"

LOCK_TRIES, LOCK_PAUSE = 20, 0.05
"""Number of attempts to lock a file, and the pause after each attempt in seconds."""

DAMAGE_ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError)
"""Exceptions that a damaged file causes. A text that is not UTF-8 causes a UnicodeDecodeError."""

DISK_FULL_CODES = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
"""Error codes of SQLite that mean that the disk or the quota is full."""

ADVICE = (
    "; replace it by a backup (quaternity tables restore); without a backup, SQLite's .recover may "
    "save a part"
)

_APPEND = """
    INSERT INTO log (table_id, version, seat, id, move, at)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
        json_extract(value, '$[3]'), json_extract(value, '$[4]'), strftime('%s', 'now')
    FROM json_each(?)
"""


_log = logging.getLogger("uvicorn.error")


def check_folder(folder: str) -> None:
    """Raise InputError if a server could not store its tables in a folder. Write no tables."""
    path = Path(folder) / FILE
    if path.exists():
        with ExitStack() as opened, _raising_input_errors(path):
            if not os.access(path, os.W_OK):
                raise InputError(f"{path}: cannot be written")
            _lock_folder(path, opened)
            database = _for_reading(path, opened)
            _version(database, path)
            _check(database)
        return
    existing = path.parent
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"{path.parent}: cannot be written")


class FileReader(Reader):
    """A reader of the SQLite file in a folder. A server may use the file at the same time."""

    def __init__(self, folder: str) -> None:
        """Open the SQLite file of a folder for reading.

        Raises:
            InputError: If the file does not exist, cannot be read, or was written by another
                version of the program.
        """
        self.path = Path(folder) / FILE
        self.where = str(self.path)
        with ExitStack() as opened, _raising_input_errors(self.path):
            self._reader = _for_reading(self.path, opened)
            version = _version(self._reader, self.path)
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
        """Return the rows of a query. May be called from any thread."""
        try:
            with self._reading:
                return self._reader.execute(query, values).fetchall()
        except DAMAGE_ERRORS as error:
            # Cut off the text that cannot be decoded, because it may be secret.
            fault = str(error).partition(" with text ")[0]
            _log.error("%s cannot be read: %s", self.path, fault)
            raise HttpError(503, f"the tables cannot be read now ({fault})") from None

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Make all reads in the block see the same snapshot."""
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
        """Return messages about the faults of the file."""
        try:
            _check(self._reader)
            orphans = self._reader.execute("PRAGMA foreign_key_check").fetchall()
        except DAMAGE_ERRORS as error:
            return [f"{self.path}: {error}"]
        kinds = sorted({kind for kind, *_ in orphans})
        return [f"{self.path}: {kind} has rows of tables that no longer exist" for kind in kinds]

    def change(self, text: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute a statement for each row of values, even while a server uses the folder."""
        with ExitStack() as opened, _raising_input_errors(self.path):
            _connect(self.path, opened).executemany(text, rows)

    def close(self) -> None:
        """Close the file."""
        self._close()


class FileStore(FileReader, Store):
    """The store in an SQLite file in a folder. Only one server at a time can use the folder."""

    def __init__(self, folder: str) -> None:
        """Open the SQLite file of a folder, or create it.

        Raises:
            InputError: If the folder cannot be used, another server uses it, a newer version wrote
                the file, or the file is damaged.
        """
        self.path = Path(folder) / FILE
        self.where = str(self.path)
        self._beside = Path(f"{os.path.realpath(self.path)}-wal")
        self._reading = RLock()
        with ExitStack() as opened, _raising_input_errors(self.path):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Do not let other users read the file or SQLite's files beside it, because they contain
            # hidden cards.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            _lock_folder(self.path, opened)
            self.writer = _connect(self.path, opened)
            version = _version(self.writer, self.path)
            _check(self.writer)
            _migrate(self.writer, version)
            self._reader = _connect(self.path, opened)
            self._close = opened.pop_all().close
        self._start()
        self._files = self._file_ids()

    def _file_ids(self) -> list[tuple[int, int]]:
        """Return the device and inode of the file and of its write-ahead log.

        Return an empty list if one of them is missing or the file is empty.
        """
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
        """Write the pending jobs, and release the file."""
        Store.close(self)

    def _end(self) -> None:
        # Ignore a full disk, which only loses the uptime since the last write.
        with suppress(sqlite3.Error):
            self.writer.execute(*self.uptime_statement())
        self._close()

    def _refusal(self, error: Exception) -> HttpError:
        if isinstance(error, sqlite3.IntegrityError):
            return VersionConflict()
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return HttpError(507 if code in DISK_FULL_CODES else 503, NOT_SAVED(error=error))

    def _commit(self, batch: Sequence[Job]) -> Collection[int]:
        # Compare the files, because SQLite would go on writing to a file that was moved or removed.
        if not self._files or self._file_ids() != self._files:
            raise sqlite3.DatabaseError(f"{FILE} was moved, removed or emptied")
        # No other server uses the tables, so the revisions of the jobs need no check.
        entries = [entry for job in batch for entry in job.entries]
        statements = [statement for job in batch for statement in job.statements]
        # Insert all entries in one call, because each call waits for the thread that serves
        # requests.
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


@contextmanager
def _raising_input_errors(path: Path, advice: str = ADVICE) -> Iterator[None]:
    """Convert errors about a file or its folder into InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path.parent}: {error.strerror}") from error
    except sqlite3.OperationalError as error:
        raise InputError(f"{path}: {error}") from error
    except DAMAGE_ERRORS as error:
        raise InputError(f"{path}: is damaged ({error}){advice}") from error


def _lock_folder(path: Path, opened: ExitStack) -> None:
    """Lock a folder, and also its file, because other folders may have links to the file.

    Retry for a second for each lock, because a server that has just ended may still hold the lock.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    opened.callback(os.close, lock)
    _give_owner(lock, path)
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


def _give_owner(made: int | Path, path: Path) -> None:
    """Change the owner of a file to that of its folder, whose server must be able to use it."""
    owner = path.parent.stat()
    with suppress(OSError):  # if not called by root
        os.chown(made, owner.st_uid, owner.st_gid)


def _connect(path: Path, opened: ExitStack) -> sqlite3.Connection:
    database = sqlite3.connect(path, 1.0, isolation_level=None, check_same_thread=False)
    opened.callback(database.close)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA cache_size = -8000")
    return database


def _for_reading(path: Path, opened: ExitStack) -> sqlite3.Connection:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")
    real = path.resolve()
    # Open the file for writing if possible, so that the last process that closes it can remove
    # SQLite's files beside it.
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


def back_up_file(folder: str, file: str) -> None:
    """Copy a consistent snapshot of all tables to a file. An existing file is replaced atomically.

    Raises:
        InputError: If the tables cannot be read or are damaged, or the file cannot be written.
    """
    path, target = Path(folder) / FILE, Path(file)
    if target.resolve().parent == path.resolve().parent and target.name.startswith(path.stem + "."):
        raise InputError(f"{file}: is a file of the server; choose another name or folder")
    with replace_file(file) as part:
        _copy(path, part)


def restore_file(folder: str, file: str) -> Path | None:
    """Replace all tables by a backup. Return the new path of the previous file, or None.

    Raises:
        InUse: If a server uses the folder.
        InputError: If the file is damaged or not a backup, or the folder cannot be written.
    """
    path = Path(folder) / FILE
    with ExitStack() as opened:
        with _raising_input_errors(path):
            _lock_folder(path, opened)
        with replace_file(path) as part:
            _copy(Path(file), part, advice="")
            _give_owner(part, path)
            before = _move_aside(path)
    return before


def _move_aside(path: Path) -> Path | None:
    """Move a file and SQLite's files beside it out of the way. Return the new path of the file.

    The file also keeps its old name until it is replaced. Return None if there is no file.
    """
    if not path.exists():
        return None
    with suppress(sqlite3.Error), ExitStack() as opened:
        # Merge the write-ahead log into the file. If this fails because the file is damaged, the
        # log is moved with the file.
        _connect(path, opened).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    now = datetime.now(UTC)
    before = path.with_name(f"{path.stem}-{now:%Y%m%d-%H%M%S-%f}{path.suffix}")
    os.link(path, before)
    for end in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.replace(f"{path}{end}", f"{before}{end}")
    return before


def _copy(path: Path, part: Path, advice: str = ADVICE) -> None:
    """Copy a file of tables to an empty file, and check the copy."""
    part.chmod(0o600)
    with ExitStack() as opened, _raising_input_errors(path, advice):
        source = _for_reading(path, opened)
        copy = opened.enter_context(closing(sqlite3.connect(part, isolation_level=None)))
        # Copy in one read transaction, because otherwise each move at a server would restart the
        # backup. Copy in small parts, so that Ctrl-C can stop the backup.
        source.execute("BEGIN")
        source.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        source.backup(copy, pages=1000, progress=lambda *counts: None)
        copy.execute("PRAGMA journal_mode = DELETE")  # makes the copy a single file
        if not _version(copy, path):
            raise InputError(f"{path}: is empty: it contains no tables of this program")
        _check(copy)


def _check(database: sqlite3.Connection) -> None:
    """Check the pages, the indexes and the uptime of a file.

    Raises `sqlite3.DatabaseError` if there is a fault.
    """
    (fault,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if fault != "ok":
        raise sqlite3.DatabaseError(" ".join(fault.split()))
    if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'uptime'").fetchone():
        return  # of an older version
    bad = "typeof(seconds) NOT IN ('real', 'integer') OR NOT seconds BETWEEN 0 AND 1e12"
    if database.execute(f"SELECT 1 FROM uptime WHERE {bad}").fetchone():
        raise sqlite3.DatabaseError("uptime: not a valid number of seconds")


def _version(database: sqlite3.Connection, path: Path) -> int:
    """Return the version of a file of this program, or 0 if the file is empty.

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
            f"({version}; this one knows {len(MIGRATIONS)})"
        )
    with closing(sqlite3.connect(":memory:")) as made:
        _migrate(made, 0, version)
        expected = made.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        differing = sorted({name for name, _ in {*expected} - schema})
    if differing or (version < 1 and names):
        raise InputError(
            f"{path}: its structure is not that of version {version} "
            f"({', '.join(differing or sorted(names))}): an unreleased version of this program "
            "wrote it, or it was changed by hand; export its tables with the version that wrote it"
        )
    return version


def _migrate(database: sqlite3.Connection, version: int, end: int = len(MIGRATIONS)) -> None:
    """Migrate a file from one version to a later one."""
    for number in range(version, end):
        # Run each script as one transaction, so that a crash leaves the old version.
        database.executescript(
            f"BEGIN; {MIGRATIONS[number]}; PRAGMA user_version = {number + 1}; COMMIT;"
        )
