"""`compare`: tables, JSON, CSV and pictures; files, sweeps, disagreements and bad input."""

import csv
import io
import json
import re
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from quaternity import Settings, State, state_text
from quaternity.table import players
from quaternity.table.games import registration
from quaternity.trials.comparison import parse_runs
from solvers import SOLVERS, DealProblem, Verdict
from solvers.solver import solver_from_function
from tests.cli.conftest import Cli
from tests.cli.test_check import DATA, RECORD
from tests.sizes import THOROUGH, thorough
from tests.solvers.broken import always_says_no, drops_a_minimum
from tests.solvers.wild import register_solvers

QUICK = ("--solvers", "max-flow,coalitions")


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register a solver `mine` that ignores minimums."""
    monkeypatch.setitem(SOLVERS, "mine", solver_from_function("mine", drops_a_minimum))


def test_every_solver_has_a_row(cli: Cli) -> None:
    outcome = cli("compare", "--states", 8)
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "8 states: 6 feasible, 2 infeasible (25 %) (states of 4-3-3 games, seed 0)"
    assert [line.split()[0] for line in lines[3:8]] == list(SOLVERS)
    assert "All verdicts agree, and all are verified." in outcome.out
    assert "\x1b" not in outcome.out
    assert outcome.err == ""


def test_json_has_the_figures_of_every_solver(cli: Cli) -> None:
    arguments = ("compare", "-s", 3, "-n", 4, "-p", 4, "--states", 12, "--seed", 3, "--json")
    document = cli(*arguments).json
    assert (document["states"], document["feasible"], document["infeasible"]) == (12, 9, 3)
    assert [row["solver"] for row in document["solvers"]] == list(SOLVERS)
    for row in document["solvers"]:
        assert row["feasible"] + row["infeasible"] + row["skipped"] == 12
        assert row["interval_low"] <= row["median"] <= row["interval_high"]
        assert row["median"] <= row["p95"]
    assert document["sizes"][0]["players"] == 4
    assert (document["faults"], document["saved"], document["interrupted"]) == ([], None, False)


def test_states_of_a_seed_are_the_same_in_other_processes(cli: Cli) -> None:
    def counts(*options: object) -> list[object]:
        document = cli("compare", *QUICK, "--states", 25, "--damage", 0.7, "--json", *options).json
        return [document["feasible"], *(row["infeasible"] for row in document["solvers"])]

    assert counts() == counts()
    if THOROUGH:  # it starts two processes
        assert counts() == counts("--workers", 2)


def test_a_sweep_is_written_as_csv(cli: Cli) -> None:
    outcome = cli("compare", "--sweep", "players", "2..5", "-n", 6, "--states", 4, "--csv", *QUICK)
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert [(row["players"], row["sets"]) for row in rows[::2]] == [
        ("2", "6"), ("3", "6"), ("4", "6"), ("5", "10"), ("", ""),
    ]  # fmt: skip
    assert {row["solver"] for row in rows} == {"max-flow", "coalitions"}
    assert all(float(row["total"]) > 0 for row in rows)


@pytest.mark.parametrize("suffix", ["svg", *thorough([], ["png", "pdf"])])
def test_a_sweep_is_drawn(cli: Cli, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / f"cost.{suffix}"
    options = ("--sweep", "sets", "2..6", "--states", 3, "--plot", picture, *QUICK)
    outcome = cli("compare", *options)
    assert outcome.status == 0
    # 3 and 6 sets can be dealt to three players; the last table is over all sizes.
    assert outcome.out.count("\nsolver ") == 2 + 1
    assert picture.read_bytes()[:4] in (b"\x89PNG", b"<?xm", b"%PDF")
    assert [path.name for path in tmp_path.iterdir()] == [picture.name]
    if suffix == "svg":
        for words in ("cactus plot", "performance profile", "max-flow", "coalitions"):
            assert f"<!-- {words}" in picture.read_text()


def test_states_and_records_are_read_from_files(cli: Cli) -> None:
    outcome = cli("compare", DATA / "possible-4-13-4.json", RECORD, *QUICK, "--json")
    assert outcome.status == 0
    document = outcome.json
    assert document["what"] == "states of 2 files"
    assert document["states"] == document["feasible"] > 30
    impossible = cli("compare", DATA / "damaged-owner-4-13-4.json", *QUICK, "--json").json
    assert (impossible["feasible"], impossible["infeasible"]) == (0, 1)
    damaged = cli("compare", RECORD, "--damage", 1, *QUICK, "--json").json
    assert damaged["infeasible"] > damaged["states"] // 3


def test_a_broken_solver_gives_status_three_and_a_saved_state(
    cli: Cli, broken: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = cli("compare", "--solvers", "mine,max-flow", "--states", 40)
    assert outcome.status == 3
    assert "mine says feasible, but its deal is wrong: player 0 must have" in outcome.err
    (saved,) = tmp_path.iterdir()
    assert str(saved.name) in outcome.err
    assert cli("check", saved, "--solver", "max-flow").status in (0, 1)
    assert State.parse(saved.read_text()).problem.cards <= 12
    again = cli("compare", saved, "--solvers", "mine", "--json", "--save-to", tmp_path)
    assert again.status == 3
    assert again.json["saved"] == str(tmp_path / saved.name)
    assert {fault["solver"] for fault in again.json["faults"]} == {"mine"}


def test_the_smallest_state_with_a_fault_is_saved(cli: Cli, broken: None, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    outcome = cli("compare", "--solvers", "mine,max-flow", "--sweep", "sets", "6..13", "-p", 4,
                  "--states", 9, "--save-to", tmp_path, "--runs", runs, "--json")  # fmt: skip
    saved = outcome.json["saved"]
    wrong = [run.cards for run in parse_runs(runs.read_text()).faults]
    assert len(set(wrong)) > 1
    assert State.parse(Path(saved).read_text()).problem.cards == min(wrong)


def test_plug_ins_are_used_even_if_one_of_them_is_broken(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One exits while it is imported; `all` works without it, in the workers, too."""
    (tmp_path / "theirs.py").write_text("from solvers import solve\ndef run(p): return solve(p)\n")
    (tmp_path / "broken.py").write_text("raise SystemExit(0)\n")
    strategies = tmp_path / "strategies-1.dist-info"
    strategies.mkdir()
    (strategies / "METADATA").write_text("Metadata-Version: 2.1\nName: strategies\nVersion: 1\n")
    (strategies / "entry_points.txt").write_text(
        f"[{registration('kwartet').strategy_group}]\nbroken = broken:run\n"
    )
    players.plugin_players.cache_clear()
    with register_solvers(tmp_path, monkeypatch, theirs="theirs:run", broken="broken:run"):
        compared = cli("compare", "--states", 3, "--json", "--workers", 2)
        fuzzed = cli("fuzz", "--solvers", "theirs,max-flow", "--examples", 20, "--json")
        refused = cli("fuzz", "--solvers", "broken,max-flow", "--examples", 20)
        seats = cli("kwartet", "simulate", "--seats", "broken,random")
    players.plugin_players.cache_clear()
    sys.modules.pop("theirs", None)
    why = "'broken' (broken:run) cannot be loaded: SystemExit(0)"
    assert compared.status == 0, compared.err
    assert compared.err == f"quaternity: solver {why}; it is skipped\n"
    assert [row["solver"] for row in compared.json["solvers"]] == [*SOLVERS, "theirs"]
    assert fuzzed.status == 0
    assert fuzzed.json["solvers"] == ["theirs", "max-flow"]
    assert refused.status == 2
    assert refused.err.splitlines()[-1] == f"quaternity: solver {why}"
    assert seats.status == 2
    assert seats.err.splitlines()[-1].endswith(f"strategy {why}")


