"""Functions that `test_workers.py` runs in other processes; they import this light file alone."""

from __future__ import annotations

import os
import signal
from threading import Event
from typing import NamedTuple

from quaternity.base.errors import InputError
from quaternity.workers.pool import item_random


class Drawn(NamedTuple):
    """The result of one item, and the process that computed it."""

    number: int
    process: int


def draw(index: int) -> Drawn:
    """Return a number that depends on the seed and the item only."""
    random = item_random(11, index)
    return Drawn(sum(random.randrange(1000) for _ in range(200)), os.getpid())


def fail_at_seven(index: int) -> int:
    if index == 7:
        raise InputError("item 7 is bad")
    return index


def die(index: int) -> int:
    del index
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def only_the_first_ends(index: int) -> int:
    """Return the first item at once; wait for ever on any other."""
    if index:
        Event().wait()
    return index


def double(index: int) -> int:
    return 2 * index


class Private(Exception):
    """An error that cannot be unpickled: it takes two texts, and is pickled as one."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)


def end_at_three(index: int) -> int:
    if index == 3:
        raise SystemExit(0)
    if index == 9:
        raise Private("a", "b")
    if index == 12:
        raise KeyboardInterrupt  # not the user's interrupt, which workers ignore
    return index


def puts_off_interrupts(_: int) -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
