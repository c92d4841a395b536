"""`analyse`: JSON for programs, matrices for people, pictures."""

import json
from pathlib import Path

import pytest

from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.state_file import state_text
from solvers import DealProblem, SetConstraint
from tests.cli.conftest import Cli
from tests.cli.test_check import DATA, OWN_RECORD, RECORD
from tests.faults import Disk
from tests.limits import limited
from tests.sizes import thorough


def test_json_of_a_state(cli: Cli) -> None:
    path = DATA / "possible-4-13-4.json"
    document = cli("analyse", path, "--json").json
    assert document["file"] == str(path)
    assert document["deals"] == 30
    assert len(document["chances"]) == 13
    assert all(sum(card) == pytest.approx(1) for row in document["chances"] for card in row)
    assert document["may_own"][3][1] == [0, 2, 3]
    assert document["counts"][0][3] == [2, 3]
    assert "questions" not in document
    assert "curve" not in document


def test_json_of_a_record_with_questions(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(OWN_RECORD + "0 asks 1 for 0/2: no\n")
    document = cli("analyse", path, "--json", "--questions").json
    assert document["curve"] == [34650, document["deals"]]
    bits = [question["bits"] for question in document["questions"]]
    assert bits == sorted(bits, reverse=True)
    assert {"asked", "set", "cards", "chance_of_yes", "deals_after_no", "deals_after_yes"} < set(
        document["questions"][0]
    )
    for question in document["questions"]:
        forced = question["chance_of_yes"] in (0, 1)
        assert forced == (question["bits"] == pytest.approx(question["bits_of_asking"]))
        assert question["bits_of_asking"] > 0


def test_the_information_of_asking_is_shown_separately(cli: Cli, tmp_path: Path) -> None:
    """A forced answer tells nothing, but its question does: 9,100 deals become 6,720."""
    path = tmp_path / "game.record"
    path.write_text(OWN_RECORD + "0 asks 1 for 0/2: no\n")
    lines = cli("analyse", path, "--questions").out.splitlines()
    (head,) = [line for line in lines if line.startswith("asked")]
    assert head.split()[-3:] == ["asking", "answer", "bits"]
    forced = [line.split() for line in lines if line.split()[2:3] in (["0.0%"], ["100.0%"])]
    assert [row[-3:] for row in forced] == [["0.437", "0.000", "0.437"]] * 2
    assert "One bit of information halves the number of possible deals." in lines[-4]
    assert "from 34,650 to 9,100 in 1 move" in lines


def test_text_for_people(cli: Cli) -> None:
    outcome = cli("analyse", RECORD, "--questions")
    assert outcome.status == 0
    assert "1 deals" not in outcome.out
    assert "Chances in percent" in outcome.out
    assert "Number of deals after each move" in outcome.out
    assert "\x1b" not in outcome.out


@pytest.mark.parametrize("suffix", ["png", *thorough([], ["svg"])])
def test_pictures(cli: Cli, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / f"chances.{suffix}"
    assert cli("analyse", DATA / "possible-4-13-4.json", "--plot", picture).status == 0
    assert picture.stat().st_size > 1000
    assert [path.name for path in tmp_path.iterdir()] == [picture.name]


def test_an_impossible_state(cli: Cli) -> None:
    outcome = cli("analyse", DATA / "damaged-owner-4-13-4.json", "--json")
    assert outcome.status == 1
    assert json.loads(outcome.out)["deals"] == 0
    assert "must hold" in outcome.err


def test_a_failed_picture_does_not_lose_the_analysis(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    state = DATA / "possible-4-13-4.json"
    whole = cli("analyse", state, "--json").out
    assert cli("analyse", state, "--plot", tmp_path / "no" / "x.svg").out == ""
    with Disk(tmp_path, fails_at=0, stays=True):
        done = cli("analyse", state, "--json", "--plot", tmp_path / "chances.svg")
    assert (done.status, done.out) == (2, whole)
    assert "No space left on device" in done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--plot", "chances.gif"], "end in .png, .svg, .pdf"),
        (["--plot", "no/such/folder/chances.svg"], "cannot be written"),
    ],
)
def test_invalid_plot_options_are_refused(cli: Cli, options: list[str], words: str) -> None:
    outcome = cli("analyse", DATA / "possible-4-13-4.json", *options)
    assert outcome.status == 2
    assert words in outcome.err


def test_an_invalid_record_names_the_moves_that_cause_it(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(
        f"{OWN_RECORD}0 asks 1 for 0/2: no\n1 asks 0 for 1/1: no\n0 asks 1 for 0/2: yes\n"
    )
    reason = cli("check", path, "--json").json["reason"]
    assert reason.startswith("line 7:")
    assert reason.endswith("follows from these moves alone: line 5: 0 asks 1 for 0/2: no")


def test_unusual_terminal_settings_are_accepted(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "abc")
    monkeypatch.setenv("FORCE_COLOR", "1")
    outcome = cli("analyse", DATA / "possible-4-13-4.json")
    assert outcome.status == 0
    assert "\x1b" not in outcome.out


def test_a_finished_game_has_no_questions_to_rank(cli: Cli) -> None:
    assert cli("analyse", RECORD, "--questions").out.endswith("No question is legal.\n")


def test_owners_are_deduced_even_if_the_deals_cannot_be_counted(cli: Cli, tmp_path: Path) -> None:
    """160 cards with a bound in every set: far too many deals to count."""
    start = State.start(Settings(4, 40, 8))
    low = [tuple(int(player == index % 8) for player in range(8)) for index in range(40)]
    sets = tuple(
        SetConstraint.unchecked((1, *constraint.owners[1:]), minimum, constraint.high)
        for constraint, minimum in zip(start.problem.sets, low, strict=True)
    )
    hands = (40, *[120 // 7] * 6, 120 - 120 // 7 * 6)
    path, picture = tmp_path / "state.json", tmp_path / "chances.png"
    path.write_text(state_text(State(DealProblem(hands, sets), 0, start.completed, 4)))
    outcome = cli("analyse", path, "--json", "--questions", "--plot", picture)
    document = outcome.json
    assert outcome.status == 4
    assert "the limit is 32 MB" in outcome.err
    assert (document["deals"], document["chances"], document["questions"]) == (None, None, None)
    assert document["may_own"][7] == [[0], *[list(range(1, 8))] * 3]
    assert document["counts"][0] == [[1, 1]] * 40
    assert document["counts"][3][3] == [1, 3]
    assert not picture.exists()
    outcome = cli("analyse", path, "--questions")
    assert outcome.status == 4
    assert outcome.out.startswith(f"{path}: too many deals to count\n")
    assert "player 0   #   .   .   .     #   .   .   ." in outcome.out
    assert "player 1   .   ?   ?   ?     .   ?   ?   ?" in outcome.out


@limited("solvers.factor_product", MAX_BYTES=10)
def test_a_curve_continues_after_positions_that_cannot_be_counted(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(OWN_RECORD + "0 asks 1 for 0/2: no\n")
    outcome = cli("analyse", path, "--json")
    assert outcome.status == 4
    assert outcome.json["curve"] == [34650, None]
    assert "from 34,650 to ? in 1 move\n" in cli("analyse", path).out


def test_questions_need_a_player_to_move(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    document = json.loads(state_text(State.start()))
    del document["turn"]
    path.write_text(json.dumps(document))
    assert cli("analyse", path, "--json").json["deals"] == 34650
    outcome = cli("analyse", path, "--json", "--questions")
    assert (outcome.status, outcome.out) == (2, "")
    assert "turn: missing; the questions depend on which player is to move" in outcome.err
