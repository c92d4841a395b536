"""What `test_own_process.py` calls in another process, which imports this file alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress

from quaternity.base.errors import InputError
from quaternity.workers.foreign import Sitting
from quaternity.workers.notes import Notes, notes


def allows_namespaces() -> bool:
    """Whether a process may have namespaces of its own: asked of the system itself."""
    code = "import ctypes; raise SystemExit(ctypes.CDLL(None).unshare(0x30020000) != 0)"
    return not subprocess.run([sys.executable, "-c", code], check=False).returncode


def begin() -> Notes:
    """As a game does: two moves, then seat 2 thinks."""
    told = notes()
    assert told is not None
    told.thinks(0)
    told.moved("0 1 asks 2 for 3/1")
    told.thinks(1)
    told.moved("1 yes")
    told.thinks(2)
    return told


PLAYED = ["0 1 asks 2 for 3/1", "1 yes"]


def doubled(number: int) -> int:
    print("this is not the answer")  # noqa: T201  # as players may
    return 2 * number


def until_told(pipe: str) -> str:
    """Think until somebody writes a letter."""
    told = notes()
    assert told is not None
    told.thinks(0)
    with open(pipe, "rb", buffering=0) as file:
        return file.read(1).decode()


def refused(number: int) -> int:
    raise InputError(f"{number} is refused")


def fails_in_its_own_way() -> None:
    """Fails by an error of a kind that the parent does not know."""
    json.loads("what")


def unsendable() -> object:
    return lambda: 0


class Deed:
    """What is made a call when it is read."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (self.path,)


def deed(path: str) -> Deed:
    return Deed(path)


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
    """One call into C, which lets nothing else run."""
    begin()
    return sum(range(10**15))


def copies(pipe: str) -> int:
    """A copy that goes on as if it were this process, and one that stays."""
    begin()
    if not os.fork():
        begin().thinks(5)
        return 99
    os.wait()
    file = os.open(pipe, os.O_RDWR)  # before it is copied: who reads need not wait for the copy
    if not os.fork():
        signal.pause()
    os.close(file)
    return 7


def outlives(pipe: str, run: int) -> None:
    """The run is killed, and the player goes on in C, and in a copy."""
    begin()
    os.open(pipe, os.O_RDWR)
    if not os.fork():
        signal.pause()
    os.kill(run, signal.SIGKILL)
    computes()


def writes(ends: bool) -> int:
    """To every file that is open."""
    begin()
    for file in range(3, 20):
        with suppress(OSError):
            os.write(file, b"\0" * 99)
    while not ends:
        pass
    return 7


def thinks_often(times: int, pipe: str, answers: str) -> int:
    """Let players think one after the other, each until the parent writes a letter."""
    told = begin()
    with open(pipe, "wb", buffering=0) as file, open(answers, "rb", buffering=0) as letters:
        for seat in range(times):
            told.thinks(seat)
            file.write(b"x")
            letters.read(1)
        file.write(b".")
    return times


def takes(memory: int) -> None:
    """Allocate this many bytes, and wait."""
    told = begin()
    kept = bytes([7]) * memory
    signal.pause()
    told.moved(str(len(kept)))


def closes() -> None:
    begin()
    os.closerange(3, 20)


def kills_its_group() -> None:
    begin()
    os.killpg(0, signal.SIGKILL)


def raises_an_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    told = Sitting("strategy", "x", 0)
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        raise told.fault(error) from None


def stops() -> None:
    begin()
    os.kill(os.getpid(), signal.SIGSTOP)
