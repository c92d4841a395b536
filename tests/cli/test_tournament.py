"""`tournament` and `play` with a failing bot, and replays of single games of a tournament."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from quaternity.game.question import Question
from quaternity.game.record import parse_record
from quaternity.game.state import State
from quaternity.perfect.bots.random_bot import RandomBot
from tests.cli.conftest import Cli
from tests.table.planted import plant_bot


class Leaving(RandomBot):
    """A bot that ends the program in the middle of some games."""

    def ask(self, state: State) -> Question:
        if state.turn == 2 and sum(state.points) == 1:
            raise SystemExit(0)
        return super().ask(state)


@pytest.fixture
def leaving(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Register a bot `leaving` that ends the program; return the folder to run in."""
    plant_bot(monkeypatch, "leaving", Leaving)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_failing_bot_loses_no_finished_game_and_its_game_can_be_replayed(
    cli: Cli, leaving: Path
) -> None:
    options = ("random", "leaving", "random", "--seed", "5", "-s", "3")
    done = cli("tournament", *options, "--games", "40", "--json")
    assert done.status == 3
    failed = done.json["failed"]
    games = failed["game"]
    assert done.json["games"] == games > 0
    assert done.json["labels"] == ["random 1", "leaving", "random 2"]
    assert (failed["bot"], failed["limit"]) == ("leaving", False)
    message = f"game {games}, move {failed['moves']}: bot 'leaving' in seat {failed['seat']} failed"
    assert f"{message}: SystemExit(0); the run ended after {games} of 40 games\n" in done.err
    record = (leaving / failed["saved"]).read_text()
    assert (leaving / failed["saved"]).stat().st_mode & 0o077 == 0
    game = parse_record(record.encode()).replay()
    assert (len(game.moves), game.state.turn) == (failed["moves"], failed["seat"])
    again = cli(*shlex.split(failed["replay"])[1:], "--traceback")
    assert (again.status, again.out) == (3, record)
    assert "in ask" in again.err
    assert again.err.endswith(f"quaternity: {message}: SystemExit(0)\n")
    # A repeated run uses the same file; another game with that number gets another name.
    assert cli("tournament", *options, "--games", "40", "--json").json["failed"] == failed
    (leaving / failed["saved"]).write_text("mine")
    other = cli("tournament", *options, "--games", "40", "--json").json["failed"]["saved"]
    assert other == f"failed-game-{games}-2.record"
    assert (leaving / failed["saved"]).read_text() == "mine"


def test_a_single_game_of_a_tournament_can_be_replayed(cli: Cli) -> None:
    options = ("random", "informed", "-s", "2", "-n", "3", "--seed", "4")
    done = cli("tournament", *options, "--replay", "7")
    assert (done.status, done.err) == (0, "")
    assert parse_record(done.out.encode()).replay().state.is_over
    assert cli("tournament", *options, "--replay", "8").out != done.out
