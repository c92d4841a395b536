"""Quarto and SET at the terminal, and what all four games have in common."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select

import pytest

from quaternity.cli.terminal import CLEAR
from tests.cli.conftest import Cli
from tests.table.planted import plant

PLAYS: dict[str, tuple[object, ...]] = {
    "quaternity": ("play", "--seats", "you,random,random"),
    "kwartet": ("kwartet", "play", "--sets", 3, "--seats", "you,random"),
    "quarto": ("quarto", "play", "--seats", "you,careful"),
    "set": ("set", "play", "--seats", "you,quick"),
}
every_game = pytest.mark.parametrize("game", PLAYS)


@every_game
def test_help_shows_the_rules_and_the_commands(cli: Cli, game: str) -> None:
    outcome = cli(*PLAYS[game], "--seed", 1, stdin="help\nrules\nmoves\nhint\nhistory\nx1z\nquit\n")
    assert outcome.status == 0
    assert outcome.err == ""
    first = outcome.out.splitlines()[0]
    assert first.startswith(f"{game}: player 0 is you, player 1 is ")
    for words in ("undo", "seat 1 NAME", "would", "'x1z' is not understood", "the game ends here"):
        assert words in outcome.out


@every_game
def test_at_sixty_columns_no_word_is_broken(
    cli: Cli, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    typed = "help\nrules\nhint\nmoves\nzzz\n\n\nhistory\nquit\n"
    outcome = cli(*PLAYS[game], "--seed", 1, stdin=typed)
    for line in outcome.out.splitlines():
        assert len(line.replace("player 0> ", "")) <= 60


def test_the_next_person_sees_all_moves_since_their_last_turn(cli: Cli) -> None:
    """The previous player has already seen these moves: player 0 asks until the answer is no."""
    command = ("kwartet", "play", "--sets", 4, "--seats", "you,you", "--seed", 5)
    requests = [f"1 {index}/{number}" for index in range(4) for number in range(4)]
    seen = cli(*command, stdin="\n" + "\n".join(requests) + "\n\nquit\n").out
    before, _, after = seen.partition("press Enter to show what player 1")
    gained = [line for line in before.splitlines() if line.endswith(": yes")]
    assert gained
    news = after.partition("player 1> ")[0]
    assert all(line in news for line in gained)


@every_game
def test_moves_between_programs_are_shown_immediately(
    cli: Cli, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"quaternity": "random,random,random", "set": "quick,slow"}.get(game, "random,random")
    command = (*PLAYS[game][:-1], names, "--seed", 2)
    at_the_end = cli(*command).out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    news, _, table = cli(*command).out.partition("\n\n")
    assert sorted(f"{news} {table}".replace("·", "").split()) == sorted(
        at_the_end.replace("·", "").split()
    )
    assert len(news.splitlines()) > 9
    assert len(table.splitlines()) < 24


def test_the_next_player_is_named_after_an_undo(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen is cleared before the next hand is shown; the message stays."""
    command = ("kwartet", "play", "--sets", 4, "--seats", "you,you", "--seed", 5)
    requests = "\n".join(f"1 {at // 4}/{at % 4}" for at in range(16))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = cli(*command, stdin=f"\n{requests}\n\nundo\n\nquit\n").out
    screens = shown.split(CLEAR)
    assert [screen.count("your hand") > 0 for screen in screens] == [True, True, True]
    assert screens[-1].startswith("1 move taken back\nplayer 0 is to move")


