"""The command line, run in this process."""

import io
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from quaternity.cli.app import run


class Outcome(NamedTuple):
    """The exit status and the output of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The single JSON document on standard output."""
        return json.loads(self.out)


Cli = Callable[..., Outcome]


@pytest.fixture
def interactive_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `watch` behave as if a user sat at the terminal."""
    monkeypatch.setattr("quaternity.cli.watch.is_interactive", lambda: True)


@pytest.fixture
def no_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip drawing, which is slow; `comparison/test_runs.py` checks the drawings of a page."""
    monkeypatch.setattr("quaternity.trials.comparison.drawing.svg_of", lambda figure: "<svg/>")


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Return a function: `cli("check", "x.json", stdin="")` runs a command."""

    def call(*arguments: object, stdin: str | bytes = "") -> Outcome:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capfd.readouterr()
        status = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Outcome(int(status), captured.out, captured.err)

    return call
