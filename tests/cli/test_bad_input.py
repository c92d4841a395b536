"""No file or option that a user passes causes a traceback or a long wait."""

import json
import os
from asyncio import CancelledError
from collections.abc import Callable
from pathlib import Path

import pytest

from quaternity.base.errors import InputError, LimitError, SolverFault
from quaternity.base.reading import MAX_BYTES
from quaternity.cli.app import root_command
from quaternity.cli.status import ExitStatus
from tests.cli.conftest import Cli

STATE = {
    "format": "quaternity-state/1", "set_size": 2, "sets": 2, "players": 2, "turn": 0,
    "hands": [2, 2], "owners": [[[0, 1], [0, 1]], [[0, 1], [0, 1]]],
    "minimum": [[0, 0], [0, 0]], "completed": [None, None],
}  # fmt: skip
RECORD = "quaternity 1\nset-size 4\nsets 3\nplayers 3\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (json.dumps(STATE).encode()[:-20], "not valid JSON"),
        (b"\x00\xff\xfe\x01binary", "expected a state"),
        (b"{\xff}", "not UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"[1, 2]", "a list"),
        (b'{"sets": NaN}', "NaN"),
        (b'{"sets": -Infinity}', "-Infinity"),
        (b'{"sets": 1' + b"0" * 5000 + b"}", "a number has too many digits"),
        (b'{"sets": 1, "sets": 2}', "sets is given more than once"),
        (b"quaternity 2\n", "line 1: a record must start with 'quaternity 1'"),
        (b"quaternity 1\n", "set-size is missing"),
        (b"quaternity 1\nset-size 4\nsets 3\nplayers 3\n\xff\n", "line 5: not UTF-8"),
        (RECORD.encode() + b"0 asks 1 for 2\n", "line 5: '0 asks 1 for 2' is not a move"),
        (RECORD.encode() + b"0 asks 1 for 0/1: no\nsets 4\n", "must come before the first move"),
        (RECORD.encode() + b"players 4\n", "players is given more than once"),
        (RECORD.encode() + b"colour red\n", "'colour': expected a setting"),
        (RECORD.replace("3\n", "99999999999\n").encode(), "1 to 9 digits"),
        (RECORD.replace("sets 3", "sets 999999999").encode(), "the limit is 10000"),
        (RECORD.replace("size 4", "size 1").encode(), "set_size: 1 is less than 2"),
        (RECORD.replace("players 3", "players 5").encode(), "cannot share evenly"),
        (RECORD.encode() + b"tie-break none\n", "choose from first-in-order, fewest-sets"),
    ],
)
def test_malformed_files_are_refused(cli: Cli, tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    for command in ("check", "questions"):
        outcome = cli(command, path, "--json")
        assert outcome.status == 2
        assert outcome.out == ""
        assert words in outcome.err
        assert str(path) in outcome.err
        assert len(outcome.err) < 3000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "other"}, 'format: must be "quaternity-state/1", not "other"'),
        ({"set_size": 0}, "set_size: must be a whole number >= 1, not 0"),
        ({"sets": 2.0}, "sets: must be a whole number >= 1, not 2.0"),
        ({"players": True}, "players: must be a whole number >= 1, not true"),
        ({"players": 10**30}, "players: the limit is 100"),
        ({"sets": 65536, "set_size": 65536}, "cards: the limit is 10000"),
        ({"hands": [2, -2]}, "hands[1]: must be a whole number >= 0, not -2"),
        ({"hands": [2, "2"]}, 'hands[1]: must be a whole number >= 0, not "2"'),
        ({"hands": [2, 1e400]}, "hands[1]: must be a whole number >= 0, not Infinity"),
        ({"hands": {}}, "hands: expected a list, not an object"),
        ({"hands": [1, 1, 2]}, "hands: must have length 2, not 3"),
        ({"owners": [[[0], [7]], [[0], [1]]]}, "owners[0][1]: player 7 is out of range 0..1"),
        ({"owners": [[[0], [-1]], [[0], [1]]]}, "owners[0][1]: player -1 is out of range 0..1"),
        (
            {"owners": [[[0], 1], [[0], [1]]]},
            "owners[0][1]: expected a list of players, not a number",
        ),
        ({"minimum": [[0, 0], [0, None]]}, "minimum[1][1]: must be a whole number >= 0, not null"),
        ({"maximum": [[0, 0]]}, "maximum: must have length 2, not 1"),
        ({"completed": [2, None]}, "completed[0]: player 2 is out of range 0..1"),
        ({"turn": 5}, "turn: player 5 is out of range 0..1"),
        ({"tie_break": 3}, "tie_break:"),
    ],
)
def test_malformed_fields_are_named(
    cli: Cli, tmp_path: Path, change: dict[str, object], words: str
) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps(STATE | change).replace("Infinity", "1e400"))
    outcome = cli("check", path)
    assert outcome.status == 2
    assert words.replace("Infinity", "Infinity") in outcome.err


