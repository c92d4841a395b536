"""Calls in a process of their own, for code from outside: whatever it does, nothing else suffers.

    result = own_process().call(play_game, tournament, 261, seconds=60)

The process notes in shared memory when a player begins to think, and every move. So when it dies,
or is killed because a player thinks for too long, it is known who that was and what had been
played. The limit of time is this side's business alone: a loop that catches everything, or that
lets no other thread run, ends too. All ends with this side, however that ends. What a player starts
ends with its process (`quaternity.workers.child`).

Needs POSIX.
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
from quaternity.base.wording import shown
from quaternity.workers.child import MAX_PROCESSES, Child, Overdue, TooManyProcesses
from quaternity.workers.notes import NOTED_BYTES, Notes
from quaternity.workers.serving import LENGTH, MARK, Values, marked

Result = TypeVar("Result")

MAX_MOVE_SECONDS = 10**6
"""Maximum time that a player may be given for a move, in seconds."""

FOREIGN_SECONDS = 60
"""Default time limit per move of an external player, in seconds."""

_START = (
    "import sys; sys.path[:] = sys.argv[3:]; from quaternity.workers.serving import serve; "
    "serve(int(sys.argv[1]), int(sys.argv[2]))"
)


def check_move_seconds(seconds: float | None) -> None:
    """Raise `InputError` for seconds that are not above 0 and at most `MAX_MOVE_SECONDS`."""
    if seconds is not None and not 0 < seconds <= MAX_MOVE_SECONDS:
        raise InputError(f"move-seconds: {seconds:g} is not above 0 and at most {MAX_MOVE_SECONDS}")


class ProcessEnded(LimitError):
    """A process ended before it gave a result.

    Attributes:
        thinking: the seat of the player that was thinking, if one was.
        moves: the moves made, as they were noted.
        overdue, too_large: whether it was killed for taking too long, or too much memory.
        stack: where its code was then, the innermost call first, if that could be found out.
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
        return f"the process that played {self.how}"


class OwnProcess:
    """A process that runs one call after the other; started when needed, and again after its end.

    `wanted` is what a player is to give, in a word. Cost: 0.3 s to start it, 0.2 ms a call.
    """

    def __init__(self, wanted: str = "move") -> None:
        self._wanted = wanted
        self._path: list[str] = []
        self.child: Child | None = None
        self._file, self._stacks = _memory_file(), _memory_file()
        self._file.truncate(NOTED_BYTES)
        # Who writes to any file that is open writes behind the notes.
        self._file.seek(NOTED_BYTES)
        self._notes = Notes(self._file.fileno())
        for file in (self._file, self._stacks):
            weakref.finalize(self, file.close)

    @property
    def is_running(self) -> bool:
        """Return whether there is a process that waits for a call."""
        return self.child is not None and self.child.is_running

    def call(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        seconds: float | None = None,
        memory: int | None = None,
    ) -> Result:
        """Return the result of a call; both must be picklable, the function by its name.

        Args:
            seconds: the longest that a player may think at a time; None: for ever.
            memory: the most bytes that it and the processes it started may have; None: any.

        Raises:
            ProcessEnded: it died, or was killed for its time or its memory.
            What the function raises.
        """
        mark = os.urandom(MARK)
        work = pickle.dumps((function, arguments))
        try:
            if self._path != sys.path:
                self.end()  # it would look for players elsewhere
            if self.child is None or not self.child.is_running:
                self._path = list(sys.path)
                self.end()
                self.child = self._started()
            self._notes.clear()
            result, raised = self._answer(self.child, mark, work, seconds, memory)
        except BaseException:
            self.end()
            raise
        if raised is not None:
            try:
                raise raised.error
            finally:
                # A circle with this frame would keep what was given until it is found.
                raised = None
        return result  # type: ignore[no-any-return]  # what the function gave

    def end(self) -> None:
        """End the process at once, if there is one, and what it started."""
        child, self.child = self.child, None
        if child is not None:
            child.end()

    def _started(self) -> Child:
        files = self._file.fileno(), self._stacks.fileno()
        command = [sys.executable, "-c", _START, *map(str, files), *sys.path]
        return Child(command, pass_fds=files)

    def _answer(
        self, child: Child, mark: bytes, work: bytes, seconds: float | None, memory: int | None
    ) -> Any:
        overdue, too_large, stack, how = False, False, "", ""
        try:
            answer = child.exchange(
                marked(mark, work), partial(marked_answer, mark), seconds, memory, self._thinking
            )
            child.received.clear()
            return Values(io.BytesIO(answer)).load()
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
            how = f"gave what cannot be read: {shown(error)}"
        _, thinking = self._notes.state()
        raise ProcessEnded(how, thinking, self._notes.moves(), overdue, stack, too_large)

    def _thinking(self) -> tuple[int, int | None] | None:
        state = self._notes.state()
        return None if state[1] is None else state

    def _stack(self, child: Child) -> str:
        self._stacks.seek(0)
        self._stacks.truncate()
        child.tell_stack()
        text = b""
        for _ in range(10):
            sleep(0.02)
            self._stacks.seek(0)
            text, before = self._stacks.read(), text
            if text and text == before:
                break
        return text.decode(errors="replace")


def _memory_file() -> io.FileIO:
    """Return a file without a name that others can be given; where the system can, on no disk."""
    if sys.platform == "linux":
        return io.FileIO(os.memfd_create("quaternity"), "r+")
    from tempfile import TemporaryFile

    with TemporaryFile() as file:
        return io.FileIO(os.dup(file.fileno()), "r+")


def marked_answer(mark: bytes, data: bytearray) -> bytes | None:
    """Return an answer when all of it is there; what stands before its mark somebody else wrote."""
    begin = data.find(mark)
    del data[: max(0, len(data) - MARK) if begin < 0 else begin]
    body = MARK + LENGTH.size
    if begin < 0 or len(data) < body:
        return None
    end = body + LENGTH.unpack_from(data, MARK)[0]
    return bytes(data[body:end]) if len(data) >= end else None


_kept = threading.local()


def own_process() -> OwnProcess:
    """Return the process of this thread."""
    if not hasattr(_kept, "process"):
        _kept.process = OwnProcess()
    process: OwnProcess = _kept.process
    return process
