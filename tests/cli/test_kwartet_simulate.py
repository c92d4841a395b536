"""`kwartet simulate` and `kwartet log` from the command line."""

import json
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from quaternity import guide
from quaternity.base.errors import WorkersLost
from quaternity.game.question import Question
from quaternity.kwartet.log import log_as_seen, parse_log
from quaternity.kwartet.strategies.published import random_request
from quaternity.kwartet.view import View
from quaternity.table.tournament import playing
from tests.cli.conftest import Cli
from tests.cluster import cluster
from tests.installed import installed
from tests.sizes import thorough
from tests.table.planted import plant_strategy

FIELDS = [
    "games", "strategies", "sole_wins", "tied_games", "tied_players", "win_share", "sets_won",
    "goes", "requests", "seconds", "labels", "win_share_se", "deals", "games_a_deal", "failed",
]  # fmt: skip
SMALL = ("--sets", "5", "--games", "12", "--seed", "3")


def test_json_has_fields_for_every_seat_entry(cli: Cli) -> None:
    done = cli("kwartet", "simulate", "--seats", "exact,greedy,greedy", *SMALL, "--json")
    assert (done.status, done.err) == (0, "")
    assert set(done.json) == set(FIELDS)
    document = done.json
    assert document["strategies"] == ["exact", "greedy", "greedy"]
    assert document["games"] == 12
    assert sum(document["sole_wins"]) + document["tied_games"] == 12
    assert sum(document["sets_won"]) == 12 * 5
    assert sum(document["win_share"]) == pytest.approx(1)
    assert set(document["goes"]) == set(document["requests"]) == {"mean", "se"}
    assert document["labels"] == ["exact", "greedy 1", "greedy 2"]
    assert (document["deals"], document["games_a_deal"], document["failed"]) == (2, 6, None)
    assert document["win_share"][1] == document["win_share"][2]


def test_options_and_seeds_change_the_result_but_workers_do_not(cli: Cli) -> None:
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


def test_the_results_are_a_table(cli: Cli) -> None:
    done = cli("kwartet", "simulate", "--seats", "exact,random", *SMALL)
    assert done.status == 0
    assert done.out.splitlines()[0].split() == [
        "strategy", "won", "alone", "tied", "win", "share", "sets", "per", "game"
    ]  # fmt: skip
    assert "12 games" in done.out
    assert done.out.endswith("6 deals in all 2 seating orders\n")
    assert "±" not in done.out
    assert "\x1b" not in done.out


@pytest.mark.parametrize(
    ("games", "names", "orders"),
    [
        (8, "random,exact,random", "1 deal in all 6 seating orders, one more deal in 2"),
        (20, "random,random", "10 deals in all 2 seating orders; ±: 95 % intervals over deals"),
        (3, "random,random,random", "one deal, in 3 of 6 seating orders"),
        (6, "random,random,random", "1 deal in all 6 seating orders"),
        (40, ",".join(["random"] * 5), "2 deals in 20 seating orders (a balanced selection)"),
    ],
)  # fmt: skip
def test_the_orders_of_seats_are_reported(cli: Cli, games: int, names: str, orders: str) -> None:
    done = cli("kwartet", "simulate", "--seats", names, "--sets", 3, "--games", games)
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[-1] == orders
    assert max(map(len, lines)) <= 80
    assert all("±" in line for line in lines[1:-1]) == ("intervals" in orders)
    assert re.search(r"^random 2 ", done.out, re.MULTILINE)


def test_fixed_seats_reproduce_earlier_results_of_a_seed(cli: Cli) -> None:
    done = cli(
        "kwartet", "simulate", "--fixed", "--games", "60", "--seats", "greedy,exact,exact",
        "--seed", "3", "--json",
    )  # fmt: skip
    stats = done.json
    assert stats["sole_wins"] == [0, 27, 26]
    assert (stats["tied_games"], stats["tied_players"]) == (7, [0, 7, 7])
    assert stats["win_share"] == [0.0, 0.5083333333333333, 0.49166666666666664]
    assert stats["sets_won"] == [69, 346, 365]
    assert stats["goes"] == pytest.approx({"mean": 13.583333333333334, "se": 0.42138570617784143})
    assert stats["requests"] == pytest.approx({"mean": 70.91666666666667, "se": 1.7348686703037512})


