"""A server of its own for the tests that ask one."""

from collections.abc import Iterator

import pytest

from tests.web.server import BUSY, Server


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that leave it as it is; nothing may have gone wrong in it."""
    with Server(tmp_path_factory.mktemp("web") / "data", *BUSY) as running:
        yield running
        assert running.stop() == 0
        assert "Traceback" not in running.log.read_text()
