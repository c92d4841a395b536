"""`quaternity solve --certificate` and `quaternity verify`."""

import json
from pathlib import Path

import pytest

from quaternity.cli.status import ExitStatus
from tests.cli.conftest import Cli


def test_a_solution_is_verified(cli: Cli, tmp_path: Path) -> None:
    file = str(tmp_path / "3-2-3.certificate")
    solved = cli("solve", "-s", 3, "-n", 2, "-p", 3, "--certificate", file, "--json")
    assert solved.json["certificate"] == file
    assert "checked: 91 of 91 states" in cli("verify", file).out
    shown = cli("verify", file, "--sample", 20, "--json").json
    assert shown["ranks"] == [None] * 3
    assert shown["checked"] in (20, 21)
    assert 0 < shown["most_wrong"] < 91
    output = cli("verify", file, "--sample", 20, "--seed", shown["seed"]).out
    assert f"sample with seed {shown['seed']}: with 99.9% certainty, fewer than" in output
    assert "is found with a chance of 22%" in output


def test_an_answer_about_one_player_is_verified(cli: Cli, tmp_path: Path) -> None:
    file, sizes = tmp_path / "region", ("-s", 4, "-n", 2, "-p", 2)
    solved = cli("solve", *sizes, "--ask", "force:0", "--certificate", file, "--json")
    assert solved.json["certificate"] == str(file)
    assert "player 0 can force a win, in 4 moves at most" in cli("verify", file).out
    assert "player 1" not in cli("verify", file).out
    cli("solve", *sizes, "--everybody", "points", "--certificate", file)
    assert cli("verify", file, "--json").json["outcomes"] == [[2, 0]]
    output = " ".join(cli("verify", file).out.split())
    assert "(points), the outcomes are 2-0" in output
    assert "depending on how ties are broken (without chance)" in output


def test_a_truncated_certificate_has_the_status_of_the_impossible(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "4-2-2.certificate"
    cli("solve", "-s", 4, "-n", 2, "-p", 2, "--certificate", file)
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    refused = cli("verify", file)
    assert refused.status == ExitStatus.IMPOSSIBLE
    assert "the certificate is not valid: line " in refused.err


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["verify", "nowhere"], "nowhere: No such file"),
        (["verify", "."], "Is a directory"),
        (["verify", "nul\0"], "null"),
        (["solve", "--certificate", "nowhere/file"], "cannot be written"),
        (["solve", "--ask", "force:0", "--certificate", "nowhere/file"], "cannot be written"),
    ],
)
def test_bad_input_is_refused(cli: Cli, arguments: list[str], fault: str) -> None:
    refused = cli(*arguments)
    assert refused.status == ExitStatus.BAD_INPUT
    assert fault in refused.err


def test_an_existing_tablebase_has_no_certificate(cli: Cli, tmp_path: Path) -> None:
    solve, file = ("solve", "-s", 4, "-n", 2, "-p", 2, "--out", tmp_path / "t"), tmp_path / "c"
    cli(*solve)
    again = cli(*solve, "--certificate", file)
    assert again.status == ExitStatus.BAD_INPUT
    assert "contains only its values" in again.err
    assert not file.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["-s", 4, "-n", 26, "-p", 4, "--ask", "force:2"],
        ["-s", 2, "-n", 51, "-p", 3, "--no-limit"],
        ["--from", "late.json", "--everybody", "win"],
    ],
)
def test_a_game_that_the_checker_does_not_accept_is_refused_before_it_is_solved(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[object]
) -> None:
    monkeypatch.chdir(tmp_path)
    state = {
        "format": "quaternity-state/1", "set_size": 2, "sets": 3, "players": 3, "turn": 0,
        "hands": [1, 0, 1], "owners": [[[0, 2], [0, 2]], [[1], [1]], [[1], [1]]],
        "minimum": [[0] * 3] * 3, "completed": [None, 1, 1],
    }  # fmt: skip
    Path("late.json").write_text(json.dumps(state))
    refused = cli("solve", *arguments, "--certificate", "certificate")
    assert refused.status == ExitStatus.LIMIT
    assert "--certificate: the checker accepts" in refused.err
    assert not refused.out
    assert not Path("certificate").exists()
