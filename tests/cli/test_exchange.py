"""`instances`, `export`, `prove`, and commands that take deal problems."""

import json
import re
import shlex
import subprocess
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import pytest

import quaternity
from solvers import ProblemBuilder
from solvers.exchange.checker import check_proof
from solvers.exchange.deal_problem_file import deal_problem_text, parse_deal_problem
from solvers.exchange.formats import FORMATS, export
from solvers.instances import FAMILIES, benchmark_checksums, make_pair
from solvers.named_model import cp_sat_model
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import SOLVERS
from solvers.solver import Solver
from solvers.verdict import Infeasible, deal_faults
from tests.cli.conftest import Cli

DATA = Path(quaternity.__file__).parent / "data"


@pytest.fixture
def pair(tmp_path: Path) -> list[str]:
    """Write a possible and an impossible problem with sets of 8 and 9 cards; return their paths."""
    paths = []
    for number, problem in enumerate(make_pair("pair", 17, 1)):
        paths.append(str(tmp_path / f"{number}.json"))
        Path(paths[-1]).write_text(deal_problem_text(problem))
    return paths


def test_families_are_listed(cli: Cli) -> None:
    shown = cli("instances").out.splitlines()
    assert [line.split()[0] for line in shown if line[0] != " "] == list(FAMILIES)
    lines = map(json.loads, cli("instances", "--json").out.splitlines())
    assert {"family": "chain", "idea": FAMILIES["chain"].idea, "options": ["depth"]} in lines


def test_instances_become_files_that_check_decides(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    outcome = cli("instances", "--families", "php, chain", "--cards", 20, "--each", 2, "--seed", 5,
                  "--out", out, "--json")  # fmt: skip
    lines = [json.loads(line) for line in outcome.out.splitlines()]
    assert len(lines) == 8
    for line in lines:
        name = f"{line['family']}-20-{line['seed']}-{'im' * (not line['possible'])}possible.json"
        assert line["file"] == str(out / name)
        assert cli("check", line["file"]).status == (not line["possible"])
        problem = make_pair(line["family"], 20, line["seed"])[not line["possible"]]
        assert parse_deal_problem(Path(line["file"]).read_text())[0] == problem


def test_instances_of_one_kind_go_to_standard_output(cli: Cli) -> None:
    shown = cli("instances", "--families", "game", "--cards", 12, "--impossible", "--coalition", 2)
    (line,) = shown.out.splitlines()
    assert parse_deal_problem(line)[0] == make_pair("game", 12, 0, coalition=2).impossible
    assert (
        len(cli("instances", "--families", "all", "--cards", 12, "--possible").out.splitlines())
        == 6
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--families", "php,"], "unknown family ''"),
        (["--families", "php", "--cards", "9"], "cards: must be from 12 to 10000, not 9"),
        (["--families", "php", "--each", "0"], "each: 0 is out of range 1..10000"),
        (["--families", "php", "--depth", "2"], "depth: not available for family php"),
        (["--families", "php", "--out", "/dev/null/x"], "/dev/null/x: cannot be written"),
    ],
)
def test_invalid_instances_are_refused(cli: Cli, arguments: list[str], words: str) -> None:
    outcome = cli("instances", *arguments)
    assert outcome.status == 2
    assert words in outcome.err
    assert outcome.out == ""


def test_check_accepts_deal_problems(cli: Cli, pair: list[str]) -> None:
    outcome = cli("check", *pair, "--solver", "all", "--json")
    assert outcome.status == 1
    yes, no = map(json.loads, outcome.out.splitlines())
    assert (yes["kind"], yes["valid"], no["valid"]) == ("problem", True, False)
    assert [len(owners) for owners in yes["deal"]] == [
        constraint.size for constraint in make_pair("pair", 17, 1).possible.sets
    ]
    assert no["deal"] is None
    assert len(yes["verdicts"]) >= 4
    shown = cli("check", *pair)
    assert "0.json (problem): possible" in shown.out
    assert "for example:" in shown.out
    assert "because player" in shown.out


