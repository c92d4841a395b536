"""A limit in seconds for code that may never come back by itself."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_SECONDS = 1.0
"""Code that catches everything is interrupted again after so long."""


class Overtime(BaseException):
    """The limit was reached. No `Exception`, so that loops which go on after errors do not."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `Overtime` in what is done under it once that takes longer (None: no limit).

    It ends any loop in Python, and in the main thread, where it comes as a signal, also what sleeps
    or waits. A call of compiled code that never comes back cannot be ended in its own process.
    The signal is SIGALRM, whose handler is put back; one limit within another is not kept.

    Raises:
        Overtime: at the limit.
    """
    if seconds is None:
        yield
    elif threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        with _alarm(seconds):
            yield
    else:
        with _watched(seconds):
            yield


# Both ways: at most one interrupt can fall between the end of the work and the end of the limit,
# for the next would come `AGAIN_SECONDS` later. So the outer `finally` is never interrupted.


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """In the main thread, by a signal."""
    working = True

    def late(_signal: int, _frame: FrameType | None) -> None:
        if working:
            raise Overtime

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
        try:
            yield
        finally:
            working = False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _watched(seconds: float) -> Iterator[None]:
    """In any thread, by another one."""
    thread = ctypes.c_ulong(threading.get_ident())
    interrupt = ctypes.pythonapi.PyThreadState_SetAsyncExc
    ended = threading.Event()

    def watch() -> None:
        pause = seconds
        while not ended.wait(pause):
            interrupt(thread, ctypes.py_object(Overtime))
            pause = AGAIN_SECONDS

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        try:
            yield
        finally:
            ended.set()
    finally:
        ended.set()
        watcher.join()
        interrupt(thread, None)  # one that was sent too late


__all__ = ["Overtime", "time_limit"]
