"""All tables on the disk, in one file: SQLite behind one thread that writes.

What waits to be written together is written in one transaction, so a thousand moves a second cost
few waits for the disk. A table's log only grows: its entries are moves, and how many moves are
taken back; everything else is rebuilt from them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.writing import replacing, try_lock
from quaternity.web.refusal import NOT_KEPT, Refusal

FILE = "tables.sqlite"

LOCK_TRIES, LOCK_PAUSE = 20, 0.05
"""A folder is waited for so often, and so many seconds each time."""

DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What a damaged file raises: of a text that is none SQLite's own message may be none."""

ADVICE = (
    "; put a backup in its place (quaternity tables restore); without one, SQLite's .recover may "
    "save a part"
)

TAKEN_BACK = -1
"""The seat of an entry that takes moves back; its text is how many."""

MIGRATIONS = (
    """
    CREATE TABLE tables (
        id TEXT PRIMARY KEY, game TEXT NOT NULL, head TEXT NOT NULL, seed TEXT NOT NULL,
        help INTEGER NOT NULL, practice INTEGER NOT NULL, archive INTEGER NOT NULL,
        maker TEXT, over INTEGER NOT NULL DEFAULT 0, again TEXT,
        made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    );
    CREATE TABLE seats (
        table_id TEXT NOT NULL REFERENCES tables, seat INTEGER NOT NULL, kind TEXT NOT NULL,
        name TEXT, person TEXT, token TEXT, browser TEXT, invitation TEXT,
        PRIMARY KEY (table_id, seat)
    ) WITHOUT ROWID;
    CREATE INDEX seats_of_browser ON seats (browser) WHERE browser IS NOT NULL;
    CREATE INDEX seats_by_invitation ON seats (invitation) WHERE invitation IS NOT NULL;
    CREATE TABLE log (
        table_id TEXT NOT NULL REFERENCES tables, version INTEGER NOT NULL,
        seat INTEGER NOT NULL, id TEXT NOT NULL, move TEXT NOT NULL,
        PRIMARY KEY (table_id, version)
    ) WITHOUT ROWID;
    """,
    "ALTER TABLE tables ADD COLUMN deck TEXT NOT NULL DEFAULT 'plain'",
    """
    CREATE TABLE marks (
        table_id TEXT NOT NULL REFERENCES tables, seat INTEGER NOT NULL, cell TEXT NOT NULL,
        mark TEXT NOT NULL, PRIMARY KEY (table_id, seat, cell)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE tables ADD COLUMN invitation TEXT;
    ALTER TABLE tables ADD COLUMN waiting TEXT;
    ALTER TABLE tables ADD COLUMN evening TEXT;
    ALTER TABLE tables ADD COLUMN places TEXT;
    ALTER TABLE seats ADD COLUMN ready INTEGER NOT NULL DEFAULT 1;
    CREATE INDEX tables_by_invitation ON tables (invitation) WHERE invitation IS NOT NULL;
    CREATE INDEX tables_of_evening ON tables (evening) WHERE evening IS NOT NULL;
    """,
    """
    ALTER TABLE tables ADD COLUMN chat INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tables ADD COLUMN clock TEXT;
    ALTER TABLE tables ADD COLUMN due REAL;
    ALTER TABLE seats ADD COLUMN saved REAL NOT NULL DEFAULT 0;
    ALTER TABLE seats ADD COLUMN missed INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX tables_by_due ON tables (due) WHERE due IS NOT NULL;
    CREATE TABLE uptime (seconds REAL NOT NULL);
    INSERT INTO uptime VALUES (0);
    CREATE TABLE talk (
        table_id TEXT NOT NULL REFERENCES tables, watching INTEGER NOT NULL,
        number INTEGER NOT NULL, seat INTEGER, name TEXT NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (table_id, watching, number)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE seats ADD COLUMN code TEXT;
    ALTER TABLE log ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX seats_by_code ON seats (code) WHERE code IS NOT NULL;
    CREATE TABLE moving (
        link TEXT PRIMARY KEY, table_id TEXT NOT NULL REFERENCES tables, token TEXT NOT NULL,
        until REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    "CREATE TABLE removing (table_id TEXT PRIMARY KEY) WITHOUT ROWID",
)
"""What makes a file of one version one of the next; the first makes it from nothing."""

_APPEND = """
    INSERT INTO log (table_id, version, seat, id, move, at)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
        json_extract(value, '$[3]'), json_extract(value, '$[4]'), strftime('%s', 'now')
    FROM json_each(?)
"""


class Entry(NamedTuple):
    """One entry of a table's log.

    `version` is the length of the log with it, `seat` who moved, or `TAKEN_BACK`; `id` is what
    whoever moved calls the move, empty for programs.
    """

    table: str
    version: int
    seat: int
    id: str
    move: str


Statement = tuple[str, Sequence[Any]]

_log = logging.getLogger("uvicorn.error")


class _Job(NamedTuple):
    entries: Sequence[Entry]
    statements: Sequence[Statement]
    done: asyncio.Future[None]


def folder_of(data: str | None) -> str:
    """Return the folder that `--data` names, by default that of the user.

    Raises:
        InputError: it names something else.
    """
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    folder = data or os.environ.get("QUATERNITY_DATA") or str(Path(home) / "quaternity")
    if scheme := re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", folder):
        # No more of it is shown: a password may follow.
        raise InputError(f"--data {scheme[0]}...: expected a folder; tables are kept in a file")
    return folder


def check_folder(data: str | None) -> None:
    """Raise InputError where a server could not keep its tables in the folder that `--data` names.

    Nothing is written.
    """
    path = Path(folder_of(data)) / FILE
    if path.exists():
        with ExitStack() as opened, _refusing(path):
            if not os.access(path, os.W_OK):
                raise InputError(f"{path}: cannot be written")
            _lock_folder(path, opened)
            database = _for_reading(path, opened)
            if _version(database, path) == len(MIGRATIONS):  # an older one is brought up to date
                _check(database)
        return
    there = path.parent
    while not there.exists():
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"{path.parent}: cannot be written")


class InUse(InputError):
    """Another process has the tables of a folder."""


class Reader:
    """The file of all tables in a folder, read beside a server that has it."""

    def __init__(self, folder: str) -> None:
        """Open the file; nothing is written to it.

        Raises:
            InputError: there is none, it cannot be read, or another version wrote it.
        """
        self.path = Path(folder) / FILE
        with ExitStack() as opened, _refusing(self.path):
            self._reader = _for_reading(self.path, opened)
            if _version(self._reader, self.path) < len(MIGRATIONS):
                raise InputError(
                    f"{self.path}: an older version of this program wrote it; start `quaternity "
                    "serve` once, which brings it up to date"
                )
            self._close = opened.pop_all().close
        self._reading = Lock()

    def read(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows that a query gives; from any thread."""
        try:
            with self._reading:
                return self._reader.execute(query, values).fetchall()
        except DAMAGE as error:
            # What the file holds may be secret: what cannot be decoded is shown to nobody.
            fault = str(error).partition(" with text ")[0]
            _log.error("%s cannot be read: %s", self.path, fault)
            raise Refusal(503, f"the tables cannot be read now ({fault})") from None

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Read in the block as all is now, whatever a server writes meanwhile."""
        self._reader.execute("BEGIN")
        try:
            yield
        finally:
            self._reader.execute("ROLLBACK")

    def faults(self) -> list[str]:
        """Return what is wrong with the file, and which of its rows belong to no table."""
        try:
            _check(self._reader)
            orphans = self._reader.execute("PRAGMA foreign_key_check").fetchall()
        except DAMAGE as error:
            return [f"{self.path}: {error}"]
        kinds = sorted({kind for kind, *_ in orphans})
        return [f"{self.path}: {kind} has rows of tables that are gone" for kind in kinds]

    def close(self) -> None:
        """Let the file go."""
        self._close()


class Store(Reader):
    """The file of all tables in a folder; one process at a time has it."""

    def __init__(self, folder: str) -> None:
        """Open the file, or make it.

        Raises:
            InputError: the folder cannot be used, another server has it, a newer one wrote it, or
                the file is damaged.
        """
        self.path = Path(folder) / FILE
        with ExitStack() as opened, _refusing(self.path):
            _lock_folder(self.path, opened)
            # Hands are in it: nobody else on this machine reads it, nor what SQLite puts beside it.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self.writer = _connected(self.path, opened)
            _migrate(self.writer, _version(self.writer, self.path))
            _check(self.writer)
            self._reader = _connected(self.path, opened)
            self._close = opened.pop_all().close
        rows = self._reader.execute("SELECT seconds FROM uptime").fetchall()
        self._up = (rows[0][0] if rows else 0.0) - monotonic()
        self.trouble: str | None = None
        """Why nothing could be written the last time; None when it could."""
        self.appended = 0
        """Entries of logs that were written."""
        self._reading = Lock()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = Thread(target=self._write, name="store", daemon=True)
        self._thread.start()

    def uptime(self) -> float:
        """Return the seconds that servers of this folder were running, by which clocks go.

        It stands still while none runs, whatever the clock of the machine is set to.
        """
        return self._up + monotonic()

    def size(self) -> int:
        """Return the bytes of the file, and of what SQLite has not yet put into it."""
        files = (self.path, self.path.with_name(f"{FILE}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    async def keep_uptime(self) -> None:
        """Write it down: a crash loses what passed since."""
        await self.write((), [self.uptime_statement()])

    def uptime_statement(self) -> Statement:
        """Return what writes it down."""
        return "UPDATE uptime SET seconds = ?", (self.uptime(),)

    async def write(
        self, entries: Sequence[Entry] = (), statements: Sequence[Statement] = ()
    ) -> None:
        """Append to logs and change what else there is, all or nothing; then it is on the disk."""
        done = asyncio.get_running_loop().create_future()
        self._jobs.put(_Job(entries, statements, done))
        await done

    def close(self) -> None:
        """Write what waits, and let others have the file."""
        self._jobs.put(None)
        self._thread.join()
        with suppress(sqlite3.Error):  # a full disk only loses what passed since it was kept last
            self.writer.execute(*self.uptime_statement())
        self._close()

    # ------------------------------------------------------------------ the thread that writes

    def _write(self) -> None:
        job = self._jobs.get()
        while job is not None:
            batch: list[_Job] = []
            while job is not None:
                batch.append(job)
                if self._jobs.empty():
                    break
                job = self._jobs.get()
            self._write_batch(batch)
            if job is not None:
                job = self._jobs.get()

    def _write_batch(self, batch: list[_Job]) -> None:
        try:
            self._commit(batch)
        except sqlite3.IntegrityError as error:
            if len(batch) > 1:
                for job in batch:  # whose fault it is will be seen
                    self._write_batch([job])
                return
            _tell(batch, Refusal(409, f"that was written meanwhile: {error}"))
        except Exception as error:
            # Whatever it is: who waits is told, and this thread goes on.
            self.trouble = f"nothing can be kept now, so moves are refused: {error}"
            # A full disk is an operational error; a damaged file is not.
            status = 507 if isinstance(error, sqlite3.OperationalError) else 503
            _tell(batch, Refusal(status, NOT_KEPT(error=error)))
        else:
            self.trouble = None
            self.appended += sum(len(job.entries) for job in batch)
            _tell(batch, None)

    def _commit(self, batch: list[_Job]) -> None:
        entries = [entry for job in batch for entry in job.entries]
        statements = [statement for job in batch for statement in job.statements]
        # One call for all: each of them waits for its turn beside the thread that answers.
        rows = json.dumps(entries)
        if not statements:
            self.writer.execute(_APPEND, (rows,))
            return
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


def _tell(batch: list[_Job], error: Refusal | None) -> None:
    """Tell those who wait, each in its loop; all at once, for all have the same."""

    def tell() -> None:
        for job in batch:
            if not job.done.done():
                if error is None:
                    job.done.set_result(None)
                else:
                    job.done.set_exception(error)

    loop = batch[0].done.get_loop()
    if not loop.is_closed():
        loop.call_soon_threadsafe(tell)


@contextmanager
def _refusing(path: Path, advice: str = ADVICE) -> Iterator[None]:
    """Say in words what keeps the file of the tables from being used."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path.parent}: {error.strerror}") from error
    except sqlite3.OperationalError as error:
        raise InputError(f"{path}: {error}") from error
    except DAMAGE as error:
        raise InputError(f"{path}: is damaged ({error}){advice}") from error


