"""Calls in a separate process: results, errors, and notes of a process that died."""

from __future__ import annotations

import fcntl
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
from hypothesis import assume, given
from hypothesis import strategies as st

from quaternity.base.errors import GameLimit, InputError, PlayerFault, PlayerTimeout, SolverFault
from quaternity.workers.isolated_calls import (
    IsolatedProcess,
    ProcessEnded,
    check_move_seconds,
    find_answer,
)
from quaternity.workers.isolated_players import SeatedPlayer, play_isolated
from quaternity.workers.notes import NOTED_BYTES, Notes, notes
from quaternity.workers.process_tree import resident_bytes
from quaternity.workers.serving import MARK_BYTES, frame_message, send
from quaternity.workers.supervisor import Child
from tests.limits import limited
from tests.own_process_calls import (
    NOTED_MOVES,
    allows_namespaces,
    closes,
    computes,
    copies,
    double,
    exits,
    fails_in_its_own_way,
    is_killed,
    kills_its_group,
    leaves,
    loops,
    make_trap,
    raises_an_interrupt,
    refuse,
    stops,
    takes,
    thinks_often,
    unsendable,
    writes,
)


@pytest.fixture(scope="module")
def process() -> Iterator[IsolatedProcess]:
    """Yield one process for all tests; it restarts after it was ended."""
    process = IsolatedProcess()
    yield process
    process.end()


