"""A server of its own for the tests that ask one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.pipes import Pipe
from tests.web.server import BUSY, Server


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that leave it as it is; nothing may have gone wrong in it."""
    with Server(tmp_path_factory.mktemp("web") / "data", *BUSY) as running:
        yield running
        assert running.stop() == 0
        assert "Traceback" not in running.log.read_text()


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    """What lets work in other processes go on."""
    made = Pipe(tmp_path)
    yield made
    made.close()
