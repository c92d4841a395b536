"""A reader that closes the output early is not an error; a full disk behind the output is."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from random import Random
from typing import NoReturn

import pytest

from quaternity.cli.app import run
from quaternity.kwartet.log import log_text
from quaternity.kwartet.settings import KwartetSettings
from quaternity.perfect.bots.random_bot import RandomBot
from solvers import SOLVERS
from solvers.solver import solver_from_function
from tests.cli.conftest import Cli
from tests.kwartet.games import random_log
from tests.sizes import thorough
from tests.solvers.broken import always_says_no
from tests.table.planted import plant_bot

DATA = Path(__file__).parents[2] / "quaternity" / "data"
STATE = DATA / "possible-4-13-4.json"
LOG = Path(__file__).parents[1] / "data" / "knowledge-4-13-4.log"
DAMAGED = DATA / "damaged-owner-4-13-4.json"


@pytest.mark.parametrize("command", ["watch", "check"])
def test_a_closed_output_ends_the_command_quietly(command: str, tmp_path: Path) -> None:
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
def test_output_that_cannot_be_written_is_reported(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    with open("/dev/full", "w") as full:
        monkeypatch.setattr("sys.stdout", full)
        outcome = cli(*command)
    assert outcome.status == 2
    assert outcome.err == "quaternity: standard output: No space left on device\n"


class Failing(RandomBot):
    """A bot that fails on its first move."""

    def ask(self, state: object) -> NoReturn:
        raise ValueError("no question")


FAULTS: dict[str, tuple[int, list[object]]] = {
    "compare": (3, ["compare", "--states", 20, "--solvers", "liar,max-flow"]),
    "compare json": (3, ["compare", "--states", 20, "--solvers", "liar,max-flow", "--json"]),
    "compare families": (
        3, ["compare", "--families", "php", "--cards", 12, "--solvers", "liar,max-flow"],
    ),
    "fuzz": (3, ["fuzz", "--examples", 50, "--solvers", "liar,max-flow"]),
    "check by a liar": (3, ["check", STATE, STATE, "--solver", "liar"]),
    "check by a liar, and others": (3, ["check", STATE, DAMAGED, "--solver", "liar"]),
    "check": (1, ["check", DAMAGED, STATE, "--json"]),
    "check no file": (2, ["check", "missing.json", STATE]),
    "questions": (1, ["questions", DAMAGED, STATE]),
    "analyse": (1, ["analyse", DAMAGED, STATE, "--json"]),
    "analyse by an oracle": (2, ["analyse", STATE, "--oracle", "missing.tb"]),
    "export": (2, ["export", "missing.json", "--to", "dimacs"]),
    "prove": (1, ["prove", STATE]),
    "solve": (2, ["solve", "-s", 2, "-n", 3, "--brisk", "--everybody", "money"]),
    "solve, and no value": (
        2, ["solve", "-s", 2, "-n", 2, "-p", 4, "--tie-break", "fewest-sets", "--brisk",
            "--everybody", "win"],
    ),
    "solve, too large": (4, ["solve", "-s", 2, "--most-states", 10]),
    "situation": (1, ["situation", "false.situation"]),
    "tournament": (3, ["tournament", "failing", "random", "random", "--games", 2]),
    "tournament, traced": (
        3, ["tournament", "failing", "random", "random", "--games", 2, "--traceback"],
    ),
    "know": (
        4, ["kwartet", "know", LOG, "--over-time", "K0 !K1 !K2 K3 H0 5/3", "--seconds", "1e-6"],
    ),
    "no command": (2, ["chek"]),
    "no option": (2, ["check", "--most", "3"]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "messages"),
    thorough(
        [(True, "pipe"), (False, "full")], [*product((True, False), ("pipe", "full", "shown"))]
    ),
)
@pytest.mark.parametrize("name", FAULTS)
def test_the_status_reports_a_fault_even_if_the_reader_closed_the_output(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, lines: bool, messages: str
) -> None:
    """Like `compare ... | head -3`, written in lines or in blocks, with `2>&1` or `2>/dev/full`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(SOLVERS, "liar", solver_from_function("liar", always_says_no))
    plant_bot(monkeypatch, "failing", Failing)
    text = "situation 1\nhands 1 1\nset 2 cards\ndeal 01\nfalse H0 0/0\ntrue H0 0/0\n"
    (tmp_path / "false.situation").write_text(text)
    status, command = FAULTS[name]
    reader, pipe = os.pipe()
    os.close(reader)
    with (
        open(os.dup(pipe), "w", 1 if lines else -1) as out,
        open(pipe, "w", 1) as errors,
        open("/dev/full", "w", 1) as full,
        monkeypatch.context() as closed,
    ):
        closed.setattr("sys.stdout", out)
        if messages != "shown":
            closed.setattr("sys.stderr", errors if messages == "pipe" else full)
        assert run([str(word) for word in command]) == status


@pytest.mark.parametrize("words", ["check FILE", "check FILE --json", "--version", "players"])
def test_a_result_for_a_closed_standard_output_is_reported(words: str) -> None:
    command = f"exec {sys.executable} -m quaternity {words.replace('FILE', str(STATE))} >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    message = "quaternity: standard output: Bad file descriptor\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)
