"""Commands that open a file name it once, and report its errors and irregularities."""

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_check import DATA, RECORD

POSITIONS = [
    ("check",), ("questions",), ("analyse",), ("export", "--to", "opb"), ("prove",),
    ("solve", "--from"), ("compare", "--solvers", "max-flow", "--repeats", "1"),
]  # fmt: skip
GAMES = [
    ("watch",), ("kwartet", "watch"), ("kwartet", "know"), ("play", "--record"),
    ("kwartet", "play", "--record"),
]  # fmt: skip
BROKEN = {
    "empty": b"",
    "neither": b"a letter\n",
    "no text": b"\xff\xfe\x00{",
    "no state": b'{"format": "quaternity-state/1"}',
    "no problem": b'{"format": "deal-problem/1"}',
    "no record": b"quaternity 1\nplayers many\n",
}


def command_words(command: tuple[str, ...], path: Path) -> list[object]:
    return [*command, path, *(["H0 0/0"] if command[-1] == "know" else [])]


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("command", [*POSITIONS, *GAMES], ids=" ".join)
def test_an_error_message_names_the_file_once(
    cli: Cli, tmp_path: Path, command: tuple[str, ...], content: bytes
) -> None:
    path = tmp_path / "given"
    path.write_bytes(content or b" " * ("--record" in command))  # an empty record starts a game
    outcome = cli(*command_words(command, path))
    assert outcome.status == 2
    assert outcome.out == ""
    assert outcome.err.count(str(path)) == 1, outcome.err


@pytest.mark.parametrize(
    "command", [words for words in [*POSITIONS, ("watch",)] if words[0] != "solve"], ids=" ".join
)
def test_a_truncated_line_is_only_a_warning(
    cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    path = tmp_path / "cut.record"
    lines = Path(RECORD).read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:7]) + lines[7][:4])
    outcome = cli(*command_words(command, path))
    assert f"{path}: line 8 is incomplete and was ignored" in outcome.err
    assert outcome.status in (0, 1, 4)


@pytest.mark.parametrize("command", [("questions",), ("solve", "--from")], ids=" ".join)
def test_a_deal_problem_is_not_a_game_state(
    cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    path = tmp_path / "problem.json"
    path.write_text(cli("instances", "--families", "php", "--cards", "12", "--possible").out)
    outcome = cli(*command, path)
    assert outcome.status == 2
    assert f"{path}: contains a deal problem, not a game state" in outcome.err


STATE = """{"format": "quaternity-state/1", "set_size": 2, "sets": 1, "players": 2, "turn": 0,
"hands": [1, 1], "owners": [[[0, 1], [0, 1]]], "minimum": [[0], [0]], "completed": [null]}"""
LOG = "kwartet 1\nplayers 2\nsets 2\nhand 0: 0/0 0/1 0/2 1/0\nhand 1: 0/3 1/1 1/2 1/3\n"
CERTIFICATE = """{"certificate": "quaternity-solved/1", "set_size": 2, "sets": 1, "players": 2, \
"tie_break": "first-in-order", "brisk": false, "start": 0, "states": 2, "player": null, \
"wish": null}
[0, [1, 1], [0, 0], [[[3, 3], [1, 1]]], [1, null], [[1, [0, 1]]], null]
[null, [0, 0], [1, 0], [], [0, null], [], null]
"""
DECK = "".join(f'[[sets]]\nname = "{s}"\ncards = ["{s}1", "{s}2"]\n' for s in "abc")
TEXTS = [
    ("check", STATE),
    ("verify", CERTIFICATE),
    ("situation", "situation 1\nhands 1 1\nset 2 cards\ndeal 01\ntrue C H0 0/0\n"),
    ("watch", "quarto 1\n"),
    ("watch", "quaternity 1\nset-size 4\nsets 3\nplayers 3\n"),
    ("kwartet watch", LOG),
    ("kwartet simulate --games 1 --seats own,greedy --sets 2 --player-file",
     'kwartet = {own = "greedy"}\n'),
    ("play -s 2 -n 3 -p 3 --deck", DECK),
]  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
@pytest.mark.parametrize(("command", "text"), TEXTS, ids=[command for command, _ in TEXTS])
def test_every_reader_accepts_a_byte_order_mark_and_reports_utf_16(
    cli: Cli, tmp_path: Path, command: str, text: str, encoding: str
) -> None:
    path = tmp_path / "given"
    path.write_bytes(text.encode(encoding))
    outcome = cli(*command.split(), path)
    if encoding == "utf-8-sig":
        assert (outcome.status, "quaternity:" in outcome.err) == (0, False)
    else:
        assert outcome.status == 2
        assert (
            outcome.err == f"quaternity: {path}: the text is UTF-16 or UTF-32; save it as UTF-8\n"
        )


@pytest.mark.parametrize(
    "name", ["bad\x1b]0;owned\x07\x1b[31m", "bold\x1b[1m", "worse\x9b2J\x7f", "tab\tand\rback"]
)
def test_file_names_cannot_control_the_terminal(cli: Cli, tmp_path: Path, name: str) -> None:
    missing, state, problem = (str(tmp_path / f"{name}{number}") for number in range(3))
    shutil.copy(DATA / "possible-4-13-4.json", state)
    Path(problem).write_text(cli("instances", "--families", "php", "--cards", 12).out)
    for command in (
        *(("check", file) for file in (missing, state, problem)), ("questions", state),
        ("analyse", state), ("prove", state), ("prove", problem, "--out", f"{problem}.proof"),
        ("verify", state), ("watch", state), ("set", "picture", f"{state}.svg"),
    ):  # fmt: skip
        outcome = cli(*command)
        assert outcome.out or outcome.err
        assert not set(outcome.out + outcome.err) & set("\x1b\x07\x9b\x7f\r"), command
