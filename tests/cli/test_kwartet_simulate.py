"""`kwartet simulate` and `kwartet log` from the command line."""

import json
import os
import re
import subprocess
import sys
import tomllib
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest

from quaternity.kwartet import tournament
from quaternity.kwartet.log import log_as_seen
from quaternity.kwartet.log_reading import parse_log
from quaternity.kwartet.strategies.registry import STRATEGIES
from quaternity.kwartet.view import View
from quaternity.question import Question
from quaternity.workers import WorkersLost
from tests.cli.conftest import Cli
from tests.cluster import cluster

FIELDS = [
    "games", "strategies", "sole_wins", "tied_games", "tied_players", "win_share", "sets_won",
    "goes", "requests", "seconds",
]  # fmt: skip
SMALL = ("--sets", "5", "--games", "12", "--seed", "3")


def test_json_has_the_fields_by_seat_entry(cli: Cli) -> None:
    done = cli("kwartet", "simulate", "--seats", "exact,greedy,greedy", *SMALL, "--json")
    assert (done.status, done.err) == (0, "")
    assert list(done.json) == FIELDS
    found = done.json
    assert found["strategies"] == ["exact", "greedy", "greedy"]
    assert found["games"] == 12
    assert sum(found["sole_wins"]) + found["tied_games"] == 12
    assert sum(found["sets_won"]) == 12 * 5
    assert sum(found["win_share"]) == pytest.approx(1)
    assert set(found["goes"]) == set(found["requests"]) == {"mean", "se"}


def test_workers_options_and_seeds_decide_the_result_as_they_should(cli: Cli) -> None:
    def games(*options: str) -> dict[str, object]:
        command = ("kwartet", "simulate", *SMALL, "--seats", "exact,mixed,greedy,random")
        done = cli(*command, "--json", *options)
        assert done.status == 0, done.err
        return {name: value for name, value in done.json.items() if name != "seconds"}

    plain = games()
    assert games("--workers", "2") == plain
    assert games("--rotate", "--announce", "at-once", "--own-card-requests") == plain
    for other in (
        ("--fixed",), ("--announce", "after-own-request"), ("--no-own-card-requests",),
        ("--seed", "4"), ("--sets", "6"),
    ):  # fmt: skip
        assert games(*other) != plain


