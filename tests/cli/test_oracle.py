"""`analyse --oracle`, `play --oracle` and perfect bots: output from tablebases, and errors."""

from pathlib import Path

import pytest

from quaternity.game.record import parse_record
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.solving.solver import solve
from quaternity.perfect.tablebase import Tablebase, write_tablebase
from tests.cli.conftest import Cli

HEADER = "quaternity 1\nset-size 2\nsets 3\nplayers 3\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a tablebase of 2-3-3; return its path."""
    path = tmp_path_factory.mktemp("oracle") / "2-3-3.tablebase"
    write_tablebase(path, solve(State.start(Settings(2, 3, 3))))
    return path


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Write a game in which player 0 has completed a set and wins another; return its path."""
    record = tmp_path / "game.record"
    record.write_text(HEADER + "0 asks 1 for 0/1: yes\n")
    return record


def test_analyse_shows_the_value_of_each_answer(cli: Cli, path: Path, record: Path) -> None:
    text = cli("analyse", record, "--oracle", path).out
    advice = text[text.index("With perfect play\n") :]
    assert advice.splitlines()[1:5] == [
        "player 0 can force a win in 2 moves",
        "  2 for 1/0 and 1/1",
        "    no: player 0 can force a win in 1 move",
        "    yes: player 0 can force a win in 1 move",
    ]
    assert (
        "    no: player 0 can still win, but nobody can force it; "
        "player 1 can prevent a win of player 0" in advice
    )
    assert "    yes: player 0 has won" in advice


def test_analyse_gives_the_oracle_as_json(cli: Cli, path: Path, record: Path) -> None:
    oracle = cli("analyse", record, "--oracle", path, "--json").json["oracle"]
    state = parse_record(record.read_text()).replay().state
    with Tablebase(path) as tablebase:
        assert oracle["can_force_win"] == [0]
        assert oracle["forced_length"] == [2, None, None]
        cards = [
            (row["asked"], row["set"], card) for row in oracle["questions"] for card in row["cards"]
        ]
        assert sorted(cards) == sorted(
            (question.asked, question.card.set_index, question.card.number)
            for question in state.legal_questions
        )
        for question, prospect in zip(oracle["questions"], tablebase.prospects(state), strict=True):
            assert question["after"] == {
                str(answer): after.document() for answer, after in prospect.after.items()
            }


def test_play_asks_the_oracle(cli: Cli, path: Path) -> None:
    outcome = cli("play", "-s", 2, "--oracle", path, stdin="oracle\n1 0 0\noracle\nquit\n")
    assert outcome.status == 0
    assert "players 0, 1 and 2 can still win, but nobody can force it" in outcome.out
    missing = cli("play", "-s", 2, stdin="oracle\nquit\n")
    assert "start with --oracle FILE" in missing.out


def test_perfect_bots_play_a_game_out(cli: Cli, path: Path) -> None:
    seats = [text for seat in range(3) for text in ("--bot", f"{seat}=perfect:{path}")]
    outcome = cli("play", "-s", 2, *seats)
    assert outcome.status == 0
    assert "the game is over (player 0: " in outcome.out


@pytest.mark.parametrize("use", [("--oracle", "{}"), ("--bot", "1=perfect:{}")], ids=str)
def test_another_games_tablebase_is_refused_before_a_record_is_begun(
    cli: Cli, tmp_path: Path, path: Path, use: tuple[str, str]
) -> None:
    record = tmp_path / "new.record"
    outcome = cli("play", "-s", 3, use[0], use[1].format(path), "--record", record)
    assert (outcome.status, outcome.out) == (2, "")
    assert "is a tablebase for 3 sets of 2 and 3 players, not for 3 sets of 3" in outcome.err
    assert not record.exists()


def test_a_file_that_is_not_a_tablebase_is_refused(
    cli: Cli, tmp_path: Path, path: Path, record: Path
) -> None:
    cut = tmp_path / "cut"
    cut.write_bytes(path.read_bytes()[:-1])
    other = tmp_path / "other.record"
    other.write_text(HEADER.replace("set-size 2", "set-size 3"))
    for file, oracle, why in (
        (record, tmp_path / "missing", "no such file"),
        (record, cut, "cut: the tablebase is damaged"),
        (other, path, "not for 3 sets of 3"),
    ):
        outcome = cli("analyse", file, "--oracle", oracle, "--json")
        assert (outcome.status, outcome.out) == (2, "")
        assert why in outcome.err


def test_an_unsolved_position_is_a_limit(cli: Cli, tmp_path: Path, record: Path) -> None:
    part = tmp_path / "part"
    assert cli("solve", "--from", record, "--out", part).status == 0
    assert cli("analyse", record, "--oracle", part).status == 0
    start = tmp_path / "start.record"
    start.write_text(HEADER)
    outcome = cli("analyse", start, "--oracle", part)
    assert (outcome.status, outcome.out) == (4, "")
    assert "cannot follow" in outcome.err
    assert cli("play", "-s", 2, "--bot", f"0=perfect:{part}").status == 4
