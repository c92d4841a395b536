"""`compare --families`: the table, the file of runs and the page show the same results."""

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quaternity.base.errors import WorkersLost
from quaternity.base.reading import MAX_BYTES
from quaternity.cli.status import ExitStatus
from quaternity.trials.comparison.runs import parse_runs
from solvers import SOLVERS, DealProblem, Verdict
from solvers.solver import solver_from_function
from tests.cli.conftest import Cli
from tests.cli.test_check import DATA

STATE, OTHER = str(DATA / "possible-4-13-4.json"), str(DATA / "damaged-owner-4-13-4.json")
FAMILIES = [
    "compare", "--families", "php,game", "--cards", "12,20", "--each", "1",
    "--solvers", "max-flow,cp-sat",
]  # fmt: skip


pytestmark = pytest.mark.usefixtures("no_drawings")


def test_every_table_can_be_reproduced_from_the_runs(cli: Cli, tmp_path: Path) -> None:
    file, page = str(tmp_path / "runs.jsonl"), tmp_path / "page.html"
    first = cli(*FAMILIES, "--runs", file)
    assert first.status == 0, first.err
    comparison = parse_runs(Path(file).read_text())
    assert len(comparison.instances) == 8
    assert {run.answer for run in comparison.runs} == {"feasible", "infeasible"}
    assert [run.feasible for run in comparison.runs[::2]] == [True, True, False, False] * 2
    again = cli("compare", file, "--report", str(page))
    assert (again.status, again.out) == (0, first.out)
    html = page.read_text()
    for score in comparison.rows:
        assert score.solver in html
        assert score.solver in first.out
    document = json.loads(cli("compare", file, "--json").out)
    assert document["instances"] == 8
    assert {row["solver"] for row in document["solvers"]} == {"max-flow", "cp-sat"}
    assert document["faults"] == []


@pytest.mark.parametrize("source", [[], ["--sweep", "sets", "3..6"], [STATE]], ids=str)
def test_a_file_of_runs_of_states_gives_the_same_output(
    cli: Cli, tmp_path: Path, source: list[str]
) -> None:
    """The output is the same as a table, as CSV and as JSON."""
    options = [] if source == [STATE] else ["--states", "3"]
    for form in ([], ["--csv"], ["--json"]):
        file = tmp_path / "runs.jsonl"
        first = cli(
            "compare", *source, *options, "--solvers", "max-flow,matching", "--runs", file, *form
        )
        assert first.status == 0, first.err
        again = cli("compare", file, *form)
        assert (again.status, again.out) == (0, first.out)


