"""Calls in a process of their own, for code from outside: whatever it does, nothing else suffers.

    result = own_process().call(play_game, tournament, 261, seconds=60)

The process notes in shared memory when a player begins to think, and every move. So when it dies,
or is killed because a player thinks for too long, it is known who that was and what had been
played. The limit of time is this side's business alone: a loop that catches everything, or that
lets no other thread run, ends too. All ends with this side, however that ends. What a player starts
ends with its process, on Linux daemons too; only where this side is killed, those go on that left
its session.

Needs POSIX.
"""

from __future__ import annotations

import io
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from mmap import mmap
from pathlib import Path
from struct import Struct
from time import monotonic, sleep
from typing import Any, ParamSpec, TypeVar

from quaternity.errors import InputError, LimitError
from quaternity.workers.pool import Raised
from solvers.errors import SolverFault
from solvers.interrupts import leave_interrupts
from solvers.wording import shown

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

MOST_NOTED = 1 << 23
"""Bytes of moves that are noted; of longer games those up to there."""

IDLE_SECONDS = 60
"""A process that is given nothing to do leaves."""

MOST_SECONDS = 10**6
"""The longest time that a player may be given for a move."""

FOREIGN_SECONDS = 60
"""What a player from outside is given for a move where nothing else is said."""

MEMORY_CHECK_SECONDS = 0.05
"""How often the memory of a process is looked at, where it has a limit."""

_STATE, _LENGTH = Struct("<3Q"), Struct("<Q")
_MARK = 16
"""Bytes of the mark of a call: its answer begins with them."""

_TAGS = "QUATERNITY_OWN_PROCESS"
"""Variable of the environment by which whatever such a process started is found again."""

_MOST_SWEEPS = 100

_SIZE = _STATE.size + MOST_NOTED
_START = (
    "import sys; sys.path[:] = sys.argv[3:]; from quaternity.workers.own_process import serve; "
    "serve(int(sys.argv[1]), int(sys.argv[2]))"
)


def check_move_seconds(seconds: float | None) -> None:
    """Refuse a time for a move that is none.

    Raises:
        InputError: it is not above 0 and at most `MOST_SECONDS`.
    """
    if seconds is not None and not 0 < seconds <= MOST_SECONDS:
        raise InputError(f"move-seconds: {seconds:g} is not above 0 and at most {MOST_SECONDS}")


class ProcessEnded(LimitError):
    """A process ended before it gave a result.

    Attributes:
        thinking: the seat of the player that was thinking, if one was.
        moves: the moves made, as they were noted.
        overdue: whether it was killed because the player took too long.
        too_large: whether it was killed because it took too much memory.
        stack: where its code was then, the innermost call first, if that could be found out.
    """

    def __init__(
        self,
        how: str,
        thinking: int | None,
        moves: list[str],
        overdue: bool,
        stack: str,
        too_large: bool = False,
    ) -> None:
        super().__init__(how, thinking, moves, overdue, stack, too_large)
        self.how, self.thinking, self.moves = how, thinking, moves
        self.overdue, self.stack, self.too_large = overdue, stack, too_large

    def __str__(self) -> str:
        return f"the process that played {self.how}"


class Notes:
    """What a process tells about the game it plays, in memory that its parent sees.

    Cost: less than a microsecond a note.
    """

    def __init__(self, file: int) -> None:
        self._memory = mmap(file, _SIZE)
        self._thoughts = self._used = 0
        self._fits = True

    def clear(self) -> None:
        """Nothing noted."""
        self._thoughts = self._used = 0
        self._fits = True
        _STATE.pack_into(self._memory, 0, 0, 0, 0)

    def thinks(self, seat: int) -> None:
        """A player begins to think."""
        self._thoughts += 1
        _STATE.pack_into(self._memory, 0, self._thoughts, seat + 1, self._used)

    def moved(self, move: str) -> None:
        """A move was made, and nobody thinks."""
        line = f"{move}\n".encode()
        start, end = _STATE.size + self._used, self._used + len(line)
        self._fits = self._fits and end <= MOST_NOTED
        if self._fits:
            self._memory[start : start + len(line)] = line
            self._used = end
        _STATE.pack_into(self._memory, 0, self._thoughts, 0, self._used)

    def state(self) -> tuple[int, int | None]:
        """How often a player began to think, and the seat of the one that thinks now."""
        thoughts, thinking, _ = _STATE.unpack_from(self._memory, 0)
        return thoughts, thinking - 1 if thinking else None

    def leave(self) -> None:
        """Note elsewhere from now on."""
        self._memory = mmap(-1, _SIZE)

    def moves(self) -> list[str]:
        """The moves noted."""
        used = min(_STATE.unpack_from(self._memory, 0)[2], MOST_NOTED)
        text = self._memory[_STATE.size : _STATE.size + used]
        return text.decode(errors="replace").splitlines()


