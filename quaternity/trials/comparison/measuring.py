"""Every solver on every state: timed, and every verdict held against the evidence.

Times are processor time: of our own solvers that of the thread that runs them and of the searches
they give to a second one, for on a busy machine the clock on the wall measures the neighbours; of a
solver from elsewhere that of all its threads and children, in a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from random import Random
from time import perf_counter
from typing import NamedTuple

from quaternity.base.errors import LimitError, OutOfMemory, SolverTimeout
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.state_file import LoadedState, any_text, parse_any, problem_of
from quaternity.trials.random_play import damaged, states_of_games
from quaternity.workers.apart import Apart, timed, warm_up
from solvers.instances import twins
from solvers.judgement import Fault, crashed, said, weigh
from solvers.problem import DealProblem
from solvers.random_problems import brink
from solvers.registry import solve
from solvers.solver import Solver
from solvers.verdict import Infeasible

STATES_AT_ONCE = 10
"""States that are drawn from the same games and measured in one piece."""


class Timing(NamedTuple):
    """Seconds of processor time of one run: making the model, and solving it.

    Attributes:
        peak: most bytes of memory of a process of its own, or None.
    """

    build: float
    solve: float
    peak: int | None = None

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
        faults: every wrong or unproved verdict, and every crash.
        text: the state file of a state with faults.
        limits: per solver that gave up at a limit, which: "timeout" or "memory".
        paired: solvers that gave no evidence of an impossibility; a shortage of ours stands beside.
        spent: seconds by the clock of a solver's last run, where it was none that answered.
        name, family: of an instance of a family; both are empty otherwise.
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
    limits: Mapping[str, str] = field(default_factory=dict)
    paired: tuple[str, ...] = ()
    spent: Mapping[str, float] = field(default_factory=dict)
    name: str = ""
    family: str = ""


@dataclass(slots=True)
class Budget:
    """Seconds by the clock that each solver may use; the last run of one of ours may go beyond.

    Attributes:
        seconds: None: as much as it takes.
        spent: per solver.
    """

    seconds: float | None = None
    spent: dict[str, float] = field(default_factory=dict)

    def left(self, solver: str) -> float:
        """What a solver may still use."""
        return inf if self.seconds is None else self.seconds - self.spent.get(solver, 0.0)

    def pay(self, solver: str, seconds: float) -> None:
        """Count the time of a run."""
        self.spent[solver] = self.spent.get(solver, 0.0) + seconds


class Series(NamedTuple):
    """Instances of one family and kind, size after size.

    Attributes:
        family: one of `solvers.instances.FAMILIES`.
        feasible: whether they are possible, or their impossible twins.
        cards: the sizes, ascending.
        each: instances of each size.
    """

    family: str
    feasible: bool
    cards: tuple[int, ...]
    each: int

    def made(self, seed: str) -> Iterator[tuple[str, DealProblem]]:
        """Their names and problems; the same seed makes the same ones."""
        kind = "possible" if self.feasible else "impossible"
        for cards in self.cards:
            for number in range(self.each):
                pair = twins(self.family, cards, Random(f"{seed} {number}").getrandbits(32))
                yield f"{self.family} {cards} {kind} {number}", getattr(pair, kind)


@dataclass(frozen=True, slots=True)
class Work:
    """Some states to be measured in one piece, by one process.

    Attributes:
        source: the games to take states from, the texts of files of states and deal problems, or
            a series of instances, whose problems count as states.
        states: how many.
        damage: share of the states that are damaged: every other of them just possible, every
            other just not.
        rounds: how often each solver meets each state.
        seed: of states and damage.
        budget: seconds per solver, or None.
        limit: seconds by the clock of one run, or None.
    """

    source: Settings | tuple[str, ...] | Series
    states: int
    damage: float
    rounds: int
    seed: str
    budget: float | None = None
    limit: float | None = None

    def made(self) -> list[State | DealProblem]:
        """The states. The same work makes the same states."""
        if isinstance(self.source, Series):
            raise TypeError("a series has problems, not states")
        random = Random(self.seed)
        states: list[State | DealProblem]
        if isinstance(self.source, Settings):
            states = [*states_of_games(self.source, random, self.states)]
        else:
            read = map(parse_any, self.source)
            states = [one.state if isinstance(one, LoadedState) else one.problem for one in read]
        chosen = random.sample(range(len(states)), _share(self.damage * len(states), random))
        coin = random.random() < 0.5
        for turn, number in enumerate(chosen):
            one, possible = states[number], coin == turn % 2
            if isinstance(one, State):
                states[number] = damaged(one, random, possible=possible)
            else:
                states[number] = brink(one, random)[not possible]
        return states


def _share(expected: float, random: Random) -> int:
    """A whole number that is `expected` on average."""
    whole = int(expected)
    return whole + (random.random() < expected - whole)


def measure(work: Work, solvers: Sequence[Solver]) -> list[Measured]:
    """Make the states of some work and measure them. The solvers do their imports first."""
    return list(measured_states(work, solvers))


def measured_states(work: Work, solvers: Sequence[Solver]) -> Iterator[Measured]:
    """`measure`, one state after the other."""
    get_ready(solvers)
    if work.limit is not None:
        solvers = [solver.limited(work.limit) for solver in solvers]
    budget = Budget(work.budget)
    if isinstance(work.source, Series):
        for number, (name, problem) in enumerate(work.source.made(work.seed)):
            found = measure_state(problem, _turned(solvers, number), work.rounds, budget)
            if found.feasible is None:  # nobody decided it: what is so is known all the same
                found = replace(found, feasible=bool(solve(problem)))
            yield replace(found, name=name, family=work.source.family)
        return
    for number, state in enumerate(work.made()):
        yield measure_state(state, _turned(solvers, number), work.rounds, budget)


def get_ready(solvers: Iterable[Solver]) -> None:
    """Have every solver do its imports, so that nobody's are measured."""
    import numpy  # noqa: F401  # the report needs it

    for solver in solvers:
        if isinstance(solver, Apart):
            solver.start()
            continue
        try:
            warm_up(solver)
        except KeyboardInterrupt:
            raise
        except BaseException:  # what is wrong with it shows in the measurement
            continue


