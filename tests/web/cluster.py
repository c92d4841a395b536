"""A separate PostgreSQL for tests, which can stop and start it; its folder is deleted with it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from quaternity.web import open_store
from quaternity.web.sqlite_connection import FILE

INSIST = "QUATERNITY_INSIST" in os.environ

ALL_IN_POSTGRES = os.environ.get("QUATERNITY_STORE") == "postgres"
"""Whether all servers of a run keep their tables in a PostgreSQL."""

file_store_only = pytest.mark.skipif(ALL_IN_POSTGRES, reason="reads the file of the tables")
"""Mark of tests that read the file of the tables."""


def alter(data: str, text: str) -> None:
    """Change the stored tables without the knowledge of their server."""
    place = open_store.place_of(data)
    if "://" in place:
        import psycopg

        with psycopg.connect(place) as connection:
            connection.execute(text.encode())
    else:
        with closing(sqlite3.connect(Path(place) / FILE)) as file, file:
            file.execute(text)


def folder_of_programs() -> Path | None:
    """Return the folder of the newest PostgreSQL programs on this machine."""
    paths = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[4])
    path = shutil.which("initdb")
    return paths[-1].parent if paths else Path(path).parent if path else None


class Cluster:
    """A PostgreSQL server that listens only on a socket in its folder."""

    def __init__(self) -> None:
        programs = folder_of_programs()
        if programs is None:
            assert not INSIST, "PostgreSQL is missing"
            pytest.skip("PostgreSQL is not installed")
        if not INSIST:
            pytest.importorskip("psycopg")
        self.programs = programs
        # A short name, because the path of a socket has a maximum length.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        # PostgreSQL refuses to run as root.
        self._as: tuple[str, ...] = ()
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            self._as = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")
        self._run("initdb", "-D", str(self.folder / "data"), "-A", "trust", "-U", "tests",
                  "-E", "UTF8", "--no-locale", "--no-sync")  # fmt: skip
        with (self.folder / "data" / "postgresql.conf").open("a") as settings:
            settings.write(
                f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\n"
                "max_connections = 60\nshared_buffers = 16MB\n"
                # Tests kill processes, but never the machine.
                "fsync = off\nfull_page_writes = off\n"
            )
        self.start()

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [*self._as, str(self.programs / program), *arguments],
            check=True, capture_output=True, timeout=120, cwd="/",
        )  # fmt: skip

    def start(self) -> None:
        log = str(self.folder / "log")
        self._run("pg_ctl", "start", "-w", "-D", str(self.folder / "data"), "-l", log)

    def stop(self, mode: str = "immediate") -> None:
        """Stop the server; `immediate` stops it as if it was killed."""
        self._run("pg_ctl", "stop", "-w", "-m", mode, "-D", str(self.folder / "data"))

    def execute(self, place: str, text: str) -> list[tuple[object, ...]]:
        """Execute a statement on a separate connection and return its rows."""
        import psycopg

        with psycopg.connect(place, autocommit=True) as database:
            cursor = database.execute(text.encode())
            return cursor.fetchall() if cursor.description else []

    def place(self, name: str) -> str:
        """Return the address of a database, which is created if it does not exist."""
        address = f"postgresql://tests@/{{}}?host={quote(str(self.folder), safe='')}"
        rows = self.execute(address.format("postgres"), "SELECT datname FROM pg_database")
        if (name,) not in rows:
            self.execute(address.format("postgres"), f'CREATE DATABASE "{name}"')
        return address.format(name)

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