@pytest.mark.parametrize("suffix", ["svg", *thorough([], ["png", "pdf"])])
def test_pictures_are_drawn(cli: Cli, tmp_path: Path, suffix: str) -> None:
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


def test_a_lost_cluster_shows_the_finished_games(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    play_game = playing.play_game

    def lose_workers(plan: playing.Tournament, game: int) -> playing.GameResult:
        if game == 5:
            raise WorkersLost("the cluster went away")
        return play_game(plan, game)

    monkeypatch.setattr(playing, "play_game", lose_workers)
    done = cli("kwartet", "simulate", "--seats", "greedy,random", *SMALL, "--json")
    assert done.status == 4
    assert done.json["games"] == 5
    assert done.err == "quaternity: the cluster went away; the run ended after 5 of 12 games\n"


@pytest.mark.parametrize("command", ["simulate", "log"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--seats", "exact,nobody"), "strategy 'nobody' is unknown; choose from random, greedy"),
        (("--seats", "exact,you"), "people cannot play in tournaments"),
        (("--seats", "exact"), "expected 2 to 8 players, not 1"),
        (("--seats", ",".join(["exact"] * 9)), "expected 2 to 8 players, not 9"),
        (("--seats", ""), "expected 2 to 8 players, not 1"),
        (("--sets", "1"), "sets: 1 is out of range 2..20"),
        (("--sets", "21"), "sets: 21 is out of range 2..20"),
        (("--announce", "never"), "choose from at-once, after-own-request"),
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
        ("--plot", "/no/such/place/x.png"),
    ],
)  # fmt: skip
def test_bad_options_of_simulate_are_refused(cli: Cli, options: tuple[str, ...]) -> None:
    done = cli("kwartet", "simulate", *options)
    assert (done.status, done.out) == (2, "")
    assert done.err
    assert "Traceback" not in done.err


def test_the_strategy_in_the_guide_plays_after_installation(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is installed on the path of this process and, in the thorough run, of workers."""
    page = guide.page("bots").text
    code = re.search(r"```python hoard.py\n([^`]*def hoarder.*?)```", page, re.DOTALL)
    points = re.search(r"(\[project.entry-points.\"quaternity.kwartet.*?)```", page, re.DOTALL)
    assert code is not None
    assert points is not None
    ((group, registered),) = tomllib.loads(points[1])["project"]["entry-points"].items()
    lines = [f"[{group}]", *(f"{name} = {place}" for name, place in registered.items())]
    (tmp_path / "my_package.py").write_text(code[1])
    with installed(tmp_path, "my_package", "\n".join(lines) + "\n", monkeypatch):
        game = ("--seats", "hoarder,random,greedy,random", "--seed", "1", "--secret", "1")
        options = ("--games", "20", "--workers", thorough("1", "2"), "--json")
        ended = cli("kwartet", "simulate", *game, *options)
        assert (ended.status, ended.err) == (0, "")
        assert ended.json["strategies"][0] == "hoarder"
        assert ended.json["win_share"][0] > 0.7
        assert "seats hoarder,random,greedy,random" in cli("kwartet", "log", *game).out
        unknown = cli("kwartet", "simulate", "--seats", "hoarder,nobody")
    sys.modules.pop("my_package", None)
    assert unknown.status == 2
    assert "exact, patient, reader, hoarder" in unknown.err


FOREIGN = """
import os, time
from quaternity.kwartet.strategies.published import better_greedy

def acting(act):
    def strategy(view, random):
        if len(view.events) >= 7 and view.hand[0] == 3:
            act()
        return better_greedy(view, random)
    return strategy

def fail():
    raise ValueError("no idea")

def loop():
    os.write(2, b"at work\\n")
    while True:
        try:
            time.sleep(9)
        except BaseException:
            pass

fails, leaves, crashes, loops = map(acting, (fail, exit, lambda: os._exit(0), loop))
"""
ACTING = ("fails", "leaves", "crashes", "loops")
SEATS = ("--sets", "6", "--seed", "3", "--secret", "3", "--seats")


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install strategies of another distribution; yield the folder to run in."""
    (tmp_path / "foreign_strategies.py").write_text(FOREIGN)
    lines = [f"{name} = foreign_strategies:{name}\n" for name in ACTING]
    monkeypatch.chdir(tmp_path)
    with installed(
        tmp_path, "foreign", f"[quaternity.kwartet.strategies]\n{''.join(lines)}", monkeypatch
    ):
        yield tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("name", ACTING)
def test_workers_and_clusters_stop_with_the_same_report(cli: Cli, foreign: Path, name: str) -> None:
    options = (*SEATS, f"{name},greedy,greedy", "--move-seconds", "1", "--json", "--games", "60")
    local = cli("kwartet", "simulate", *options)
    client = pytest.importorskip("distributed").Client
    with cluster(foreign, workers=1) as (address, _, [worker]):
        with client(address, set_as_default=False) as connection:
            connection.wait_for_workers(1, timeout=60)
        for how in (("--workers", "2"), ("--dask", address)):
            remote = cli("kwartet", "simulate", *options, *how)
            assert remote.status == local.status
            assert {**remote.json, "seconds": 0} == {**local.json, "seconds": 0}
        assert worker.poll() is None


@pytest.mark.parametrize(
    ("number", "status", "word"),
    [(signal.SIGINT, 130, "interrupted"), *thorough([], [(signal.SIGTERM, 143, "terminated")])],
)
def test_an_interrupt_ends_a_strategy_that_loops_and_shows_the_finished_games(
    foreign: Path, number: int, status: int, word: str
) -> None:
    process = subprocess.Popen(
        [
            sys.executable, "-m", "quaternity", "kwartet", "simulate", *SEATS,
            "loops,greedy,greedy", "--json",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=foreign,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline() == "at work\n"
    process.send_signal(number)
    out, error = process.communicate(timeout=60)
    assert process.returncode == status
    assert error == f"quaternity: {word} after 6 of 240 games\n"
    assert json.loads(out)["games"] == 6


@pytest.mark.parametrize("command", ["simulate", "log", "play"])
def test_a_strategy_that_fails_at_once_is_named(
    cli: Cli, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(view: View, random: Random) -> Question:
        raise ValueError(f"seat {view.seat}")

    monkeypatch.chdir(tmp_path)
    plant_strategy(monkeypatch, "broken", broken)
    game = ("kwartet", command, "--seats", "broken,random", "--sets", "4")
    done = cli(*game)
    subject = "player" if command == "play" else "game 0, go 0: strategy"
    message = f"quaternity: {subject} 'broken' in seat 0 failed: ValueError('seat 0')"
    assert done.status == 3
    before = "quaternity: the game stops after 0 moves\n" if command == "play" else ""
    assert done.err.startswith(before + message)
    assert "Traceback" not in done.err
    traced = cli(*game, "--traceback")
    assert traced.err.startswith(f"{before}Traceback (most recent call last):\n")
    assert "in broken" in traced.err
    if command == "log":
        assert done.out.startswith("kwartet 1\n")
        assert parse_log(done.out).events == ()
        assert cli(*game, "--seat", "1", "--record", "seen.log").status == 3
        assert "hand 0: 8 cards" in Path("seen.log").read_text()


def test_results_are_shown_even_if_the_failed_game_cannot_be_saved(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def late(view: View, random: Random) -> Question:
        if view.hand[0] == 3:
            raise SystemExit(0)
        return random_request(view, random)

    plant_strategy(monkeypatch, "late", late)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = cli("kwartet", "simulate", "--seats", "late,random,random", *SMALL, "--json")
    assert done.status == 3
    assert done.json["failed"]["saved"] is None
    assert "could not be saved: failed-game-" in done.err
    assert "No such file or directory" in done.err


def test_a_failing_strategy_at_the_terminal_leaves_the_record(cli: Cli, foreign: Path) -> None:
    seats = ("kwartet", "play", "--sets", "6", "--seed", "8", "--move-seconds", "1")
    for name, status in (("crashes", 3), *thorough([], [("loops", 4)])):
        done = cli(*seats, "--seats", ",".join([name] * 3), "--record", f"{name}.game")
        assert done.status == status
        assert f"player '{name}' in seat " in done.err
        assert len(parse_log((foreign / f"{name}.game").read_text()).events) >= 7


def test_a_log_is_printed_saved_and_limited_to_a_seat(cli: Cli, tmp_path: Path) -> None:
    game = ("kwartet", "log", "--seats", "exact,greedy,random", "--sets", "6", "--seed", "2")
    printed = cli(*game, "--game", "4")
    assert (printed.status, printed.err) == (0, "")
    log = parse_log(printed.out)
    assert log.positions[-1].public.is_over
    assert log.names == ("greedy", "exact", "random")  # another order of seats
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
