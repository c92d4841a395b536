"""Misbehaving solvers of other packages, for tests of limits.

All of them are right on small problems, such as those that warm a solver up.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from solvers import SOLVERS, DealProblem, LimitError, Verdict, registry

if TYPE_CHECKING:  # processes import this file
    import pytest

SMALL = 3
"""Maximum number of cards of a small problem."""

WORK_SECONDS = 0.06
"""Processor time that processes of a solver use before its answer, in seconds."""


def _solve(problem: DealProblem) -> Verdict:
    return SOLVERS["coalitions"](problem)


def hangs(problem: DealProblem) -> Any:
    """Block in compiled code, which lets no other thread run."""
    return sum(range(10**15))


def eats(problem: DealProblem) -> Any:
    """Allocate more and more memory, and use all of it."""
    rest = []
    while True:
        rest.append(b"x" * (1 << 24))


def asks_for_much(problem: DealProblem) -> Any:
    """Allocate more memory at once than there is."""
    return bytearray(1 << 60)


def forks(problem: DealProblem) -> Any:
    """Start copies that never end, some of them in another session, and never return."""
    if not os.fork():
        os.setsid()
    os.fork()
    while True:
        pass


def leaves_a_copy(problem: DealProblem) -> Any:
    """Return an answer, but leave a copy that never ends."""
    if not os.fork():
        while True:
            pass
    return _solve(problem)


def lets_work(problem: DealProblem) -> Any:
    """Let a child work for `WORK_SECONDS` of processor time."""
    child = os.fork()
    if not child:
        while time.process_time() < WORK_SECONDS:
            pass
        os._exit(0)
    os.waitpid(child, 0)
    return _solve(problem)


def leaves_a_worker(problem: DealProblem) -> Any:
    """Leave a copy in another session that works before and after the answer."""
    reading, writing = os.pipe()
    if not os.fork():
        os.setsid()
        while time.process_time() < WORK_SECONDS:
            pass
        os.write(writing, b"!")
        while True:
            pass
    os.read(reading, 1)
    return _solve(problem)


def counts(problem: DealProblem) -> Any:
    """Report the number of problems received so far, including the small ones."""
    raise LimitError(f"{len(_received)} problems")


_received: list[int] = []


def prints(problem: DealProblem) -> Any:
    """Print to standard output in several ways."""
    print("a line of a solver")  # noqa: T201  # as solvers may
    os.write(1, b"another line of a solver\n")
    os.system("echo and of its shell")
    return _solve(problem)


def exits(problem: DealProblem) -> Any:
    """Exit the process with status 0."""
    sys.stdout.flush()
    os._exit(0)


def is_killed(problem: DealProblem) -> Any:
    """Die of a segmentation fault, like an error in compiled code."""
    os.kill(os.getpid(), signal.SIGSEGV)


def fails(problem: DealProblem) -> Any:
    """Raise an exception that solvers may not raise."""
    raise SystemExit(f"{problem.cards} cards")


def gives_up(problem: DealProblem) -> Any:
    """Raise an exception that solvers may raise."""
    raise LimitError("too hard")


def answers_code(problem: DealProblem) -> Any:
    """Return an object that is not a verdict and aborts the process that unpickles it."""

    class Trap:
        def __reduce__(self) -> Any:
            return os.abort, ()

        def __repr__(self) -> str:
            return "a trap"

    return Trap()


def leaves_a_daemon(problem: DealProblem) -> Any:
    """Exit the process, but leave a child in another session."""
    subprocess.Popen(["sleep", DAEMON], start_new_session=True)
    os._exit(0)


def says_too_much(problem: DealProblem) -> Any:
    """Raise an error with several lines, terminal codes and very many characters."""
    raise LimitError("\x1b[31mtoo hard\nquaternity: all is well\n" + "!" * 10**5)


def tells_its_limit(problem: DealProblem) -> Any:
    """Report how many bytes of data the system allows the process."""
    import resource

    raise LimitError(f"{resource.getrlimit(resource.RLIMIT_DATA)[0]} bytes")


_warm: list[int] = []


def slow_at_first(problem: DealProblem) -> Any:
    """Take ten seconds for the first problem, like a solver with slow imports."""
    if not _warm:
        time.sleep(10)
    _warm.append(1)
    return _solve(problem)


DAEMON = f"86413.{crc32(os.environ.get('HOME', '').encode())}"
"""The time for which a daemon sleeps, which differs between runs of the tests on one machine."""

WILD: tuple[Callable[[DealProblem], Any], ...] = (
    hangs, eats, asks_for_much, forks, leaves_a_copy, lets_work, prints, exits, is_killed, fails,
    gives_up, answers_code, leaves_a_daemon, says_too_much, tells_its_limit, leaves_a_worker,
    counts,
)  # fmt: skip
_BY_NAME = {function.__name__: function for function in WILD}


def wild(problem: DealProblem) -> Any:
    """Run the solver with the index that the first hand gives, counted from `SMALL` + 1."""
    _received.append(problem.cards)
    number = problem.hands[0] - SMALL - 1
    return WILD[number](problem) if 0 <= number < len(WILD) else _solve(problem)


def __getattr__(name: str) -> Callable[[DealProblem], Any]:
    """Return the solver `late_NAME`, which is right on small problems and then acts like NAME."""
    function = _BY_NAME.get(name.removeprefix("late_"))
    if function is None:
        raise AttributeError(name)

    def late(problem: DealProblem) -> Any:
        return _solve(problem) if problem.cards <= SMALL else function(problem)

    return late


@contextmanager
def register_solvers(
    folder: Path, monkeypatch: pytest.MonkeyPatch, **entry_points: str
) -> Iterator[None]:
    """Register solvers by a distribution in a folder: names, and where each solver is found."""
    info = folder / "theirs-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    rows = "".join(f"{name} = {place}\n" for name, place in entry_points.items())
    (info / "entry_points.txt").write_text(f"[quaternity.solvers]\n{rows}")
    monkeypatch.syspath_prepend(folder)
    registry.registered_solvers.cache_clear()
    try:
        yield
    finally:
        registry.registered_solvers.cache_clear()
