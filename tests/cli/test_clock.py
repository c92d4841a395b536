"""The clock is set back again and again: limits hold, and no time is negative."""

from itertools import count
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

TIMED = (
    ("fuzz", "--seconds", 0.01, "--solvers", "coalitions"),
    ("kwartet", "simulate", "--games", 1, "--sets", 2, "--seats", "random,random"),
    ("tournament", "random", "random", "--games", 1, "-s", 2, "-n", 2, "-p", 2),
    ("solve", "-s", 2, "-n", 2, "-p", 2),
)


@pytest.fixture(autouse=True)
def _backwards(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = count()
    monkeypatch.setattr("time.time", lambda: 1.8e9 - 3600 * next(hours))


@pytest.mark.parametrize("command", TIMED)
def test_a_clock_that_goes_backwards_gives_no_negative_times(
    command: tuple[object, ...], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = cli(*command, "--json")
    assert outcome.status == 0, outcome.err
    assert outcome.json["seconds"] >= 0