def test_all_faults_are_reported_at_once(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps(STATE | {"hands": [2, -1], "turn": 9, "completed": [None, 4]}))
    error = cli("check", path).err
    assert all(place in error for place in ("hands[1]", "turn", "completed[1]"))


def test_unknown_fields_are_warned_about(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps(STATE | {"colour": "red"}))
    outcome = cli("check", path)
    assert outcome.status == 0
    assert "colour: unknown field, ignored" in outcome.err


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_of_every_kind_are_accepted(cli: Cli, tmp_path: Path, end: str) -> None:
    path = tmp_path / "game.record"
    path.write_bytes(
        b"\xef\xbb\xbf" + (RECORD.replace("\n", end, 2) + "0 asks 1 for 0/1: no" + end).encode()
    )
    outcome = cli("check", path)
    assert (outcome.status, outcome.err) == (0, "")


def test_files_that_cannot_be_read_are_refused(cli: Cli, tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(100_000_000)
    for path, words in (
        (tmp_path, "Is a directory"),
        (tmp_path / "none", "No such file"),
        (large, f"larger than the limit of {MAX_BYTES} bytes"),
        ("a\0b", "null"),
    ):
        outcome = cli("check", path)
        assert outcome.status == 2
        assert words in outcome.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("{}")
    path.chmod(0)
    outcome = cli("check", path)
    assert outcome.status == 2
    assert "Permission denied" in outcome.err


@pytest.mark.parametrize(
    "options",
    [
        ["-s", "65536", "-n", "65536"],
        ["-s", "100000", "-n", "100000"],
        ["-s", "-1"],
        ["-s", "1"],
        ["-p", "1"],
        ["-n", "0"],
        ["-n", "5", "-p", "3"],
        ["-s", "four"],
        ["-s", "9" * 5000],
        ["--colour"],
    ],
)
@pytest.mark.parametrize("command", ["play", "perft"])
def test_impossible_sizes_are_refused(cli: Cli, command: str, options: list[str]) -> None:
    outcome = cli(command, *options)
    assert outcome.status == 2
    assert outcome.out == ""
    assert outcome.err


def test_unknown_solvers_list_the_known_ones(cli: Cli) -> None:
    outcome = cli("check", "-", "--solver", "oracle")
    assert outcome.status == 2
    assert "choose from cp-sat, max-flow, matching, coalitions, brute-force" in outcome.err


def fail_with(error: BaseException) -> Callable[..., None]:
    def fail(*arguments: object, **more: object) -> None:
        raise error

    return fail


def test_an_internal_error_ends_every_command_with_its_own_status(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("typer.core.TyperCommand.parse_args", fail_with(ZeroDivisionError("oh")))
    for name in ("check", "quarto", "verify"):
        command = root_command().get_command(None, name)
        for under in getattr(command, "commands", {"": None}):
            ended = cli(*filter(None, (name, under)))
            assert (ended.status, ended.out) == (ExitStatus.INTERNAL_ERROR, ""), (name, under)
            assert "Traceback" in ended.err
            assert "ZeroDivisionError: oh\nquaternity: internal error: please send " in ended.err


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (AssertionError(), 70),
        (KeyError("key"), 70),
        (RecursionError(), 70),
        (EOFError(), 70),
        (CancelledError(), 70),
        (ExceptionGroup("two", [ValueError()]), 70),
        (MemoryError(), 4),
        (LimitError("limit"), 4),
        (SolverFault("wrong"), 3),
        (InputError("bad"), 2),
        (KeyboardInterrupt(), 130),
    ],
    ids=repr,
)
def test_each_kind_of_error_has_its_status(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int
) -> None:
    monkeypatch.setattr("quaternity.cli.referee.open_document", fail_with(error))
    ended = cli("questions", "file")
    assert ended.status == status
    assert ("internal error" in ended.err) == (status == 70)
