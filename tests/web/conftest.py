"""Fixtures of the tests of the web package: a server, a PostgreSQL, processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from hashlib import md5
from pathlib import Path
from queue import LifoQueue

import pytest

from quaternity.web.background import ProcessPool
from quaternity.web.open_store import place_of
from quaternity.workers.isolated_calls import IsolatedProcess
from tests.limits import limited
from tests.web.cluster import ALL_IN_POSTGRES, Cluster
from tests.web.pipes import Pipe
from tests.web.server import BUSY, Server
from tests.web.site import Site
from tests.web.tables import open_site


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server for all tests that leave it unchanged; nothing may have failed in it."""
    with Server(tmp_path_factory.mktemp("web") / "data", *BUSY) as running:
        yield running
        assert running.stop() == 0
        assert "Traceback" not in running.log.read_text()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Run an application in this process for all tests of a module that need no other one."""
    with open_site(tmp_path_factory.mktemp("web")) as running:
        yield running


@pytest.fixture(scope="package")
def cluster() -> Iterator[Cluster]:
    """Start a PostgreSQL for all tests that leave it running."""
    with closing(Cluster()) as made:
        yield made


class KeptProcesses(LifoQueue[IsolatedProcess]):
    """Idle worker processes, and a new one whenever all of them are busy.

    Attributes:
        all: The idle processes and the busy ones.
    """

    def _init(self, maxsize: int) -> None:
        super()._init(maxsize)
        self.all: list[IsolatedProcess] = []

    def _qsize(self) -> int:
        return len(self.queue) or 1

    def _get(self) -> IsolatedProcess:
        if self.queue:
            return super()._get()
        self.all.append(IsolatedProcess())
        return self.all[-1]


@pytest.fixture(scope="module")
def kept_processes() -> Iterator[None]:
    """Let all applications of a module use the same worker processes, which take long to start."""
    kept = KeptProcesses()

    def make_pool(number: int, seconds: float) -> ProcessPool:
        pool = ProcessPool(number, seconds)
        pool._idle = kept
        return pool

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("quaternity.web.background.ProcessPool", make_pool)
        yield
    for process in kept.all:
        process.end()


@pytest.fixture
def frozen_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of the rate limits."""
    monkeypatch.setattr("quaternity.web.rate_limits.monotonic", lambda: 0.0)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    """Create a named pipe, with which a test lets work in other processes continue."""
    made = Pipe(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="session", autouse=True)
def patient_reads() -> Iterator[None]:
    """Wait longer for the store than a server does, because the machine may be busy."""
    with limited("quaternity.web.store", ANSWER_SECONDS=60):
        yield


@pytest.fixture(scope="session", autouse=True)
def in_postgres() -> Iterator[None]:
    """Keep the tables of all servers in a PostgreSQL if `QUATERNITY_STORE` is `postgres`."""
    if not ALL_IN_POSTGRES:
        yield
        return
    with closing(Cluster()) as cluster, pytest.MonkeyPatch.context() as patch:

        def place(data: str | None) -> str:
            address = place_of(data)
            return address if "://" in address else cluster.place(md5(address.encode()).hexdigest())

        patch.setattr("quaternity.web.open_store.place_of", place)
        yield
