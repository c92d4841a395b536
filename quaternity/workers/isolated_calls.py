"""Function calls in an isolated process, so that external code cannot harm the calling process.

    result = own_process().call(play_game, tournament, 261, seconds=60)

The calling process enforces the time limit, so it can end even a loop that catches every exception
or blocks all other threads. The isolated process notes in shared memory which moves were made and
which player is thinking, so this is known even if the process dies. The isolated process, and all
processes that it started, end at the latest when the calling process ends
(`quaternity.workers.supervisor`).

This module requires POSIX.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
import threading
import weakref
from collections.abc import Callable
from functools import partial
from time import sleep
from typing import Any, TypeVar

from quaternity.base.errors import InputError, LimitError
from quaternity.base.text_format import quote_value
from quaternity.workers.notes import NOTED_BYTES, Notes
from quaternity.workers.serving import LENGTH, MARK_BYTES, SafeUnpickler, frame_message
from quaternity.workers.supervisor import MAX_PROCESSES, Child, Overdue, TooManyProcesses

Result = TypeVar("Result")

MAX_MOVE_SECONDS = 10**6
"""Maximum value of the time limit that users can set for a move of a player, in seconds."""

EXTERNAL_MOVE_SECONDS = 60
"""Default time limit for one move of an external player, in seconds."""

STACK_SECONDS, STACK_READ_SECONDS = 0.2, 0.02
"""Maximum time to wait for the stack trace of a process that exceeded its time limit, and the time
between two looks at the trace, in seconds."""

_START = (
    "import sys; sys.path[:] = sys.argv[3:]; from quaternity.workers.serving import serve; "
    "serve(int(sys.argv[1]), int(sys.argv[2]))"
)


def check_move_seconds(seconds: float | None) -> None:
    """Raise `InputError` unless a time limit per move is > 0 and <= `MAX_MOVE_SECONDS`."""
    if seconds is not None and not 0 < seconds <= MAX_MOVE_SECONDS:
        raise InputError(f"move-seconds: must be > 0 and <= {MAX_MOVE_SECONDS}, not {seconds:g}")


class ProcessEnded(LimitError):
    """Error for a process that ended before it returned a result.

    Attributes:
        how: The end of the process as the predicate of a sentence, such as "was killed by signal
            9".
        thinking: The seat of the player that was thinking, or None if none was.
        moves: The moves that the process noted.
        overdue: Whether the process was killed because it exceeded the time limit.
        stack: The stack trace at the time limit, innermost call first. It may be empty.
        too_large: Whether the process was killed because it exceeded the memory limit.
    """

    def __init__(
        self,
        how: str,
        thinking: int | None,
        moves: list[str],
        overdue: bool,
        stack: str,
        too_large: bool,
    ) -> None:
        super().__init__(how, thinking, moves, overdue, stack, too_large)
        self.how, self.thinking, self.moves = how, thinking, moves
        self.overdue, self.stack, self.too_large = overdue, stack, too_large

    def __str__(self) -> str:
        return f"the process of the game {self.how}"


class IsolatedProcess:
    """A process that is started on demand and runs one function call at a time.

    If the process has ended, the next call starts another process. `wanted` is the word for the
    expected result in error messages, such as "move". Starting the process takes 0.3 s, and a call
    takes 0.2 ms.
    """

    def __init__(self, wanted: str = "move") -> None:
        self._wanted = wanted
        self._path: list[str] = []
        self.child: Child | None = None
        self._file, self._stacks = _memory_file(), _memory_file()
        self._file.truncate(NOTED_BYTES)
        # If a player writes to all open files, its output is placed after the notes.
        self._file.seek(NOTED_BYTES)
        self._notes = Notes(self._file.fileno())
        for file in (self._file, self._stacks):
            weakref.finalize(self, file.close)

    @property
    def is_running(self) -> bool:
        """Return whether the process is running and can take a call."""
        return self.child is not None and self.child.is_running

    def call(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        seconds: float | None = None,
        memory: int | None = None,
    ) -> Result:
        """Call a function in the process and return its result.

        The arguments and the result must be picklable. The function is pickled by its name.

        Args:
            seconds: Time limit for each move of a player, in seconds. None means no limit.
            memory: Memory limit of the process and of the processes it started, in bytes. None
                means no limit.

        Raises:
            ProcessEnded: If the process died, or was killed because it exceeded a limit.
            Exception: Any exception that the function raised.
        """
        mark = os.urandom(MARK_BYTES)
        work = pickle.dumps((function, arguments))
        try:
            if self._path != sys.path:
                self.end()  # The import path has changed since the process was started.
            if self.child is None or not self.child.is_running:
                self._path = list(sys.path)
                self.end()
                self.child = self._start()
            self._notes.clear()
            result, raised = self._answer(self.child, mark, work, seconds, memory)
        except BaseException:
            self.end()
            raise
        if raised is not None:
            try:
                raise raised.error
            finally:
                # Break the reference cycle between the exception and this frame, which would keep
                # the arguments alive until garbage collection.
                raised = None
        return result  # type: ignore[no-any-return]  # the function's result

    def end(self) -> None:
        """End the process immediately, if it exists, with all processes that it started."""
        child, self.child = self.child, None
        if child is not None:
            child.end()

    def _start(self) -> Child:
        files = self._file.fileno(), self._stacks.fileno()
        command = [sys.executable, "-c", _START, *map(str, files), *sys.path]
        return Child(command, pass_fds=files)

    def _answer(
        self, child: Child, mark: bytes, work: bytes, seconds: float | None, memory: int | None
    ) -> Any:
        overdue, too_large, stack, how = False, False, "", ""
        try:
            answer = child.exchange(
                frame_message(mark, work),
                partial(find_answer, mark),
                seconds,
                memory,
                self._thinking,
            )
            child.received.clear()
            return SafeUnpickler(io.BytesIO(answer)).load()
        except Overdue:
            overdue, stack = True, self._stack(child)
            how = f"gave no {self._wanted} within {seconds:g} s"
        except EOFError:
            how = child.ending()
        except MemoryError:
            too_large, how = True, "took too much memory"
        except TooManyProcesses:
            how = f"started more than {MAX_PROCESSES} processes"
        except Exception as error:
            how = f"gave an unreadable result: {quote_value(error)}"
        _, thinking = self._notes.state()
        raise ProcessEnded(how, thinking, self._notes.moves(), overdue, stack, too_large)

    def _thinking(self) -> tuple[int, int | None] | None:
        state = self._notes.state()
        return None if state[1] is None else state

    def _stack(self, child: Child) -> str:
        self._stacks.seek(0)
        self._stacks.truncate()
        child.request_stack()
        text = b""
        for _ in range(round(STACK_SECONDS / STACK_READ_SECONDS)):
            sleep(STACK_READ_SECONDS)
            self._stacks.seek(0)
            text, before = self._stacks.read(), text
            if text and text == before:
                break
        return text.decode(errors="replace")


def _memory_file() -> io.FileIO:
    if sys.platform == "linux":
        return io.FileIO(os.memfd_create("quaternity"), "r+")
    from tempfile import TemporaryFile

    with TemporaryFile() as file:
        return io.FileIO(os.dup(file.fileno()), "r+")


def find_answer(mark: bytes, data: bytearray) -> bytes | None:
    """Return the answer that follows a mark in the received data, or None if it is incomplete.

    Data before the mark, which other code printed, is removed from `data`.
    """
    begin = data.find(mark)
    del data[: max(0, len(data) - MARK_BYTES) if begin < 0 else begin]
    body = MARK_BYTES + LENGTH.size
    if begin < 0 or len(data) < body:
        return None
    end = body + LENGTH.unpack_from(data, MARK_BYTES)[0]
    return bytes(data[body:end]) if len(data) >= end else None


_thread_local = threading.local()


def own_process() -> IsolatedProcess:
    """Return the isolated process that belongs to the current thread."""
    if not hasattr(_thread_local, "process"):
        _thread_local.process = IsolatedProcess()
    process: IsolatedProcess = _thread_local.process
    return process
