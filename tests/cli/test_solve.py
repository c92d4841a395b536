"""`solve` and `tournament`: their output for people and for programs."""

import json
import signal
from itertools import count
from pathlib import Path

import pytest

from quaternity.cli.status import ExitStatus
from quaternity.game.question import Question
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.state_file import state_document
from quaternity.perfect.bots.random_bot import RandomBot
from quaternity.perfect.solving.graph_files import MANIFEST
from quaternity.perfect.solving.solver import solve
from tests.cli.conftest import Cli
from tests.faults import Disk
from tests.sizes import thorough
from tests.table.planted import plant_bot

HEADER = "quaternity 1\nset-size 2\nsets 3\nplayers 3\n"


def test_solve_prints_json(cli: Cli) -> None:
    document = cli("solve", "-s", 3, "-n", 3, "-p", 3, "--json").json
    assert document["states"] == 2122
    assert document["questions"] == 12724
    assert document["can_force_win"] == []
    assert document["can_win"] == [0, 1, 2]
    assert document["rules"]["set_size"] == 3
    assert document["longest_forced"] == 6


def test_solve_prints_words(cli: Cli) -> None:
    outcome = cli("solve", "-s", 3, "-n", 2, "-p", 2)
    assert outcome.status == 0
    assert "player 0 can force a win, in" in outcome.out
    assert "player 1 cannot win" in outcome.out
    assert "\x1b" not in outcome.out


def test_a_question_is_answered_if_a_game_is_too_large_to_solve(cli: Cli, tmp_path: Path) -> None:
    sizes = ("-s", 4, "-n", 13, "-p", 4)
    document = cli("solve", *sizes, "--ask", "force:0", "--json").json
    assert document["can_force"] is False
    assert document["checked_whole"]
    path = tmp_path / "waiting.record"
    path.write_text("quaternity 1\nset-size 4\nsets 13\nplayers 4\n" + "\n".join(document["line"]))
    outcome = cli("solve", "--from", path, "--ask", "force:0")
    assert "player 0 cannot force a win" in outcome.out
    assert "and so on for ever" in outcome.out
    won = cli("solve", "-s", 3, "-n", 2, "-p", 2, "--ask", "force:0")
    assert won.status == 0
    assert "player 0 can force a win" in won.out
    assert won.out.count(": yes") == 3
    for ask, status, why in (
        ("force", 2, "expected force:PLAYER"),
        ("force:4", 2, "player 4 is out of range 0..3"),
        ("win:1", 2, "expected force:PLAYER"),
    ):
        outcome = cli("solve", *sizes, "--ask", ask)
        assert (outcome.status, why in outcome.err) == (status, True)
    assert cli("solve", *sizes, "--ask", "force:0", "--out", path).status == 2
    assert cli("solve", "--ask", "force:0", "--seconds", 0).status == 4


def test_a_tablebase_is_written_once_and_read_again(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "3-3-3.tablebase"
    sizes = ("-s", 3, "-n", 3, "-p", 3)
    first = cli("solve", *sizes, "--out", path, "--json")
    assert first.status == 0
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    again = cli("solve", *sizes, "--out", path, "--json")
    assert "already exists" in again.err
    assert again.json["seconds"] is None
    assert again.json | {"seconds": 0} == first.json | {"seconds": 0}
    other = cli("solve", "--out", path)
    assert other.status == 2
    assert "is a tablebase for 3 sets of 3 and 3 players, not for 3 sets of 4" in other.err
    wishing = ("solve", "-s", 2, "--brisk", "--everybody", "win", "--json")
    document = cli(*wishing, "--out", tmp_path / "brisk").json
    again = cli(*wishing, "--out", tmp_path / "brisk").json
    assert again | {"seconds": 0} == document | {"seconds": 0}
    assert document["everybody"] == cli(*wishing).json["everybody"]
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name, "brisk"]
    limited = cli(*wishing, "--out", tmp_path / "brisk", "--most-states", 10)
    assert limited.status == 4
    assert "everybody" not in limited.json
    assert f"all {document['states']:,} states, but the limit is 10;" in limited.err
    path.write_text("a letter")
    assert cli("solve", *sizes, "--out", path).status == 2
    assert path.read_text() == "a letter"