def test_a_cluster_gives_the_same_though_a_worker_is_killed(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def games(*options: str) -> dict[str, object]:
        seats = "exact,mixed,greedy,random"
        done = cli(
            "kwartet", "simulate", "--seats", seats, "--games", "240", "--seed", "3", "--json",
            *options,
        )  # fmt: skip
        assert done.status == 0, done.err
        return {name: value for name, value in done.json.items() if name != "seconds"}

    client = pytest.importorskip("distributed").Client
    plain = games()
    finished: list[int] = []
    with cluster(tmp_path, workers=2) as (address, _, workers):
        with client(address, set_as_default=False) as both:
            both.wait_for_workers(2, timeout=60)

        class Killing:
            """A progress bar; as soon as the first games are back one of the workers is killed."""

            def advance(self, games: int) -> None:
                if not finished:
                    workers[0].kill()
                    workers[0].wait()
                finished.append(games)

        monkeypatch.setattr(
            "quaternity.cli.kwartet_simulate.progress", lambda *_: nullcontext(Killing())
        )
        assert games("--dask", address) == plain
        assert workers[1].poll() is None
    assert sum(finished) == 240
    assert len(finished) > 5


def test_a_table_for_people(cli: Cli) -> None:
    done = cli("kwartet", "simulate", "--seats", "exact,random", *SMALL)
    assert done.status == 0
    assert done.out.splitlines()[0].split() == [
        "strategy", "won", "alone", "tied", "win", "share", "sets", "a", "game"
    ]  # fmt: skip
    assert "12 games" in done.out
    assert "\x1b" not in done.out


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_pictures(cli: Cli, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"games.{suffix}"
    done = cli("kwartet", "simulate", "--seats", "exact,greedy", *SMALL, "--plot", path)
    assert (done.status, done.err) == (0, "")
    assert path.stat().st_size > 1000
    if suffix == "svg":
        assert "won alone" in path.read_text() or "<path" in path.read_text()


def test_many_players_get_a_picture_without_worlds(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "games.png"
    seats = ",".join(["greedy"] * 6)
    done = cli("kwartet", "simulate", "--seats", seats, *SMALL, "--plot", path)
    assert done.status == 0
    assert "up to 5 players" in done.err
    assert path.exists()


def test_an_interrupt_shows_what_is_finished(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    played = tournament.play_game

    def interrupted(plan: tournament.Tournament, game: int) -> tournament.Outcome:
        if game == 5:
            raise KeyboardInterrupt
        return played(plan, game)

    monkeypatch.setattr(tournament, "play_game", interrupted)
    done = cli("kwartet", "simulate", "--seats", "greedy,random", *SMALL, "--json")
    assert done.status == 130
    assert done.json["games"] == 5
    assert "interrupted after 5 of 12 games" in done.err


def test_a_limit_shows_what_is_finished_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    played = tournament.play_game

    def lost(plan: tournament.Tournament, game: int) -> tournament.Outcome:
        if game == 5:
            raise WorkersLost("the cluster went away")
        return played(plan, game)

    monkeypatch.setattr(tournament, "play_game", lost)
    done = cli("kwartet", "simulate", "--seats", "greedy,random", *SMALL, "--json")
    assert done.status == 4
    assert done.json["games"] == 5
    assert done.err == "quaternity: the cluster went away; ended after 5 of 12 games\n"


@pytest.mark.parametrize("command", ["simulate", "log"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--seats", "exact,nobody"), "'nobody' unknown; known are random, greedy"),
        (("--seats", "exact,you"), "'you' unknown"),
        (("--seats", "exact"), "1 is out of range 2..8"),
        (("--seats", ",".join(["exact"] * 9)), "9 is out of range 2..8"),
        (("--seats", ""), "1 is out of range 2..8"),
        (("--sets", "1"), "sets: 1 is out of range 2..20"),
        (("--sets", "21"), "sets: 21 is out of range 2..20"),
        (("--announce", "never"), "known are at-once, after-own-request"),
    ],
)
def test_bad_input_is_named(cli: Cli, command: str, options: tuple[str, ...], message: str) -> None:
    done = cli("kwartet", command, *options)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "options",
    [
        ("--games", "0"), ("--games", "many"), ("--workers", "0"), ("--plot", "x.doc"),
        ("--plot", "/no/such/place/x.png"), ("--dask", "nowhere"),
    ],
)  # fmt: skip
def test_more_bad_input(
    cli: Cli, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quaternity.cluster.CLUSTER_SECONDS", 0.5)
    done = cli("kwartet", "simulate", *options)
    assert (done.status, done.out) == (2, "")
    assert done.err
    assert "Traceback" not in done.err


def test_the_strategy_in_the_readme_plays_once_it_is_installed(tmp_path: Path) -> None:
    """As a distribution on the path of a new process, and in its workers."""
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    code = re.search(r"```python\n([^`]*def hoarder.*?)```", readme, re.DOTALL)
    points = re.search(r"(\[project.entry-points.\"quaternity.kwartet.*?)```", readme, re.DOTALL)
    assert code is not None
    assert points is not None
    ((group, registered),) = tomllib.loads(points[1])["project"]["entry-points"].items()
    (tmp_path / "my_package.py").write_text(code[1])
    installed = tmp_path / "my_package-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n")
    lines = [f"[{group}]", *(f"{name} = {place}" for name, place in registered.items())]
    (installed / "entry_points.txt").write_text("\n".join(lines) + "\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])

    def ask(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "quaternity", "kwartet", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env={**os.environ, "PYTHONPATH": path},
        )

    game = ("--seats", "hoarder,random,greedy,random", "--seed", "1")
    ended = ask("simulate", *game, "--games", "40", "--workers", "2", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    found = json.loads(ended.stdout)
    assert found["strategies"][0] == "hoarder"
    assert found["win_share"][0] > 0.7
    assert "seats hoarder,random,greedy,random" in ask("log", *game).stdout
    unknown = ask("simulate", "--seats", "hoarder,nobody")
    assert unknown.returncode == 2
    assert "exact, patient, hoarder" in unknown.stderr


@pytest.mark.parametrize("command", ["simulate", "log", "play"])
def test_a_strategy_that_fails_is_named_without_a_traceback(
    cli: Cli, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(view: View, random: Random) -> Question:
        raise ValueError(f"seat {view.seat}")

    monkeypatch.setitem(STRATEGIES, "broken", broken)
    done = cli("kwartet", command, "--seats", "broken,random", "--sets", "4")
    where = "" if command == "play" else "game 0, go 0: "
    said = f"quaternity: {where}strategy 'broken' failed: ValueError('seat 0')\n"
    assert (done.status, done.out, done.err) == (2, "", said)


def test_a_log_is_printed_written_and_seen_by_a_seat(cli: Cli, tmp_path: Path) -> None:
    game = ("kwartet", "log", "--seats", "exact,greedy,random", "--sets", "6", "--seed", "2")
    printed = cli(*game, "--game", "4")
    assert (printed.status, printed.err) == (0, "")
    log = parse_log(printed.out)
    assert log.positions[-1].public.is_over
    assert log.names == ("random", "exact", "greedy")  # game 4: everybody one seat on
    path = tmp_path / "game.log"
    written = cli(*game, "--game", "4", "--record", path)
    assert (written.status, written.out) == (0, "")
    assert path.read_text() == printed.out
    seen = cli(*game, "--game", "4", "--seat", "1")
    assert seen.out == log_as_seen(log, 1)
    assert cli(*game, "--seat", "3").status == 2
    assert cli(*game, "--record", tmp_path / "no" / "such").status == 2
    assert cli("kwartet", "watch", path).status == 0
    assert cli("kwartet", "know", path, "--go", "0", "true").status == 0
