"""Code of the child processes of `isolated_calls`, which receive calls and return results."""

from __future__ import annotations

import io
import os
import pickle
import select
import signal
import sys
from contextlib import suppress
from struct import Struct
from typing import Any

from quaternity.base.errors import SolverFault
from quaternity.base.interrupts import leave_interrupts
from quaternity.workers.notes import Notes, note_in
from quaternity.workers.pool import Raised

IDLE_SECONDS = 60
"""Time without a call, in seconds, after which the process exits."""

MARK_BYTES = 16
"""Length of the random mark that the parent sends before a call, in bytes. The answer begins with
the same mark."""

LENGTH = Struct("<Q")


def frame_message(mark: bytes, data: bytes) -> bytes:
    """Return the bytes of a message: the mark of the call, the length of the data, and the data."""
    return mark + LENGTH.pack(len(data)) + data


def send(file: int, mark: bytes, data: bytes) -> None:
    """Write a message to a file: the mark of the call, the length of the data, and the data."""
    data = frame_message(mark, data)
    while data:
        data = data[os.write(file, data) :]


def _receive(file: int) -> tuple[bytes, bytes]:
    def exactly(count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = os.read(file, min(count - len(data), 1 << 20))
            if not part:
                raise EOFError
            data += part
        return data

    return exactly(MARK_BYTES), exactly(*LENGTH.unpack(exactly(LENGTH.size)))


class SafeUnpickler(pickle.Unpickler):
    """Unpickler for answers that loads only classes of this package and harmless built-in types.

    Answers are written by this package, but external code in the same process could forge an
    answer.
    """

    def find_class(self, module: str, name: str) -> Any:
        """Return a class if it is allowed. Otherwise raise an `UnpicklingError`."""
        if "." not in name and module.partition(".")[0] in ("builtins", "quaternity", "solvers"):
            kind = super().find_class(module, name)
            kinds = (BaseException, frozenset, set)
            if isinstance(kind, type) and (module != "builtins" or issubclass(kind, kinds)):
                return kind
        raise pickle.UnpicklingError(f"{module}.{name} is not an allowed class")


def serve(notes_file: int, stacks_file: int) -> None:
    """Run the calls that the parent sends, until it ends or sends none for `IDLE_SECONDS`."""
    import faulthandler
    import warnings

    from quaternity.base.plugins import BrokenPlugin

    leave_interrupts()
    _adopt_orphans()
    # The parent process loads the same plug-ins and issues the warnings.
    warnings.simplefilter("ignore", BrokenPlugin)
    faulthandler.register(signal.SIGUSR1, file=stacks_file, all_threads=False)
    log = note_in(notes_file)
    # External code may read standard input and print, so calls and answers use copies of both
    # files.
    commands, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    me = os.getpid()

    def detach_fork() -> None:
        # A player has forked this process. The copy must not write notes or answers.
        log.detach()
        for file in (commands, answers):
            with suppress(OSError):
                os.close(file)

    os.register_at_fork(after_in_child=detach_fork)
    waiting = select.poll()
    waiting.register(commands, select.POLLIN)
    while waiting.poll(1000 * IDLE_SECONDS):
        try:
            mark, work = _receive(commands)
        except EOFError:
            break
        answer = _run_call(work, log)
        if os.getpid() != me:
            os._exit(0)
        try:
            send(answers, mark, answer)
        except BrokenPipeError:
            break
    os.killpg(me, signal.SIGKILL)


def _run_call(work: bytes, log: Notes) -> bytes:
    try:
        log.clear()
        function, arguments = pickle.loads(work)  # noqa: S301  # our own parent's
        return pickle.dumps((function(*arguments), None))
    except BaseException as error:
        answer = pickle.dumps((None, Raised(error)))
        try:
            SafeUnpickler(io.BytesIO(answer)).load()
        # The parent process would refuse to load an error of this class.
        except pickle.UnpicklingError:
            answer = pickle.dumps((None, Raised(SolverFault(f"the call failed with {error!r}"))))
        return answer


def _adopt_orphans() -> None:
    """Become the parent of orphaned descendants, so that they can be found and ended."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
