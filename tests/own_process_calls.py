"""Functions that `test_isolated_calls.py` calls in another process; it imports this file alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress

from quaternity.base.errors import InputError
from quaternity.workers.isolated_players import SeatedPlayer
from quaternity.workers.notes import Notes, notes


def allows_namespaces() -> bool:
    """Ask the system whether a process may have its own namespaces."""
    code = "import ctypes; raise SystemExit(ctypes.CDLL(None).unshare(0x30020000) != 0)"
    return not subprocess.run([sys.executable, "-c", code], check=False).returncode


def begin() -> Notes:
    """Write notes like a game: two moves, then seat 2 thinks."""
    notebook = notes()
    assert notebook is not None
    notebook.note_thinking(0)
    notebook.note_move("0 1 asks 2 for 3/1")
    notebook.note_thinking(1)
    notebook.note_move("1 yes")
    notebook.note_thinking(2)
    return notebook


NOTED_MOVES = ["0 1 asks 2 for 3/1", "1 yes"]


def double(number: int) -> int:
    print("this is not the answer")  # noqa: T201  # players may print, too
    return 2 * number


def wait_for_letter(pipe: str) -> str:
    """Think until another process writes a letter."""
    notebook = notes()
    assert notebook is not None
    notebook.note_thinking(0)
    with open(pipe, "rb", buffering=0) as file:
        return file.read(1).decode()


def refuse(number: int) -> int:
    raise InputError(f"{number} is refused")


def fails_in_its_own_way() -> None:
    """Raise an error of a type that the parent does not know."""
    json.loads("what")


def unsendable() -> object:
    return lambda: 0


class Trap:
    """An object that runs a call when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (self.path,)


def make_trap(path: str) -> Trap:
    return Trap(path)


def leaves() -> None:
    raise SystemExit(0)


def exits(status: int) -> None:
    begin()
    os._exit(status)


def is_killed() -> None:
    begin()
    os.kill(os.getpid(), signal.SIGKILL)


def loops() -> None:
    begin()
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue


def computes() -> int:
    """Make one call into C, which blocks all other Python code."""
    begin()
    return sum(range(10**15))


def copies(pipe: str) -> int:
    """Fork a copy that continues as if it were this process, and a copy that waits."""
    begin()
    if not os.fork():
        begin().note_thinking(5)
        return 99
    os.wait()
    file = os.open(pipe, os.O_RDWR)  # before the fork, so that a reader need not wait for the copy
    if not os.fork():
        signal.pause()
    os.close(file)
    return 7


def outlives(pipe: str, run: int) -> None:
    """Kill the run, and continue in C, and in a forked copy."""
    begin()
    os.open(pipe, os.O_RDWR)
    if not os.fork():
        signal.pause()
    os.kill(run, signal.SIGKILL)
    computes()


def writes(ends: bool) -> int:
    """Write to every open file."""
    begin()
    for file in range(3, 20):
        with suppress(OSError):
            os.write(file, b"\0" * 99)
    while not ends:
        pass
    return 7


def thinks_often(times: int, pipe: str, answers: str) -> int:
    """Let players think one after the other, each until the parent writes a letter."""
    notebook = begin()
    with open(pipe, "wb", buffering=0) as file, open(answers, "rb", buffering=0) as letters:
        for seat in range(times):
            notebook.note_thinking(seat)
            file.write(b"x")
            letters.read(1)
        file.write(b".")
    return times


def takes(memory: int) -> None:
    """Allocate this many bytes, and wait."""
    notebook = begin()
    kept = bytes([7]) * memory
    signal.pause()
    notebook.note_move(str(len(kept)))


def closes() -> None:
    begin()
    os.closerange(3, 20)


def kills_its_group() -> None:
    begin()
    os.killpg(0, signal.SIGKILL)


def raises_an_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sitting = SeatedPlayer("strategy", "x", 0)
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        raise sitting.fault(error) from None


def stops() -> None:
    begin()
    os.kill(os.getpid(), signal.SIGSTOP)
