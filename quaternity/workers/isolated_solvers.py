"""Isolated solvers: each external solver runs in a separate process with limits.

    solver = isolate(find_solver("theirs"), Limits(seconds=10, memory=2000))
    judge(problem, [solver, SOLVERS["max-flow"]])

An isolated solver cannot harm the calling process, even if it hangs, crashes, allocates too much
memory, starts other processes or returns an invalid object. If it fails, the call raises a
`SolverTimeout`, an `OutOfMemory` or a `SolverCrash`, and the next problem gets a new process.
Processes that the solver started are ended when it answers, and their processor time counts as part
of the solver's time.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from quaternity.base.cp_sat_search import processor_time
from quaternity.base.errors import (
    LimitError,
    OutOfMemory,
    SolverCrash,
    SolverTimeout,
    UnsupportedProblem,
)
from quaternity.base.text_format import quote_value
from quaternity.workers.isolated_calls import IsolatedProcess, ProcessEnded
from quaternity.workers.notes import notes
from quaternity.workers.process_tree import descendants
from solvers.cross_check import quote_reason
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import find_solver
from solvers.solver import Solver
from solvers.verdict import Verdict, copy_verdict

START_SECONDS = 20.0
"""Minimum time limit for the imports and the warm-up of a solver, in seconds."""

MEGABYTE = 1 << 20


class Limits(NamedTuple):
    """Limits of an isolated solver.

    Attributes:
        seconds: Maximum wall-clock time for an answer, in seconds.
        memory: Maximum memory of the solver and the processes that it starts, in megabytes.
        patience: Maximum number of consecutive runs that are stopped at a limit. After that, the
            solver is not run again. None means no maximum.
    """

    seconds: float = 10.0
    memory: int = 4096
    patience: int | None = None


LIMITS = Limits()


class Run(NamedTuple):
    """The result of one run of a solver.

    Attributes:
        answer: The answer of the solver, or a `RemoteValue` if the solver ran in another process
            and its answer was not a verdict.
        build: Processor time to build the model, in seconds.
        solve: Processor time to solve the model, in seconds.
        peak: Peak memory of the solver's process during the run, including all libraries, in bytes.
            None if the solver ran in this process, or if the system does not report it.
    """

    answer: Any
    build: float
    solve: float
    peak: int | None = None


class RemoteValue:
    """Stand-in for a value in another process, with the same `repr` as the value."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


@dataclass(frozen=True, slots=True)
class IsolatedSolver(Solver):
    """A solver that runs in another process. Only its name and limits are pickled."""

    limits: Limits = LIMITS

    def __reduce__(self) -> tuple[Callable[..., Solver], tuple[Any, ...]]:
        return _unpickle, (self.name, self.limits)

    def with_time_limit(self, seconds: float) -> Solver:
        """Return the same solver with another time limit."""
        return isolate(self, self.limits._replace(seconds=seconds))

    def start(self) -> None:
        """Start the process and warm up the solver, so that its imports are not measured."""
        _process_of(self.name).start(self.limits)

    def run(self, problem: DealProblem, seconds: float | None = None, *, warm: bool = False) -> Run:
        """Run the solver once. `seconds` lowers the time limit if it is below that of the solver.

        If `warm` is true, the solver is warmed up first.

        Raises:
            SolverTimeout: If the time limit was reached.
            OutOfMemory: If the memory limit was reached.
            SolverCrash: If the solver raised any other error, or its process ended.
            LimitError: If the solver raised this error, or reached `Limits.patience`.
            UnsupportedProblem: If the solver raised this error.
        """
        limits = self.limits
        if seconds is not None:
            limits = limits._replace(seconds=min(seconds, limits.seconds))
        run = partial(_run_remotely, warm=warm)
        return Run(*_process_of(self.name).ask(run, self.name, problem, limits))


def isolate(solver: Solver, limits: Limits = LIMITS) -> IsolatedSolver:
    """Return a solver that runs the given solver in another process.

    Each thread uses one process per solver. Starting a process takes half a second plus the time of
    the imports. Each problem then takes a fraction of a millisecond more than in this process.
    """
    name = solver.name

    def refuses(problem: DealProblem) -> Any:
        return _process_of(name).ask(_refuse_remotely, name, problem, limits)

    def within(problem: DealProblem, seconds: float) -> Callable[[], Verdict]:
        return lambda: row.run(problem, seconds).answer

    def prepare(problem: DealProblem) -> Callable[[], Verdict]:
        return within(problem, limits.seconds)

    row = IsolatedSolver(
        name, solver.idea, prepare, solver.refuses if solver.accepts_all else refuses,
        solver.certifies, within, True, limits,
    )  # fmt: skip
    return row


def _unpickle(name: str, limits: Limits) -> IsolatedSolver:
    return isolate(find_solver(name), limits)


