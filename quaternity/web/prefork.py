"""A prefork server: a parent process starts worker processes that serve the same port."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from time import monotonic, sleep

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
"""Signals that ask the parent process and its workers to shut down."""

MIN_RESTART_SECONDS = 1.0
"""Minimum interval between two starts of the same worker, in seconds."""


class WorkerStarted(Exception):
    """Raised by `Workers.run` in each worker process. The worker has to serve requests from now on.

    Attributes:
        number: The number of the worker, from 0.
        ready: Function that the worker must call as soon as it can serve requests.
    """

    def __init__(self, number: int, ready: Callable[[], None]) -> None:
        super().__init__(number)
        self.number, self.ready = number, ready


class Workers:
    """Starts worker processes, and restarts those that die."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._running: dict[int, tuple[int, float]] = {}
        """The number and the start time of each running worker, by process id."""
        self._ending = False
        # Workers read from one end of this pipe. Only the parent keeps the other end open, so the
        # workers notice when the parent dies.
        self._alive = os.pipe()
        self._serves = os.pipe()
        self._begun = False

    def run(self, begun: Callable[[], None]) -> int:
        """Start the worker processes, and wait until all have ended. Return the exit status.

        The status is 0, or 2 if a worker ended before it could serve requests. `begun` is called
        once all workers can serve requests.

        Raises:
            WorkerStarted: In each worker process.
        """
        for signal_number in STOP_SIGNALS:
            signal.signal(signal_number, self._end)
        for number in range(self._number):
            self._start(number)
        os.close(self._serves[1])
        served = 0
        # Wait until every worker has reported that it can serve requests, or has ended.
        while serving := os.read(self._serves[0], self._number):
            served += len(serving)
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
            # Do not restart workers if one failed to start, because it would fail again.
            if status:
                self._end()
                continue
            sleep(max(0.0, since + MIN_RESTART_SECONDS - monotonic()))
            # Check again, because a signal may have arrived during the sleep.
            if not self._ending:
                self._start(number)
        return status

    def _end(self, *signalled: object) -> None:
        self._ending = True
        for pid in self._running:
            # A signal may arrive between the end of a worker and its removal from `_running`.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def _start(self, number: int) -> None:
        # Block signals until the new process has set its own handlers.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        pid = os.fork()
        if pid:
            self._running[pid] = number, monotonic()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
            return
        for signal_number in STOP_SIGNALS:
            signal.signal(signal_number, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        os.close(self._alive[1])
        Thread(target=self._exit_with_parent, daemon=True).start()
        raise WorkerStarted(number, self._report_ready)

    def _exit_with_parent(self) -> None:
        """Exit immediately when the parent process dies, so that a new server can use the port."""
        os.read(self._alive[0], 1)
        os._exit(1)

    def _report_ready(self) -> None:
        # Restarted workers do not report, because the parent has closed the pipe.
        if not self._begun:
            os.write(self._serves[1], b"+")
            os.close(self._serves[1])
