"""Several processes that serve one port: the kernel gives each its share of connections."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from threading import Thread
from time import monotonic, sleep

ASKED = (signal.SIGTERM, signal.SIGINT)
"""What asks all processes to end."""

SHORT_SECONDS = 1.0
"""Minimum interval between two starts of a process that ends, in seconds."""


class Child(Exception):
    """What a started process gets: its number, and what to call once it serves."""

    def __init__(self, number: int, ready: Callable[[], None]) -> None:
        super().__init__(number)
        self.number, self.ready = number, ready


class Processes:
    """Processes that are started again when they die, until this one is asked to end."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._running: dict[int, tuple[int, float]] = {}
        """Per process its number, and when it was started."""
        self._ending = False
        # While this process has its end open, the others know that it lives.
        self._alive = os.pipe()
        self._serves = os.pipe()
        self._begun = False

    def run(self, begun: Callable[[], None]) -> int:
        """Start all, call `begun` once they serve, and return the exit status in the end.

        Raises:
            Child: in each process that was started.
        """
        for asked in ASKED:
            signal.signal(asked, self._end)
        for number in range(self._number):
            self._start(number)
        os.close(self._serves[1])
        served = 0
        while came := os.read(self._serves[0], self._number):  # until all serve or have ended
            served += len(came)
        os.close(self._serves[0])
        self._begun = True
        if served == self._number:
            begun()
        status = 0 if served == self._number else 2
        while self._running:
            pid, _ = os.wait()
            number, since = self._running.pop(pid)
            if self._ending:
                continue
            if status:  # it could not even begin, as the others cannot
                self._end()
                continue
            sleep(max(0.0, since + SHORT_SECONDS - monotonic()))
            if not self._ending:  # asked to meanwhile
                self._start(number)
        return status

    def _end(self, *signalled: object) -> None:
        """Ask all processes to end."""
        self._ending = True
        for pid in self._running:
            os.kill(pid, signal.SIGTERM)

    def _start(self, number: int) -> None:
        # No signal comes between the birth of a process and what it does then.
        signal.pthread_sigmask(signal.SIG_BLOCK, ASKED)
        pid = os.fork()
        if pid:
            self._running[pid] = number, monotonic()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKED)
            return
        for asked in ASKED:
            signal.signal(asked, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKED)
        os.close(self._alive[1])
        Thread(target=self._outlive, daemon=True).start()
        raise Child(number, self._tell_ready)

    def _outlive(self) -> None:
        """End with the process that started this one, at once: the port is for who comes next."""
        os.read(self._alive[0], 1)
        os._exit(1)

    def _tell_ready(self) -> None:
        if not self._begun:  # else nobody waits for it any more
            os.write(self._serves[1], b"+")
            os.close(self._serves[1])
