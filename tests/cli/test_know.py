"""`kwartet know`: truth, reasons, limits and bad input."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import NoReturn

import pytest

from quaternity.epistemic import Undecided
from quaternity.kwartet.log import log_text, read_log
from quaternity.kwartet.settings import KwartetSettings
from solvers import Deal, deal_faults
from tests.cli.conftest import Cli
from tests.kwartet.games import random_log

SMALL = """\
kwartet 1
players 2
sets 2
hand 0: 0/0 0/1 0/2 1/0
hand 1: 0/3 1/1 1/2 1/3
0 asks 1 for 0/3: yes
0 puts down 0
0 asks 1 for 1/0: no
1 asks 0 for 1/0: yes
1 puts down 1
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.log"
    path.write_text(SMALL)
    return path


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "full.log"
    path.write_text(log_text(random_log(KwartetSettings(), Random(0), 60)))
    return path


@pytest.mark.parametrize(
    ("place", "formula", "truth"),
    [
        (["--at", 0], "H0 0/0", True),
        (["--at", 0], "K1 H0 0/0", True),
        (["--at", 0], "P H0 0/0", False),
        (["--at", 0], "C H0 0/0", True),  # with two players every hand tells the deal
        (["--at", 1], "H0 0/0", False),  # the set is gone
        (["--at", 1], "C (!H0 0/0 & !H1 0/3)", True),
        (["--go", 0], "K1 H0 1/0", True),
        (["--go", 1], "C H0 1/0", True),
        ([], "P !H0 1/0", True),
        (["--at", 1], "points(0) = 1 ∧ points(1) < points(0) ∧ cards(0, 0) = 0", True),
        (["--at", 2], "cards(0) >= 2", False),
        (["--at", 0], "some p != 0: all c in set 0: Kwp H0 c & C{0,1} H0 0/1", True),
        ([], "all s: all c in set s: ¬M1 H0 c", True),
    ],
)
def test_truth_value(cli: Cli, small: Path, place: list[object], formula: str, truth: bool) -> None:
    outcome = cli("kwartet", "know", small, *place, formula, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.json == {"formula": formula, "true": truth}
    for method in ("explicit", "solvers"):
        plain = cli("kwartet", "know", small, *place, formula, "--method", method)
        assert plain == (0, f"{str(truth).lower()}\n", "")


def test_a_known_formula_is_explained(cli: Cli, small: Path) -> None:
    outcome = cli("kwartet", "know", small, "--at", 0, "K1 H0 0/0", "--why")
    assert outcome.status == 0
    assert outcome.out.splitlines() == [
        "true",
        "  K1 H0 0/0 follows from the hands and the rules: no request is needed",
        "  player 1 knows H0 0/0:",
        "    player 1 cannot hold 0/0: player 1 sees that 0/0 is not in their own hand",
    ]


def test_an_unknown_formula_is_explained_by_deals(cli: Cli, full: Path) -> None:
    """The deals fit the public information, and share the hand that the player sees."""
    formula = "K1 K2 H0 5/3"
    outcome = cli("kwartet", "know", full, formula, "--why", "--json")
    answer = outcome.json
    assert list(answer) == ["formula", "true", "why", "deals"]
    assert answer["true"] is False
    position = read_log(str(full)).positions[-1]
    deals = [Deal(tuple(map(tuple, deal))) for deal in answer["deals"]]
    assert deals
    assert not any(deal_faults(position.public.problem, deal.owner) for deal in deals)
    assert deals[0].hand(1) == position.deal.hand(1)
    text = cli("kwartet", "know", full, formula, "--why").out.splitlines()
    assert text[0] == "false"
    assert [line[2:] for line in text[1 : 1 + len(answer["why"])]] == answer["why"]
    assert "deal 1:" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["K1 H0 &"], "formula, column 7: expected a card such as 0/2, found '&'"),
        (["K1 H7 0/0"], "player 7 does not exist: the players are 0..1"),
        (["K1 H1 0/4"], "card 0/4 does not exist: the cards of set 0 are 0/0..0/3"),
        ([""], "expected a formula, found the end"),
        (["true", "--go", 9], "--go 9 is out of range 0.."),
        (["true", "--go", -1], "go -1 is out of range"),
        (["true", "--at", 4], "--at 4 is out of range 0..3 (requests in the log)"),
        (["true", "--at", 1, "--go", 1], "--go and --at: choose one"),
        (["true", "--method", "magic"], "method 'magic' is unknown"),
        (["true", "--seconds", "nan"], "seconds: must be a number > 0, not nan"),
        (["true", "--go", "x"], "valid integer"),
    ],
)
def test_bad_input_is_refused(cli: Cli, small: Path, arguments: list[object], words: str) -> None:
    outcome = cli("kwartet", "know", small, *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert words in outcome.err


def test_bad_files_are_refused(cli: Cli, tmp_path: Path) -> None:
    assert cli("kwartet", "know", tmp_path / "none", "true").status == 2
    outcome = cli("kwartet", "know", "-", "true", stdin="quaternity 1\n")
    assert outcome.status == 2
    assert "a log must start with" in outcome.err
    assert cli("kwartet", "know", "-", "true", stdin=SMALL).out == "true\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["(" * 10_000 + "true" + ")" * 10_000],
        ["!" * 10_000 + "true"],
        ["C true", "--method", "explicit"],
        ["K0 !K1 !K2 K3 H0 5/3", "--seconds", "1e-6"],
    ],
)
def test_limits_are_reported(cli: Cli, full: Path, arguments: list[str]) -> None:
    outcome = cli("kwartet", "know", full, "--at", 20, *arguments, "--json")
    assert (outcome.status, outcome.out) == (4, "")
    assert len(outcome.err.splitlines()) == (3 if "column" in outcome.err else 1)


def test_an_undecided_announcement_is_named(cli: Cli, full: Path) -> None:
    announcement = "K0 !K1 !K2 K3 H0 5/3"
    command = ("kwartet", "know", full, "true", "--say", announcement, "--seconds", "1e-6")
    outcome = cli(*command, "--at", 20)
    assert (outcome.status, outcome.out) == (4, "")
    assert outcome.err.startswith(f"quaternity: --say {announcement}: undecided")


def test_the_truth_is_printed_even_if_the_reason_is_not_found(
    cli: Cli, full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_reason(*_: object) -> NoReturn:
        raise Undecided("undecided: too late")

    monkeypatch.setattr("quaternity.epistemic.explanation.explain_with", no_reason)
    outcome = cli("kwartet", "know", full, "K0 !K1 H2 8/3", "--why")
    assert (outcome.status, outcome.out) == (4, "true\n")
    assert "no reason was found: undecided: too late" in outcome.err


def test_knowledge_of_hands_does_not_load_solver_libraries(full: Path) -> None:
    probe = (
        "import sys; from quaternity.cli.app import run; "
        f"run(['kwartet', 'know', {str(full)!r}, 'K1 H3 8/3', '--json']); "
        "print([name for name in ('ortools', 'numpy', 'scipy') if name in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=60
    )
    answer, loaded = ended.stdout.splitlines()
    assert json.loads(answer)["formula"] == "K1 H3 8/3"
    assert loaded == "[]"
