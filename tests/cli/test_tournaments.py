"""Tournaments with foreign players in all four games: whatever they do, no result is lost."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from quaternity.table.games import registration, rules_of_record
from quaternity.workers.isolated_calls import own_process
from tests.cli.conftest import Cli, Outcome
from tests.sizes import thorough

OURS = {"quaternity": "random", "kwartet": "random", "quarto": "careful", "set": "quick"}
GAMES = sorted(OURS)


def command(game: str, player: str, *more: object) -> tuple[object, ...]:
    """Return the words of a tournament between a player of ours and a foreign one."""
    foreign = f"tests.table.misbehaving:{player}"
    if game == "kwartet":
        names = f"{foreign},{OURS[game]}"
        return (
            "kwartet",
            "simulate",
            "--seats",
            names,
            "--sets",
            3,
            "--seed",
            1,
            "--secret",
            1,
            *more,
        )
    words = ("tournament",) if game == "quaternity" else (game, "tournament")
    sizes = ("-s", 3, "-n", 2, "-p", 2) if game == "quaternity" else ()
    return *words, foreign, OURS[game], *sizes, "--seed", 1, "--secret", 1, "--cap", 12, *more


def numbers(document: dict[str, Any], game: str) -> dict[str, Any]:
    """Return the results of a tournament, without names and times."""
    ignored = {"seconds", "failed", "labels", "strategies"}
    results = {field: value for field, value in document.items() if field not in ignored}
    kind = registration(game).player_kind
    for row in results.get(f"{kind}s", ()):
        del row[kind]
    return results


def failed_run(cli: Cli, game: str, player: str, *more: object) -> tuple[Outcome, bytes]:
    """Run a tournament in which a player fails; return its outcome and the saved game."""
    done = cli(*command(game, player, "--games", 60, "--json", *more))
    failed, finished = done.json["failed"], done.json["games"]
    kind = registration(game).player_kind
    assert (failed["game"], failed["limit"]) == (finished, player == "Loops")
    assert failed[kind] == f"tests.table.misbehaving:{player}"
    assert f"ended after {finished} of 60 games" in done.err
    data = Path(failed["saved"]).read_bytes()
    rules = rules_of_record(data)
    positions = rules.replay(data).positions
    assert sum(map(rules.is_settled, positions[1:])) == failed["moves"]
    # A question of Quaternity is saved with its answer.
    assert failed["seat"] in rules.to_act(positions[-1]) or game == "quaternity"
    return done, data


@pytest.mark.parametrize(
    ("game", "player"), [*((game, "Fails") for game in GAMES), ("quarto", "Exits")]
)
def test_games_before_a_failure_are_shown_and_the_failed_one_can_be_replayed(
    cli: Cli, game: str, player: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done, data = failed_run(cli, game, player)
    assert done.status == 3
    finished = done.json["games"]
    assert finished
    plain = cli(*command(game, "Harmless", "--games", finished, "--json"))
    assert numbers(done.json, game) == numbers(plain.json, game)
    again = cli(*shlex.split(done.json["failed"]["replay"])[1:])
    assert (again.status, again.out.encode()) == (3, data)


FATAL = [("Crashes", 3, "stopped unexpectedly"), ("Loops", 4, "gave no move within 1 s")]


@pytest.mark.parametrize(
    ("game", "player", "status", "message"),
    thorough(
        [(GAMES[0], *FATAL[0]), ("kwartet", *FATAL[1])],
        [(game, *fatal) for game in GAMES for fatal in FATAL],
    ),
)
def test_a_player_that_crashes_or_never_moves_loses_only_its_game(
    cli: Cli, game: str, player: str, status: int, message: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    done, _ = failed_run(cli, game, player, "--move-seconds", 1)
    assert done.status == status
    assert message in done.err


@pytest.mark.parametrize("game", thorough(GAMES[2:3], GAMES))
def test_output_of_a_player_is_not_part_of_the_result(cli: Cli, game: str) -> None:
    own_process().end()  # its standard error is that of the test which started it
    done = cli(*command(game, "Prints", "--games", 9, "--json"))
    own_process().end()
    assert done.status == 0, done.err
    assert "this is no JSON\n" in done.err
    assert "nor is this\n" in done.err
    assert (done.json["games"], done.json["failed"]) == (9, None)


@pytest.mark.parametrize("game", GAMES)
def test_a_player_that_cannot_load_is_refused_before_the_first_game(cli: Cli, game: str) -> None:
    for player, why in (
        ("nobody", "cannot be loaded: AttributeError(\"module 'tests.table.misbehaving' has no"),
        ("os", "is not a player of"),
    ):
        done = cli(*command(game, player, "--games", 3, "--json"))
        assert (done.status, done.out) == (2, "")
        assert why in done.err


def test_equal_players_are_numbered_and_orders_reported(cli: Cli) -> None:
    done = cli("quarto", "tournament", "random", "careful", "random", "--games", 12)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("12 games of Quarto, ")
    assert [line.split("  ")[0] for line in lines[2:5]] == ["random 1", "careful", "random 2"]
    assert lines[-1] == "2 deals in all 6 seating orders"
    assert "±" not in done.out
    single = cli("quarto", "tournament", "random", "careful", "--games", 1)
    assert single.out.startswith("1 game of Quarto, ")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("quarto", "tournament", "random"), "players: expected 2 to 12, not 1"),
        (("quarto", "tournament", "random", "quick"), "'quick' plays set, not quarto"),
        (
            ("quarto", "tournament", "random", "you"),
            "player 'you': people cannot play in tournaments",
        ),
        (("set", "tournament", "quick", "slow:x"), "seconds must be > 0"),
        (("set", "tournament", "quick", "slow", "--seats", 9), "seats: 9 is not one of 1, 2"),
        (("set", "tournament", "quick", "slow", "--games", 0), "games: 0 is out of range"),
        (("set", "tournament", "quick", "slow", "--cap", 0), "cap: must be at least 1, not 0"),
    ],
)
def test_bad_input_is_refused(cli: Cli, arguments: tuple[object, ...], why: str) -> None:
    done = cli(*arguments)
    assert (done.status, done.out) == (2, "")
    assert why in done.err
