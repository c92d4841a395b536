"""Measurement of solvers: run every solver on every instance, time it and verify the verdicts.

Times are processor times, because wall-clock time depends on the other work of the machine. The
time of a solver includes its threads, and the time of an external solver also includes its child
processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain
from math import inf
from random import Random
from time import perf_counter
from typing import NamedTuple

from quaternity.base.errors import LimitError, OutOfMemory, SolverTimeout
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.state_file import any_text, problem_of
from quaternity.trials.comparison.run import NOT_RUN, Answer, Run
from quaternity.trials.comparison.sizes import size_name
from quaternity.trials.random_play import damage_state, random_states
from quaternity.workers.isolated_solvers import IsolatedSolver, time_run, warm_up
from quaternity.workers.isolated_solvers import Run as Timed
from quaternity.workers.pool import Pool, open_executor, ordered_map
from solvers.cross_check import compare_verdicts, crash_fault, quote_reason
from solvers.instances import make_pair
from solvers.problem import DealProblem
from solvers.random_problems import boundary_pair
from solvers.registry import solve
from solvers.solver import Solver
from solvers.verdict import Infeasible

STATES_PER_TASK = 10
"""Maximum number of game states in one task of a worker."""

STEP_SECONDS = 0.1
"""Seconds after which a worker returns its measurements and gets further work."""

MAX_CACHED_TASKS = 16
"""Maximum number of tasks whose game states a worker caches, to avoid making them again."""

BUDGET_SPENT = "its time budget was used up"
"""Reason that is reported for a solver that was not run because its time was used up."""


class InstanceRuns(NamedTuple):
    """Runs of all solvers on one problem (instance).

    Attributes:
        runs: The runs of each solver, one for each round. A solver without a valid answer has only
            one run.
        text: The instance, as the text of a file, if a solver gave a wrong answer or crashed.
            Otherwise None.
    """

    runs: tuple[Run, ...]
    text: str | None = None


@dataclass(slots=True)
class Budget:
    """Time budget of each solver, in wall-clock seconds.

    The last run of a solver that runs in this process may exceed the budget.

    Attributes:
        seconds: The budget of each solver. None means no limit.
        spent: Seconds that each solver has used.
    """

    seconds: float | None = None
    spent: dict[str, float] = field(default_factory=dict)

    def remaining(self, solver: str) -> float:
        """Return the seconds that a solver may still use."""
        return inf if self.seconds is None else self.seconds - self.spent.get(solver, 0.0)

    def charge(self, solver: str, seconds: float) -> None:
        """Subtract the time of a run from the budget of its solver."""
        self.spent[solver] = self.spent.get(solver, 0.0) + seconds


class Series(NamedTuple):
    """Deal problems of one family in several sizes. All of them are possible, or none is.

    Attributes:
        feasible: Whether the problems are possible.
        cards: The sizes, as numbers of cards in a problem, in ascending order.
        per_size: Number of problems of each size.
    """

    family: str
    feasible: bool
    cards: tuple[int, ...]
    per_size: int

    @property
    def names(self) -> list[str]:
        """The names of the problems."""
        kind = "possible" if self.feasible else "impossible"
        return [f"{self.family} {c} {kind} {n}" for c in self.cards for n in range(self.per_size)]

    def instance(self, number: int, seed: str) -> DealProblem:
        """Return the problem with the given number. The same seed gives the same problems."""
        place, turn = divmod(number, self.per_size)
        pair = make_pair(self.family, self.cards[place], Random(f"{seed} {turn}").getrandbits(32))
        return pair.possible if self.feasible else pair.impossible


@dataclass(frozen=True, slots=True)
class MeasuringTask:
    """A task for one process: measure solvers on some problems (instances).

    Attributes:
        source: Settings of random games, from which states are drawn; or states and deal problems;
            or a series of instances.
        states: Number of instances.
        damage: Fraction of the states whose constraints are tightened. Half of these states just
            barely have a deal, and the other half just barely have none.
        rounds: Number of runs of each solver on each state.
        seed: Random seed of the states.
        budget: Wall-clock seconds for all runs of one solver. None means no limit.
        limit: Wall-clock seconds for one run. None keeps the limits of the solvers.
        first: Number of the first state, for the names of states, which contain their numbers.
        done: Number of instances that an interrupted comparison has already measured.
        spent: Seconds that each solver has already used for these instances.
    """

    source: Settings | tuple[State | DealProblem, ...] | Series
    states: int
    damage: float
    rounds: int
    seed: str
    budget: float | None = None
    limit: float | None = None
    first: int = 0
    done: int = 0
    spent: tuple[tuple[str, float], ...] = ()

    @property
    def family(self) -> str:
        """The name of the family or the size of the games. Empty for states from files."""
        if isinstance(self.source, Series):
            return self.source.family
        return size_name(self.source) if isinstance(self.source, Settings) else ""

    @property
    def names(self) -> list[str]:
        """The names of the problems to solve. They are unique within a comparison."""
        if isinstance(self.source, Series):
            return self.source.names
        return [f"{self.family or 'state'} {self.first + n}" for n in range(self.states)]

    def instance(self, number: int) -> State | DealProblem:
        """Return the state or problem with the given number. Equal tasks give equal results."""
        if isinstance(self.source, Series):
            return self.source.instance(number, self.seed)
        return _make_states(self.source, self.states, self.damage, self.seed)[number]


@lru_cache(maxsize=MAX_CACHED_TASKS)
def _make_states(
    source: Settings | tuple[State | DealProblem, ...], count: int, damage: float, seed: str
) -> list[State | DealProblem]:
    random = Random(seed)
    states: list[State | DealProblem]
    if isinstance(source, Settings):
        states = [*random_states(source, random, count)]
    else:
        states = list(source)
    chosen = random.sample(range(len(states)), _share(damage * len(states), random))
    coin = random.random() < 0.5
    for turn, number in enumerate(chosen):
        state, possible = states[number], coin == turn % 2
        if isinstance(state, State):
            states[number] = damage_state(state, random, possible=possible)
        else:
            states[number] = boundary_pair(state, random)[not possible]
    return states


def _share(expected: float, random: Random) -> int:
    whole = int(expected)
    return whole + (random.random() < expected - whole)


def remaining_tasks(works: Iterable[MeasuringTask], runs: Sequence[Run]) -> Iterator[MeasuringTask]:
    """Yield the tasks that an interrupted comparison has not completed.

    For a partly finished task, the time that the solvers have spent on it is computed from its
    runs.
    """
    measured: dict[str, list[Run]] = {}
    for run in runs:
        measured.setdefault(run.instance, []).append(run)
    for work in works:
        finished = [measured[name] for name in work.names if name in measured]
        if len(finished) < work.states:
            used = Budget()
            for run in chain.from_iterable(finished):
                used.charge(run.solver, run.cost)
            yield replace(work, done=len(finished), spent=tuple(used.spent.items()))


def measure(work: MeasuringTask, solvers: Sequence[Solver]) -> list[InstanceRuns]:
    """Measure all solvers on all problems of a task in this process. Return their runs."""
    with open_executor() as pool:
        return list(iter_measurements([work], solvers, pool))


def iter_measurements(
    works: Iterable[MeasuringTask], solvers: Sequence[Solver], pool: Pool
) -> Iterator[InstanceRuns]:
    """Measure all solvers on the problems of all tasks in a pool. Yield the runs on each problem.

    The problems of one task share a time budget, so they are measured one after another.
    """
    remaining = _RemainingTasks(works)
    # Another process returns several measurements at once, because each transfer takes time.
    step = partial(
        _measure_next, solvers=solvers, seconds=STEP_SECONDS if pool.in_flight > 1 else 0.0
    )
    for measured, rest in ordered_map(pool, step, remaining):
        if rest.done < rest.states:
            remaining.appendleft(rest)
        yield from measured


class _RemainingTasks(deque[MeasuringTask]):
    """Queue that can be iterated over while tasks are added. Each yielded task is removed."""

    def __iter__(self) -> _RemainingTasks:
        return self

    def __next__(self) -> MeasuringTask:
        if not self:
            raise StopIteration
        return self.popleft()


def _measure_next(
    work: MeasuringTask, solvers: Sequence[Solver], seconds: float
) -> tuple[list[InstanceRuns], MeasuringTask]:
    """Measure the next problems of a task for some seconds, but at least one problem.

    Return their runs, and a task with the remaining problems.
    """
    prepare_solvers(solvers)
    if work.limit is not None:
        solvers = [solver.with_time_limit(work.limit) for solver in solvers]
    budget, done, begun = Budget(work.budget, dict(work.spent)), work.done, perf_counter()
    measurements: list[InstanceRuns] = []
    while not measurements or (done < work.states and perf_counter() - begun < seconds):
        instance, turned = work.instance(done), _rotate(solvers, done)
        name = work.names[done]
        measured = measure_state(instance, turned, work.rounds, budget, name, work.family)
        if isinstance(work.source, Series) and measured.runs[0].feasible is None:
            # No solver decided the instance, but its verdict is needed to group the instances.
            feasible = bool(solve(problem_of(instance)))
            runs = tuple(replace(run, feasible=feasible) for run in measured.runs)
            measured = measured._replace(runs=runs)
        measurements.append(measured)
        done += 1
    return measurements, replace(work, done=done, spent=tuple(budget.spent.items()))


def prepare_solvers(solvers: Iterable[Solver]) -> None:
    """Warm up all solvers, so that their imports are not measured."""
    import numpy  # noqa: F401  # the report needs it

    for solver in solvers:
        if isinstance(solver, IsolatedSolver):
            solver.start()
        else:
            _warm_up_once(solver)


@lru_cache(maxsize=64)
def _warm_up_once(solver: Solver) -> None:
    try:
        warm_up(solver)
    except KeyboardInterrupt:
        raise
    except BaseException:  # The error will occur again in the measurement, which reports it.
        return


def measure_state(
    state: State | DealProblem,
    solvers: Sequence[Solver],
    rounds: int = 1,
    budget: Budget | None = None,
    name: str = "state 0",
    family: str = "",
) -> InstanceRuns:
    """Measure the time of every solver on one problem, and verify all answers.

    Errors of a solver are part of the result.

    Args:
        state: A state, or a deal problem.
        solvers: The solvers. Call `prepare_solvers` first, so that their imports are not measured.
        rounds: Number of runs of each solver. From the second run on, a solver may use cached
            results.
        budget: The time budget of the solvers. The time of the runs is subtracted from it.
        family: Family of the instance (see `Run`).
    """
    problem = problem_of(state)
    meeting = _Measurement(problem, budget or Budget())
    taking = [solver for solver in solvers if meeting.accepts(solver)]
    certifying = {solver.name for solver in taking if solver.certifies}
    feasible: bool | None = None
    for _ in range(rounds):
        verdicts: dict[str, object] = {}
        taking = [solver for solver in taking if meeting.run_solver(solver, verdicts)]
        evidence, wrong = compare_verdicts(problem, verdicts, certifying)
        for fault in wrong:
            meeting.endings.setdefault(fault.solver, ("wrong", fault.text))
        if evidence is not None:
            feasible = bool(evidence)
        meeting.paired |= {
            solver
            for solver, verdict in verdicts.items()
            if isinstance(verdict, Infeasible) and verdict.shortage is None
        }
    about = partial(Run, name, family, problem.cards, problem.players, feasible)
    runs = tuple(meeting.rows(about, feasible))
    return InstanceRuns(runs, any_text(state) if any(run.at_fault for run in runs) else None)


class _Measurement:
    """A problem that is measured, with the results of all solvers so far.

    Attributes:
        timings: The runs of each solver that returned an answer.
        endings: How the run of each solver without a valid verdict ended, and why.
        paired: The solvers that judged the problem infeasible without evidence, while another
            solver gave evidence for the same verdict.
        spent: Wall-clock seconds of the last run of each solver that raised an error.
    """

    def __init__(self, problem: DealProblem, budget: Budget) -> None:
        self.problem, self.budget = problem, budget
        self.timings: dict[str, list[Timed]] = {}
        self.endings: dict[str, tuple[Answer, str]] = {}
        self.paired: set[str] = set()
        self.spent: dict[str, float] = {}

    def rows(self, about: Callable[..., Run], feasible: bool | None) -> Iterator[Run]:
        """Yield a `Run` for each run of a solver. A solver without a valid answer has only one."""
        for solver in dict.fromkeys([*self.timings, *self.endings]):
            timings = self.timings.get(solver, [])
            if solver in self.endings:
                answer, text = self.endings[solver]
                spent = sum(timing.build + timing.solve for timing in timings[:1])
                seconds = None if answer in NOT_RUN else self.spent.get(solver, spent)
                peak = max((t.peak for t in timings if t.peak is not None), default=None)
                yield about(solver, 0, answer, None, None, None, seconds, peak, text)
                continue
            answer = "feasible" if feasible else "infeasible"
            evidence = "deal" if feasible else "paired" if solver in self.paired else "shortage"
            for turn, (_, build, solving, peak) in enumerate(timings):
                yield about(
                    solver, turn, answer, evidence, build, solving, build + solving, peak, None
                )

    def check_budget(self, solver: str) -> bool:
        """Return whether a solver's time is used up. If it never ran, record that as the reason."""
        if self.budget.remaining(solver) > 0:
            return False
        if solver not in self.timings:
            self.endings.setdefault(solver, ("left out", BUDGET_SPENT))
        return True

    def accepts(self, solver: Solver) -> bool:
        if self.check_budget(solver.name):
            return False
        with self._guard(solver, pays=isinstance(solver, IsolatedSolver)) as ready:
            reason = ready.refuses(self.problem)
            if reason is None:
                return True
            self.endings[solver.name] = ("refused", quote_reason(reason))
        return False

    def run_solver(self, solver: Solver, verdicts: dict[str, object]) -> bool:
        """Run a solver and store its answer in `verdicts`. Return whether the run succeeded."""
        if self.check_budget(solver.name):
            return False
        with self._guard(solver) as ready:
            run = (
                ready.run(self.problem, warm=True)
                if isinstance(ready, IsolatedSolver)
                else time_run(ready, self.problem)
            )
            verdicts[solver.name] = run.answer
            self.timings.setdefault(solver.name, []).append(run)
            return True
        return False

    @contextmanager
    def _guard(self, solver: Solver, pays: bool = True) -> Iterator[Solver]:
        name, begun, remaining = solver.name, perf_counter(), self.budget.remaining(solver.name)
        cut = isinstance(solver, IsolatedSolver) and remaining < solver.limits.seconds
        try:
            yield solver.with_time_limit(remaining) if cut else solver
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.timings.pop(name, None)
            self.spent[name] = perf_counter() - begun
            self.endings.setdefault(name, _classify_error(name, error, cut))
        finally:
            if pays:
                self.budget.charge(name, perf_counter() - begun)


def _classify_error(solver: str, error: BaseException, cut: bool) -> tuple[Answer, str]:
    if isinstance(error, SolverTimeout):
        return ("left out", BUDGET_SPENT) if cut else ("timeout", quote_reason(error))
    if isinstance(error, LimitError):
        return "memory" if isinstance(error, OutOfMemory) else "gave up", quote_reason(error)
    return "crashed", crash_fault(solver, error).text


def _rotate(solvers: Sequence[Solver], number: int) -> list[Solver]:
    start = number % len(solvers)
    return [*solvers[start:], *solvers[:start]]
