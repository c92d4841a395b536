"""What tests share: a server of their own, a browser, a PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from hashlib import md5
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quaternity.web.stores import place_of
from tests.web.cluster import ALL_THERE, Cluster
from tests.web.pipes import Pipe
from tests.web.server import BUSY, Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that leave it as it is; nothing may have gone wrong in it."""
    with Server(tmp_path_factory.mktemp("web") / "data", *BUSY) as running:
        yield running
        assert running.stop() == 0
        assert "Traceback" not in running.log.read_text()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for all tests of a module.

    While it is open, no event loop can run in this thread: such tests are in other modules.
    """
    from playwright.sync_api import sync_playwright

    # It asks for the sizes of tests, which are known after the options.
    from tests.web.browsing import launched

    with sync_playwright() as playwright, launched(playwright) as running:
        yield running


@pytest.fixture(scope="package")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL for all tests that leave it running."""
    with closing(Cluster()) as made:
        yield made


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    """What lets work in other processes go on."""
    made = Pipe(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="session", autouse=True)
def in_postgres() -> Iterator[None]:
    """With `QUATERNITY_STORE=postgres` the tables of all servers are in a PostgreSQL."""
    if not ALL_THERE:
        yield
        return
    with closing(Cluster()) as cluster, pytest.MonkeyPatch.context() as patch:

        def place(data: str | None) -> str:
            there = place_of(data)
            return there if "://" in there else cluster.place(md5(there.encode()).hexdigest())

        patch.setattr("quaternity.web.stores.place_of", place)
        yield
