"""Solvers from elsewhere, each in a process of its own under limits of time and memory.

    row = apart(find_solver("theirs"), Limits(seconds=10, memory=2000))
    judge(problem, [row, SOLVERS["max-flow"]])

Whatever such a solver does (hangs, also in compiled code; eats memory, forks, prints, ends its
process, raises or answers anything), nobody else suffers: it becomes a `SolverTimeout`, an
`OutOfMemory` or a `SolverCrash`, and its next problem finds a new process. What it starts ends with
its answer; processor time of all that counts as the solver's. What comes back is a verdict of plain
numbers: none of its code runs here.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from quaternity.base.errors import (
    LimitError,
    OutOfMemory,
    SolverCrash,
    SolverTimeout,
    UnsupportedProblem,
)
from quaternity.base.interruptible import processor_time
from quaternity.base.wording import shown
from quaternity.workers.notes import notes
from quaternity.workers.own_process import OwnProcess, ProcessEnded
from quaternity.workers.process_tree import descendants
from solvers.judgement import said
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import find_solver
from solvers.solver import Solver
from solvers.verdict import Verdict, plain_verdict

START_SECONDS = 20.0
"""Minimum time that a solver has for its imports and its first two problems, in seconds."""

MEGABYTE = 1 << 20


class Limits(NamedTuple):
    """The limits of a solver.

    Attributes:
        seconds: by the clock, for an answer.
        memory: megabytes, with the processes it starts.
        patience: after so many limits reached in a row it is not asked any more; None: never.
    """

    seconds: float = 10.0
    memory: int = 4096
    patience: int | None = None


LIMITS = Limits()


class Run(NamedTuple):
    """One run of a solver.

    Attributes:
        given: what it answered; from another process a verdict of plain numbers, or what is shown
            as it was there.
        build, solve: seconds of processor time of making the model, and of solving it.
        peak: most bytes of memory of its process meanwhile, all libraries included; None where the
            run was here, or the system does not tell.
    """

    given: Any
    build: float
    solve: float
    peak: int | None = None


class Shown:
    """A value that cannot come over from another process, as it was shown there."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


@dataclass(frozen=True, slots=True)
class Apart(Solver):
    """A row whose solver runs in another process. Pickled as its name and its limits."""

    limits: Limits = LIMITS

    def __reduce__(self) -> tuple[Callable[..., Solver], tuple[Any, ...]]:
        return _found_again, (self.name, self.limits)

    def limited(self, seconds: float) -> Solver:
        """Return the same under another limit of time."""
        return apart(self, self.limits._replace(seconds=seconds))

    def start(self) -> None:
        """Have the process ready, its imports done, so that no run pays for that."""
        _home(self.name).start(self.limits)

    def run(self, problem: DealProblem, seconds: float | None = None, *, warm: bool = False) -> Run:
        """Run once, within `seconds` if they are fewer than the limit; warmed up before if `warm`.

        Raises:
            SolverTimeout, OutOfMemory: a limit was reached.
            SolverCrash: it raised something else, or ended its process.
            LimitError, UnsupportedProblem: as the solver.
        """
        limits = self.limits
        if seconds is not None:
            limits = limits._replace(seconds=min(seconds, limits.seconds))
        return Run(*_home(self.name).ask(_ran_warm if warm else _ran, self.name, problem, limits))


def apart(solver: Solver, limits: Limits = LIMITS) -> Apart:
    """Return the row of a solver that runs in another process, where it is found by its name.

    Cost: half a second to start the process, one for each solver and thread, and its imports; a
    fraction of a millisecond a problem.
    """
    name = solver.name

    def refuses(problem: DealProblem) -> Any:
        return _home(name).ask(_refused, name, problem, limits)

    def within(problem: DealProblem, seconds: float) -> Callable[[], Verdict]:
        return lambda: row.run(problem, seconds).given

    def prepare(problem: DealProblem) -> Callable[[], Verdict]:
        return within(problem, limits.seconds)

    row = Apart(
        name, solver.idea, prepare, solver.refuses if solver.takes_all else refuses,
        solver.certifies, within, True, limits,
    )  # fmt: skip
    return row


def _found_again(name: str, limits: Limits) -> Apart:
    return apart(find_solver(name), limits)


def timed(
    solver: Solver,
    problem: DealProblem,
    clock: Callable[[], float] = processor_time,
    *,
    warm: bool = True,
) -> Run:
    """Run once, here. The garbage collector waits, as in `timeit`: its turn would hit anybody.

    `warm` warms the solver up before: whoever ran last has emptied the caches.
    """
    if warm:
        with suppress(Exception):
            warm_up(solver)
    collecting = gc.isenabled()
    gc.disable()
    try:
        begun = clock()
        solve = solver.prepare(problem)
        built = clock()
        given = solve()
        ended = clock()
    finally:
        if collecting:
            gc.enable()
    return Run(given, built - begun, ended - built)


