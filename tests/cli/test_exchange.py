"""`instances`, `export`, `prove`, and commands that take deal problems."""

import json
from pathlib import Path

import pytest

from solvers.exchange.deal_problem_file import deal_problem_text, parse_deal_problem
from solvers.instances import FAMILIES, twins
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import SOLVERS, Solver
from solvers.verdict import Infeasible
from tests.cli.conftest import Cli


@pytest.fixture
def pair(tmp_path: Path) -> list[str]:
    """Files of a possible and an impossible problem, with sets of 8 and 9 cards."""
    paths = []
    for number, problem in enumerate(twins("pair", 17, 1)):
        paths.append(str(tmp_path / f"{number}.json"))
        Path(paths[-1]).write_text(deal_problem_text(problem))
    return paths


def test_families_are_listed(cli: Cli) -> None:
    shown = cli("instances").out.splitlines()
    assert [line.split()[0] for line in shown] == list(FAMILIES)
    lines = map(json.loads, cli("instances", "--json").out.splitlines())
    assert {"family": "chain", "idea": FAMILIES["chain"].idea, "options": ["depth"]} in lines


def test_instances_become_files_that_check_decides(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    told = cli("instances", "--family", "php, chain", "--cards", 20, "--count", 2, "--seed", 5,
               "--out", out, "--json")  # fmt: skip
    lines = [json.loads(line) for line in told.out.splitlines()]
    assert len(lines) == 8
    for line in lines:
        name = f"{line['family']}-20-{line['seed']}-{'im' * (not line['possible'])}possible.json"
        assert line["file"] == str(out / name)
        assert cli("check", line["file"]).status == (not line["possible"])
        problem = twins(line["family"], 20, line["seed"])[not line["possible"]]
        assert parse_deal_problem(Path(line["file"]).read_text())[0] == problem


def test_one_kind_and_standard_output(cli: Cli) -> None:
    told = cli("instances", "--family", "game", "--cards", 12, "--impossible", "--coalition", 2)
    (line,) = told.out.splitlines()
    assert parse_deal_problem(line)[0] == twins("game", 12, 0, coalition=2).impossible
    assert (
        len(cli("instances", "--family", "all", "--cards", 12, "--possible").out.splitlines()) == 6
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--family", "php,"], "no family ''"),
        (["--family", "php", "--cards", "9"], "cards: 9 is not"),
        (["--family", "php", "--count", "0"], "count: 0 is out of range 1..10000"),
        (["--family", "php", "--depth", "2"], "depth: not for php"),
        (["--family", "php", "--out", "/dev/null/x"], "/dev/null/x: cannot be written"),
    ],
)
def test_instances_that_are_refused(cli: Cli, arguments: list[str], words: str) -> None:
    outcome = cli("instances", *arguments)
    assert outcome.status == 2
    assert words in outcome.err
    assert outcome.out == ""


def test_check_takes_deal_problems(cli: Cli, pair: list[str]) -> None:
    outcome = cli("check", *pair, "--solver", "all", "--json")
    assert outcome.status == 1
    yes, no = map(json.loads, outcome.out.splitlines())
    assert (yes["kind"], yes["valid"], no["valid"]) == ("problem", True, False)
    assert [len(owners) for owners in yes["deal"]] == [
        one.size for one in twins("pair", 17, 1).possible.sets
    ]
    assert no["deal"] is None
    assert len(yes["verdicts"]) >= 4
    shown = cli("check", *pair)
    assert "0.json (problem): possible" in shown.out
    assert "for example:" in shown.out
    assert "because player" in shown.out


def test_a_wrong_solver_is_shown_by_a_small_deal_problem(
    cli: Cli, pair: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = Solver("wrong", "", lambda problem: Infeasible)
    monkeypatch.setitem(SOLVERS, "wrong", row)
    outcome = cli("check", pair[0], "--solver", "wrong", "--save-to", tmp_path)
    assert outcome.status == 3
    (saved,) = tmp_path.glob("disagreement-*.json")
    problem, _ = parse_deal_problem(saved.read_text())
    assert problem.cards < 3


def test_analyse_takes_deal_problems(cli: Cli, tmp_path: Path) -> None:
    one = SetConstraint.of([[0, 1], [0, 1], [1]], players=2)
    path = tmp_path / "small.json"
    path.write_text(deal_problem_text(DealProblem([1, 3], [one, SetConstraint.of([[1]], 2)])))
    assert cli("analyse", path, "--json").json == {
        "file": str(path), "deals": 2,
        "chances": [[[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]], [[0.0, 1.0]]],
        "counts": [[[1, 1], [0, 0]], [[2, 2], [1, 1]]],
        "may_own": [[[0, 1], [0, 1], [1]], [[1]]],
    }  # fmt: skip
    assert "2 deals" in cli("analyse", path).out
    outcome = cli("analyse", path, "--questions")
    assert outcome.status == 2
    assert "a deal problem is the state of no game" in outcome.err


@pytest.mark.parametrize("command", ["questions", "solve --from"])
def test_what_needs_a_game_refuses_deal_problems(cli: Cli, pair: list[str], command: str) -> None:
    outcome = cli(*command.split(), pair[0])
    assert outcome.status == 2
    assert "a deal problem, which is the state of no game" in outcome.err