def test_solve_starts_from_a_record(cli: Cli, tmp_path: Path) -> None:
    record = tmp_path / "game.record"
    record.write_text(
        "quaternity 1\nset-size 3\nsets 2\nplayers 3\n0 asks 1 for 0/0: yes\n", encoding="utf-8"
    )
    document = cli("solve", "--from", record, "--json").json
    assert document["rules"]["sets"] == 2
    assert 1 < document["states"] < 91
    assert cli("solve", "--from", record, "-s", 3, "--json").json["states"] == document["states"]
    refused = cli("solve", "--from", record, "-s", 3, "-n", 4, "--tie-break", "fewest-sets")
    assert refused.status == 2
    assert f"{record}: sets 4 was requested, but the record has 2; tie-break few" in refused.err
    path = tmp_path / "out"
    assert cli("solve", "--from", record, "--out", path).status == 0
    other = cli("solve", "-s", 3, "-n", 2, "-p", 3, "--out", path)
    assert other.status == 2
    assert "solves another state" in other.err


def test_impossible_positions_are_distinguished_from_bad_files(cli: Cli, tmp_path: Path) -> None:
    start = state_document(State.start(Settings(2, 3, 3)))
    files = {
        "impossible": start | {"owners": [[[], [0]], *start["owners"][1:]]},
        "no-turn": {name: value for name, value in start.items() if name != "turn"},
        "bounds": start | {"maximum": [[1, 2, 2]] * 3},
    }
    for name, document in files.items():
        (tmp_path / name).write_text(json.dumps(document))
    (tmp_path / "record").write_text(
        "quaternity 1\nset-size 2\nsets 3\nplayers 3\n0 asks 0 for 0/0: no\n", encoding="utf-8"
    )
    wrong = tmp_path / "wrong"
    wrong.write_text("quaternity 1\nbrisk maybe\n", encoding="utf-8")
    for name, status, why in (
        ("impossible", 1, "impossible"),
        ("record", 1, "cannot ask themselves"),
        ("no-turn", 2, f"{tmp_path / 'no-turn'}: turn: missing; add the number of the player"),
        ("bounds", 2, "upper bounds"),
        ("wrong", 2, f"{wrong}: line 2: brisk: must be yes or no, not 'maybe'"),
    ):
        outcome = cli("solve", "--from", tmp_path / name)
        assert (outcome.status, outcome.out) == (status, "")
        assert why in outcome.err


def test_a_solution_is_shown_even_if_chance_rules_out_wishes(cli: Cli, tmp_path: Path) -> None:
    chance = ("solve", "-s", 2, "-n", 2, "-p", 4, "--tie-break", "fewest-sets", "--json",
              "--brisk", "--everybody", "win", "--out", tmp_path / "file")  # fmt: skip
    for _ in range(2):  # solved, and read again
        outcome = cli(*chance)
        assert outcome.status == 2
        assert outcome.json["states"] == 8
        assert "chance" in outcome.err


def test_wishes_of_all_players_are_solved(cli: Cli, tmp_path: Path) -> None:
    text = cli("solve", "-s", 2, "--brisk", "--everybody", "points").out
    words = " ".join(text.split())
    assert (
        "(points), player 0, player 1 or player 2 wins, depending on how ties are broken "
        "(without chance)" in words
    )
    assert (
        "player 1 gets 0, 1 or 2 sets; if ties are broken against them 0 sets, for them 1 or 2"
        in words
    )
    record = tmp_path / "game.record"
    record.write_text(HEADER + "brisk yes\n0 asks 1 for 0/0: yes\n", encoding="utf-8")
    late = ("solve", "--from", record, "--everybody", "win")
    solved = cli(*late, "--json", "--out", tmp_path / "file").json["everybody"]
    assert (solved["wish"], solved["winners"], solved["outcomes"]) == ("win", [0], [[2, 0, 0]])
    assert cli(*late, "--json", "--out", tmp_path / "file").json["everybody"] == solved
    words = " ".join(cli(*late).out.split())
    assert (
        "(win), player 0 wins, however ties are broken (without chance) player 0 gets a win "
        in words
    )
    two = cli("solve", "-s", 3, "-n", 4, "-p", 2, "--everybody", "points").out
    assert "player 0 gets 4 sets\n    player 1 gets 0 sets\n" in two


def test_a_game_may_have_no_possible_winner(cli: Cli) -> None:
    outcome = cli("solve", "-s", 2, "-n", 2, "-p", 4)
    assert outcome.out.count("cannot win") == 4
    assert "can prevent" not in outcome.out