def test_a_wrong_solver_is_exposed_by_a_small_deal_problem(
    cli: Cli, pair: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = Solver("wrong", "", lambda problem: Infeasible)
    monkeypatch.setitem(SOLVERS, "wrong", row)
    outcome = cli("check", pair[0], "--solver", "wrong", "--save-to", tmp_path)
    assert outcome.status == 3
    (saved,) = tmp_path.glob("disagreement-*.json")
    problem, _ = parse_deal_problem(saved.read_text())
    assert problem.cards < 3


def test_compare_accepts_deal_problems(
    cli: Cli, pair: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = tmp_path / "alone.json"
    alone.write_text(deal_problem_text(DealProblem([1], [SetConstraint([1], [0], [1])])))
    options = ["--solvers", "coalitions,matching", "--repeats", "1", "--json"]
    outcome = cli("compare", *pair, alone, *options, "--damage", "1")
    assert outcome.status == 0, outcome.err
    assert (outcome.json["feasible"], outcome.json["infeasible"]) in ((2, 1), (1, 2))
    monkeypatch.setitem(SOLVERS, "wrong", Solver("wrong", "", lambda problem: Infeasible))
    faulty = cli("compare", pair[0], "--solvers", "wrong", "--save-to", tmp_path)
    assert faulty.status == 3
    (saved,) = tmp_path.glob("disagreement-*.json")
    assert saved.read_text() == Path(pair[0]).read_text()


def test_analyse_accepts_deal_problems(cli: Cli, tmp_path: Path) -> None:
    first = SetConstraint.of([[0, 1], [0, 1], [1]], players=2)
    path = tmp_path / "small.json"
    path.write_text(deal_problem_text(DealProblem([1, 3], [first, SetConstraint.of([[1]], 2)])))
    assert cli("analyse", path, "--json").json == {
        "file": str(path), "deals": 2,
        "chances": [[[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]], [[0.0, 1.0]]],
        "counts": [[[1, 1], [0, 0]], [[2, 2], [1, 1]]],
        "may_own": [[[0, 1], [0, 1], [1]], [[1]]],
    }  # fmt: skip
    assert "2 deals" in cli("analyse", path).out
    outcome = cli("analyse", path, "--questions")
    assert outcome.status == 2
    assert "need a game state, not a deal problem" in outcome.err


@pytest.mark.parametrize("command", ["questions", "solve --from"])
def test_commands_for_games_refuse_deal_problems(cli: Cli, pair: list[str], command: str) -> None:
    outcome = cli(*command.split(), pair[0])
    assert outcome.status == 2
    assert "contains a deal problem, not a game state" in outcome.err


@pytest.mark.parametrize("name", FORMATS)
def test_export_writes_every_format(cli: Cli, pair: list[str], tmp_path: Path, name: str) -> None:
    text = export(make_pair("pair", 17, 1).possible, name)
    assert cli("export", pair[0], "--to", name).out == text
    out = tmp_path / "export"
    assert cli("export", pair[0], "--to", name, "--out", out).out == ""
    assert out.read_text() == text
    assert f" {name}" in cli("export", "--help").out


def test_states_and_records_are_exported_too(cli: Cli) -> None:
    record, state = (str(DATA / name) for name in ("game-4-13-4.record", "possible-4-13-4.json"))
    for path in (record, state):
        outcome = cli("export", path, "--to", "opb")
        assert outcome.status == 0
        assert outcome.out.startswith("* #variable= ")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["instances", "--benchmark", "v2"], 2, "unknown benchmark 'v2'; choose from v1"),
        (
            ["instances", "--benchmark", "v1", "--cards", "9"],
            2,
            "--benchmark can be combined only with --possible",
        ),
        (["export", "{}", "--to", "opb2"], 2, "unknown format 'opb2'; choose from opb, cnf"),
        (["export", "{}"], 2, "Missing option '--to'"),
        (["export", "nowhere.json", "--to", "lp"], 2, "nowhere.json: No such file"),
        (["export", "-", "--to", "lp"], 2, "-: hands: missing"),
        (["prove", "-"], 2, "-: hands: missing"),
        (["prove", "{}", "--out", "/dev/null/x"], 2, "/dev/null/x.opb: cannot be written"),
    ],
)
def test_export_and_prove_refuse_bad_input(
    cli: Cli, pair: list[str], arguments: list[str], status: int, words: str
) -> None:
    arguments = [part.replace("{}", pair[1]) for part in arguments]
    outcome = cli(*arguments, stdin='{"format": "deal-problem/1", "sets": []}')
    assert outcome.status == status
    assert words in outcome.err
    assert outcome.out == ""


