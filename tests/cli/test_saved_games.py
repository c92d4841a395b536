"""A saved game is not overwritten, not played twice at once, and resumes after an interrupt."""

import subprocess
import sys
from pathlib import Path

import pytest

from quaternity.base.append_file import AppendOnlyFile
from tests.cli.conftest import Cli

LOG = ("kwartet", "log", "--seats", "random,random", "--sets", 2, "--record")
PLAY = ("play", "--record")
KWARTET = ("kwartet", "play", "--sets", 2, "--seats", "you,you", "--seed", 4, "--record")

HELD = """
import sys
from quaternity.base.append_file import AppendOnlyFile
with AppendOnlyFile(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_log_overwrites_a_saved_game_only_on_request(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game.log"
    path.touch()
    assert cli(*LOG, path).status == 0
    text = path.read_text()
    assert text.startswith("kwartet 1")
    refused = cli(*LOG, path, "--seed", 1)
    assert refused.status == 2
    assert refused.err == f"quaternity: {path}: already exists; --force overwrites it\n"
    assert path.read_text() == text
    assert cli(*LOG, path, "--seed", 1, "--force").status == 0
    assert path.read_text() != text
    assert cli(*LOG, "/dev/null").status == 0


@pytest.mark.parametrize("command", [PLAY, KWARTET])
def test_a_second_process_is_refused_until_the_first_is_killed(
    cli: Cli, tmp_path: Path, command: tuple[object, ...]
) -> None:
    path = tmp_path / "game"
    assert cli(*command, path).status == 0
    text = path.read_text()
    other = subprocess.Popen(
        [sys.executable, "-c", HELD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        refused = cli(*command, path, stdin="1 0 2\nn\n")
        assert refused.status == 2
        assert refused.err == f"quaternity: {path}: is in use by another process\n"
        assert path.read_text() == text
        other.kill()
    assert cli(*command, path).status == 0


@pytest.mark.parametrize(
    ("command", "typed", "message"),
    [
        (PLAY, ["1 0 2", "n"], "interrupted after 1 move"),
        (KWARTET, [""], "interrupted after 0 moves"),
    ],
)
def test_an_interrupt_prints_how_to_resume_the_game(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[object, ...],
    typed: list[str],
    message: str,
) -> None:
    path = tmp_path / "game"

    def read(prompt: str) -> str:
        if not typed:
            raise KeyboardInterrupt
        return typed.pop(0)

    monkeypatch.setattr("builtins.input", read)
    outcome = cli(*command, path)
    assert outcome.status == 130
    assert outcome.err == f"quaternity: {message}; --record {path} resumes it\n"
    monkeypatch.undo()
    resumed = cli(*command, path)
    assert (resumed.status, resumed.err) == (0, "")
    assert f"resuming {path} {message.removeprefix('interrupted ')}" in resumed.out


def test_a_refused_resume_leaves_the_log_unchanged(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "game"
    assert cli(*KWARTET, path).status == 0
    with AppendOnlyFile(str(path)) as journal:
        journal.append("0 asks 1 f")
    text = path.read_text()
    assert cli("kwartet", "play", "--sets", 3, "--record", path).status == 2
    assert path.read_text() == text
