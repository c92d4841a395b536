"""Child processes for external code, with limits.

Every process that runs external code is a `Child`: a program that answers in lines of JSON
(`quaternity.workers.program`), or a process for calls of Python functions
(`quaternity.workers.isolated_calls`). A separate supervisor process
(`quaternity.workers.supervise`) ends the child together with all processes that it started.

This module requires POSIX.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TypeVar

from quaternity.workers.process_tree import TAGS_VARIABLE, descendants, end_tagged, resident_bytes

Answer = TypeVar("Answer")

_yield_processor: Callable[[], None] = getattr(os, "sched_yield", lambda: None)
_SUPERVISOR = str(Path(__file__).with_name("supervise.py"))

CHECK_SECONDS = 0.05
"""Seconds between two checks of how much memory and how many processes a program uses. Only
programs with a memory limit are checked."""

POLL_SECONDS = 0.0003
"""Time for which the parent polls for an answer before it blocks, in seconds."""

MAX_PROCESSES = 200
"""Maximum number of processes that a program with a memory limit may run at the same time."""

MAX_THREADS = 800
"""Maximum total number of threads of a program that runs in separate namespaces."""

MAX_KEPT_ERROR_BYTES = 4096
"""Maximum size of the kept standard error in bytes. Longer output is cut off at the beginning."""

MAX_ERROR_READS = 64
"""Maximum number of reads from standard error for one report. Without this limit, a program that
writes forever would block the report."""

ENDING_SECONDS = 5.0
"""Maximum time in seconds for a program to end after it closed its connection.