def test_many_files_may_be_open() -> None:
    """A server has an open file for every browser."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2_000:
        pytest.skip("few files may be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2_000), hard))
    process = IsolatedProcess()
    try:
        with ExitStack() as files:
            for _ in range(1_100):
                files.enter_context(open(os.devnull))
            late = IsolatedProcess()
            assert late.call(double, 21) == 42
            assert process.call(double, 4) == 8
            late.end()
    finally:
        process.end()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_an_answer_that_would_run_a_call_is_refused(
    process: IsolatedProcess, tmp_path: Path
) -> None:
    with pytest.raises(ProcessEnded, match="gave an unreadable result"):
        process.call(make_trap, str(tmp_path / "made"))
    assert not list(tmp_path.iterdir())


def test_results_and_errors_come_back(
    process: IsolatedProcess, capfd: pytest.CaptureFixture[str]
) -> None:
    process.end()  # its standard error belonged to another test
    assert process.call(double, 21) == 42
    assert capfd.readouterr() == ("", "this is not the answer\n")
    with pytest.raises(InputError, match="7 is refused"):
        process.call(refuse, 7)
    with pytest.raises(SolverFault, match=r"SystemExit\(0\)"):
        process.call(leaves)
    with pytest.raises(Exception, match="lambda"):
        process.call(unsendable)
    with pytest.raises(SolverFault, match="Expecting value"):
        process.call(fails_in_its_own_way)
    assert process.call(double, 4, seconds=60) == 8
    assert notes() is None


@pytest.mark.parametrize(
    ("function", "arguments", "how"),
    [
        (exits, (0,), "ended with status 0"), (exits, (3,), "ended with status 3"),
        (is_killed, (), "was killed by signal 9"), (closes, (), "ended with status 1"),
        (kills_its_group, (), "was killed by signal 9"),
    ],
)  # fmt: skip
def test_the_notes_of_a_process_that_dies_are_kept(
    process: IsolatedProcess, function: Callable[..., None], arguments: tuple[int, ...], how: str
) -> None:
    with pytest.raises(ProcessEnded) as raised:
        process.call(function, *arguments)
    ended = raised.value
    assert (ended.how, ended.thinking, ended.moves) == (how, 2, NOTED_MOVES)
    assert not ended.overdue


def test_it_runs_from_its_first_call_until_it_ends() -> None:
    process = IsolatedProcess()
    assert not process.is_running
    assert process.call(double, 2) == 4
    assert process.is_running
    process.end()
    assert not process.is_running
    assert process.call(double, 2) == 4
    assert process.is_running
    with pytest.raises(ProcessEnded):
        process.call(exits, 0)
    assert not process.is_running


def test_forked_copies_do_not_answer_and_end_with_it(
    process: IsolatedProcess, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert process.call(copies, str(tmp_path / "pipe")) == 7
    assert [process.call(double, number) for number in range(5)] == [0, 2, 4, 6, 8]
    with (tmp_path / "pipe").open("rb", buffering=0) as pipe:
        assert select.select([pipe], [], [], 0)[0] == [], "the copy is there"
        process.end()
        assert select.select([pipe], [], [], 60)[0] == [pipe]
        assert pipe.read(1) == b""


KILLED = """
import os, sys
from quaternity.workers.isolated_calls import IsolatedProcess
from tests.own_process_calls import outlives
IsolatedProcess().call(outlives, sys.argv[1], os.getpid())
"""


def test_all_processes_end_with_a_run_that_is_killed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    pipe = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    run = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "pipe"], check=False, timeout=60)
    assert run.returncode == -signal.SIGKILL
    assert select.select([pipe], [], [], 60)[0] == [pipe]
    assert os.read(pipe, 1) == b""
    os.close(pipe)


def test_a_process_without_a_reader_ends_silently(
    process: IsolatedProcess, capfd: pytest.CaptureFixture[str]
) -> None:
    assert process.call(divmod, 7, 2) == (3, 1)
    assert process.child is not None
    child = process.child.process
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdout.close()
    work = pickle.dumps((divmod, (7, 2)))
    send(child.stdin.fileno(), bytes(MARK_BYTES), work)
    child.wait(60)
    assert capfd.readouterr().err == ""


def test_other_data_of_a_player_is_not_an_answer_or_note(process: IsolatedProcess) -> None:
    assert process.call(writes, True, seconds=60) == 7
    assert process.call(double, 4) == 8
    with pytest.raises(ProcessEnded, match="gave no move") as raised:
        process.call(writes, False, seconds=1)
    assert (raised.value.thinking, raised.value.moves) == (2, NOTED_MOVES)


def test_an_interrupt_that_a_player_raises_is_its_fault(process: IsolatedProcess) -> None:
    with pytest.raises(PlayerFault, match=r"strategy 'x' in seat 0 failed: KeyboardInterrupt"):
        process.call(raises_an_interrupt)


@pytest.mark.parametrize("max_length", [9, 20, 10**5])
def test_a_fault_has_the_end_of_the_traceback(max_length: int) -> None:
    with (
        limited("quaternity.workers.isolated_players", MAX_TRACEBACK_LENGTH=max_length),
        pytest.raises(PlayerFault) as raised,
    ):
        SeatedPlayer("player", "x", 1).call(refuse, 7)
    trace = raised.value.trace
    assert trace.endswith(" refused\n")
    assert len(trace) <= max_length
    assert ("in refuse" in trace) == (max_length > 99)


def test_time_in_which_the_parent_was_stopped_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    child, looks, parts = Child(["yes"]), count(), count()

    def hours() -> float:
        return 3600.0 * next(looks)

    monkeypatch.setattr("quaternity.workers.supervisor.monotonic", hours)
    assert child.exchange(b"", lambda data: next(parts) == 3 or None, seconds=4)
    child.end()


@pytest.mark.parametrize("function", [loops, computes, stops])
def test_a_player_who_thinks_too_long_is_stopped(
    process: IsolatedProcess, function: Callable[[], None]
) -> None:
    patience = 0.2 if function is stops else 60  # the machine may be busy
    with (
        limited("quaternity.workers.isolated_calls", STACK_SECONDS=patience),
        pytest.raises(ProcessEnded, match=r"gave no move within 1 s") as raised,
    ):
        process.call(function, seconds=1)
    ended = raised.value
    assert (ended.overdue, ended.thinking, ended.moves) == (True, 2, NOTED_MOVES)
    if function is not stops:
        assert ended.stack.startswith("Stack (most recent call first):")
        assert f" in {function.__name__}" in ended.stack


@given(
    st.binary(max_size=40), st.binary(min_size=MARK_BYTES, max_size=MARK_BYTES),
    st.binary(max_size=40),
    st.lists(st.integers(0, 120), max_size=5), st.booleans(),
)  # fmt: skip
def test_an_answer_is_found_after_any_noise_and_in_any_pieces(
    noise: bytes, mark: bytes, answer: bytes, cuts: list[int], near: bool
) -> None:
    """It is found only once it is complete, even after an incomplete mark."""
    noise += mark[:-1] * near
    whole = noise + frame_message(mark, answer)
    assume(whole.find(mark) == len(noise))
    data, received = bytearray(), 0
    for end in sorted({min(cut, len(whole)) for cut in cuts} | {len(whole)}):
        data += whole[received:end]
        received = end
        assert find_answer(mark, data) == (answer if end == len(whole) else None)


@given(st.lists(st.integers(0, 5) | st.none() | st.text("ab é", max_size=5), max_size=12))
def test_notes_are_those_since_the_last_game_began(
    notebook: tuple[Notes, Notes], events: list[int | str | None]
) -> None:
    """Numbers are seats that begin to think, strings are moves, and None is a new game."""
    writer, reader = notebook
    writer.clear()
    thoughts, thinking, moves = 0, None, list[str]()
    for event in events:
        if event is None:
            writer.clear()
            thoughts, thinking, moves = 0, None, []
        elif isinstance(event, int):
            writer.note_thinking(event)
            thoughts, thinking = thoughts + 1, event
        else:
            writer.note_move(event)
            thinking = None
            moves.append(event)
        assert reader.state() == (thoughts, thinking)
        assert reader.moves() == moves


@pytest.fixture(scope="module")
def notebook() -> tuple[Notes, Notes]:
    """Return the notes of one process, and the same notes in another process."""
    with TemporaryFile() as file:
        file.truncate(NOTED_BYTES)
        return Notes(file.fileno()), Notes(file.fileno())


LIMITS = """
import os, resource
print([resource.getrlimit(kind)[0] for kind in (
    resource.RLIMIT_DATA, resource.RLIMIT_CORE, resource.RLIMIT_NPROC)], os.getuid(), os.getgid(),
    "NoNewPrivs:\\t1" in open("/proc/self/status").read(), flush=True)
