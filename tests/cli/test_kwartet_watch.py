"""`kwartet watch`: all steps of a log, forward and back, with all hands or for one seat."""

import os
import pty
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from quaternity.cli.kwartet_watch import show_knowledge, show_step
from quaternity.kwartet.log import header_text, log_text, seat_log_text
from quaternity.kwartet.played import GameLog, seat_log_of
from quaternity.kwartet.settings import KwartetSettings
from tests.cli.conftest import Cli
from tests.kwartet.games import random_log, random_settings
from tests.kwartet.twins import twins
from tests.sizes import thorough


@pytest.fixture
def log() -> GameLog:
    return random_log(KwartetSettings(3, 4), Random(5))


@pytest.fixture
def path(log: GameLog, tmp_path: Path) -> Path:
    place = tmp_path / "game.log"
    place.write_text(log_text(log))
    return place


def steps(out: str) -> list[int]:
    """Return the numbers of the steps that were shown, in order."""
    return [int(line.split()[1]) for line in out.splitlines() if line.startswith("step ")]


def session_steps(out: str) -> list[int]:
    """Return the same for a session, where a step follows its prompt on the same line."""
    return [int(part.split()[0]) for part in out.split("step ")[1:] if " of " in part[:9]]


def test_all_steps_are_printed_plainly_into_a_pipe(cli: Cli, path: Path, log: GameLog) -> None:
    outcome = cli("kwartet", "watch", path)
    assert outcome.status == 0
    assert steps(outcome.out) == list(range(len(log.events) + 1))
    assert "\x1b" not in outcome.out
    for event in log.events:
        assert f"{event.question}: {event.answer}" in outcome.out
    assert "possible deals: for a bystander" in outcome.out
    assert "all sets are put down" in outcome.out.splitlines()[-1]


def test_hands_are_shown_side_by_side(cli: Cli, tmp_path: Path) -> None:
    place = tmp_path / "game.log"
    place.write_text(header_text(KwartetSettings(2, 2), ((0b0111, 0b0001), (0b1000, 0b1110))))
    lines = cli("kwartet", "watch", place).out.splitlines()
    assert [line.split() for line in lines[2:6]] == [
        ["0", "0", "1", "2", "3"],
        ["1", "0", "1", "2", "3"],
        ["cards", "4", "4"],
        ["points", "0", "0"],
    ]
    assert lines[2].index("3") == lines[3].index("1", 8) == lines[1].index("1")


def test_the_numbers_of_worlds_are_shown(cli: Cli, tmp_path: Path) -> None:
    place = tmp_path / "game.log"
    place.write_text(header_text(KwartetSettings(2, 2), ((0b0111, 0b0001), (0b1000, 0b1110))))
    out = cli("kwartet", "watch", place).out
    # 70 deals of 4 and 4 cards, less the two in which a full set would have been announced.
    assert "for a bystander 68\n  for player 0 1, player 1 1\n" in out
    assert "possible deals" not in cli("kwartet", "watch", place, "--no-worlds").out


def test_watching_can_begin_at_any_step(cli: Cli, path: Path, log: GameLog) -> None:
    outcome = cli("kwartet", "watch", path, "--step", 3)
    assert steps(outcome.out) == list(range(3, len(log.events) + 1))


@pytest.mark.usefixtures("interactive_terminal")
def test_steps_go_forward_back_and_to_a_number(cli: Cli, path: Path) -> None:
    typed = "\nn\nb\n5\n005\ns\nq\n3\n"
    outcome = cli("kwartet", "watch", path, stdin=typed)
    assert outcome.status == 0
    assert session_steps(outcome.out) == [0, 1, 2, 1, 5, 5, 5]


@pytest.mark.usefixtures("interactive_terminal")
def test_both_ends_are_reported(cli: Cli, path: Path, log: GameLog) -> None:
    last = len(log.events)
    outcome = cli("kwartet", "watch", path, stdin=f"b\n{last + 1}\n{last}\n\nb\n{'9' * 5000}\n")
    assert outcome.status == 0
    assert session_steps(outcome.out) == [0, last, last - 1]
    assert "this is the start: there is nothing before it" in outcome.out
    assert f"there is no step {last + 1}: steps are 0..{last}" in outcome.out
    assert f"this is the end, after {last} steps" in outcome.out


@pytest.mark.usefixtures("interactive_terminal")
def test_the_knowledge_of_a_player_is_shown(cli: Cli, path: Path) -> None:
    outcome = cli("kwartet", "watch", path, stdin="k 2\nk1\nk 3\nk\nk x\nhelp\nfoo\n")
    assert outcome.status == 0
    assert "what player 2 knows at step 0" in outcome.out
    assert "what player 1 knows at step 0" in outcome.out
    assert outcome.out.count("k needs a player 0..2") == 3
    assert "'foo' is not understood" in outcome.out