def test_large_games_are_refused(cli: Cli) -> None:
    outcome = cli("solve", "-s", 3, "-n", 3, "-p", 3, "--most-states", 2000)
    assert outcome.status == 4
    assert "the game has more than 2,000 states; to allow more, use --most-states" in outcome.err
    assert outcome.out == ""
    assert cli("solve", "-s", 3, "--most-states", 2000, "--no-limit", "--json").status == 0
    estimate = cli("solve", "-s", 3, "--estimate", "--json").json
    assert estimate["states"] == 2122
    assert estimate["exact"]
    assert "2,122 states" in cli("solve", "-s", 3, "--estimate").out


@pytest.mark.parametrize(
    ("arguments", "status", "why"),
    [
        (["-s", 1], 2, "set_size"),
        (["-n", 4], 2, "cannot share evenly"),
        (["-n", 0], 2, "sets"),
        (["-p", 1], 2, "players"),
        (["-s", 2, "-n", 8, "-p", 8], 4, "at most 7 players"),
        (["-s", 11, "-n", 7, "-p", 7], 4, "sets of 11 with 7 players have no canonical states"),
        (["-s", 10**6], 2, "limit"),
        (["--tie-break", "dice"], 2, "dice"),
        (["--rankings", "0-12 1-02 2-01"], 2, "'0-12 1-02 2-01' is retired: --everybody win"),
        (["--everybody", "sets"], 2, "must be points or win, not 'sets'"),
        (["-s", 5, "--everybody", "win"], 2, "--brisk forbids"),
        (["--ask", "force:1", "--everybody", "win"], 2, "cannot be combined with"),
        (["-s", 2, "--workers", 0], 2, "workers"),
        (["--from", "/no/such/file"], 2, "/no/such/file"),
        (["-s", 2, "--out", "/no/such/directory/file"], 2, "cannot be used"),
        *thorough([], [(["-s", 2, "--dask", "nowhere"], 2, "dask")]),  # which loads much
        (["-s", 4, "-n", 13, "-p", 13], 4, "at most 7 players"),
        (["-s", 2, "-n", 40, "-p", 40], 4, "at most 7 players"),
    ],
    ids=str,
)
def test_bad_options_are_refused(cli: Cli, arguments: list[object], status: int, why: str) -> None:
    outcome = cli("solve", *arguments)
    assert outcome.status == status
    assert why in outcome.err
    assert outcome.out == ""
    assert "Traceback" not in outcome.err


