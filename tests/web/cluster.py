"""A PostgreSQL of the tests' own, in a folder that goes with it: it can be stopped and started."""

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

from quaternity.web import stores
from quaternity.web.sqlite_file import FILE

INSIST = "QUATERNITY_INSIST" in os.environ

ALL_THERE = os.environ.get("QUATERNITY_STORE") == "postgres"
"""Whether all servers of a run keep their tables in a PostgreSQL."""

of_files = pytest.mark.skipif(ALL_THERE, reason="looks at the file of the tables")
"""What a test is marked with that looks at the file of the tables."""


def alter(data: str, text: str) -> None:
    """Change the tables behind the back of their server."""
    place = stores.place_of(data)
    if "://" in place:
        import psycopg

        with psycopg.connect(place) as connection:
            connection.execute(text.encode())
    else:
        with closing(sqlite3.connect(Path(place) / FILE)) as file, file:
            file.execute(text)


def folder_of_programs() -> Path | None:
    """The newest programs of PostgreSQL on this machine."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[4])
    path = shutil.which("initdb")
    return found[-1].parent if found else Path(path).parent if path else None


class Cluster:
    """A server of PostgreSQL that listens at a socket in its folder alone."""

    def __init__(self) -> None:
        programs = folder_of_programs()
        if programs is None:
            assert not INSIST, "PostgreSQL is missing"
            pytest.skip("PostgreSQL is not installed")
        if not INSIST:
            pytest.importorskip("psycopg")
        self.programs = programs
        # A short name: that of a socket has a limit.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        # It does not run as root.
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
                # What is killed here is a process, never the machine.
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
        """Stop it: `immediate` is as if it was killed."""
        self._run("pg_ctl", "stop", "-w", "-m", mode, "-D", str(self.folder / "data"))

    def execute(self, place: str, text: str) -> list[tuple[object, ...]]:
        """The rows of a statement, by a connection of its own."""
        import psycopg

        with psycopg.connect(place, autocommit=True) as database:
            cursor = database.execute(text.encode())
            return cursor.fetchall() if cursor.description else []

    def place(self, name: str) -> str:
        """The address of a database, which is made if there is none."""
        there = f"postgresql://tests@/{{}}?host={quote(str(self.folder), safe='')}"
        rows = self.execute(there.format("postgres"), "SELECT datname FROM pg_database")
        if (name,) not in rows:
            self.execute(there.format("postgres"), f'CREATE DATABASE "{name}"')
        return there.format(name)

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