"""


def line_of(child: Child) -> str:
    """Return the line that a program writes."""
    return child.exchange(b"", lambda data: bytes(data) if b"\n" in data else None).decode().strip()


@pytest.mark.parametrize("isolated", [False, True])
def test_a_program_has_its_limits_and_our_user(isolated: bool) -> None:
    own = isolated and allows_namespaces()
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    with limited("quaternity.workers.supervisor", MAX_THREADS=321):
        child = Child([sys.executable, "-c", LIMITS], isolated=isolated, data=1 << 33)
    resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
    threads = 321 if own else resource.getrlimit(resource.RLIMIT_NPROC)[0]
    assert line_of(child) == f"{[1 << 33, 0, threads]} {os.getuid()} {os.getgid()} {own}"
    child.end()


def test_a_missing_program_is_reported() -> None:
    child = Child(["/nowhere"], keeps_errors=True)
    with pytest.raises(EOFError):
        line_of(child)
    assert child.ending() == "ended with status 127"
    assert child.errors() == "/nowhere: No such file or directory\n"
    child.end()


@pytest.mark.parametrize("isolated", [False, True])
def test_only_a_program_holds_its_connections_and_it_leaves_nothing(isolated: bool) -> None:
    """A file that it closes is closed, despite its supervisor; after its end no file is open."""
    before = set(os.listdir("/proc/self/fd"))
    read, low = os.pipe()
    write = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 100)
    code = f"import os; os.close({write}); input()"
    child = Child([sys.executable, "-c", code], pass_fds=[write], isolated=isolated)
    os.close(low)
    os.close(write)
    assert select.select([read], [], [], 60)[0] == [read]
    assert child.is_running
    assert os.getpgid(child.process.pid) != os.getpgid(0), "an interrupt of ours is not for it"
    os.close(read)
    child.end()
    assert set(os.listdir("/proc/self/fd")) <= before  # files of other tests may be closed


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_supervisor_that_is_killed_or_stopped_leaves_nothing(
    number: signal.Signals, isolated: bool
) -> None:
    """If it is killed, the program ends at once, and marked processes end with `child.end`.

    If it is stopped, processes without a mark are found as its descendants.
    """
    read, write = os.pipe()
    command = ["sleep", "1000"] if number == signal.SIGKILL else ["env", "-i", "sleep", "1000"]
    code = (
        f"import subprocess; subprocess.Popen({command}, pass_fds=[{write}], stdin=-3, stdout=-3, "
        "start_new_session=True); print(1, flush=True); input()"
    )
    child = Child([sys.executable, "-c", code], pass_fds=[write], isolated=isolated)
    os.close(write)
    assert line_of(child) == "1"
    child.received.clear()
    os.kill(child.process.pid, number)
    if number == signal.SIGKILL:
        with pytest.raises(EOFError):
            line_of(child)
    with limited("quaternity.workers.supervisor", SUPERVISOR_SECONDS=0.1):
        child.end()
    assert select.select([read], [], [], 60)[0] == [read]
    os.close(read)


def test_a_program_does_not_read_our_input() -> None:
    """The standard error of a program without `keeps_errors` is our own."""
    read, write = os.pipe()
    before = os.dup(0)
    try:
        os.dup2(read, 0)
        os.write(write, b"ours")
        child = Child(["cat"])
        child.send(b"its\n")
        assert line_of(child) == "its"
        assert child.errors() == ""
        assert os.read(0, 10) == b"ours"
        child.end()
    finally:
        os.dup2(before, 0)
        for file in (before, read, write):
            os.close(file)


def test_orphans_end_before_the_end_of_their_program_is_reported() -> None:
    """This includes processes without a mark that have left the session."""
    read, write = os.pipe()
    with limited("quaternity.workers.supervisor", SUPERVISOR_SECONDS=1000):
        orphan = "setsid env -i sleep 1000 <&- >&- 2>&- &"
        child = Child(["sh", "-c", f"{orphan} {orphan} exit 3"], pass_fds=[write])
        os.close(write)
        with pytest.raises(EOFError):
            line_of(child)
        child.process.wait(60)
        assert select.select([read], [], [], 60)[0] == [read]
        assert child.ending() == "ended with status 3"
        child.end()
    os.close(read)


def test_a_process_that_takes_too_much_memory_is_stopped(process: IsolatedProcess) -> None:
    assert process.call(double, 4, memory=1 << 30) == 8
    with pytest.raises(ProcessEnded, match="took too much memory") as raised:
        process.call(takes, 200 << 20, memory=150 << 20)
    ended = raised.value
    assert (ended.too_large, ended.overdue, ended.thinking) == (True, False, 2)


def test_every_player_has_the_full_time_for_a_move(
    process: IsolatedProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look at the clock finds another player thinking; together they exceed the limit."""
    assert process.call(double, 4) == 8
    names = [str(tmp_path / name) for name in ("pipe", "answers")]
    for name in names:
        os.mkfifo(name)
    pipe, answers = (os.open(name, os.O_RDWR) for name in names)
    letters, looks = [b"x"], count()

    def thirds() -> float:
        if letters[-1] == b"x":
            assert select.select([pipe], [], [], 60)[0]
            letters.append(os.read(pipe, 1))
            os.write(answers, b"x")
        return 0.02 * next(looks)

    monkeypatch.setattr("quaternity.workers.supervisor.monotonic", thirds)
    assert process.call(thinks_often, 9, *names, seconds=0.06) == 9
    os.close(pipe)
    os.close(answers)


