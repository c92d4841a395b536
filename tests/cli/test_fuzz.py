"""`fuzz`: counts, findings, seeds, interrupts and bad input."""

import json
import re
from itertools import count
from pathlib import Path

import pytest

from quaternity import State
from solvers import SOLVERS, DealProblem, Verdict
from solvers.solver import solver_from_function
from tests.cli.conftest import Cli
from tests.solvers.broken import drops_a_minimum

QUICK = ("--solvers", "max-flow,coalitions")


def test_examples_are_counted(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = cli("fuzz", "--examples", 60, *QUICK)
    assert outcome.status == 0
    assert "54 problems: " in outcome.out
    assert " feasible, " in outcome.out
    assert "; 6 games, with " in outcome.out
    assert "kinds: spoilt, feasible: " in outcome.out
    assert "players: 1: " in outcome.out
    assert "cards up to: 4: " in outcome.out
    assert outcome.err == ""
    assert list(tmp_path.iterdir()) == []


def test_a_seed_reproduces_the_results(cli: Cli) -> None:
    def counts(*options: object) -> dict[str, object]:
        document = cli("fuzz", "--examples", 40, *QUICK, "--json", *options).json
        del document["seconds"]
        return dict(document)

    first = counts("--seed", 4)
    assert first == counts("--seed", 4) != counts("--seed", 5)
    assert first == counts("--seed", 4, "--workers", 2)
    assert first["feasible"] + first["infeasible"] + first["games"] == 40  # type: ignore[operator]  # numbers
    assert first["finding"] is None


def test_all_solvers_run_for_a_given_time(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()
    monkeypatch.setattr("quaternity.trials.fuzzing.running.monotonic", lambda: next(seconds))
    document = cli("fuzz", "--seconds", 20, "--json").json
    assert document["solvers"] == list(SOLVERS)
    assert document["examples"] > 0
    assert document["finding"] is None


def test_a_broken_solver_is_reported_and_its_state_saved(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SOLVERS, "mine", solver_from_function("mine", drops_a_minimum))
    monkeypatch.chdir(tmp_path)
    outcome = cli("fuzz", "--seed", 1, "--examples", 500, "--solvers", "mine,max-flow", "--json")
    assert outcome.status == 3
    finding = outcome.json["finding"]
    assert "mine says feasible, but its deal is wrong: player 0 must have" in finding["text"]
    assert finding["text"] in outcome.err
    saved = tmp_path / finding["saved"]
    assert list(tmp_path.iterdir()) == [saved]
    assert json.loads(saved.read_text()) == finding["state"]
    assert State.parse(saved.read_text()).problem.cards <= 4
    assert cli("check", saved, "--solver", "mine").status == 3
    assert cli("check", saved, "--solver", "max-flow").status in (0, 1)


def test_a_finding_that_cannot_be_saved_is_printed(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "gone"
    place.mkdir()

    def solve_without_folder(problem: DealProblem) -> Verdict:
        if place.exists():
            place.rmdir()
        return drops_a_minimum(problem)

    monkeypatch.setitem(SOLVERS, "mine", solver_from_function("mine", solve_without_folder))
    outcome = cli("fuzz", "--solvers", "mine", "--save-to", place)
    assert outcome.status == 3
    assert "No such file or directory" in outcome.err
    assert '"format": "quaternity-state/1"' in outcome.err


def test_an_interrupt_prints_the_results_so_far(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[DealProblem] = []

    def stops(problem: DealProblem) -> Verdict:
        calls.append(problem)
        if len(calls) == 10:  # at the tenth example, a game
            raise KeyboardInterrupt
        return SOLVERS["max-flow"](problem)

    monkeypatch.setitem(SOLVERS, "stops", solver_from_function("stops", stops))
    outcome = cli("fuzz", "--solvers", "stops,max-flow")
    assert outcome.status == 130
    assert re.search(r"^9 problems: ", outcome.out, re.M)
    assert "interrupted" in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--seconds", "1", "--examples", "1"], "choose one"),
        (["--seconds", "0"], "must be > 0 and <= "),
        (["--seconds", "-5"], "must be > 0 and <= "),
        (["--seconds", "inf"], "must be > 0 and <= "),
        (["--seconds", "nan"], "must be > 0 and <= "),
        (["--examples", "0"], "out of range 1.."),
        (["--examples", "ten"], "--examples"),
        (["--solvers", "oracle"], "choose from cp-sat, max-flow"),
        (["--solvers", ""], "no solver named"),
        (["--save-to", "no/such/folder"], "not a directory"),
        (["--seed", "x"], "--seed"),
        (["state.json"], "state.json"),
    ],
)
def test_bad_input_is_refused(cli: Cli, options: list[str], words: str) -> None:
    outcome = cli("fuzz", *options)
    assert outcome.status == 2
    assert words in outcome.err
    assert outcome.out == ""