def test_wrong_answers_in_a_file_of_runs_give_status_three(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    assert cli(*FAMILIES, "--runs", file).status == 0
    head, first, *rest = file.read_text().splitlines()
    for answer in ("wrong", "crashed"):
        wrong = json.loads(first) | {"answer": answer, "evidence": None, "text": "is at fault"}
        wrong |= {"build": None, "solve": None}
        file.write_text("\n".join([head, json.dumps(wrong), *rest, ""]))
        outcome = cli("compare", file, "--json")
        assert outcome.status == ExitStatus.DISAGREE
        assert [fault["text"] for fault in outcome.json["faults"]] == ["is at fault"]
        assert f"{wrong['instance']}: {wrong['solver']} is at fault" in outcome.err


def test_measurements_of_families_are_drawn_and_written_as_csv(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file, picture = tmp_path / "runs.jsonl", tmp_path / "all.svg"
    lines = cli(*FAMILIES, "--runs", file, "--csv").out.splitlines()
    families = ["family", *["php"] * 2, *["game"] * 2, *["all"] * 2]
    assert [line.split(",")[0] for line in lines] == families
    assert cli("compare", file, "--plot", picture).status == 0
    assert "performance profile" in picture.read_text()


def test_states_of_games_have_runs_too(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    outcome = cli(
        "compare", "--states", "4", "--solvers", "max-flow,brute-force", "--runs", str(file)
    )
    assert outcome.status == 0, outcome.err
    comparison = parse_runs(file.read_text())
    assert list(comparison.instances) == [f"4-3-3 {number}" for number in range(4)]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--families", "php,nobody"], "nobody"), (["--families", "php,php"], "twice"),
        (["--families", ""], "family"), (["--families", "php", "--cards", "11"], "12..10000"),
        (["--families", "php", "--cards", "2x"], "'2x'"), (["--cards", "12"], "--cards"),
        (["--families", "php", "--each", "0"], "1..1000"),
        (["--families", "php", "--players", "3"], "--players"),
        (["--families", "php", "--report", "no/such/page.html"], "no/such"),
        (["runs", "--runs", "more"], "--runs"), (["runs", "--families", "php"], "--families"),
        (["damaged"], "line 2: cards"),
    ],
)  # fmt: skip
def test_invalid_options_are_refused_before_any_work(
    options: list[str], word: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    head = {
        "format": "comparison-runs/1", "what": "", "seed": 0, "limit": 1, "command": "",
        "machine": "", "versions": {"a": ""},
    }  # fmt: skip
    Path("runs").write_text(json.dumps(head) + '\n{"runs": 0}\n')
    row = {
        "instance": "i", "family": "", "cards": -1, "players": 1, "feasible": True, "solver": "a",
        "round": 0, "answer": "feasible", "evidence": "deal", "build": 0, "solve": 0, "seconds": 0,
        "memory": None, "text": None,
    }  # fmt: skip
    Path("damaged").write_text(f"{json.dumps(head)}\n{json.dumps(row)}\n")
    outcome = cli("compare", *options)
    assert outcome.status == ExitStatus.BAD_INPUT, outcome.err
    assert word in outcome.err


def test_no_file_is_overwritten(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    problem = cli(
        "instances", "--families", "php", "--cards", "12", "--possible", "--out", "."
    ).out.strip()
    assert cli(*FAMILIES, "--runs", "runs").status == 0
    before = {path: path.read_text() for path in tmp_path.iterdir()}
    for arguments in (
        ["runs", "--report", "./runs"],
        [problem, "--runs", problem],
        ["--families", "php", "--runs", "new", "--report", "new"],
    ):
        refused = cli("compare", *arguments)
        assert refused.status == ExitStatus.BAD_INPUT
        assert "is named twice; name a different file for each output" in refused.err
    assert {path: path.read_text() for path in tmp_path.iterdir()} == before


def test_results_that_cannot_be_saved_are_shown(cli: Cli) -> None:
    full = cli(*FAMILIES, "--runs", "/dev/full", "--json")
    assert full.status == ExitStatus.BAD_INPUT
    assert full.json["instances"] == 8
    assert "/dev/full: cannot be written" in full.err


def test_a_problem_from_a_pipe_is_read_once(cli: Cli) -> None:
    text = cli("instances", "--families", "php", "--cards", "12", "--possible").out
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    outcome = cli("compare", f"/dev/fd/{reading}", "--solvers", "max-flow", "--json")
    os.close(reading)
    assert outcome.status == 0


def test_a_file_of_runs_may_be_long(cli: Cli, tmp_path: Path) -> None:
    """It may be larger than a state, and its name may have characters that cannot be printed."""
    file = tmp_path / "run\ns"
    assert cli(*FAMILIES, "--runs", file).status == 0
    head, *rest = file.read_text().splitlines(keepends=True)
    header = json.loads(head) | {"machine": "m" * (MAX_BYTES + 1), "command": "c" * 9}
    file.write_text("".join([json.dumps(header) + "\n", *rest]))
    assert cli("compare", file, "--json").json["instances"] == 8


@pytest.mark.parametrize("text", ["my notes\n", '{"format": "state/1"}\n', " "])
def test_a_foreign_file_is_not_overwritten_by_runs(cli: Cli, tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(text)
    refused = cli(*FAMILIES, "--runs", file)
    assert refused.status == 2
    assert f"{file}: not a file of runs, so it is not overwritten" in refused.err
    assert file.read_text() == text
    file.write_text("")
    assert cli(*FAMILIES, "--runs", file).status == 0


@pytest.mark.parametrize("source", [["--states", 9], [STATE, *[OTHER] * 8]], ids=["games", "files"])
@pytest.mark.parametrize("stop", ["interrupt", "terminate", "kill", "cut", "workers"])
def test_a_stopped_comparison_keeps_its_runs_and_resumes(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: str, source: list[object]
) -> None:
    file, whole = tmp_path / "runs.jsonl", tmp_path / "whole.jsonl"
    contents: list[str] = []
    stops = False

    def answer(problem: DealProblem) -> Verdict:
        if stops and problem.cards > 3:  # smaller ones warm it up
            contents.append(file.read_text() if file.exists() else "")
            if len(contents) == 5 and stop == "interrupt":
                raise KeyboardInterrupt
            if len(contents) == 5 and stop == "terminate":
                os.kill(os.getpid(), signal.SIGTERM)
        return SOLVERS["max-flow"](problem)

    def lose(pool: object, function: Any, works: Iterator[Any]) -> Iterator[Any]:
        for _ in range(4):
            yield function(next(works), seconds=0.0)
        raise WorkersLost("the cluster went away")

    monkeypatch.setitem(SOLVERS, "stops", solver_from_function("stops", answer))
    command = ["compare", *source, "--solvers", "stops,max-flow", "--repeats", 1, "--json"]
    first = cli(*command, "--runs", whole)
    assert first.status == 0, first.err
    stops = True
    with monkeypatch.context() as patch:
        if stop == "workers":
            patch.setattr("quaternity.trials.comparison.measuring.ordered_map", lose)
        stopped = cli(*command, "--runs", file, *(["--workers", 2] if stop == "workers" else []))
    if stop in ("interrupt", "terminate", "workers"):
        statuses = {"interrupt": 130, "terminate": 143, "workers": ExitStatus.LIMIT}
        assert stopped.status == statuses[stop], stopped.err
        assert (stopped.json["states"], stopped.json["interrupted"]) == (4, True)
        assert "these are the measurements so far; repeat the command" in stopped.err
        assert len(parse_runs(file.read_text()).instances) == 4
        refused = cli(*command, "--seed", 1, "--runs", file)
        assert refused.status == ExitStatus.BAD_INPUT
        assert "contains an interrupted comparison with other states" in refused.err
    else:
        assert len(parse_runs(contents[4]).instances) == 4, "saved as soon as measured"
        file.write_text(contents[4] if stop == "kill" else contents[4][:-30])
    contents[:] = [""] * 5
    again = cli(*command, "--runs", file)
    assert (again.status, again.json["states"]) == (0, 9), again.err
    assert len(contents) == 5 + 6, "the last state of an interrupted file is measured again"
    runs, others = (parse_runs(path.read_text()) for path in (file, whole))
    assert runs.finished
    plain: dict[str, Any] = {"build": None, "solve": None, "seconds": None}
    assert [replace(run, **plain) for run in runs.runs] == [
        replace(run, **plain) for run in others.runs
    ]
