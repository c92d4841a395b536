"""`kwartet play`: input, output, hidden cards and the log on disk."""

import sys
from pathlib import Path
from random import Random

import pytest

from quaternity.cli.kwartet_words import kwartet_words
from quaternity.cli.match import MatchSession
from quaternity.kwartet.log import header_text, log_as_seen, log_text, read_log
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.table.history import History
from quaternity.table.match import Match
from tests.cli.conftest import Cli, Outcome
from tests.kwartet.games import random_log, random_settings
from tests.kwartet.twins import twins
from tests.limits import limited
from tests.sizes import thorough

HANDS = ((0b0011, 0b0011, 0b0001), (0b0100, 0b0100, 0b0110), (0b1000, 0b1000, 0b1000))
SETTINGS = KwartetSettings(3, 3)
DEAL = header_text(SETTINGS, HANDS, ("you", "you", "you"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write the log of a game of three people that was just dealt; return its path."""
    place = tmp_path / "game.log"
    place.write_text(DEAL)
    return place


def resume(cli: Cli, path: Path, typed: str) -> Outcome:
    """Resume the game; the first typed line shows the first hand."""
    outcome = cli("kwartet", "play", "--record", path, stdin="\n" + typed)
    assert outcome.status == 0, outcome.err
    return outcome


def test_the_log_of_one_seat_cannot_be_resumed(cli: Cli, path: Path) -> None:
    path.write_text(log_as_seen(read_log(str(path)), 1))
    outcome = cli("kwartet", "play", "--record", path)
    assert outcome.status == 2
    assert (
        outcome.err == f"quaternity: {path}: line 7: hand 0 is hidden: all hands must be visible\n"
    )


@pytest.mark.parametrize(
    "line", ["1 0/2", "1 0 2", "1 for 0/2", "0 asks 1 for 0/2", "  1   0 / 2 "]
)
def test_a_request_can_be_typed_in_several_ways(cli: Cli, path: Path, line: str) -> None:
    outcome = resume(cli, path, line + "\n")
    assert "0 asks 1 for 0/2: yes" in outcome.out
    assert "the game ends here, after 1 move" in outcome.out
    assert path.read_text() == DEAL + "0 asks 1 for 0/2: yes\n"


def test_a_full_set_is_put_down_and_counts(cli: Cli, path: Path) -> None:
    outcome = resume(cli, path, "1 0 2\n2 0 3\nhistory\n")
    assert "\n0 asks 2 for 0/3: yes · 0 puts down 0\n" in outcome.out
    assert "2. 0 asks 2 for 0/3: yes · 0 puts down 0\n" in outcome.out
    assert "put down by 0" in outcome.out
    assert path.read_text().endswith(
        "0 asks 1 for 0/2: yes\n0 asks 2 for 0/3: yes\n0 puts down 0\n"
    )


def test_invalid_input_is_explained_and_requested_again(cli: Cli, path: Path) -> None:
    outcome = resume(cli, path, "hello\n\n1\n7 8 9\n0 0 2\n2 1/4\n2 99999999999/1\nhelp\nquit\n")
    for words in (
        "'hello' is not understood",
        "'1' is not understood",
        "player 7 is out of range 0..2",
        "set 8 is out of range 0..2",
        "players cannot ask themselves",
        "card 4 of a set is out of range 0..3",
        "'2 99999999999/1' is not understood",
        "Ask:",
        "after 0 moves",
    ):
        assert words in " ".join(outcome.out.split())
    assert path.read_text() == DEAL


def test_state_hint_chances_and_history_are_shown(cli: Cli, path: Path) -> None:
    outcome = resume(cli, path, "history\nhint\nchances\nstate\n1 0/2\nhint\n")
    assert outcome.out.count("your hand: 0/0 0/1  1/0 1/1  2/0\n") == 2
    assert "chances in percent" in outcome.out
    assert "below: estimates from requests" in outcome.out, (
        "there are none before the first request"
    )
    assert outcome.out.count("reader would play: ") == 2


def test_chances_of_some_sets_are_shown(cli: Cli, path: Path) -> None:
    outcome = resume(cli, path, "chances 2\nchances 2 0\nchances 3\nchances x\n")
    heads = [line.split() for line in outcome.out.splitlines() if line.startswith("        ")]
    assert heads[::2] == [["set", "2"], ["set", "0", "set", "2"]]
    assert outcome.out.count("sets are 0..2") == 2


def test_a_certain_owner_is_named(cli: Cli, path: Path) -> None:
    # Player 1 does not have 0/3, so player 2 has it; the others ask for cards that they hold.
    outcome = resume(cli, path, "1 0/3\n\n0 1/2\n\n0 2/3\n\nhint\n")
    assert outcome.out.count("press Enter to show") == 4
    last = outcome.out[outcome.out.rindex("at least") :]
    assert last.splitlines()[1].split() == ["0", "mine", "mine", "*", "=2", "2:1"]
    assert "reader would play: " in last


def test_between_two_people_the_game_waits_for_enter(cli: Cli, path: Path) -> None:
    outcome = resume(cli, path, "2 0/2\n")
    before, after = outcome.out.split("0 asks 2 for 0/2: no", 1)
    assert "your hand: 0/0" in before
    assert "player 1 is to move: press Enter to show what player 1 sees" in after
    assert "your hand: " not in after
    outcome = resume(cli, path, "")
    assert "your hand: 0/2  1/2  2/1 2/2" in outcome.out
    assert "your hand: 0/0" not in outcome.out


def test_one_person_is_never_asked_for_enter(cli: Cli) -> None:
    outcome = cli("kwartet", "play", "--seats", "you,random", "--sets", 2, "--seed", 1)
    assert outcome.status == 0
    assert "Enter" not in outcome.out


def test_the_deal_is_on_disk_before_the_first_prompt(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.log"
    outcome = cli("kwartet", "play", "--seats", "you,you", "--record", path, "--seed", 4)
    assert outcome.status == 0
    assert f"{path} resumes it" in outcome.out
    log = read_log(str(path))
    assert log.names == ("you", "you")
    assert not log.events


def test_an_interrupted_game_continues_as_without_the_interrupt(cli: Cli, tmp_path: Path) -> None:
    seats = ["--seats", "greedy,random,mixed", "--sets", "4", "--seed", "9"]
    whole, part = tmp_path / "whole", tmp_path / "part"
    cli("kwartet", "play", *seats, "--record", whole)
    text = whole.read_text()
    part.write_text(text[: text.index(": ", len(text) // 2)])
    outcome = cli("kwartet", "play", "--seed", 9, "--record", part)
    assert outcome.status == 0
    assert "is incomplete" in outcome.err
    assert "resuming" in outcome.out
    assert part.read_text() == text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--seats", "you,exact,clever"], "'clever' is unknown; choose from you, "),
        (["--seats", "you"], "players: 1 is out of range 2..8"),
        (["--seats", ""], "players: 1 is out of range 2..8"),
        (["--seats", ",".join(["you"] * 9)], "players: 9 is out of range 2..8"),
        (["--sets", "1"], "sets: 1 is out of range 2..20"),
        (["--sets", "21"], "sets: 21 is out of range 2..20"),
        (["--announce", "never"], "choose from at-once, after-own-request"),
        (["--record", "no/such/place"], "cannot be written"),
        (["--record", "."], "directory"),
        (["--record", "/dev/full"], "quaternity: /dev/full: cannot be written"),
    ],
)
def test_bad_options_are_refused(cli: Cli, options: list[str], words: str) -> None:
    outcome = cli("kwartet", "play", *options)
    assert outcome.status == 2
    assert words in outcome.err
    assert not outcome.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--sets", "4"], "sets 4 was requested, but the record has 3"),
        (["--seats", "you,exact,you"], "--seats 'you,exact,you': must be '"),
        (["--announce", "after-own-request"], "the record has at-once"),
        (["--no-own-card-requests"], "own-card-requests no was requested"),
    ],
)
def test_resuming_with_other_settings_is_refused(
    cli: Cli, path: Path, options: list[str], words: str
) -> None:
    outcome = cli("kwartet", "play", "--record", path, *options)
    assert outcome.status == 2
    assert words in outcome.err
    assert path.read_text() == DEAL


def test_resuming_with_the_same_settings_is_allowed(cli: Cli, path: Path) -> None:
    same = ["--sets", "3", "--seats", "you,you,you", "--announce", "at-once", "--own-card-requests"]
    assert cli("kwartet", "play", "--record", path, *same).status == 0


def test_a_log_without_names_asks_for_them(cli: Cli, path: Path) -> None:
    path.write_text(header_text(SETTINGS, HANDS))
    outcome = cli("kwartet", "play", "--record", path)
    assert outcome.status == 2
    assert "list them with --seats" in outcome.err
    outcome = cli("kwartet", "play", "--record", path, "--seats", "you,greedy,greedy")
    assert outcome.status == 0
    path.write_text(header_text(SETTINGS, HANDS, ("you", "somebody", "greedy")))
    outcome = cli("kwartet", "play", "--record", path)
    assert outcome.status == 2
    assert "'somebody' is unknown" in outcome.err


def test_a_record_that_breaks_the_rules_is_left_alone(cli: Cli, path: Path) -> None:
    text = DEAL + "0 asks 2 for 0/2: yes\n"
    path.write_text(text)
    outcome = cli("kwartet", "play", "--record", path)
    assert outcome.status == 2
    assert "line 10: '0 asks 2 for 0/2: yes': player 2 does not hold 0/2" in outcome.err
    assert path.read_text() == text


def test_undecodable_input_causes_no_traceback(cli: Cli) -> None:
    outcome = cli("kwartet", "play", "--seats", "you,random", stdin=b"\xff\xfe\n\x00\nquit\n")
    assert outcome.status == 0


def test_a_person_who_follows_the_hints_plays_to_the_end(
    cli: Cli, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.log"
    asked_for_a_hint = False

    def read_line(prompt: str) -> str:
        nonlocal asked_for_a_hint
        assert prompt == "player 0> "
        asked_for_a_hint = not asked_for_a_hint
        if asked_for_a_hint:
            return "hint"
        _, hint, advice = capfd.readouterr().out.rpartition("reader would play: ")
        assert hint
        return " ".join(advice.split()).partition(" (")[0]

    monkeypatch.setattr("builtins.input", read_line)
    seats = ["--seats", "you,greedy,better-greedy", "--sets", "5", "--seed", "2"]
    outcome = cli("kwartet", "play", *seats, "--record", path)
    assert outcome.status == 0
    assert "the game is over (" in outcome.out
    log = read_log(str(path))
    assert log.positions[-1].public.is_over
    assert {event.question.asker for event in log.events} == {0, 1, 2}


@limited("quaternity.cli.match", MAX_PROGRAM_MOVES=5)
def test_strategies_that_never_end_are_given_up(cli: Cli) -> None:
    outcome = cli("kwartet", "play", "--seats", "random,random", "--seed", 1)
    assert outcome.status == 4
    assert "no person had a turn for 5 moves" in outcome.err


# ------------------------------------------------------------------ nothing leaks

TYPED_LINES = "state\nhistory\nchances\nwhy H1 0/1\nhint\nhelp\n0 99 0\n9 99/9\nnonsense\nquit\n"


def transcript(
    log: GameLog, seat: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> str:
    """Return all output for the player to move, who types all commands and illegal requests."""
    lines = iter(TYPED_LINES.splitlines())

    def read_line(prompt: str) -> str:
        sys.stdout.write(prompt)
        return next(lines)

    monkeypatch.setattr("builtins.input", read_line)
    names = tuple("you" if player == seat else "exact" for player in range(log.settings.players))
    capfd.readouterr()
    rules = KwartetRules(log.settings)
    replay = rules.replay(log_text(log).encode())
    match = Match(rules, names, "0", History.of_replay(rules, replay))
    MatchSession(match, kwartet_words(), None).run()
    return capfd.readouterr().out


@pytest.mark.parametrize("seed", range(thorough(12, 25)))
def test_output_depends_only_on_what_the_seat_sees(
    seed: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(f"play/{seed}")
    others: list[GameLog] = []
    while not others:  # there are none if the hands of the others are known
        settings = random_settings(random, range(3, 5), range(6, 11))
        game = random_log(settings, random, max_events=random.randrange(12))
        seat = game.positions[-1].public.turn
        if not game.positions[-1].public.is_over:
            others = twins(game, seat, random, 3)
    shown = transcript(game, seat, capfd, monkeypatch)
    assert "reader would play: " in shown
    assert "nonsense" in shown
    for other in others:
        assert transcript(other, seat, capfd, monkeypatch) == shown


def test_know_answers_from_what_the_seat_sees(cli: Cli, path: Path) -> None:
    outcome = resume(cli, path, "know H0 0/0\nknow !H1 0/0\nknow H1 1/1\nknow\nknow H9\nquit\n")
    output = " ".join(outcome.out.split())
    assert "you know that H0 0/0 is " in output
    assert "you do not know whether H1 1/1" in output or "you know that H1 1/1 is" in output
    assert "type, for example, 'know H1 0/2'" in output
    assert "formula, column 1: player 9 does not exist" in output
    assert outcome.err == ""
