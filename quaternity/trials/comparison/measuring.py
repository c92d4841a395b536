"""Every solver on every state: timed, and every verdict held against the evidence.

Times are processor time of the thread that runs the solver and of the searches it gives to a second
one: on a busy machine the clock on the wall measures the neighbours, and processor time of the
whole process measures the other threads of a worker. Threads that a solver from outside starts by
itself are not seen, so give it one.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from time import perf_counter
from typing import NamedTuple

from quaternity.errors import LimitError
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.state_file import parse_state, state_text
from quaternity.trials.comparison.time_limit import Overtime, time_limit
from quaternity.trials.random_play import damaged, states_of_games
from solvers.interruptible import processor_time
from solvers.judgement import Fault, crashed, said, weigh
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import SOLVERS, Solver
from solvers.verdict import Verdict

STATES_AT_ONCE = 10
"""States that are drawn from the same games and measured in one piece."""


WARM_UP_SECONDS = 10.0
"""What a solver from outside has for its imports, at the least."""


class Timing(NamedTuple):
    """Seconds of processor time of one run: making the model, and solving it."""

    build: float
    solve: float

    @property
    def total(self) -> float:
        """Both steps."""
        return self.build + self.solve


@dataclass(frozen=True, slots=True)
class Measured:
    """One state as all solvers saw it.

    Attributes:
        cards, players: its size, completed sets not counted.
        feasible: the verdict that stands; None when nobody gave one.
        timings: per solver that answered, one per round.
        refused, gave_up: per solver that did not, why.
        left_out: solvers whose budget was spent.
        faults: every wrong or unproved verdict.
        text: the state file of a state with faults.
    """

    cards: int
    players: int
    feasible: bool | None
    timings: Mapping[str, tuple[Timing, ...]]
    refused: Mapping[str, str]
    gave_up: Mapping[str, str]
    left_out: tuple[str, ...]
    faults: tuple[Fault, ...]
    text: str | None = None


@dataclass(slots=True)
class Budget:
    """Seconds by the clock that each solver may use; a solver's last run may go beyond.

    Attributes:
        seconds: None: as much as it takes.
        spent: per solver.
    """

    seconds: float | None = None
    spent: dict[str, float] = field(default_factory=dict)

    def is_spent(self, solver: str) -> bool:
        """Whether a solver has used all of it."""
        return self.seconds is not None and self.spent.get(solver, 0.0) >= self.seconds

    def pay(self, solver: str, seconds: float) -> None:
        """Count the time of a run."""
        self.spent[solver] = self.spent.get(solver, 0.0) + seconds


@dataclass(frozen=True, slots=True)
class Work:
    """Some states to be measured in one piece, by one process.

    Attributes:
        source: the games to take states from, or the texts of state files.
        states: how many, where games are played.
        damage: share of the states that are damaged: every other of them just possible, every
            other just not.
        rounds: how often each solver meets each state.
        seed: of states and damage.
        budget: seconds per solver, or None.
        limit: seconds by the clock of one run, or None.
    """

    source: Settings | tuple[str, ...]
    states: int
    damage: float
    rounds: int
    seed: str
    budget: float | None = None
    limit: float | None = None

    def made(self) -> list[State]:
        """The states. The same work makes the same states."""
        random = Random(self.seed)
        if isinstance(self.source, Settings):
            states = states_of_games(self.source, random, self.states)
        else:
            states = [parse_state(text).state for text in self.source]
        chosen = random.sample(range(len(states)), _share(self.damage * len(states), random))
        coin = random.random() < 0.5
        for turn, number in enumerate(chosen):
            states[number] = damaged(states[number], random, possible=coin == turn % 2)
        return states


def _share(expected: float, random: Random) -> int:
    """A whole number that is `expected` on average."""
    whole = int(expected)
    return whole + (random.random() < expected - whole)


def measure(work: Work, solvers: Sequence[Solver]) -> list[Measured]:
    """Make the states of some work and measure them. The solvers are warmed up first."""
    return list(measured_states(work, solvers))


def measured_states(work: Work, solvers: Sequence[Solver]) -> Iterator[Measured]:
    """`measure`, one state after the other."""
    warm_up(solvers, work.limit)
    if work.limit is not None:
        solvers = [solver.limited(work.limit) for solver in solvers]
    budget = Budget(work.budget)
    for number, state in enumerate(work.made()):
        yield measure_state(state, _turned(solvers, number), work.rounds, budget, work.limit)


def warm_up(solvers: Iterable[Solver], limit: float | None = None) -> None:
    """Run every solver on two tiny problems, so that nobody's imports are measured.

    An import that is cut off leaves a broken module behind. So our own solvers may take as long as
    they need, and others, which come after them, at least `WARM_UP_SECONDS`.
    """
    import numpy  # noqa: F401  # the report needs it

    known = SetConstraint.of([[0, 1], [0, 1], [0]], players=2)
    problems = [DealProblem(hands, [known]) for hands in ((2, 1), (0, 3))]
    seconds = None if limit is None else max(limit, WARM_UP_SECONDS)
    for solver in sorted(solvers, key=lambda one: one.name not in SOLVERS):
        try:
            with time_limit(None if solver.name in SOLVERS else seconds):
                for problem in problems:
                    if solver.refuses(problem) is None:
                        solver.prepare(problem)()
        except KeyboardInterrupt:
            raise
        except BaseException:  # what is wrong with it shows in the measurement
            continue


def measure_state(
    state: State,
    solvers: Sequence[Solver],
    rounds: int = 1,
    budget: Budget | None = None,
    limit: float | None = None,
) -> Measured:
    """Time every solver on one state, and weigh all verdicts. No error of a solver gets out.

    Args:
        rounds: how often each solver meets the state. From the second on it may remember the first.
        budget: what is spent of it is counted there.
        limit: seconds by the clock of one run, or None. Past it the run is ended, as far as that
            can be (see `time_limit`), and the solver gave up. Imports would count: `warm_up` first.
    """
    budget = budget or Budget()
    problem = state.problem
    timings: dict[str, list[Timing]] = {}
    refused: dict[str, str] = {}
    gave_up: dict[str, str] = {}
    left_out: list[str] = []
    faults: dict[Fault, None] = {}
    feasible: bool | None = None
    taking = list(_taking(problem, solvers, limit, refused, gave_up, faults))
    certifying = {solver.name for solver in taking if solver.certifies}
    for _ in range(rounds):
        verdicts: dict[str, object] = {}
        for solver in tuple(taking):
            if budget.is_spent(solver.name):
                taking.remove(solver)
                if solver.name not in timings:
                    left_out.append(solver.name)
                continue
            begun = perf_counter()
            try:
                with time_limit(limit):
                    verdict, timing = _timed(solver, problem)
                verdicts[solver.name] = verdict
                timings.setdefault(solver.name, []).append(timing)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                taking.remove(solver)
                timings.pop(solver.name, None)
                if isinstance(error, Overtime):
                    gave_up[solver.name] = _too_long(limit)
                elif isinstance(error, LimitError):
                    gave_up[solver.name] = said(error)
                else:
                    faults[crashed(solver.name, error)] = None
            budget.pay(solver.name, perf_counter() - begun)
        evidence, wrong = weigh(problem, verdicts, certifying)
        faults.update(dict.fromkeys(wrong))
        if evidence is not None:
            feasible = bool(evidence)
    return Measured(
        problem.cards,
        problem.players,
        feasible,
        {name: tuple(runs) for name, runs in timings.items()},
        refused,
        gave_up,
        tuple(left_out),
        tuple(faults),
        state_text(state) if faults else None,
    )


def _taking(
    problem: DealProblem,
    solvers: Sequence[Solver],
    limit: float | None,
    refused: dict[str, str],
    gave_up: dict[str, str],
    faults: dict[Fault, None],
) -> Iterator[Solver]:
    """The solvers that take the problem; the others are noted."""
    for solver in solvers:
        try:
            with time_limit(limit):
                reason = solver.refuses(problem)
        except Overtime:
            gave_up[solver.name] = _too_long(limit)
            continue
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            faults[crashed(solver.name, error)] = None
            continue
        if reason is None:
            yield solver
        else:
            refused[solver.name] = said(reason)


def _too_long(limit: float | None) -> str:
    return f"no answer within the limit of {limit:g} s"


def _timed(solver: Solver, problem: DealProblem) -> tuple[Verdict, Timing]:
    """One run. The garbage collector waits, as in `timeit`: its turn would hit anybody."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        begun = processor_time()
        run = solver.prepare(problem)
        built = processor_time()
        verdict = run()
        ended = processor_time()
    finally:
        if collecting:
            gc.enable()
    return verdict, Timing(built - begun, ended - built)


def _turned(solvers: Sequence[Solver], number: int) -> list[Solver]:
    """The solvers from another one on, so that none always comes first."""
    start = number % len(solvers)
    return [*solvers[start:], *solvers[:start]]


__all__ = [
    "STATES_AT_ONCE", "Budget", "Measured", "Timing", "Work", "measure", "measure_state",
    "measured_states", "warm_up",
]  # fmt: skip
