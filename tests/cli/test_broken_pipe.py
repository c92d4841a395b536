"""Who reads the output may leave early: that is no failure. A full disk behind it is one."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from quaternity.kwartet.log import log_text
from quaternity.kwartet.settings import KwartetSettings
from tests.cli.conftest import Cli
from tests.kwartet.games import random_log

STATE = Path(__file__).parents[2] / "quaternity" / "data" / "possible-4-13-4.json"


@pytest.mark.parametrize("command", ["watch", "check"])
def test_a_reader_who_leaves_ends_it_quietly(command: str, tmp_path: Path) -> None:
    if command == "watch":
        path = tmp_path / "game.log"
        path.write_text(log_text(random_log(KwartetSettings(), Random(1), 150)))
        arguments = ["kwartet", "watch", str(path), "--no-worlds"]
    else:
        arguments = ["check", "--json", *[str(STATE)] * 300]
    process = subprocess.Popen(
        [sys.executable, "-m", "quaternity", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 0
    process.stderr.close()


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "--csv", "--states", "1", "--repeats", "1", "--solvers", "matching"],
        [
            "kwartet",
            "simulate",
            "--json",
            "--games",
            "1",
            "--sets",
            "2",
            "--seats",
            "random,random",
        ],
        ["check", "--json", STATE],
    ],
)
def test_output_that_cannot_be_written_is_named(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    with open("/dev/full", "w") as full:
        monkeypatch.setattr("sys.stdout", full)
        outcome = cli(*command)
    assert outcome.status == 2
    assert outcome.err == "quaternity: standard output: No space left on device\n"