_notes: Notes | None = None


def notes() -> Notes | None:
    """Where to tell about a game, in a process that is watched; None elsewhere."""
    return _notes


class OwnProcess:
    """A process that runs one call after the other; started when needed, and again after its end.

    Args:
        wanted: what a player is to give, in a word.

    Cost: 0.3 s to start it, 0.2 ms a call.
    """

    def __init__(self, wanted: str = "move") -> None:
        self._wanted = wanted
        self._path: list[str] = []
        self._child: subprocess.Popen[bytes] | None = None
        self._finish: Callable[[], object] = lambda: None
        self._file, self._stacks = _memory_file(), _memory_file()
        self._file.truncate(_SIZE)
        # Who writes to any file that is open writes behind the notes.
        self._file.seek(_SIZE)
        self._notes = Notes(self._file.fileno())
        for file in (self._file, self._stacks):
            weakref.finalize(self, file.close)

    @property
    def is_running(self) -> bool:
        """Whether there is a process that waits for a call."""
        return self._child is not None and self._child.poll() is None

    def call(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        seconds: float | None = None,
        memory: int | None = None,
    ) -> Result:
        """The result of a call; both must be picklable, the function by its name.

        Args:
            seconds: the longest that a player may think at a time; None: for ever.
            memory: the most bytes that it and the processes it started may have; None: any.

        Raises:
            ProcessEnded: it died, or was killed because a player thought for too long, or because
                it took too much memory.
            What the function raises.
        """
        mark = os.urandom(_MARK)
        work = pickle.dumps((function, arguments))
        try:
            if self._path != sys.path:
                self.end()  # it would look for players elsewhere
            if self._child is None or self._child.poll() is not None:
                self._path = list(sys.path)
                self.end()
                self._child = self._started()
            self._notes.clear()
            result, raised = self._answer(self._child, mark, work, seconds, memory)
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
        self._child = None
        self._finish()

    def _started(self) -> subprocess.Popen[bytes]:
        files = self._file.fileno(), self._stacks.fileno()
        tag = os.urandom(8).hex()
        child = subprocess.Popen(
            [sys.executable, "-c", _START, *map(str, files), *sys.path],
            env=os.environ | {_TAGS: f"{os.environ.get(_TAGS, '')} {tag}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            pass_fds=files,
            start_new_session=True,
        )
        self._finish = weakref.finalize(self, _end, child, tag)
        return child

    def _answer(
        self,
        child: subprocess.Popen[bytes],
        mark: bytes,
        work: bytes,
        seconds: float | None,
        memory: int | None,
    ) -> Any:
        assert child.stdin is not None, "a pipe"
        assert child.stdout is not None, "a pipe"
        overdue, too_large, stack, how = False, False, "", ""
        most = None if memory is None else (child.pid, memory)
        try:
            _send(child.stdin.fileno(), mark, work)
            answer = self._in_time(child.stdout.fileno(), mark, seconds, most)
            if answer is not None:
                return _Values(io.BytesIO(answer)).load()
            overdue, stack = True, self._stack(child)
            how = f"gave no {self._wanted} within {seconds:g} s"
        except (EOFError, BrokenPipeError):
            how = _ending(child)
        except MemoryError:
            too_large, how = True, "took too much memory"
        except Exception as error:
            how = f"gave what cannot be read: {shown(error)}"
        _, thinking = self._notes.state()
        raise ProcessEnded(how, thinking, self._notes.moves(), overdue, stack, too_large)

    def _in_time(
        self,
        answers: int,
        mark: bytes,
        seconds: float | None,
        most: tuple[int, int] | None = None,
    ) -> bytes | None:
        """Wait for an answer; None when a player thinks for too long.

        What stands before the mark somebody else wrote.

        Args:
            most: a process and the most bytes that it and its children may have.

        Raises:
            EOFError: the other side is gone.
            MemoryError: they have more.
        """
        pause = None if seconds is None else min(0.25, seconds / 4)
        if most is not None:
            pause = min(pause or 1.0, MEMORY_CHECK_SECONDS)
        poll = select.poll()
        poll.register(answers, select.POLLIN)
        data = bytearray()
        seen, thought, before = self._notes.state(), 0.0, monotonic()
        while True:
            if poll.poll(None if pause is None else 1000 * pause):
                part = os.read(answers, 1 << 20)
                if not part:
                    raise EOFError
                data += part
                begin = data.find(mark)
                del data[: max(0, len(data) - _MARK) if begin < 0 else begin]
                body = _MARK + _LENGTH.size
                if begin >= 0 and len(data) >= body:
                    end = body + _LENGTH.unpack_from(data, _MARK)[0]
                    if len(data) >= end:
                        return bytes(data[body:end])
            if most is not None and _resident(descendants(most[0])) > most[1]:
                raise MemoryError
            state, now = self._notes.state(), monotonic()
            if state != seen or state[1] is None:
                seen, thought = state, 0.0
            elif seconds is not None and pause is not None:
                # No more than was waited for: this process may have been stopped meanwhile.
                thought += min(now - before, 2 * pause)
                if thought > seconds:
                    return None
            before = now

    def _stack(self, child: subprocess.Popen[bytes]) -> str:
        """Where the code of a process is, which is about to be killed."""
        self._stacks.seek(0)
        self._stacks.truncate()
        child.send_signal(signal.SIGUSR1)
        text = b""
        for _ in range(10):
            sleep(0.02)
            self._stacks.seek(0)
            text, before = self._stacks.read(), text
            if text and text == before:
                break
        return text.decode(errors="replace")


class _Values(pickle.Unpickler):
    """Reads an answer: values of ours and of Python alone, and nothing that does something.

    Our own code writes answers, but what it runs there could write one in its place.
    """

    def find_class(self, module: str, name: str) -> Any:
        if "." not in name and module.partition(".")[0] in ("builtins", "quaternity", "solvers"):
            found = super().find_class(module, name)
            kinds = (BaseException, frozenset, set)
            if isinstance(found, type) and (module != "builtins" or issubclass(found, kinds)):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no value")


def _memory_file() -> io.FileIO:
    """A file without a name that others can be given; where the system can, on no disk."""
    if sys.platform == "linux":
        return io.FileIO(os.memfd_create("quaternity"), "r+")
    from tempfile import TemporaryFile

    with TemporaryFile() as file:
        return io.FileIO(os.dup(file.fileno()), "r+")


def _ending(child: subprocess.Popen[bytes]) -> str:
    """How a process ended that answers no more."""
    try:
        status = child.wait(timeout=1)
    except subprocess.TimeoutExpired:
        return "closed its connection to this program"
    return f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"


def descendants(process: int) -> list[int]:
    """A process, and those it started, and so on, as far as the system tells (Linux)."""
    found = [process]
    for one in found:  # which grows
        for tasks in Path(f"/proc/{one}/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, tasks.read_text().split())
    return found


def _resident(processes: list[int]) -> int:
    """Bytes of memory of some processes; what two of them share counts twice."""
    pages = 0
    for one in processes:
        with suppress(OSError):
            pages += int(Path(f"/proc/{one}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _tagged(tag: str) -> list[int]:
    """The processes that have a tag in their environment, as far as the system tells (Linux)."""
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # that of another user, or ended
            if tag.encode() in environment.read_bytes():
                found.append(int(environment.parent.name))
    return found


def _end(child: subprocess.Popen[bytes], tag: str) -> None:
    others = descendants(child.pid)[1:] if child.poll() is None else []
    # Its session is its own, and has its number.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    for one in others:  # that left the session
        with suppress(ProcessLookupError, PermissionError):
            os.kill(one, signal.SIGKILL)
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            pipe.close()
    for _ in range(_MOST_SWEEPS):  # they may fork meanwhile
        left = _tagged(tag)
        for one in left:  # orphans, of a process that ended by itself
            with suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        if not left:
            break


_kept = threading.local()


def own_process() -> OwnProcess:
    """The process of this thread."""
    if not hasattr(_kept, "process"):
        _kept.process = OwnProcess()
    process: OwnProcess = _kept.process
    return process


def _send(file: int, mark: bytes, data: bytes) -> None:
    data = mark + _LENGTH.pack(len(data)) + data
    while data:
        data = data[os.write(file, data) :]


def _received(file: int) -> tuple[bytes, bytes]:
    """The mark of a message, and the message."""

    def exactly(count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = os.read(file, min(count - len(data), 1 << 20))
            if not part:
                raise EOFError
            data += part
        return data

    return exactly(_MARK), exactly(*_LENGTH.unpack(exactly(_LENGTH.size)))


# ---------------------------------------------------------------------------- the other side


def serve(notes_file: int, stacks_file: int) -> None:
    """In the new process: obey until nothing more comes, or the parent is gone."""
    import faulthandler
    import warnings

    from solvers.plugins import BrokenPlugin

    global _notes
    leave_interrupts()
    warnings.simplefilter("ignore", BrokenPlugin)  # the other side loads the same, and tells it
    _end_with_parent()
    faulthandler.register(signal.SIGUSR1, file=stacks_file, all_threads=False)
    told = _notes = Notes(notes_file)
    # Code from outside may print and read as it likes: it does not get at these two.
    commands, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    me = os.getpid()

    def forked() -> None:
        # A copy of this process, made by a player, has nothing to say.
        told.leave()
        for file in (commands, answers):
            with suppress(OSError):
                os.close(file)

    os.register_at_fork(after_in_child=forked)
    while select.select([commands], [], [], IDLE_SECONDS)[0]:
        try:
            mark, work = _received(commands)
        except EOFError:
            break
        answer = _worked(work, told)
        if os.getpid() != me:
            os._exit(0)
        try:
            _send(answers, mark, answer)
        except BrokenPipeError:
            break
    os.killpg(me, signal.SIGKILL)


def _worked(work: bytes, told: Notes) -> bytes:
    try:
        told.clear()
        function, arguments = pickle.loads(work)  # noqa: S301  # our own parent's
        return pickle.dumps((function(*arguments), None))
    except BaseException as error:
        answer = pickle.dumps((None, Raised(error)))
        try:
            _Values(io.BytesIO(answer)).load()
        except pickle.UnpicklingError:  # of a kind that the parent does not know
            answer = pickle.dumps((None, Raised(SolverFault(f"the work failed by {error!r}"))))
        return answer


def _end_with_parent() -> None:
    """Have the session end with the parent, also in the middle of a call into C: by a process that
    waits for the other side of the commands to be closed.
    """
    middle = os.fork()
    if middle:
        os.waitpid(middle, 0)
        _adopt_orphans()
        return
    # Nobody's child: who waits here for all children does not wait for this one.
    if os.fork():
        os._exit(0)
    os.closerange(1, 256)
    poll = select.poll()
    poll.register(0, 0)
    poll.poll()
    os.killpg(0, signal.SIGKILL)


def _adopt_orphans() -> None:
    """Let what this process's children leave behind become its children (Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


__all__ = [
    "FOREIGN_SECONDS",
    "MOST_SECONDS",
    "Notes",
    "OwnProcess",
    "ProcessEnded",
    "check_move_seconds",
    "descendants",
    "notes",
    "own_process",
]