@pytest.mark.usefixtures("interactive_terminal")
def test_formulas_are_answered_for_all_hands_or_a_seat(cli: Cli, path: Path, log: GameLog) -> None:
    owner = log.positions[0].deal.owner[0][0]
    typed = f"know H{owner} 0/0\nwhy K{owner} H{owner} 0/0\n"
    outcome = cli("kwartet", "watch", path, stdin=typed)
    assert f"as the cards lie, H{owner} 0/0 is true" in outcome.out
    assert "no request is needed" in outcome.out
    assert "everybody knows" not in outcome.out
    other = (owner + 1) % 3
    outcome = cli("kwartet", "watch", path, "--seat", other, stdin=typed)
    assert f"you do not know whether H{owner} 0/0" in outcome.out
    assert "the formula is true in the" in outcome.out


@pytest.mark.usefixtures("interactive_terminal")
def test_the_log_of_a_bystander_shows_no_knowledge_of_players(
    cli: Cli, path: Path, log: GameLog
) -> None:
    path.write_text(seat_log_text(seat_log_of(log, None)))
    outcome = cli("kwartet", "watch", path, stdin="k 0\n")
    assert "the log shows only what everybody saw" in outcome.out
    assert "what player 0 knows" not in outcome.out


@pytest.mark.usefixtures("interactive_terminal")
def test_a_seat_is_shown_its_own_knowledge_only(cli: Cli, path: Path) -> None:
    outcome = cli("kwartet", "watch", path, "--seat", 1, stdin="k\nk 1\nk 0\n")
    assert outcome.out.count("what player 1 knows") == 2
    assert "only the knowledge of player 1 can be shown" in outcome.out
    assert "what player 0 knows" not in outcome.out


@pytest.mark.parametrize("seed", range(thorough(1, 10)))
def test_no_step_shows_a_seat_what_others_hold(
    seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def show(log: GameLog) -> str:
        show_step(log, step, seat, worlds=False)
        show_knowledge(log, step, seat)
        return capsys.readouterr().out

    random = Random(f"steps/{seed}")
    pairs = 0
    for _ in range(thorough(3, 12)):
        settings = random_settings(random, range(2, 6), range(4, 9))
        game = random_log(settings, random, random.randrange(30))
        seat = random.randrange(settings.players)
        step = random.randrange(len(game.events) + 1)
        seen = show(game)
        for other in twins(game, seat, random, thorough(8, 30)):
            assert show(other) == seen
            pairs += 1
    assert pairs > thorough(10, 100)


def test_invalid_arguments_are_refused(cli: Cli, path: Path, log: GameLog, tmp_path: Path) -> None:
    bad = tmp_path / "bad.log"
    bad.write_text(log_text(log).replace(": no", ": yes", 1))
    outcome = cli("kwartet", "watch", bad)
    assert outcome.status == 2
    assert "does not hold" in outcome.err
    assert str(bad) in outcome.err
    for wrong in (
        [tmp_path / "nothing"],
        [tmp_path],
        [path, "--seat", 3],
        [path, "--seat", -1],
        [path, "--step", len(log.events) + 1],
        [path, "--step", -1],
    ):
        outcome = cli("kwartet", "watch", *wrong)
        assert outcome.status == 2, wrong
        assert outcome.err
        assert not outcome.out
    bad.write_bytes(b"\xff\x00 not a log\n")
    assert cli("kwartet", "watch", bad).status == 2


def test_a_truncated_log_is_shown_up_to_its_end(cli: Cli, tmp_path: Path, log: GameLog) -> None:
    place = tmp_path / "cut.log"
    short = log_text(GameLog.of(log.settings, log.hands, log.events[:3]))
    place.write_text(short + "1 asks 0 f")
    outcome = cli("kwartet", "watch", place)
    assert outcome.status == 0
    assert "is incomplete" in outcome.err
    assert steps(outcome.out) == [0, 1, 2, 3]


def test_names_in_a_log_cannot_control_the_terminal(cli: Cli, tmp_path: Path) -> None:
    place = tmp_path / "game.log"
    hands = ((0b0111, 0b0001), (0b1000, 0b1110))
    place.write_text(header_text(KwartetSettings(2, 2), hands, ("[red]x", "a\x1b[31mb")))
    for options in ([], ["--seat", "0"]):
        out = cli("kwartet", "watch", place, *options).out
        assert "\x1b" not in out
        assert "a?[31mb" in out
    assert "[red]x" in cli("kwartet", "watch", place).out


def test_a_terminal_has_colours_and_keys(path: Path) -> None:
    outer, inner = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    with subprocess.Popen(
        [sys.executable, "-m", "quaternity", "kwartet", "watch", str(path)],
        stdin=inner, stdout=inner, stderr=inner, close_fds=True,
        env={**environment, "TERM": "xterm-256color", "COLUMNS": "100"},
    ) as running:  # fmt: skip
        os.close(inner)
        os.write(outer, b"\nb\nq\n")
        out = b""
        try:
            while part := os.read(outer, 65536):
                out += part
        except OSError:  # the other end was closed
            pass
        finally:
            os.close(outer)
    assert running.returncode == 0
    text = out.decode()
    assert "\x1b[1mstep 0 of" in text
    assert "\x1b[1mstep 1 of" in text
    assert "possible deals" in text