def test_a_solver_of_another_distribution_has_its_version_everywhere(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_drawings: None
) -> None:
    (tmp_path / "acme.py").write_text(
        "from solvers import Infeasible, solve\n"
        "def right(p): return solve(p)\n"
        "def liar(p): return solve(p) if p.cards <= 3 else Infeasible()\n"
    )
    label, solvers, file = "theirs (theirs 1)", ("--solvers", "max-flow,theirs"), tmp_path / "runs"
    solver, page = ("--solver", solvers[1]), tmp_path / "page.html"
    state = DATA / "possible-4-13-4.json"
    with register_solvers(tmp_path, monkeypatch, theirs="acme:right", liar="acme:liar"):
        assert f"\n{label}  " in cli("compare", "--states", 3, *solvers, "--runs", file).out
        assert f"\n{label}  " in cli("compare", file, "--wide", "--report", page).out
        document = cli("compare", file, "--json").json["solvers"]
        (line,) = [line for line in csv_lines(cli("compare", file, "--csv").out)
                   if line["solver"] == "theirs"]  # fmt: skip
        assert (line["version"], document[1]["version"]) == ("theirs 1", "theirs 1")
        assert parse_runs(file.read_text()).versions["theirs"] == "theirs 1"
        assert label in page.read_text()
        assert label in cli("fuzz", "--examples", 3, *solvers).out
        document = cli("fuzz", "--examples", 3, *solvers, "--json").json
        assert document["versions"]["theirs"] == "theirs 1"
        assert f"solvers agree: max-flow, {label}" in cli("check", state, *solver).out
        document = cli("check", state, *solver, "--json").json
        assert document["versions"]["theirs"] == "theirs 1"
        shown = cli("solvers")
        assert ["theirs", "theirs", "1", "paired"] in [row.split() for row in shown.out.split("\n")]
        wrong = ("--solvers", "max-flow,liar", "--save-to", tmp_path)
        for command in (
            ["compare", "--states", 3, *wrong], ["fuzz", "--examples", 30, *wrong],
            ["check", state, "--solver", "max-flow,liar", *wrong[2:]],
        ):  # fmt: skip
            assert "liar (theirs 1) says infeasible, but" in cli(*command).err
        placed = cli("compare", "--states", 1, "--solvers", "max-flow,acme:right").out
        assert "\nacme:right  " in placed, "a file of no distribution has no version"
    rival = cli("compare", "--states", 1, "--solvers", "glop,max-flow").out
    assert f"\nglop (ortools {version('ortools')})  " in rival
    sys.modules.pop("acme", None)