def time_run(
    solver: Solver,
    problem: DealProblem,
    clock: Callable[[], float] = processor_time,
    *,
    warm: bool = True,
) -> Run:
    """Run a solver once in this process, without garbage collection as in `timeit`.

    If `warm` is true, the solver is warmed up first, because another solver may have displaced its
    data from the processor's caches.
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
        answer = solve()
        ended = clock()
    finally:
        if collecting:
            gc.enable()
    return Run(answer, built - begun, ended - built)


def warm_up(solver: Solver) -> None:
    """Run a solver on two tiny problems, so that everything it needs is imported."""
    known = SetConstraint.of([[0, 1], [0, 1], [0]], players=2)
    for hands in ((2, 1), (0, 3)):
        problem = DealProblem(hands, [known])
        if solver.refuses(problem) is None:
            solver.prepare(problem)()


class _SolverProcess:
    """The process of one solver, with a count of runs that were stopped at a limit.

    Attributes:
        warm: Whether to warm the solver up when its process starts.
        losses: Number of consecutive runs that were stopped at a limit.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.process = IsolatedProcess("answer")
        self.warm = True
        self.losses = 0

    def start(self, limits: Limits) -> None:
        if self.process.is_running:
            return
        seconds, memory = max(limits.seconds, START_SECONDS), limits.memory * MEGABYTE
        try:
            self.process.call(
                _prepare_remotely, self.name, self.warm, seconds=seconds, memory=memory
            )
        except ProcessEnded:
            # The error will occur again when the solver runs, and is reported then.
            self.warm = False

    def ask(
        self, function: Callable[..., Any], name: str, problem: DealProblem, limits: Limits
    ) -> Any:
        if limits.patience is not None and self.losses >= limits.patience:
            raise LimitError(
                f"not run again, because it gave no answer {self.losses} times in a row"
            )
        self.start(limits)
        seconds, memory = limits.seconds, limits.memory * MEGABYTE
        try:
            kind, answer = self.process.call(
                function, name, problem, memory, seconds=seconds, memory=memory
            )
        except ProcessEnded as error:
            if not error.overdue and not error.too_large:
                raise SolverCrash(f"stopped unexpectedly: its process {error.how}") from None
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


_processes = threading.local()


def _process_of(name: str) -> _SolverProcess:
    homes: dict[str, _SolverProcess] = vars(_processes).setdefault("of", {})
    if name not in homes:
        homes[name] = _SolverProcess(name)
    return homes[name]


# ---------------------------------------------------------------------------- in the other process

_solvers: dict[str, Solver] = {}


def _solver(name: str) -> Solver:
    log = notes()
    assert log is not None, "this function must run in an isolated process"
    log.note_thinking(0)
    if name not in _solvers:
        _solvers[name] = find_solver(name)
    return _solvers[name]


def _prepare_remotely(name: str, warm: bool) -> None:
    with suppress(BaseException):
        row = _solver(name)
        if warm:
            warm_up(row)


def _refuse_remotely(name: str, problem: DealProblem, memory: int) -> tuple[Any, Any]:
    del memory

    def check(solver: Solver) -> str | None:
        reason = solver.refuses(problem)
        return None if reason is None else quote_reason(reason)

    return _catch_errors(name, check)


def _run_remotely(
    name: str, problem: DealProblem, memory: int, *, warm: bool = False
) -> tuple[Any, Any]:
    def run(solver: Solver) -> tuple[Any, float, float, int | None]:
        _limit_memory(memory)
        _reset_peak()
        answer, build, solve, _ = time_run(solver, problem, _total_processor_time, warm=warm)
        ended = _total_processor_time()
        _end_children()
        solve += _total_processor_time() - ended
        plain = copy_verdict(answer)
        return RemoteValue(quote_value(answer)) if plain is None else plain, build, solve, _peak()

    return _catch_errors(name, run)


def _catch_errors(name: str, call: Callable[[Solver], Any]) -> tuple[Any, Any]:
    """Call a function with a solver. Return (None, result), or (class, text) after an error."""
    try:
        return None, call(_solver(name))
    except SolverTimeout as error:
        return SolverTimeout, quote_reason(error)
    except LimitError as error:
        return LimitError, quote_reason(error)
    except UnsupportedProblem as error:
        return UnsupportedProblem, quote_reason(error)
    except MemoryError:
        return MemoryError, ""
    except BaseException as error:
        return SolverCrash, f"raised {quote_value(error)}"


def _limit_memory(memory: int) -> None:
    """Set a memory limit in the operating system, above the limit that the parent checks."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = 2 * memory + (1 << 30)
    if soft != limit and (hard == resource.RLIM_INFINITY or limit <= hard):
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _total_processor_time() -> float:
    import resource

    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def _end_children() -> None:
    """End the processes that a solver left behind, so that their time counts for this run."""
    while children := descendants(os.getpid())[1:]:
        for child in children:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _reset_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int | None:
    with suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    return None
