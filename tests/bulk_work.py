"""What `test_workers.py` lets other processes do; they import this file alone, which is light."""

from __future__ import annotations

import os
import signal
from threading import Event
from typing import NamedTuple

from quaternity.base.errors import InputError
from quaternity.workers.pool import item_random


class Drawn(NamedTuple):
    """What one item gave, and which process gave it."""

    number: int
    process: int


def draw(index: int) -> Drawn:
    """A number that depends on seed and item only."""
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
    """Of the items; whoever is given another one waits for ever."""
    if index:
        Event().wait()
    return index


def double(index: int) -> int:
    return 2 * index


class Private(Exception):
    """What another process cannot have: it is made of two texts, and pickled as one."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one + other)


def end_at_three(index: int) -> int:
    if index == 3:
        raise SystemExit(0)
    if index == 9:
        raise Private("a", "b")
    if index == 12:
        raise KeyboardInterrupt  # nobody's interrupt: workers do not hear the user's
    return index


def puts_off_interrupts(_: int) -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