The limit is generous because a busy machine can be slow.
"""

SUPERVISOR_SECONDS = 2
"""Maximum time for the supervisor to end all processes, in seconds. After this time, the parent
process ends them."""


PUBLIC_VARIABLES = re.compile(
    "PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP|VIRTUAL_ENV|JAVA_HOME"
    "|LD_LIBRARY_PATH|PYTHON[A-Z0-9]+|(OMP|OPENBLAS|MKL)_[A-Z_]+"
)
"""Names of the environment variables that a program receives. Other variables may contain
secrets."""

ISOLATION = (
    "",
    "programs run without separate namespaces: they can see and stop other processes of this user, "
    "and read their environment",
    "programs run without a separate /proc: they can list all processes",
)
"""Sentences about missing isolation, indexed by the exit status of `supervise.py check`."""


def public_environment() -> dict[str, str]:
    """Return the environment variables that external programs receive."""
    return {name: value for name, value in os.environ.items() if PUBLIC_VARIABLES.fullmatch(name)}


def missing_isolation() -> str:
    """Return a sentence that says which isolation of programs this system lacks.

    The result is empty if nothing is missing. A call starts a test process, which takes 20 ms.
    """
    command = [sys.executable, "-I", "-S", _SUPERVISOR, "check"]
    status = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
    return ISOLATION[status if status in range(len(ISOLATION)) else 1]


class Overdue(Exception):
    """Exception for a child process that exceeded its time limit."""


class TooManyProcesses(Exception):
    """Exception for a child process that started more than `MAX_PROCESSES` processes."""


class Child:
    """A child process, which ends at the latest when this object is deleted."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        pass_fds: Sequence[int] = (),
        keeps_errors: bool = False,
        isolated: bool = False,
        data: int = -1,
    ) -> None:
        """Start a program in a child process.

        Args:
            pass_fds: File descriptors that the program inherits.
            keeps_errors: Whether to store the last part of the standard error, which `errors`
                returns. Otherwise, the program shares the standard error of this process.
            isolated: Whether to run the program in separate namespaces, if the system allows it.
            data: Maximum data size of each process of the program, in bytes. -1 means no limit.
        """
        tag = os.urandom(8).hex()
        listening, self._control = os.pipe()
        limits = listening, int(isolated), data, MAX_THREADS
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", _SUPERVISOR, *map(str, limits), *command],
            env=public_environment()
            | {TAGS_VARIABLE: f"{os.environ.get(TAGS_VARIABLE, '')} {tag}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if keeps_errors else None,
            bufsize=0,
            pass_fds=(listening, *pass_fds),
            start_new_session=True,
        )
        os.close(listening)
        assert self.process.stdin is not None, "a pipe"
        assert self.process.stdout is not None, "a pipe"
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        self._err = self.process.stderr.fileno() if self.process.stderr else None
        os.set_blocking(self._in, False)
        self._poll = select.poll()
        for file in (self._out, self._err):
            if file is not None:
                self._poll.register(file, select.POLLIN)
        self.received, self._errors, self._unsent = bytearray(), bytearray(), bytearray()
        self._last_check = monotonic()
        self.end = weakref.finalize(self, _end_all, self.process, self._control, tag)

    @property
    def is_running(self) -> bool:
        """Return whether the program is still running."""
        return self.end.alive and self.process.poll() is None

    def exchange(
        self,
        message: bytes,
        complete: Callable[[bytearray], Answer | None],
        seconds: float | None = None,
        memory: int | None = None,
        thinking: Callable[[], Hashable] = lambda: 0,
    ) -> Answer:
        """Send a message and wait for the answer.

        Args:
            complete: Function that takes the received bytes and returns the answer, or None if it
                is incomplete.
            seconds: Time limit in seconds for each decision (see `thinking`). None means no limit.
            memory: Memory limit of the program and of the processes it started, in bytes. None
                means no limit.
            thinking: Function that returns a key for the current decision of the program. Each new
                key restarts the time limit, and None suspends it.

        Raises:
            Overdue: If the time limit was reached.
            MemoryError: If the memory limit was reached.
            TooManyProcesses: If the program has too many processes.
            EOFError: If the program has ended, or has closed its input or output.
        """
        pause = None if seconds is None else min(0.25, seconds / 4)
        if memory is not None:
            pause = min(pause or 1.0, CHECK_SECONDS)
        waiting = None if pause is None else 1000 * pause
        self.send(message)
        about, thought, before = thinking(), 0.0, monotonic()
        # A fast program answers within the 0.1 ms that it would take to wake up from a blocking
        # wait.
        while not self._poll.poll(0) and monotonic() - before < POLL_SECONDS:
            _yield_processor()
        while True:
            for file, _ in self._poll.poll(waiting):
                if file == self._in:
                    self.send(b"")
                else:
                    self._read(file)
            answer = complete(self.received)
            if answer is not None:
                return answer
            now = monotonic()
            if memory is not None and now - self._last_check > CHECK_SECONDS:
                self._last_check = now
                self._check(memory)
            about, about_before = thinking(), about
            if about != about_before or about is None:
                thought = 0.0
            elif seconds is not None and pause is not None:
                # At most twice the waiting time is counted, because this process may have been
                # suspended.
                thought += min(now - before, 2 * pause)
                if thought > seconds:
                    raise Overdue
            before = now

    def send(self, message: bytes) -> None:
        """Send a message. If a part cannot be written now, the next `exchange` writes it.

        Raise `EOFError` if the program has ended, or has closed its input.
        """
        waited = bool(self._unsent)
        self._unsent += message
        try:
            while self._unsent:
                del self._unsent[: os.write(self._in, self._unsent)]
        except BlockingIOError:
            self._poll.register(self._in, select.POLLOUT)
        except OSError:
            raise EOFError from None
        if waited and not self._unsent:
            self._poll.unregister(self._in)

    def pending(self) -> bytes:
        """Return output that no request asked for. Raise EOFError if the output was closed."""
        if self._out in dict(self._poll.poll(0)):
            self._read(self._out)
        return bytes(self.received)

    def errors(self) -> str:
        """Return the last part of the program's standard error."""
        for _ in range(MAX_ERROR_READS):
            if self._err is None or self._err not in dict(self._poll.poll(0)):
                break
            self._read(self._err)
        return self._errors[-MAX_KEPT_ERROR_BYTES:].decode(errors="replace")

    def ending(self) -> str:
        """Describe how the program ended, or say that it closed its connection."""
        try:
            status = self.process.wait(timeout=ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its connection to this program"
        return f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"

    def request_stack(self) -> None:
        """Ask a process that runs `serving.serve` to write its stack trace."""
        self.process.send_signal(signal.SIGUSR1)

    def _check(self, memory: int) -> None:
        processes = descendants(self.process.pid)
        if len(processes) > MAX_PROCESSES:
            raise TooManyProcesses
        if resident_bytes(processes) > memory:
            raise MemoryError

    def _read(self, file: int) -> None:
        part = os.read(file, 1 << 16)
        if file == self._out:
            if not part:
                raise EOFError
            self.received += part
            return
        self._errors += part
        del self._errors[:-MAX_KEPT_ERROR_BYTES]
        if not part:
            self._poll.unregister(file)
            self._err = None


def _end_all(process: subprocess.Popen[bytes], control: int, tag: str) -> None:
    others = descendants(process.pid)[1:] if process.poll() is None else []
    # A fork of this process may keep the pipe open, so closing it may not be sufficient.
    with suppress(OSError):
        os.write(control, b"e")
    os.close(control)
    try:
        process.wait(SUPERVISOR_SECONDS)
    # The supervisor has been suspended, so its processes are ended here.
    except subprocess.TimeoutExpired:
        for other in (process.pid, *others):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(other, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    end_tagged(tag)