def test_an_interrupted_solve_resumes(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "3-3-3.tablebase"
    sizes = ("-s", 3, "-n", 3, "-p", 3)
    work, interrupts = tmp_path / "3-3-3.tablebase.work", [KeyboardInterrupt()]

    def interrupt() -> None:
        if interrupts and any(work.glob("expanded-4-0*")):
            raise interrupts.pop()

    with Disk(tmp_path, watch=interrupt):
        outcome = cli("solve", *sizes, "--out", path, "--json")
    assert outcome.status == 130
    assert "the same command continues" in outcome.err
    assert outcome.out == ""
    assert sorted(file.name for file in tmp_path.iterdir()) == [work.name]
    assert cli("solve", *sizes, "--out", path, "--json").json["states"] == 2122
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_run_over_a_limit_resumes_with_a_higher_limit(cli: Cli, tmp_path: Path) -> None:
    sizes = ("-s", 3, "-n", 2, "-p", 3, "--out", tmp_path / "file")
    outcome = cli("solve", *sizes, "--most-states", 20)
    assert outcome.status == 4
    assert "more than 20 states" in outcome.err
    assert "the work so far is in" in outcome.err
    assert cli("solve", *sizes, "--json").json["states"] == 91


def test_abandoned_working_files_are_removed(cli: Cli, tmp_path: Path) -> None:
    """A run can be killed before anything is written, or after everything is written."""
    target, work = tmp_path / "file", tmp_path / "file.work"
    solving = ("solve", "-s", 3, "-n", 2, "-p", 3, "--out", target)
    work.mkdir()
    (work / f".{MANIFEST}.x.part").write_text("{")
    assert cli(*solving).status == 0
    assert [file.name for file in tmp_path.iterdir()] == [target.name]
    solve(State.start(Settings(3, 2, 3)), directory=work)
    assert cli(*solving).status == 0
    assert [file.name for file in tmp_path.iterdir()] == [target.name]
    # Files of other programs stay.
    work.mkdir()
    (work / "letter.txt").write_text("dear")
    assert cli(*solving).status == 0
    assert (work / "letter.txt").read_text() == "dear"


def test_an_interrupted_tournament_reports_its_finished_games(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = count()

    class Stops(RandomBot):
        def ask(self, state: State) -> Question:
            if next(questions) == 60:
                raise KeyboardInterrupt
            return super().ask(state)

    plant_bot(monkeypatch, "stops", Stops)
    outcome = cli("tournament", "random", "stops", "-s", 2, "--games", 40, "--json")
    assert outcome.status == 130
    assert 0 < outcome.json["games"] < 40
    assert f"interrupted after {outcome.json['games']} of 40 games" in outcome.err


def test_tournament_prints_json(cli: Cli) -> None:
    document = cli(
        "tournament", "informed", "random", "-s", 2, "--games", 12, "--seed", 3, "--json"
    ).json
    assert document["games"] == 12
    assert [row["bot"] for row in document["bots"]] == ["informed", "random"]
    assert document["bots"][0]["rating"]["mean"] > document["bots"][1]["rating"]["mean"]
    again = cli(
        "tournament", "informed", "random", "-s", 2, "--games", 12, "--seed", 3, "--json"
    ).json
    assert {**again, "seconds": 0} == {**document, "seconds": 0}


def test_tournament_prints_words_and_draws_pictures(cli: Cli, tmp_path: Path) -> None:
    picture = tmp_path / "bots.svg"
    outcome = cli("tournament", "informed", "random", "-s", 2, "--games", 6, "--plot", picture)
    assert outcome.status == 0
    assert "6 games of 2-3-3" in outcome.out
    assert "informed" in outcome.out
    assert "\x1b" not in outcome.out
    assert picture.read_text().startswith("<?xml")


def test_the_perfect_bot_needs_a_tablebase_of_the_game(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "2-3-3.tablebase"
    assert cli("solve", "-s", 2, "--out", path).status == 0
    assert cli("tournament", f"perfect:{path}", "random", "-s", 2, "--games", 6).status == 0
    other = cli("tournament", f"perfect:{path}", "random", "-s", 3, "--games", 6)
    assert other.status == 2
    assert "a tablebase for 3 sets of 2" in other.err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["random"], "2 to 12"),
        (["random", "nobody"], "'nobody' is unknown; choose from random"),
        (["random", "search:x"], "from 1 to 1000000"),
        (["random", "perfect"], "needs a tablebase"),
        (["random", "random", "--games", 0], "games"),
        (["random", "random", "--cap", 0], "cap"),
        (["random", "random", "--plot", "x.bmp"], "x.bmp"),
        (["random", "random", "--workers", -1], "workers"),
        (["random", "random", "-s", 1], "set_size"),
    ],
    ids=str,
)
def test_bad_input_to_tournament_is_refused(cli: Cli, arguments: list[object], why: str) -> None:
    outcome = cli("tournament", *arguments)
    assert outcome.status == 2
    assert why in outcome.err
    assert outcome.out == ""
    assert "Traceback" not in outcome.err


def test_no_game_is_refused_for_the_speed_of_the_machine(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    hours = count(step=3600.0)
    monkeypatch.setattr("time.perf_counter", lambda: next(hours))
    solved = cli("solve", "-s", 3, "-n", 2, "-p", 3, "--most-states", 91, "--json")
    assert (solved.status, solved.json["states"]) == (ExitStatus.DONE, 91)
    refused = cli("solve", "-s", 3, "-n", 2, "-p", 3, "--most-states", 90)
    assert refused.status == ExitStatus.LIMIT
    assert "more than 90 states" in refused.err
    refused = cli("solve", "-s", 4, "-n", 13, "-p", 4, "--most-states", 500)
    assert refused.status == ExitStatus.LIMIT
    assert (
        "random games show that the game has more than 500 states; to allow more, use --most-states"
        in refused.err
    )


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("options", [(), ("--ask", "force:0"), ("--everybody", "win", "--brisk")])
def test_a_stopped_solve_reports_that_it_keeps_nothing(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], stop: signal.Signals
) -> None:
    where = "forcing.ForcedWinSearch.search" if "--ask" in options else "solved_game.solve"
    monkeypatch.setattr(f"quaternity.perfect.{where}", lambda *_: signal.raise_signal(stop))
    stopped = cli("solve", "-s", 2, "-n", 3, "-p", 3, *options)
    status, word = (130, "interrupted") if stop == signal.SIGINT else (143, "terminated")
    assert (stopped.status, stopped.out) == (status, "")
    assert stopped.err == f"quaternity: {word}; no work is saved without --out\n"