def test_a_record_that_breaks_the_rules_has_no_deal_problem(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "wrong.record"
    path.write_text("quaternity 1\nset-size 4\nsets 3\nplayers 3\n1 asks 0 for 0/0: no\n")
    outcome = cli("prove", path)
    assert outcome.status == 2
    assert "impossible, but a deal problem cannot express the reason: line 5" in outcome.err


def test_the_files_of_the_benchmark_have_the_published_checksums(cli: Cli, tmp_path: Path) -> None:
    lines = cli(
        "instances", "--benchmark", "v1", "--impossible", "--out", tmp_path
    ).out.splitlines()
    checksums = benchmark_checksums("v1")
    assert [Path(line).name for line in lines] == list(checksums)[1::2]
    for file in map(Path, lines):
        assert sha256(file.read_bytes()).hexdigest() == checksums[file.name]


def test_prove_writes_a_proof_that_the_checker_accepts(
    cli: Cli, pair: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quaternity.cli.exchange.which", lambda name: None)
    prefix = str(tmp_path / "wrong")
    outcome = cli("prove", pair[1], "--out", prefix, "--json")
    assert outcome.status == 0
    formula, proof = f"{prefix}.opb", f"{prefix}.pbp"
    assert outcome.json == {
        "file": pair[1], "formula": formula, "proof": proof, "checked": True, "veripb": None
    }  # fmt: skip
    check_proof(Path(formula).read_text(), Path(proof).read_text())
    assert cli("export", pair[1], "--to", "opb").out == Path(formula).read_text()
    assert cli("prove", pair[1]).out == Path(proof).read_text()
    assert cli("prove", pair[1], "--json").json["proof"] == Path(proof).read_text()
    output = cli("prove", pair[1], "--out", prefix).out
    assert (
        output
        == f"{pair[1]}: impossible; {proof} proves that {formula} has no solution (checked)\n"
    )


def test_a_possible_problem_has_no_proof(cli: Cli, pair: list[str]) -> None:
    outcome = cli("prove", pair[0], "--json")
    assert outcome.status == 1
    assert outcome.json["checked"] is False
    problem = make_pair("pair", 17, 1).possible
    assert not deal_faults(problem, outcome.json["deal"])
    shown = cli("prove", pair[0])
    assert shown.status == 1
    assert "possible, so there is nothing to prove; a possible deal:\n  player 0: 0/" in shown.out


@pytest.mark.parametrize(("code", "status"), [(0, 0), (1, 3)])
def test_veripb_checks_the_proof_if_it_is_installed(
    cli: Cli, pair: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    code: int, status: int,
) -> None:  # fmt: skip
    program = tmp_path / "veripb"
    program.write_text(f'#!/bin/sh\nhead -1 "$2"; test -f "$1" && exit {code}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    outcome = cli("prove", pair[1], "--out", tmp_path / "p")
    assert outcome.status == status
    assert ("here and by VeriPB" in outcome.out) == (code == 0)
    refused = f"VeriPB rejects {tmp_path}/p.pbp: pseudo-Boolean proof version 3.0"
    assert (refused in outcome.err) == (code == 1)


def test_a_proof_that_our_checker_refuses_is_a_fault(
    cli: Cli, pair: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solvers.proving.refutation", lambda *_: "no proof")
    outcome = cli("prove", pair[1])
    assert outcome.status == 3
    assert "the built-in checker rejects the proof: proof: the first line" in outcome.err


LOADED = {
    "opb": "model.getNVars() == 5 and not model.optimize() and model.getStatus() == 'optimal'",
    "cnf": "formula.nv >= 5",
    "flow": "graph.maxflow(graph['source'], graph['target'], 'capacity').value == 3",
    "lp": "model.getNumCol() == 5",
    "mps": "model.num_variables == 5",
    "smt2": "str(solver.check()) == 'sat'",
    "asp": "not control.ground() and control.solve().satisfiable",
    "cp-sat": "str(model.proto) == exported",
    "efg": "len(game.players) == 2",
}
"""For each format, a condition that holds after its line of the guide has loaded a file."""

GUIDE = Path(quaternity.__file__).parent / "guide" / "formats.md"
LINES = dict(re.findall(r"^\| `([a-z0-9-]+)` \| `(.*)` \|$", GUIDE.read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", [*FORMATS, "efg"])
@pytest.mark.filterwarnings("ignore:with two players")
def test_the_line_of_the_guide_loads_the_format(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    problem = DealProblem([2, 1], [SetConstraint([0b01, 0b11, 0b11], (0, 0), (2, 1))])
    Path("problem.json").write_text(deal_problem_text(problem))
    source = "kwartet(players=2,sets=2,max_moves=2)" if name == "efg" else "problem.json"
    file = "game.efg" if name == "efg" else f"problem.{name}"
    assert cli("export", source, "--to", name, "--out", file).status == 0
    line = LINES[name]
    assert file in line
    if name not in LOADED:
        if which(shlex.split(line)[0]) is None:
            pytest.skip("is not installed")
        shown = subprocess.run(shlex.split(line), capture_output=True, text=True, check=True).stdout
        assert "card_0_0_of_player_0 = 1;" in shown
        return
    if find_spec(line.split()[1].partition(".")[0].rstrip(";")) is None:
        pytest.skip("is not installed")
    loaded: dict[str, Any] = {"exported": str(cp_sat_model(problem).model.proto)}
    exec(line, loaded)  # noqa: S102
    assert eval(LOADED[name], loaded)  # noqa: S307


def test_the_guide_has_a_line_for_each_format() -> None:
    assert [*LINES] == [*FORMATS, "efg"]


def test_commands_print_the_names_of_a_problem(cli: Cli, tmp_path: Path) -> None:
    builder = ProblemBuilder().hand("Ann", 2).hand("Bob", 1).cards("hearts", ["ace", "king", "ten"])
    possible, impossible = tmp_path / "possible.json", tmp_path / "impossible.json"
    builder.belongs_to("ace", "Ann").build().write(str(possible))
    builder.at_least("Bob", 2, "hearts").build().write(str(impossible))
    for command in ("check", "prove"):
        assert "Ann: ace, king\n" in cli(command, possible).out
    assert "Bob holds 1 card, but must hold at least 2 of hearts" in cli("check", impossible).out
    shown = [line.split() for line in cli("analyse", possible).out.splitlines()]
    for row in (["Ann", "Bob"], ["ace", "100.0%", "0.0%"], ["hearts", "2-2", "1-1"]):
        assert row in shown


def test_a_problem_without_sets_is_analysed(cli: Cli, tmp_path: Path) -> None:
    empty = tmp_path / "empty.json"
    DealProblem([0] * 20, []).write(str(empty))
    assert cli("analyse", empty).out == f"{empty}: 1 deal\n"
    assert cli("check", empty).status == cli("analyse", empty, "--json").status == 0