def measure_state(
    state: State | DealProblem,
    solvers: Sequence[Solver],
    rounds: int = 1,
    budget: Budget | None = None,
) -> Measured:
    """Time every solver on one state, and weigh all verdicts. No error of a solver gets out.

    Args:
        state: or a problem, as it is.
        solvers: with their limits, if they have any. Imports would count: `get_ready` first.
        rounds: how often each solver meets the state. From the second on it may remember the first.
        budget: what is spent of it is counted there.
    """
    problem = problem_of(state)
    found = _Meeting(problem, budget or Budget())
    taking = [solver for solver in solvers if found.takes(solver)]
    certifying = {solver.name for solver in taking if solver.certifies}
    feasible: bool | None = None
    for _ in range(rounds):
        verdicts: dict[str, object] = {}
        taking = [solver for solver in taking if found.asked(solver, verdicts)]
        evidence, wrong = weigh(problem, verdicts, certifying)
        found.faults.update(dict.fromkeys(wrong))
        if evidence is not None:
            feasible = bool(evidence)
        found.paired |= {
            name: None
            for name, given in verdicts.items()
            if isinstance(given, Infeasible) and given.shortage is None
        }
    return Measured(
        problem.cards,
        problem.players,
        feasible,
        {name: tuple(runs) for name, runs in found.timings.items() if runs},
        found.refused,
        found.gave_up,
        tuple(found.left_out),
        tuple(found.faults),
        any_text(state) if found.faults else None,
        found.limits,
        tuple(found.paired),
        found.spent,
    )


class _Meeting:
    """One problem and what became of every solver that met it; see `Measured`."""

    def __init__(self, problem: DealProblem, budget: Budget) -> None:
        self.problem, self.budget = problem, budget
        self.timings: dict[str, list[Timing]] = {}
        self.refused: dict[str, str] = {}
        self.gave_up: dict[str, str] = {}
        self.limits: dict[str, str] = {}
        self.left_out: list[str] = []
        self.faults: dict[Fault, None] = {}
        self.paired: dict[str, None] = {}
        self.spent: dict[str, float] = {}

    def takes(self, solver: Solver) -> bool:
        """Whether a solver takes the problem."""
        if self.budget.left(solver.name) <= 0:
            self.left_out.append(solver.name)
            return False
        with self._watched(solver, pays=isinstance(solver, Apart)) as ready:
            reason = ready.refuses(self.problem)
            if reason is None:
                return True
            self.refused[solver.name] = said(reason)
        return False

    def asked(self, solver: Solver, verdicts: dict[str, object]) -> bool:
        """Run a solver, and note what it gives; whether it may be run again."""
        name = solver.name
        if self.budget.left(name) <= 0:
            if name not in self.timings:
                self.left_out.append(name)
            return False
        with self._watched(solver) as ready:
            run = (
                ready.run(self.problem, warm=True)
                if isinstance(ready, Apart)
                else timed(ready, self.problem)
            )
            verdicts[name] = run.given
            self.timings.setdefault(name, []).append(Timing(*run[1:]))
            return True
        return False

    @contextmanager
    def _watched(self, solver: Solver, pays: bool = True) -> Iterator[Solver]:
        """The solver, with no more time than its budget has; what it takes is counted, and
        whatever it raises is noted.
        """
        name, begun, left = solver.name, perf_counter(), self.budget.left(solver.name)
        cut = isinstance(solver, Apart) and left < solver.limits.seconds
        try:
            yield solver.limited(left) if cut else solver
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.timings.pop(name, None)
            self.spent[name] = perf_counter() - begun
            if isinstance(error, SolverTimeout) and cut:
                self.left_out.append(name)
            elif isinstance(error, LimitError):
                self.gave_up[name] = said(error)
                for kind, word in ((SolverTimeout, "timeout"), (OutOfMemory, "memory")):
                    if isinstance(error, kind):
                        self.limits[name] = word
            else:
                self.faults[crashed(name, error)] = None
        finally:
            if pays:
                self.budget.pay(name, perf_counter() - begun)


def _turned(solvers: Sequence[Solver], number: int) -> list[Solver]:
    """The solvers from another one on, so that none always comes first."""
    start = number % len(solvers)
    return [*solvers[start:], *solvers[:start]]