def _lock_folder(path: Path, opened: ExitStack) -> None:
    """Have the folder of a file alone; what has just ended may still be letting it go."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    opened.callback(os.close, lock)
    _give_owner(lock, path)
    for _ in range(LOCK_TRIES):
        if try_lock(lock) is not False:
            return
        sleep(LOCK_PAUSE)
    raise InUse(f"{path.parent}: another server has the tables of this folder")


def _give_owner(made: int | Path, path: Path) -> None:
    """Give a file to whoever has the folder: a server of theirs uses what root made."""
    owner = path.parent.stat()
    with suppress(OSError):  # only root may
        os.chown(made, owner.st_uid, owner.st_gid)


def _connected(path: Path, opened: ExitStack) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    opened.callback(database.close)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA cache_size = -8000")
    return database


def _for_reading(path: Path, opened: ExitStack) -> sqlite3.Connection:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")
    # With the right to write: who is the last to close it leaves nothing beside it.
    place = f"{path.resolve().as_uri()}?mode=rw"
    database = sqlite3.connect(place, uri=True, isolation_level=None)
    opened.callback(database.close)
    database.execute("PRAGMA query_only = ON")
    return database


def back_up(folder: str, file: str) -> None:
    """Copy all tables as they are at one moment; a crash leaves the file as it was, or the new one.

    Raises:
        InputError: they cannot be read or are damaged, or the file cannot be written.
    """
    path, target = Path(folder) / FILE, Path(file)
    if target.resolve().parent == path.resolve().parent and target.name.startswith(path.stem + "."):
        raise InputError(f"{file}: the server's own file; a backup has another name or folder")
    with replacing(file) as part:
        _copy(path, part)


def restore(folder: str, file: str) -> Path | None:
    """Put a backup in the place of all tables; return where the ones before it are kept.

    Raises:
        InUse: a server has the folder.
        InputError: the backup is damaged or none, or the folder cannot be written.
    """
    path = Path(folder) / FILE
    with ExitStack() as opened:
        with _refusing(path):
            _lock_folder(path, opened)
        with replacing(path) as part:
            _copy(Path(file), part, advice="")
            _give_owner(part, path)
            before = _kept_aside(path)
    return before


def _kept_aside(path: Path) -> Path | None:
    """Give a file of tables a second name, and take what is beside it away."""
    if not path.exists():
        return None
    with suppress(sqlite3.Error), ExitStack() as opened:
        # All in one file, unless it is damaged: then what is beside it is kept, too.
        _connected(path, opened).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    now = datetime.now(UTC)
    before = path.with_name(f"{path.stem}-{now:%Y%m%d-%H%M%S-%f}{path.suffix}")
    os.link(path, before)
    for end in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.replace(f"{path}{end}", f"{before}{end}")
    return before


def order_removal(folder: str, names: Sequence[str]) -> None:
    """Have the server that has a folder remove tables."""
    path = Path(folder) / FILE
    with ExitStack() as opened, _refusing(path):
        order = "INSERT INTO removing (table_id) VALUES (?) ON CONFLICT DO NOTHING"
        _connected(path, opened).executemany(order, [(name,) for name in names])


def _copy(path: Path, part: Path, advice: str = ADVICE) -> None:
    """Copy a file of tables to an empty one, and look at all of the copy."""
    part.chmod(0o600)
    with ExitStack() as opened, _refusing(path, advice):
        source = _for_reading(path, opened)
        copy = opened.enter_context(closing(sqlite3.connect(part, isolation_level=None)))
        # One reading, else each move of a server begins it anew; in parts, so that Ctrl-C ends it.
        source.execute("BEGIN")
        source.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        source.backup(copy, pages=1000, progress=lambda *counts: None)
        copy.execute("PRAGMA journal_mode = DELETE")  # so it is one file, wherever it is read
        if not _version(copy, path):
            raise InputError(f"{path}: holds no tables of this program")
        _check(copy)


def _check(database: sqlite3.Connection) -> None:
    """Look at the whole file, every page, every index and all tables; or raise DatabaseError."""
    (fault,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if fault != "ok":
        raise sqlite3.DatabaseError(" ".join(fault.split()))
    (version,) = database.execute("PRAGMA user_version").fetchone()
    with closing(sqlite3.connect(":memory:")) as made:
        _migrate(made, 0, version)
        schema = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
        missing = {*made.execute(schema)} - {*database.execute(schema)}
    if missing:
        names = ", ".join(sorted(name for name, _ in missing))
        raise sqlite3.DatabaseError(f"not as this program makes it: {names}")


def _version(database: sqlite3.Connection, path: Path) -> int:
    """Return the version of a file; or refuse what a newer program wrote."""
    version: int
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise InputError(
            f"{path}: was written by a newer version of this program "
            f"({version}; this one knows {len(MIGRATIONS)})"
        )
    return version


def _migrate(database: sqlite3.Connection, version: int, end: int = len(MIGRATIONS)) -> None:
    """Make a file of one version one of another."""
    for number in range(version, end):
        # A script is one transaction: a crash leaves the old version.
        database.executescript(
            f"BEGIN; {MIGRATIONS[number]}; PRAGMA user_version = {number + 1}; COMMIT;"
        )