def test_the_news_of_a_player_who_has_not_moved_survives_resuming(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "my.game"
    command = ("kwartet", "play", "--sets", 4, "--seats", "you,you", "--seed", 5, "--record", path)
    cli(*command, stdin="\n".join(["", *(f"1 {at // 4}/{at % 4}" for at in range(16)), "quit"]))
    moves = [line for line in path.read_text().splitlines() if " asks " in line]
    assert all(move.startswith("0 asks 1") for move in moves)
    assert len(moves) > 1
    output = " ".join(cli(*command, stdin="\nquit\n").out.split())
    assert all(move in output for move in moves)


def test_the_table_stays_on_the_screen_below_long_news(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """News that does not fit below the table is printed above it."""
    command = ("play", "-n", 6, "--seats", "random,random,random", "--seed", 1)
    whole = cli(*command).out.split("> ")[-1]
    monkeypatch.setenv("LINES", "16")
    shown = cli(*command).out
    screen = shown.splitlines()[-16:]
    assert sum("player 0: " in line for line in screen) == 2, "the table and who has won"
    assert sorted(shown.split()) == sorted(whole.split())
    monkeypatch.setenv("LINES", "2")
    news = cli(*command).out.splitlines()
    assert sum(" asks " in line for line in news[-6:]) > 1, "the latest stay below"


def test_a_seat_that_is_handed_over_does_not_show_the_next_hand(cli: Cli) -> None:
    command = ("kwartet", "play", "--sets", 3, "--seats", "you,you,random", "--seed", 1)
    outcome = cli(*command, stdin="\nseat 0 random\nhuh\nquit\n")
    assert outcome.out.count("your hand") == 1
    assert "player 1 is to move: press Enter to show" in outcome.out
    assert "the game ends here" in outcome.out


def test_invalid_seat_numbers_are_explained(cli: Cli) -> None:
    outcome = cli(*PLAYS["quarto"], stdin="seat 00099 you\nseat 01 you\nquit\n")
    assert outcome.status == 0
    assert outcome.out.count("type, for example, 'seat 1 you'") == 2


@every_game
def test_after_resuming_the_news_is_shown_again(cli: Cli, tmp_path: Path, game: str) -> None:
    path = tmp_path / "game.record"
    moves = {"quaternity": "1 0/1\n", "kwartet": None, "quarto": "A\n", "set": "a b c\n"}[game]
    command = (*PLAYS[game], "--seed", 3, "--record", path)
    if moves is None:
        output = cli(*command[:-2], stdin="moves\nquit\n").out
        moves = f"{output.split('  0 asks ')[1][:9]}\n"
    first = cli(*command, stdin=f"{moves}quit\n").out
    again = cli(*command, stdin="quit\n").out
    assert first.split("player 0> ")[-2].strip() in again


@every_game
def test_programs_finish_a_game_that_can_be_watched(cli: Cli, tmp_path: Path, game: str) -> None:
    path = tmp_path / "game.record"
    seats = {
        "quaternity": "random,random,random",
        "kwartet": "greedy,random",
        "quarto": "random,careful",
        "set": "quick,slow:3",
    }[game]
    command = (*PLAYS[game][:-1], seats, "--seed", 2, "--record", path)
    outcome = cli(*command)
    assert outcome.status == 0
    assert "the game is over (player 0: " in outcome.out
    text = path.read_text()
    assert text.startswith(f"{game} 1\n")
    assert cli(*command).out.startswith(f"resuming {path} after ")
    assert path.read_text() == text
    watched = cli("watch", path)
    assert watched.status == 0
    last = watched.out.count("step ") - 1
    assert f"step {last} of {last}" in watched.out
    assert cli("watch", path, "--step", last + 1).status == 2
    assert cli("watch", path, "--seat", 9).status == 2
    assert "step 0 of" not in cli("watch", path, "--seat", 1, "--step", 1).out


@every_game
def test_a_seat_is_handed_over_and_a_move_taken_back(cli: Cli, game: str) -> None:
    name = "quick" if game == "set" else "random"
    typed = f"seat 0 nobody\nseat 9 you\nseat\nundo\nseat 0 {name}\n"
    outcome = cli(*PLAYS[game], "--seed", 1, stdin=typed)
    assert "player 'nobody' is unknown; choose from you, " in outcome.out
    assert outcome.out.count("type, for example, 'seat ") == 2
    assert "there is nothing to take back" in outcome.out
    assert f"player 0 is {name}" in outcome.out


def test_claims_are_checked_and_saved(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    typed = "a b c\na a b\nz y x\nmore\nmore\nquit\n"
    outcome = cli("set", "play", "--seats", "you,you", "--seed", 1, "--record", path, stdin=typed)
    assert "wrong" in outcome.out
    assert "are not three different cards" in outcome.out
    assert "place z is empty" in outcome.out
    assert "you have agreed already" in outcome.out
    assert "other players want three more cards: type more if you agree" in outcome.out
    assert "player 0: -1" in outcome.out
    assert path.read_text().endswith("0 more\n")
    again = cli("set", "play", "--record", path, stdin="1 more\nquit\n")
    assert "resuming" in again.out
    assert "63 cards in the deck" not in again.out
    assert "66 cards in the deck" in again.out


@pytest.mark.parametrize("game", ["quarto", "set"])
def test_the_table_is_drawn_in_a_file(cli: Cli, tmp_path: Path, game: str) -> None:
    path = tmp_path / "Table.svg"
    outcome = cli(*PLAYS[game], stdin=f"picture\npicture {path}\npicture {tmp_path}\nquit\n")
    assert outcome.status == 0
    assert "picture: name a file" in outcome.out
    assert "<title>" in path.read_text()
    assert f"{tmp_path}: cannot be written" in " ".join(outcome.out.split())


def test_after_an_empty_line_the_quickest_program_moves(cli: Cli) -> None:
    outcome = cli(
        "set", "play", "--seats", "you,slow:3600,quick", "--seed", 1, stdin="\n\n\nquit\n"
    )
    assert outcome.out.count("player 2 claims") == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["quarto", "play", "--seats", "you"], "expected 2 players, not 1"),
        (["quarto", "play", "--seats", "you,perfect"], "choose from you, random, careful, search"),
        (["set", "play", "--rule", "pair"], "unknown rule 'pair'"),
        (["set", "play", "--table", 13], "table: 13 is not one of 9, 12, 15, 18"),
        (["set", "play", "--seats", ",".join(["you"] * 9)], "seats: 9 is not one of 1, 2"),
        (["set", "play", "--seats", "you,slow:never"], "must be > 0 and <= 3600"),
        (["play", "--seats", "you,you", "--bot", "1=random"], "leave out --random and --bot"),
        (["watch", "/dev/null"], "not a record of a game"),
    ],
)
def test_bad_options_are_refused(cli: Cli, options: list[str], words: str) -> None:
    outcome = cli(*options)
    assert outcome.status == 2
    assert words in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("quarto 1\n0 hand over Z\n", "line 2: "),
        ("quarto 1\nsquares maybe\n", "line 2: squares: must be yes or no, not 'maybe'"),
        ("quarto 1\nsquares ye", "line 2: the header is incomplete: 'squares' is cut off"),
        ("set 1\nseats 2\nru", "line 3: the header is incomplete: 'ru' is cut off"),
        ("quarto 1\nplayers you\n", "line 2: expected 2 players, not 1"),
        ("quarto 1\nsquares yes\nsquares yes\n", "line 3: squares is given more than once"),
        (
            "quarto 1\n0 hand over A\nsquares yes\n",
            "line 3: setting squares must come before the first move",
        ),
        ("quarto 1\n2 hand over A\n", "line 2: '2 hand over A': expected a setting, or a move"),
        ("set 1\nseats 2\nrule set\ntable 12\n", "the header must have a line with the deck"),
        ("set 1\ndeck 1 2 3\n", "line 2: the deck must contain each card 0..80 once"),
        ("set 1\nseats many\n", "line 2: seats: must be a whole number up to 999, not 'many'"),
        ("chess 1\n", "not a record of a game"),
    ],
)
def test_errors_in_records_name_the_line(cli: Cli, tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "game.record"
    path.write_text(text)
    outcome = cli("watch", path)
    assert outcome.status == 2
    assert words in outcome.err
    assert path.read_text() == text


class Terminal:
    """A pseudo-terminal: the output of the program there, and its input."""

    def __init__(self, place: int) -> None:
        self.place, self.seen = place, b""

    def wait_for(self, *words: bytes, times: int = 1) -> None:
        """Read until one of the words was shown this many times."""
        while all(self.seen.count(word) < times for word in words):
            assert select([self.place], [], [], 60)[0], self.seen
            self.seen += os.read(self.place, 4096)

    def type(self, text: bytes) -> None:
        os.write(self.place, text)


@contextmanager
def at_terminal(
    *words: str, code: str = "from quaternity.cli import main; main()", quiet: bool = False,
    status: int = 0,
) -> Iterator[Terminal]:  # fmt: skip
    """Run a command at a pseudo-terminal and check its status; `quiet` discards standard output."""
    outer, inner = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdin=inner, stdout=subprocess.DEVNULL if quiet else inner, stderr=inner, close_fds=True,
    ) as process:  # fmt: skip
        os.close(inner)
        try:
            yield Terminal(outer)
            assert process.wait(60) == status
        finally:
            process.kill()  # if a check has failed, the command may wait for input
            os.close(outer)


