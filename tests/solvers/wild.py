"""Solvers from elsewhere that misbehave: what is planted where limits are tested.

On small problems, such as those that warm a solver up, all of them are right.
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

from solvers import SOLVERS, DealProblem, LimitError, Verdict, registry

if TYPE_CHECKING:  # processes import this file
    import pytest

SMALL = 3
"""Cards."""


def _right(problem: DealProblem) -> Verdict:
    return SOLVERS["coalitions"](problem)


def hangs(problem: DealProblem) -> Any:
    """In compiled code, which lets no other thread run."""
    return sum(range(10**15))


def eats(problem: DealProblem) -> Any:
    """More and more memory, and all of it is used."""
    rest = []
    while True:
        rest.append(b"x" * (1 << 24))


def asks_for_much(problem: DealProblem) -> Any:
    """More memory at once than there is."""
    return bytearray(1 << 60)


def forks(problem: DealProblem) -> Any:
    """Copies of itself, which work on, one of them in a session of its own; and then it waits."""
    if not os.fork():
        os.setsid()
    os.fork()
    while True:
        pass


def leaves_a_copy(problem: DealProblem) -> Any:
    """A copy works on for ever when the answer is there."""
    if not os.fork():
        while True:
            pass
    return _right(problem)


def lets_work(problem: DealProblem) -> Any:
    """The work is a child's."""
    child = os.fork()
    if not child:
        sum(range(3_000_000))
        os._exit(0)
    os.waitpid(child, 0)
    return _right(problem)


def leaves_a_worker(problem: DealProblem) -> Any:
    """A copy in a session of its own works while this one waits, and when the answer is there."""
    reading, writing = os.pipe()
    if not os.fork():
        os.setsid()
        sum(range(15_000_000))
        os.write(writing, b"!")
        while True:
            pass
    os.read(reading, 1)
    return _right(problem)


def counts(problem: DealProblem) -> Any:
    """Says how many problems it has been given, the small ones too."""
    raise LimitError(f"{len(_given)} problems")


_given: list[int] = []


def prints(problem: DealProblem) -> Any:
    """To standard output, by all ways."""
    print("a line of a solver")  # noqa: T201  # as solvers may
    os.write(1, b"another line of a solver\n")
    os.system("echo and of its shell")
    return _right(problem)


def exits(problem: DealProblem) -> Any:
    """Ends its process as if all were well."""
    sys.stdout.flush()
    os._exit(0)


def is_killed(problem: DealProblem) -> Any:
    """As by an error of memory in compiled code."""
    os.kill(os.getpid(), signal.SIGSEGV)


def fails(problem: DealProblem) -> Any:
    """Raises what is not allowed."""
    raise SystemExit(f"{problem.cards} cards")


def gives_up(problem: DealProblem) -> Any:
    """Raises what is allowed."""
    raise LimitError("too hard")


def answers_code(problem: DealProblem) -> Any:
    """No verdict, and nothing that may be read elsewhere."""

    class Trap:
        def __reduce__(self) -> Any:
            return os.abort, ()

        def __repr__(self) -> str:
            return "a trap"

    return Trap()


def leaves_a_daemon(problem: DealProblem) -> Any:
    """Ends its process, and what it started has a session of its own."""
    subprocess.Popen(["sleep", DAEMON], start_new_session=True)
    os._exit(0)


def says_too_much(problem: DealProblem) -> Any:
    """In lines of its own, and for the terminal to obey."""
    raise LimitError("\x1b[31mtoo hard\nquaternity: all is well\n" + "!" * 10**5)


def tells_its_limit(problem: DealProblem) -> Any:
    """Says how many bytes of data the system lets it have."""
    import resource

    raise LimitError(f"{resource.getrlimit(resource.RLIMIT_DATA)[0]} bytes")


_warm: list[int] = []


def slow_at_first(problem: DealProblem) -> Any:
    """Takes a second for its very first problem, as one does that imports much."""
    if not _warm:
        time.sleep(1)
    _warm.append(1)
    return _right(problem)


DAEMON = "86413"

WILD: tuple[Callable[[DealProblem], Any], ...] = (
    hangs, eats, asks_for_much, forks, leaves_a_copy, lets_work, prints, exits, is_killed, fails,
    gives_up, answers_code, leaves_a_daemon, says_too_much, tells_its_limit, leaves_a_worker,
    counts,
)  # fmt: skip
_BY_NAME = {one.__name__: one for one in WILD}


def wild(problem: DealProblem) -> Any:
    """All of them in one process: the first hand says which, counted from `SMALL` + 1."""
    _given.append(problem.cards)
    number = problem.hands[0] - SMALL - 1
    return WILD[number](problem) if 0 <= number < len(WILD) else _right(problem)


def __getattr__(name: str) -> Callable[[DealProblem], Any]:
    """`late_NAME`: right on small problems, and then as NAME."""
    function = _BY_NAME.get(name.removeprefix("late_"))
    if function is None:
        raise AttributeError(name)

    def late(problem: DealProblem) -> Any:
        return _right(problem) if problem.cards <= SMALL else function(problem)

    return late


@contextmanager
def registered(
    folder: Path, monkeypatch: pytest.MonkeyPatch, **entry_points: str
) -> Iterator[None]:
    """Have a distribution in a folder register solvers: by name, where each is found."""
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