@limited("quaternity.workers.notes", MAX_NOTED_BYTES=20)
def test_only_the_first_moves_of_very_long_games_are_noted() -> None:
    with TemporaryFile() as file:
        file.truncate(1 << 24)
        notebook = Notes(file.fileno())
        for move in ("0 claim 1 2 3", "1 more", "0 claim 4 5 6", "1 m"):
            notebook.note_move(move)
        notebook.note_thinking(3)
        assert notebook.state() == (1, 3)
        # Moves after one that did not fit are left out, even if they would fit.
        assert notebook.moves() == ["0 claim 1 2 3"]


def test_arguments_are_released_after_a_call_that_raised(process: IsolatedProcess) -> None:
    class Seven:
        def __reduce__(self) -> tuple[type[int], tuple[int]]:
            return int, (7,)

    gc.disable()
    try:
        argument = Seven()
        seen = weakref.ref(argument)
        with pytest.raises(InputError, match="7 is refused") as raised:
            process.call(refuse, argument)
        del raised, argument
        assert seen() is None
    finally:
        gc.enable()


def test_a_process_has_the_import_path_of_its_parent(
    process: IsolatedProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert process.call(double, 4) == 8
    (tmp_path / "new_here.py").write_text("def answer():\n    return 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert process.call(import_module("new_here").answer) == 42


def test_memory_agrees_with_the_system_and_adds_up() -> None:
    """A shell that waits for a line does not change; most of its memory is not shared."""
    script = "y=$(head -c 8000000 /dev/zero | tr '\\0' a); echo; read x"
    shells = [subprocess.Popen(["sh", "-c", script], stdin=-1, stdout=-1) for _ in "ab"]
    try:
        for shell in shells:
            assert shell.stdout is not None
            assert shell.stdout.readline() == b"\n"
        first, second = (shell.pid for shell in shells)
        status = Path(f"/proc/{first}/status").read_text()
        kilobytes = int(status.split("VmRSS:")[1].split()[0])
        assert 0.75 < resident_bytes([first]) / 1024 / kilobytes < 1.25
        assert resident_bytes([first, second]) == resident_bytes([first]) + resident_bytes([second])
        assert resident_bytes([]) == 0
    finally:
        for shell in shells:
            shell.communicate()
    assert resident_bytes([first, second]) == 0


@pytest.mark.parametrize("thinking", [None, 0, 1])
@pytest.mark.parametrize("overdue", [False, True])
@pytest.mark.parametrize("deaths", range(4))
def test_a_game_whose_process_died_is_played_once_more(
    monkeypatch: pytest.MonkeyPatch, deaths: int, overdue: bool, thinking: int | None
) -> None:
    """The exception is a timeout, which is the fault of the player who was thinking."""
    calls = []

    def call(play: Callable[[int], int], number: int, seconds: float | None) -> int:
        calls.append(seconds)
        if len(calls) <= deaths:
            raise ProcessEnded("fell", thinking, ["a move"], overdue, "here", False)
        return play(number)

    monkeypatch.setattr(
        "quaternity.workers.isolated_calls.own_process", lambda: SimpleNamespace(call=call)
    )
    tries = 1 if overdue and deaths else min(deaths + 1, 2)
    if deaths < tries:
        assert play_isolated("bot", ["Ann", "Ben"], 5.0, None, double, 4) == 8
    else:
        fault = PlayerTimeout if overdue else PlayerFault
        names = {None: (GameLimit, "fell$"), 0: (fault, "Ann"), 1: (fault, "Ben")}
        kind, words = names[thinking]
        with pytest.raises(kind, match=words) as raised:
            play_isolated("bot", ["Ann", "Ben"], 5.0, None, double, 4)
        assert type(raised.value) is kind
    assert calls == [5.0] * tries


@pytest.mark.parametrize("seconds", [None, 1e-9, 1, 60.0, 10**6])
def test_valid_times_for_a_move_are_accepted(seconds: float | None) -> None:
    check_move_seconds(seconds)


@pytest.mark.parametrize("seconds", [0, -1, -1e-9, 10**6 + 1, float("inf"), float("nan")])
def test_invalid_times_for_a_move_are_refused(seconds: float) -> None:
    with pytest.raises(InputError, match=re.escape(f"must be > 0 and <= 1000000, not {seconds:g}")):
        check_move_seconds(seconds)
