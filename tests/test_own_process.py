"""Calls in a process of their own: what comes back, and what is known when nothing does."""

from __future__ import annotations

import gc
import os
import pickle
import re
import resource
import select
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from types import SimpleNamespace

import pytest

from quaternity.base.errors import GameLimit, InputError, PlayerFault, PlayerTimeout, SolverFault
from quaternity.workers.child import Child
from quaternity.workers.foreign import played_apart
from quaternity.workers.notes import Notes, notes
from quaternity.workers.own_process import OwnProcess, ProcessEnded, check_move_seconds
from quaternity.workers.process_tree import resident
from quaternity.workers.serving import MARK, send
from tests.limits import limited
from tests.own_process_calls import (
    PLAYED,
    closes,
    computes,
    copies,
    deed,
    doubled,
    exits,
    fails_in_its_own_way,
    is_killed,
    kills_its_group,
    leaves,
    loops,
    raises_an_interrupt,
    refused,
    stops,
    unsendable,
    writes,
)


@pytest.fixture(scope="module")
def process() -> Iterator[OwnProcess]:
    """One process for all tests: it is started anew after it was ended."""
    one = OwnProcess()
    yield one
    one.end()


def test_many_files_may_be_open() -> None:
    """A server has one for every browser."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2_000:
        pytest.skip("few files may be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2_000), hard))
    process = OwnProcess()
    try:
        with ExitStack() as files:
            for _ in range(1_100):
                files.enter_context(open(os.devnull))
            late = OwnProcess()
            assert late.call(doubled, 21) == 42
            assert process.call(doubled, 4) == 8
            late.end()
    finally:
        process.end()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_an_answer_is_a_value_and_does_nothing(process: OwnProcess, tmp_path: Path) -> None:
    with pytest.raises(ProcessEnded, match="cannot be read"):
        process.call(deed, str(tmp_path / "made"))
    assert not list(tmp_path.iterdir())


def test_results_and_errors_come_back(
    process: OwnProcess, capfd: pytest.CaptureFixture[str]
) -> None:
    assert process.call(doubled, 21) == 42
    assert capfd.readouterr() == ("", "this is not the answer\n")
    with pytest.raises(InputError, match="7 is refused"):
        process.call(refused, 7)
    with pytest.raises(SolverFault, match=r"SystemExit\(0\)"):
        process.call(leaves)
    with pytest.raises(Exception, match="lambda"):
        process.call(unsendable)
    with pytest.raises(SolverFault, match="Expecting value"):
        process.call(fails_in_its_own_way)
    assert process.call(doubled, 4, seconds=60) == 8
    assert notes() is None


@pytest.mark.parametrize(
    ("function", "arguments", "how"),
    [
        (exits, (0,), "ended with status 0"), (exits, (3,), "ended with status 3"),
        (is_killed, (), "was killed by signal 9"), (closes, (), "ended with status 1"),
        (kills_its_group, (), "was killed by signal 9"),
    ],
)  # fmt: skip
def test_a_process_that_dies_leaves_what_it_noted(
    process: OwnProcess, function: Callable[..., None], arguments: tuple[int, ...], how: str
) -> None:
    with pytest.raises(ProcessEnded) as raised:
        process.call(function, *arguments)
    ended = raised.value
    assert (ended.how, ended.thinking, ended.moves) == (how, 2, PLAYED)
    assert not ended.overdue


def test_it_runs_from_its_first_call_until_it_ends() -> None:
    process = OwnProcess()
    assert not process.is_running
    assert process.call(doubled, 2) == 4
    assert process.is_running
    process.end()
    assert not process.is_running
    assert process.call(doubled, 2) == 4
    assert process.is_running
    with pytest.raises(ProcessEnded):
        process.call(exits, 0)
    assert not process.is_running


def test_copies_of_it_say_nothing_and_end_with_it(process: OwnProcess, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert process.call(copies, str(tmp_path / "pipe")) == 7
    assert [process.call(doubled, number) for number in range(5)] == [0, 2, 4, 6, 8]
    with (tmp_path / "pipe").open("rb", buffering=0) as pipe:
        assert select.select([pipe], [], [], 0)[0] == [], "the copy is there"
        process.end()
        assert select.select([pipe], [], [], 30)[0] == [pipe]
        assert pipe.read(1) == b""


KILLED = """
import os, sys
from quaternity.workers.own_process import OwnProcess
from tests.own_process_calls import outlives
OwnProcess().call(outlives, sys.argv[1], os.getpid())
"""


def test_all_of_it_ends_with_a_run_that_is_killed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    pipe = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    run = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "pipe"], check=False, timeout=60)
    assert run.returncode == -signal.SIGKILL
    assert select.select([pipe], [], [], 30)[0] == [pipe]
    assert os.read(pipe, 1) == b""
    os.close(pipe)


def test_who_has_nobody_to_answer_ends_without_a_word(
    process: OwnProcess, capfd: pytest.CaptureFixture[str]
) -> None:
    assert process.call(divmod, 7, 2) == (3, 1)
    assert process.child is not None
    child = process.child.process
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdout.close()
    work = pickle.dumps((divmod, (7, 2)))
    send(child.stdin.fileno(), bytes(MARK), work)
    child.wait(20)
    assert capfd.readouterr().err == ""


def test_what_a_player_writes_to_any_file_is_no_answer_and_no_note(process: OwnProcess) -> None:
    assert process.call(writes, True, seconds=60) == 7
    assert process.call(doubled, 4) == 8
    with pytest.raises(ProcessEnded, match="gave no move") as raised:
        process.call(writes, False, seconds=0.1)
    assert (raised.value.thinking, raised.value.moves) == (2, PLAYED)


def test_an_interrupt_that_a_player_raises_is_its_fault(process: OwnProcess) -> None:
    with pytest.raises(PlayerFault, match=r"strategy 'x' in seat 0 failed: KeyboardInterrupt"):
        process.call(raises_an_interrupt)


def test_time_in_which_this_side_was_stopped_is_not_the_players(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    child, looks = Child(["cat"]), count()

    def hours() -> float:
        return 3600.0 * next(looks)

    monkeypatch.setattr("quaternity.workers.child.monotonic", hours)
    assert child.exchange(b"done", lambda data: bytes(data) or None, seconds=0.4) == b"done"
    child.end()


@pytest.mark.parametrize("function", [loops, computes, stops])
def test_who_thinks_for_too_long_is_stopped_whatever_it_does(
    process: OwnProcess, function: Callable[[], None]
) -> None:
    with pytest.raises(ProcessEnded, match=r"gave no move within 0\.1 s") as raised:
        process.call(function, seconds=0.1)
    ended = raised.value
    assert (ended.overdue, ended.thinking, ended.moves) == (True, 2, PLAYED)
    if function is not stops:
        assert f" in {function.__name__}" in ended.stack


@limited("quaternity.workers.notes", MOST_NOTED=20)
def test_of_very_long_games_the_first_moves_are_noted() -> None:
    with TemporaryFile() as file:
        file.truncate(1 << 24)
        told = Notes(file.fileno())
        for move in ("0 claim 1 2 3", "1 more", "0 claim 4 5 6", "1 m"):
            told.moved(move)
        told.thinks(3)
        assert told.state() == (1, 3)
        # What comes after a move that did not fit is left out, even where it would.
        assert told.moves() == ["0 claim 1 2 3"]


def test_what_was_given_is_free_when_the_call_has_raised(process: OwnProcess) -> None:
    class Seven:
        def __reduce__(self) -> tuple[type[int], tuple[int]]:
            return int, (7,)

    gc.disable()
    try:
        given = Seven()
        seen = weakref.ref(given)
        with pytest.raises(InputError, match="7 is refused") as raised:
            process.call(refused, given)
        del raised, given
        assert seen() is None
    finally:
        gc.enable()


def test_a_process_looks_for_players_where_this_one_does(
    process: OwnProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert process.call(doubled, 4) == 8
    (tmp_path / "new_here.py").write_text("def answer():\n    return 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert process.call(import_module("new_here").answer) == 42


def test_memory_is_what_the_system_says_and_adds_up() -> None:
    """A shell that waits for a line stays as it is; most of its memory is its own."""
    script = "y=$(head -c 8000000 /dev/zero | tr '\\0' a); echo; read x"
    shells = [subprocess.Popen(["sh", "-c", script], stdin=-1, stdout=-1) for _ in "ab"]
    try:
        for shell in shells:
            assert shell.stdout is not None
            assert shell.stdout.readline() == b"\n"
        first, second = (shell.pid for shell in shells)
        status = Path(f"/proc/{first}/status").read_text()
        kilobytes = int(status.split("VmRSS:")[1].split()[0])
        assert 0.75 < resident([first]) / 1024 / kilobytes < 1.25
        assert resident([first, second]) == resident([first]) + resident([second])
        assert resident([]) == 0
    finally:
        for shell in shells:
            shell.communicate()
    assert resident([first, second]) == 0


@pytest.mark.parametrize("thinking", [None, 0, 1])
@pytest.mark.parametrize("overdue", [False, True])
@pytest.mark.parametrize("deaths", range(4))
def test_a_game_whose_process_died_is_played_once_more(
    monkeypatch: pytest.MonkeyPatch, deaths: int, overdue: bool, thinking: int | None
) -> None:
    """Unless a player took too long; then it is the fault of who was thinking."""
    calls = []

    def call(play: Callable[[int], int], number: int, seconds: float | None) -> int:
        calls.append(seconds)
        if len(calls) <= deaths:
            raise ProcessEnded("fell", thinking, ["a move"], overdue, "here")
        return play(number)

    monkeypatch.setattr(
        "quaternity.workers.own_process.own_process", lambda: SimpleNamespace(call=call)
    )
    tries = 1 if overdue and deaths else min(deaths + 1, 2)
    if deaths < tries:
        assert played_apart("bot", ["Ann", "Ben"], 5.0, None, doubled, 4) == 8
    else:
        fault = PlayerTimeout if overdue else PlayerFault
        names = {None: (GameLimit, "fell$"), 0: (fault, "Ann"), 1: (fault, "Ben")}
        kind, words = names[thinking]
        with pytest.raises(kind, match=words) as raised:
            played_apart("bot", ["Ann", "Ben"], 5.0, None, doubled, 4)
        assert type(raised.value) is kind
    assert calls == [5.0] * tries


@pytest.mark.parametrize("seconds", [None, 1e-9, 1, 60.0, 10**6])
def test_a_time_for_a_move_may_be_any_above_nothing(seconds: float | None) -> None:
    check_move_seconds(seconds)


@pytest.mark.parametrize("seconds", [0, -1, -1e-9, 10**6 + 1, float("inf"), float("nan")])
def test_what_is_no_time_for_a_move_is_refused(seconds: float) -> None:
    with pytest.raises(InputError, match=re.escape(f"{seconds:g} is not above 0")):
        check_move_seconds(seconds)
