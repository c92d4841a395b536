"""`players`, `players check`, player names in files, and one tournament command for all games."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from quaternity.table.games import GAMES, registration
from tests.cli.conftest import Cli

HOSTILE = f"cmd:{sys.executable} -I -S {Path(__file__).parents[1] / 'table/hostile.py'}"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_players_of_all_games_are_listed(cli: Cli, folder: Path) -> None:
    (folder / "players.toml").write_text(f'[quarto]\nmine = "{HOSTILE} text"\n')
    rows = {(row["game"], row["player"]): row for row in cli("players", "--json").json["players"]}
    for game in GAMES:
        assert {(game, name) for name in registration(game).players} <= set(rows)
        for level in registration(game).levels:
            row = rows[game, level.player]
            assert (row["level"], row["rating"]) == (level.name, level.rating)
    assert rows["quarto", "mine"]["source"] == f"{HOSTILE} text"
    assert "1947" in cli("players").out


def test_a_check_reports_a_fault_and_how_to_reproduce_it(cli: Cli) -> None:
    done = cli("players", "check", f"{HOSTILE} text", "--game", "quarto", "--json")
    failure = done.json["failure"]
    assert done.status == 3
    assert "wrote 'I think that I ask for 0/1'" in failure["what"]
    again = cli(*shlex.split(failure["again"])[1:])
    assert again.status == 3
    assert failure["what"] in again.err
    assert failure["again"] in " ".join(again.out.split())
    fine = cli("players", "check", "careful", "--game", "quarto", "--positions", 9)
    assert fine.out == "careful plays quarto: 9 positions, no fault\n"


@pytest.mark.parametrize("game", GAMES)
def test_one_tournament_plays_all_games(cli: Cli, game: str, folder: Path) -> None:
    # The time of a program is measured, so the other player of SET is far slower.
    ours = {"set": "slow:3600"}.get(game, "random")
    (folder / "players.toml").write_text(f'[{game}]\nmine = "{HOSTILE} moves_folder"\n')
    run = ("tournament", "mine", ours, "--games", 4, "--cap", 9)
    words = (*run, "--game", game)
    done = cli(*words, "--json")
    kind = registration(game).player_kind
    assert done.status == 0, done.err
    assert [row[kind] for row in done.json[f"{kind}s"]] == [f"{HOSTILE} moves_folder", ours]
    secret = ("--secret", done.json["secret"])
    record = cli(*words, *secret, "--replay", 3)
    assert record.out.startswith(f"{game} 1\n")
    alone = ("tournament",) if registration(game).at_root else (game, "tournament")
    again = cli(*alone, *run[1:], *secret, "--replay", 3, f"--game={game}")
    assert again.out == record.out
    old = cli(*alone, *run[1:], *secret, "--game", 3)
    assert old.out == record.out
    assert "to replay a game, use --replay 3" in old.err


def test_a_server_reads_only_the_player_file_that_is_given(folder: Path) -> None:
    from quaternity.cli.serve import _players

    (folder / "players.toml").write_text('[set]\nmine = "slow:20"\n')
    assert _players([], None) == {}
    assert _players([], "players.toml") == {("set", "mine"): "slow:20"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[chess]\na = 'cmd:cat'", "'chess' is not a table with the name of a game"),
        ("[quarto]\ncareful = 'cmd:cat'", "quarto.careful: the name is already in use"),
        ("[quarto]\nyou = 'cmd:cat'", "quarto.you: the name is already in use"),
        ("[quarto]\n'a b' = 'cmd:cat'", "quarto.a b: a name may only contain letters, digits, -"),
        ("[quarto]\na = 7", "quarto.a: expected a text such as"),
        ("[quarto]\na = 'cmd:./nowhere'", "quarto.a: player 'cmd:./nowhere'"),
        ("[quarto", "not a valid TOML file"),
        ("a = 1", "'a' is not a table with the name of a game"),
    ],
)
def test_invalid_player_files_are_refused(cli: Cli, text: str, why: str, folder: Path) -> None:
    (folder / "mine.toml").write_text(text)
    run = ("quarto", "tournament", "a", "careful", "--player-file", "mine.toml")
    for words in (run, ("players", "--player-file", "mine.toml")):
        done = cli(*words)
        assert (done.status, done.out) == (2, "")
        assert f"mine.toml: {why}" in done.err or why in done.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ("tournament", "a", "b", "--game", "chess"),
            "'chess': unknown game; choose from quaternity",
        ),
        (("set", "tournament", "a", "b", "--game", "quarto"), "this command is for set"),
        (("tournament", "quick", "random", "--game", "quarto"), "'quick' plays set"),
        (("players", "check", "nobody", "--game", "set"), "'nobody' is unknown"),
        (("players", "check", "random", "--game", "chess"), "'chess' is unknown"),
    ],
)
def test_bad_input_is_refused(cli: Cli, words: tuple[str, ...], why: str) -> None:
    done = cli(*words)
    assert (done.status, done.out) == (2, "")
    assert why in done.err


def test_a_game_is_played_again_with_all_its_settings(cli: Cli) -> None:
    words = ("kwartet", "tournament", f"{HOSTILE} text", "random", "--games", 4, "--json")
    done = cli(*words, "--no-own-card-requests", "--sets", 5, "--announce", "after-own-request")
    failed = done.json["failed"]
    again = cli(*shlex.split(failed["replay"])[1:])
    assert (again.status, again.out) == (3, Path(failed["saved"]).read_text())
    assert "own-card-requests no\n" in again.out
