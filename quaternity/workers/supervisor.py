"""Processes for external code: limited, and ended together with all processes that they started.

Every process that runs external code is a `Child`: programs that answer in lines of JSON
(`quaternity.workers.program`), and processes for calls of Python code
(`quaternity.workers.isolated_calls`). A supervisor process (`quaternity.workers.supervise`) runs
between the child and this process.

Requires POSIX.
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
"""Seconds between two checks of the memory and the number of processes, if memory is limited."""

POLL_SECONDS = 0.0003
"""Time for which the parent polls for an answer before it blocks, in seconds."""

MAX_PROCESSES = 200
"""Maximum number of simultaneous processes of a program with a memory limit."""

MAX_THREADS = 800
"""Maximum number of threads, in all processes together, of a program with its own namespaces."""

MAX_KEPT_ERROR_BYTES = 4096
"""Number of bytes that are kept from the end of standard error."""

MAX_ERROR_READS = 64
"""Maximum number of reads from standard error for one report, because it may be written without
end."""

ENDING_SECONDS = 5.0
"""Maximum time for a program to end after closing its connection, in seconds.

The limit is generous because a busy machine can be slow.
"""

SUPERVISOR_SECONDS = 2
"""Maximum time for the supervisor to end all processes, in seconds; then the parent ends them."""


PUBLIC_VARIABLES = re.compile(
    "PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP|VIRTUAL_ENV|JAVA_HOME"
    "|LD_LIBRARY_PATH|PYTHON[A-Z0-9]+|(OMP|OPENBLAS|MKL)_[A-Z_]+"
)
"""Names of the environment variables that a program may see; others may contain secrets."""

ISOLATION = (
    "",
    "programs run without separate namespaces: they can see and stop other processes of this user, "
    "and read their environment",
    "programs run without a separate /proc: they can list all processes",
)
"""The missing part of the isolation, by the exit status of `supervise.py check`."""


def public_environment() -> dict[str, str]:
    """Return the environment variables that external programs may see."""
    return {name: value for name, value in os.environ.items() if PUBLIC_VARIABLES.fullmatch(name)}


def missing_isolation() -> str:
    """Return a sentence about the isolation that this system denies to programs, or "".

    Cost: 20 ms, because it starts a process that tries the isolation.
    """
    command = [sys.executable, "-I", "-S", _SUPERVISOR, "check"]
    status = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
    return ISOLATION[status if status in range(len(ISOLATION)) else 1]


class Overdue(Exception):
    """A child process exceeded its time limit."""


class TooManyProcesses(Exception):
    """A child process started more processes than `MAX_PROCESSES`."""


class Child:
    """A child process, stopped no later than when this object is deleted."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        pass_fds: Sequence[int] = (),
        keeps_errors: bool = False,
        isolated: bool = False,
        data: int = -1,
    ) -> None:
        """Start a program.

        Args:
            command: The command line.
            pass_fds: File descriptors that the program inherits.
            keeps_errors: Whether to keep the end of standard error (`errors`). Otherwise the
                program shares the standard error of this process.
            isolated: Whether to run it in separate namespaces, if the system allows it.
            data: Maximum data size of each of its processes, in bytes; -1 for no limit.
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
        """Return whether the program has not ended yet."""
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
            message: The message.
            complete: Returns the answer if the received bytes contain a complete one, else None.
            seconds: Time limit, in seconds, for each value of `thinking`; None for no limit.
            memory: Memory limit of the program and the processes it started, in bytes; None for no
                limit.
            thinking: Returns a key of the current decision of the program. The time starts again
                with each new key, and does not run while the key is None.

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
        # Waking up from a blocking wait takes 0.1 ms, in which a fast program has answered.
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
                # Do not count more than the waiting time: this process may have been suspended.
                thought += min(now - before, 2 * pause)
                if thought > seconds:
                    raise Overdue
            before = now

    def send(self, message: bytes) -> None:
        """Send a message. The next `exchange` writes the part that cannot be written now.

        Raises:
            EOFError: If the program has ended, or has closed its input.
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
        """Return unrequested output of the program. Raise EOFError if it closed its output."""
        if self._out in dict(self._poll.poll(0)):
            self._read(self._out)
        return bytes(self.received)

    def errors(self) -> str:
        """Return the end of the program's standard error."""
        for _ in range(MAX_ERROR_READS):
            if self._err is None or self._err not in dict(self._poll.poll(0)):
                break
            self._read(self._err)
        return self._errors[-MAX_KEPT_ERROR_BYTES:].decode(errors="replace")

    def ending(self) -> str:
        """Describe how the program ended, or say that it only closed its connection."""
        try:
            status = self.process.wait(timeout=ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its connection to this program"
        return f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"

    def request_stack(self) -> None:
        """Make the process, if it runs `serving.serve`, write its stack trace."""
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
    """End a supervised process and all processes that it started."""
    others = descendants(process.pid)[1:] if process.poll() is None else []
    with suppress(OSError):  # closing may not suffice: a fork of this process may hold the pipe
        os.write(control, b"e")
    os.close(control)
    try:
        process.wait(SUPERVISOR_SECONDS)
    except subprocess.TimeoutExpired:  # the supervisor has been suspended
        for other in (process.pid, *others):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(other, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    end_tagged(tag)
