"""Ctrl-C exits with status 130 and keeps the finished results."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from quaternity.cli import main
from quaternity.kwartet.log import log_text
from quaternity.kwartet.settings import KwartetSettings
from tests.kwartet.games import random_log


def test_perft_keeps_the_depths_it_has_counted() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "quaternity", "perft", "-d", "30"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert lines == ["1: 48\n", "2: 2160\n", "3: 90240\n"]
    assert process.returncode == 130
    assert "Traceback" not in error


def test_a_closed_terminal_ends_a_comparison_with_its_results(tmp_path: Path) -> None:
    """The progress went to the terminal, and the table goes to a file."""
    master, terminal = os.openpty()
    command = ["compare", "--states", "100000", "--solvers", "max-flow"]
    with (tmp_path / "table").open("wb") as table:
        process = subprocess.Popen(
            [sys.executable, "-m", "quaternity", *command],
            stdin=terminal, stdout=table, stderr=terminal,
            # Under `nohup`, all processes inherit that hangups are ignored.
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        )  # fmt: skip
    os.close(terminal)
    shown = b""
    while not re.search(rb"[1-9]/100000", shown):
        shown += os.read(master, 4096)
    os.close(master)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=60) == 143
    assert "\nmax-flow " in (tmp_path / "table").read_text()


# With these options CP-SAT takes very long for fourteen pigeons in thirteen holes.
HARD = """
import sys
from quaternity.cli.app import run
from quaternity.epistemic.solver_evaluator import SolverEvaluator

def truth(evaluator, *anything):
    model = evaluator.encoder().model
    rows = [[model.new_literal() for hole in range(13)] for pigeon in range(14)]
    for row in rows:
        model.require_any(row)
    for column in zip(*rows):
        for number, literal in enumerate(column):
            for other in column[:number]:
                model.require_any([literal.negated(), other.negated()])
    print("at work", flush=True)
    return model.solve(cp_model_presolve=False, symmetry_level=0, linearization_level=0)

SolverEvaluator.truth = truth
sys.exit(run(["kwartet", "know", sys.argv[1], "true"]))
"""


def test_an_interrupt_stops_kwartet_know_while_cp_sat_runs(tmp_path: Path) -> None:
    game = tmp_path / "game.log"
    game.write_text(log_text(random_log(KwartetSettings(), Random(1), 5)))
    process = subprocess.Popen(
        [sys.executable, "-c", HARD, str(game)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "at work\n"
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in error


def test_an_interrupt_before_or_after_a_command_has_its_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("quaternity.cli.app.run", interrupt)
    monkeypatch.setattr(sys, "set_int_max_str_digits", lambda _: None)  # a process-wide setting
    with pytest.raises(SystemExit) as exit_info:
        main()
    assert exit_info.value.code == 130
