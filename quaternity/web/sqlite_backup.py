"""Functions that back up the SQLite file with all game tables, and restore it from a backup."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from quaternity.base.errors import InputError
from quaternity.base.writing import replace_file
from quaternity.web.sqlite_connection import (
    ADVICE,
    FILE,
    check_database,
    connect,
    connect_for_reading,
    give_owner,
    lock_folder,
    raising_input_errors,
    stored_version,
)


def back_up_file(folder: str, file: str) -> None:
    """Copy the SQLite file of a folder to a backup file. A server may use it at the same time.

    The backup is a consistent snapshot. It atomically replaces an existing file.

    Raises:
        InputError: If the data cannot be read or are damaged, if the file cannot be written, or if
            it is one of the server's files in the folder.
    """
    path, target = Path(folder) / FILE, Path(file)
    if target.resolve().parent == path.resolve().parent and target.name.startswith(path.stem + "."):
        raise InputError(f"{file}: is a file of the server; choose another name or folder")
    with replace_file(file) as part:
        _copy(path, part)


def restore_file(folder: str, file: str) -> Path | None:
    """Replace the SQLite file of a folder by a backup.

    Return the path to which the previous file was moved, or None if there was no file.

    Raises:
        InUse: If a server uses the folder.
        InputError: If the backup is damaged or not a backup, or the folder cannot be written.
    """
    path = Path(folder) / FILE
    with ExitStack() as opened:
        with raising_input_errors(path):
            lock_folder(path, opened)
        with replace_file(path) as part:
            _copy(Path(file), part, advice="")
            give_owner(part, path)
            before = _move_aside(path)
    return before


def _move_aside(path: Path) -> Path | None:
    """Rename an SQLite file and its auxiliary files, and return the new path of the file.

    The file itself also keeps its old name until a backup replaces it. The result is None if there
    is no file.
    """
    if not path.exists():
        return None
    with suppress(sqlite3.Error), ExitStack() as opened:
        # Merge the write-ahead log into the file. If this fails because the file is damaged, the
        # log is moved with the file.
        connect(path, opened).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    now = datetime.now(UTC)
    before = path.with_name(f"{path.stem}-{now:%Y%m%d-%H%M%S-%f}{path.suffix}")
    os.link(path, before)
    for end in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.replace(f"{path}{end}", f"{before}{end}")
    return before


def _copy(path: Path, part: Path, advice: str = ADVICE) -> None:
    part.chmod(0o600)
    with ExitStack() as opened, raising_input_errors(path, advice):
        source = connect_for_reading(path, opened)
        copy = opened.enter_context(closing(sqlite3.connect(part, isolation_level=None)))
        # Copy in one read transaction, because otherwise each move at a server would restart the
        # backup. Copy in small parts, so that Ctrl-C can stop the backup.
        source.execute("BEGIN")
        source.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        source.backup(copy, pages=1000, progress=lambda *counts: None)
        copy.execute("PRAGMA journal_mode = DELETE")  # makes the copy a single file
        if not stored_version(copy, path):
            raise InputError(f"{path}: is empty: it contains no tables of this program")
        check_database(copy)
