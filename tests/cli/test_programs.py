"""External programs at the terminal, wherever a player can be named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from quaternity.table.games import rules_of_record
from tests.cli.conftest import Cli

HOSTILE = Path(__file__).parents[1] / "table/hostile.py"
OURS = {"quaternity": "random", "kwartet": "random", "quarto": "careful", "set": "quick"}


def program(mode: str) -> str:
    """Return a program with this fault; the quoted comma belongs to its command."""
    return f"cmd:{sys.executable} -I -S {HOSTILE} {mode} 'a,b'"


@pytest.mark.parametrize("game", OURS)
def test_a_program_plays_and_its_record_does_not_start_it_unasked(
    cli: Cli, game: str, tmp_path: Path
) -> None:
    words = ["play"] if game == "quaternity" else [game, "play"]
    record = tmp_path / "kept"
    seats = f"you,{program('moves_folder')}" + ",random" * (game == "quaternity")
    typed = "0 asks 1 for 0/0\n0\nA\nmore\nquit\n"
    done = cli(*words, "--seats", seats, "--seed", 1, "--record", record, stdin=typed)
    assert done.status == 0, done.err
    rules = rules_of_record(record.read_bytes())
    names = rules.replay(record.read_bytes()).names
    if names:  # a record of Quaternity does not name the players
        assert names == ("you", program("moves_folder"))
        refused = cli(*words, "--record", record, stdin="quit\n")
        assert refused.status == 2
        assert "the players in the record include programs" in refused.err
    again = cli(*words, "--record", record, "--seats", seats, stdin="quit\n")
    assert again.status == 0, again.err


def test_an_invalid_command_is_refused(cli: Cli) -> None:
    for name, why in (("cmd:./nowhere", "is not an executable program"), ("cmd:'a", "quotation")):
        for words in (
            ["tournament", name, "random"], ["quarto", "play", "--seats", f"you,{name}"],
            ["kwartet", "simulate", "--seats", f"{name},random"],
            ["serve", "--players", f"set.mine={name}"],
        ):  # fmt: skip
            done = cli(*words)
            assert (done.status, done.out) == (2, "")
            assert why in done.err


def test_a_check_of_a_server_warns_about_missing_isolation(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quaternity.workers.supervisor.missing_isolation", lambda: "no isolation")
    check = ["serve", "--check", "--port", 0, "--data", tmp_path / "data"]
    assert "no isolation" not in cli(*check).err
    warned = cli(*check, "--players", "quarto.mine=cmd:true")
    assert (warned.status, warned.err) == (0, "quaternity: no isolation\n")


def test_a_tournament_warns_about_missing_isolation(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quaternity.workers.supervisor.missing_isolation", lambda: "no isolation")
    monkeypatch.chdir(tmp_path)
    tournament = ["quarto", "tournament", "random", "--games", 1]
    assert "no isolation" not in cli(*tournament, "careful").err
    assert cli(*tournament, "cmd:true").err.startswith("quaternity: no isolation\n")