def csv_lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_colour_marks_faults(
    cli: Cli, broken: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--states", 20, "--solvers", "mine,max-flow", "--save-to", tmp_path)
    assert "\x1b" not in cli("compare", *options).out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    lines = cli("compare", *options).out.splitlines()
    marked = [line for line in lines if "\x1b" in line]
    assert all(re.fullmatch("\x1b\\[31m(mine .*|.* a wrong verdict.)\x1b\\[m", x) for x in marked)
    assert len(marked) == 2
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in cli("compare", *options).out


def test_the_time_left_is_shown(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    error = re.sub(r"\x1b\[[\d;]*m", "", cli("compare", "--states", 30, *QUICK).err)
    assert re.search(r"30/30 \d:\d\d:\d\d \d:\d\d:\d\d left", error)


def test_an_interrupt_keeps_the_measurements(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[DealProblem] = []

    def stops(problem: DealProblem) -> Verdict:
        if problem.cards > 3:  # smaller ones warm it up
            calls.append(problem)
        if len(calls) == 14:
            raise KeyboardInterrupt
        return SOLVERS["max-flow"](problem)

    monkeypatch.setitem(SOLVERS, "stops", solver_from_function("stops", stops))
    outcome = cli("compare", "--states", 40, "--solvers", "stops,max-flow")
    assert outcome.status == 130
    assert outcome.out.startswith("13 states")
    assert "interrupted" in outcome.err


def test_an_interrupted_sweep_shows_the_size_in_progress(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[DealProblem] = []

    def stops(problem: DealProblem) -> Verdict:
        calls.append(problem)
        if problem.cards == 24 and len(calls) > 10:
            raise KeyboardInterrupt
        return SOLVERS["max-flow"](problem)

    monkeypatch.setitem(SOLVERS, "stops", solver_from_function("stops", stops))
    outcome = cli("compare", "--sweep", "sets", "3..6", "--states", 30, "--solvers", "stops",
                  "--json")  # fmt: skip
    assert outcome.status == 130
    assert [(size["sets"], size["states"]) for size in outcome.json["sizes"]] == [(3, 30)]
    assert outcome.json["interrupted"] is True


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--solvers", "simplex"], "choose from cp-sat, max-flow"),
        (["--solvers", ","], "no solver named"),
        (["--solvers", "max-flow,max-flow"], "solvers: max-flow: name each solver only once"),
        (["--states", "0"], "out of range 1.."),
        (["--states", "100000000"], "out of range 1.."),
        (["--states", "many"], "--states"),
        (["--damage", "2"], "damage: must be from 0 to 1, not 2"),
        (["--damage", "-0.1"], "must be from 0 to 1"),
        (["--damage", "nan"], "must be from 0 to 1"),
        (["--repeats", "0"], "out of range"),
        (["--limit", "0"], "must be a number of seconds > 0"),
        (["--limit", "1e9"], "must be a number of seconds > 0 and <= 1000000"),
        (["--budget", "inf"], "must be a number of seconds > 0"),
        (["--sweep", "players", "2-8"], "not a range"),
        (["--sweep", "players", "8..2"], "empty"),
        (["--sweep", "colours", "2..8"], "must be one of set-size, sets, players"),
        (["--sweep", "players"], "--sweep"),
        (["--sweep", "players", "2..8", "-p", "3"], "cannot be set if the sweep varies it"),
        (["-p", "5"], "cannot share evenly"),
        (["-s", "1"], "set_size: 1 is less than 2"),
        (["-n", "100000"], "limit"),
        (["--plot", "cost.gif"], "end in .png"),
        (["--plot", "no/such/folder/cost.png"], "cannot be written"),
        (["--save-to", "no/such/folder"], "not a directory"),
        (["--json", "--csv"], "choose one"),
        (["no-such-file.json"], "no-such-file.json"),
        (["no-such-file.json", "--states", "3"], "cannot be used with files"),
        (["--workers", "0"], "--workers"),
    ],
)
def test_bad_input_is_refused(cli: Cli, options: list[str], words: str) -> None:
    outcome = cli("compare", *options)
    assert outcome.status == 2
    assert words in outcome.err
    assert outcome.out == ""


def test_a_missing_matplotlib_is_reported_before_the_work(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    outcome = cli("compare", "--plot", tmp_path / "cost.png")
    assert outcome.status == 2
    assert "pip install '.[plot]'" in outcome.err
    assert outcome.out == ""


def test_files_without_a_deal_problem_are_left_out(cli: Cli, tmp_path: Path) -> None:
    document = json.loads(state_text(State.start()))
    document["completed"] = [0, None, None]
    document["owners"][0] = [[1]] * 4
    path = tmp_path / "contradiction.json"
    path.write_text(json.dumps(document))
    outcome = cli("compare", path)
    assert outcome.status == 2
    assert "skipped, because a deal problem" in outcome.err


def test_a_comparison_without_a_verdict_is_a_limit(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "start.json"
    path.write_text(state_text(State.start(Settings(4, 13, 4))))
    outcome = cli("compare", path, "--solvers", "brute-force")
    assert outcome.status == 4
    assert "1 undecided" in outcome.out
    assert "brute-force skipped: there are too many" in outcome.out
    assert "no solver decided any of the states" in outcome.err


def test_a_single_solver_is_checked_against_the_evidence(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert cli("compare", "--states", 5, "--solvers", "cp-sat").status == 0
    monkeypatch.setitem(SOLVERS, "no", solver_from_function("no", always_says_no))
    outcome = cli("compare", "--states", 5, "--solvers", "no", "--save-to", tmp_path)
    assert outcome.status == 3
    assert "no says infeasible, but this deal satisfies the problem" in outcome.err
