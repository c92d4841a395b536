"""The command line, run in this process."""

import io
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from quaternity.cli.app import run


class Outcome(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


Cli = Callable[..., Outcome]


@pytest.fixture
def seated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits at the terminal and watches."""
    monkeypatch.setattr("quaternity.cli.watch.interactive", lambda: True)


@pytest.fixture
def no_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """`comparison/test_runs.py` looks at the drawings of a page, and drawing takes long."""
    monkeypatch.setattr("quaternity.trials.comparison.drawing.svg_of", lambda figure: "<svg/>")


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """`cli("check", "x.json", stdin="")` runs a command and gives status, out and err."""

    def call(*arguments: object, stdin: str | bytes = "") -> Outcome:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capfd.readouterr()
        status = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Outcome(int(status), captured.out, captured.err)

    return call