def warm_up(solver: Solver) -> None:
    """Run a solver on two tiny problems, so that its imports are not measured."""
    known = SetConstraint.of([[0, 1], [0, 1], [0]], players=2)
    for hands in ((2, 1), (0, 3)):
        problem = DealProblem(hands, [known])
        if solver.refuses(problem) is None:
            solver.prepare(problem)()


class _Home:
    """The process of one solver, and how it went so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.process = OwnProcess("answer")
        self.warm = True
        self.losses = 0

    def start(self, limits: Limits) -> None:
        """Have the process running, the solver loaded, and warm if that went well before."""
        if self.process.is_running:
            return
        seconds, memory = max(limits.seconds, START_SECONDS), limits.memory * MEGABYTE
        try:
            self.process.call(_begin, self.name, self.warm, seconds=seconds, memory=memory)
        except ProcessEnded:
            self.warm = False  # what is wrong with it shows when it is asked

    def ask(
        self, function: Callable[..., Any], name: str, problem: DealProblem, limits: Limits
    ) -> Any:
        """Return what a function gives in the process; raise as `Apart.run`."""
        if limits.patience is not None and self.losses >= limits.patience:
            raise LimitError(f"not asked any more: no answer {self.losses} times in a row")
        self.start(limits)
        seconds, memory = limits.seconds, limits.memory * MEGABYTE
        try:
            kind, answer = self.process.call(
                function, name, problem, memory, seconds=seconds, memory=memory
            )
        except ProcessEnded as error:
            if not error.overdue and not error.too_large:
                raise SolverCrash(f"ended its process, which {error.how}") from None
            kind, answer = SolverTimeout, f"no answer within the limit of {seconds:g} s"
            if error.too_large:
                kind = MemoryError
        self.losses = self.losses + 1 if kind in (SolverTimeout, MemoryError) else 0
        if kind is MemoryError:
            self.process.end()
            raise OutOfMemory(f"no answer within the limit of {limits.memory} MB of memory")
        if kind is not None:
            raise kind(answer)
        return answer


_homes = threading.local()


def _home(name: str) -> _Home:
    homes: dict[str, _Home] = vars(_homes).setdefault("of", {})
    if name not in homes:
        homes[name] = _Home(name)
    return homes[name]


# ---------------------------------------------------------------------------- the other side

_rows: dict[str, Solver] = {}


def _row(name: str) -> Solver:
    log = notes()
    assert log is not None, "in a process of its own"
    log.thinks(0)
    if name not in _rows:
        _rows[name] = find_solver(name)
    return _rows[name]


def _begin(name: str, warm: bool) -> None:
    with suppress(BaseException):
        row = _row(name)
        if warm:
            warm_up(row)


def _refused(name: str, problem: DealProblem, memory: int) -> tuple[Any, Any]:
    del memory

    def look(solver: Solver) -> str | None:
        reason = solver.refuses(problem)
        return None if reason is None else said(reason)

    return _caught(name, look)


def _ran_warm(name: str, problem: DealProblem, memory: int) -> tuple[Any, Any]:
    return _ran(name, problem, memory, warm=True)


def _ran(name: str, problem: DealProblem, memory: int, *, warm: bool = False) -> tuple[Any, Any]:
    def run(solver: Solver) -> tuple[Any, float, float, int | None]:
        _keep_small(memory)
        _forget_peak()
        given, build, solve, _ = timed(solver, problem, _time_of_all, warm=warm)
        ended = _time_of_all()
        _end_children()
        solve += _time_of_all() - ended
        plain = plain_verdict(given)
        return Shown(shown(given)) if plain is None else plain, build, solve, _peak()

    return _caught(name, run)


def _caught(name: str, call: Callable[[Solver], Any]) -> tuple[Any, Any]:
    """Return the kind of error and its text; or None, and what a call gave."""
    try:
        return None, call(_row(name))
    except SolverTimeout as error:
        return SolverTimeout, said(error)
    except LimitError as error:
        return LimitError, said(error)
    except UnsupportedProblem as error:
        return UnsupportedProblem, said(error)
    except MemoryError:
        return MemoryError, ""
    except BaseException as error:
        return SolverCrash, f"raised {shown(error)}"


def _keep_small(memory: int) -> None:
    """Set a limit that the system keeps; the other side looks at what is used first."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = 2 * memory + (1 << 30)
    if soft != most and (hard == resource.RLIM_INFINITY or most <= hard):
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _time_of_all() -> float:
    """Seconds of processor time of this process, all its threads, and its children that ended."""
    import resource

    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def _end_children() -> None:
    """End what a solver has left running, so that its time is known and nobody else's."""
    while children := descendants(os.getpid())[1:]:
        for child in children:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _forget_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int | None:
    with suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    return None