needs_terminal = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a pseudo-terminal")


@needs_terminal
def test_at_a_terminal_the_clock_runs() -> None:
    """Without any input, the programs continue to move."""
    with at_terminal("set", "play", "--seats", "you,slow:0.01", "--seed", "1") as terminal:
        terminal.wait_for(b"player 1 claims", times=3)
        terminal.type(b"quit\n")
        terminal.wait_for(b"the game ends here", b"the game is over")


def test_a_hint_can_be_cancelled(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def choose(self, view: object, random: object) -> None:
            raise KeyboardInterrupt

    plant(monkeypatch, "quarto", "search", lambda rules, argument: Interrupted())
    outcome = cli("quarto", "play", "--seats", "you,random", stdin="hint\nA\nquit\n")
    assert outcome.status == 0
    assert "no hint: cancelled" in outcome.out
    assert "player 0 hands over A" in outcome.out


def test_an_empty_line_is_explained_if_no_program_waits(cli: Cli) -> None:
    outcome = cli("set", "play", "--seats", "you,you", "--seed", 1, stdin="\nquit\n")
    assert "no program is waiting to move: type a move" in outcome.out


@needs_terminal
def test_a_terminal_shows_which_player_is_thinking() -> None:
    with at_terminal("quarto", "play", "--seats", "careful,careful", quiet=True) as terminal:
        terminal.wait_for(b"player 0 (careful) is thinking ...\r\x1b[K")


@every_game
@pytest.mark.usefixtures("interactive_terminal")
def test_the_help_of_watch_explains_the_marks(cli: Cli, tmp_path: Path, game: str) -> None:
    path = tmp_path / "game.record"
    first = cli(*PLAYS[game], "--seed", 1, "--record", path, stdin="quit\n").out.splitlines()
    outcome = cli("watch", path, "--seat", 0, stdin="help\nq\n")
    assert first[1] in outcome.out
    assert "a number   to that step" in outcome.out
    assert "mine" not in cli("watch", path, stdin="help\nq\n").out


@needs_terminal
def test_input_while_a_program_thinks_counts_first() -> None:
    """The table is shown before the program thinks, which here lasts until a key is pressed."""
    code = """if True:
        import select, sys
        from quaternity.cli import main
        from quaternity.ternary.players import Finder
        quick = Finder.choose
        def choose(*known):
            print("THINKING", flush=True)
            select.select([sys.stdin], [], [])
            return quick(*known)
        Finder.choose, Finder.delay = choose, lambda *known: 0.0
        main()"""
    game = ("set", "play", "--seats", "you,quick", "--seed", "1")
    with at_terminal(*game, code=code) as terminal:
        terminal.wait_for(b"THINKING")
        assert b"in the deck" in terminal.seen
        terminal.type(b"more\nquit\n")
        terminal.wait_for(b"the game ends here")
    assert b"player 0 agrees" in terminal.seen
    assert b"player 1 claims" not in terminal.seen
