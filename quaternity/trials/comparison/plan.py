"""Plans of comparisons: the instances from random games, files or families, and how to run them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.text_format import with_noun
from quaternity.game.settings import Settings
from quaternity.game.state_file import any_text
from quaternity.trials.comparison.measuring import STATES_PER_TASK, MeasuringTask, Series
from quaternity.trials.comparison.runs import Comparison, machine
from quaternity.trials.comparison.sizes import Sweep, sweep_sizes
from quaternity.trials.comparison.summary import rounds_for
from solvers.cross_check import OWN_CHECKS
from solvers.instances import MIN_CARDS
from solvers.registry import solver_version

if TYPE_CHECKING:
    from quaternity.game.state import State
    from quaternity.trials.comparison.run import Run
    from solvers import DealProblem, Solver

MAX_STATES = 100_000
STATES, STATES_OF_A_SWEEP = 100, 30
BUDGET_OF_A_SWEEP = 10.0
DAMAGE = 0.5

CARDS = "12,20,32,52,80,120,200"
EACH = 2
BUDGET = 60.0
"""Default limit of a solver's total time on all families of problems, in seconds."""
MAX_INSTANCE_CARDS, MAX_INSTANCES_EACH = 10_000, 1000


class RunOptions(NamedTuple):
    """Options for running the solvers of a comparison.

    Attributes:
        seed: the random seed of the instances.
        limit: the time limit of a run, in seconds.
        repeats: the number of runs of each solver on each instance. None means as many as are
            needed to compute a median.
        budget: the total time of each solver in seconds, or None for the default.
    """

    seed: int
    limit: float
    repeats: int | None = None
    budget: float | None = None


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """Plan of a comparison: the tasks, a description of their problems, and the options."""

    tasks: list[MeasuringTask]
    description: str
    options: RunOptions

    def comparison(
        self, runs: Sequence[Run], solvers: Iterable[Solver], command: str, finished: bool = False
    ) -> Comparison:
        """Return a comparison with the given runs, and with everything needed to repeat them."""
        versions = {solver.name: solver_version(solver.name) for solver in solvers}
        if any(run.solver == OWN_CHECKS for run in runs):
            versions[OWN_CHECKS] = "checks of evidence"
        lists = [t.source for t in self.tasks if not isinstance(t.source, Settings | Series)]
        texts = [any_text(state) for state in chain.from_iterable(lists)]
        return Comparison(
            self.description, self.options.seed, self.options.limit, command, machine(), versions,
            runs, plan=sha256(repr((self.tasks, texts)).encode()).hexdigest()[:16],
            finished=finished,
        )  # fmt: skip


def plan_games(
    base: tuple[int | None, int | None, int | None], sweep: tuple[str, str] | None,
    states: int | None, damage: float, options: RunOptions,
) -> ComparisonPlan:  # fmt: skip
    """Create a plan that measures solvers on states of random games.

    `base` is the size of a game: the set size, the number of sets and the number of players. To
    vary one of these numbers, pass a pair as `sweep`: its name, and a range of values such as
    "2..8".
    """
    if states is not None and not 1 <= states <= MAX_STATES:
        raise InputError(f"states: {states} is out of range 1..{MAX_STATES}")
    seed, limit, repeats, budget = options
    set_size, sets, players = (
        default if value is None else value for value, default in zip(base, (4, 3, 3), strict=True)
    )
    if sweep is not None:
        count = states or STATES_OF_A_SWEEP
        swept = Sweep.parse(*sweep)
        place = {"set-size": 0, "sets": 1, "players": 2}[swept.parameter]
        if base[place] is not None:
            raise InputError(f"--{swept.parameter}: cannot be set if the sweep varies it")
        sizes = sweep_sizes((set_size, sets, players), swept)
        rounds, share = repeats or rounds_for(count), budget or BUDGET_OF_A_SWEEP
        tasks = [
            MeasuringTask(size, count, damage, rounds, f"{seed} {size}", share, limit)
            for size in sizes
        ]
        text = f"{with_noun(count, 'state')} for each of {with_noun(len(sizes), 'size')} of games"
        return ComparisonPlan(tasks, text, options)
    size = Settings(set_size, sets, players)
    count = states or STATES
    starts = range(0, count, STATES_PER_TASK)
    rounds, part = repeats or rounds_for(count), budget and budget / len(starts)
    tasks = [
        MeasuringTask(
            size, min(STATES_PER_TASK, count - start), damage, rounds, f"{seed} {size} {number}",
            part, limit, start,
        )
        for number, start in enumerate(starts)
    ]  # fmt: skip
    return ComparisonPlan(tasks, f"states of {set_size}-{sets}-{players} games", options)


def plan_states(
    states: Sequence[State | DealProblem], description: str, damage: float, options: RunOptions
) -> ComparisonPlan:
    """Create a plan that measures solvers on the given game states and deal problems."""
    if not states:
        raise InputError("no states to measure")
    starts = range(0, len(states), STATES_PER_TASK)
    rounds, part = options.repeats or rounds_for(len(states)), options.budget
    tasks = [
        MeasuringTask(
            piece, len(piece), damage, rounds, f"{options.seed} {number}",
            part and part / len(starts), options.limit, start,
        )
        for number, start in enumerate(starts)
        for piece in [tuple(states[start : start + STATES_PER_TASK])]
    ]  # fmt: skip
    return ComparisonPlan(tasks, description, options)


def plan_families(
    families: Sequence[str], cards: str | None, each: int | None, options: RunOptions
) -> ComparisonPlan:
    """Create a plan for possible and impossible instances of problem families, in several sizes.

    `cards` lists the sizes, such as `12,52`. `each` is the number of possible and of impossible
    instances of each size. Raise `InputError` if one of these numbers is out of range.
    """
    cards = CARDS if cards is None else cards
    count_each = EACH if each is None else each
    share = (BUDGET if options.budget is None else options.budget) / (2 * len(families))
    sizes: list[int] = []
    for text in map(str.strip, cards.split(",")):
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise InputError(f"cards: must be a number, not {text!r}")
        if not MIN_CARDS <= int(text) <= MAX_INSTANCE_CARDS:
            raise InputError(f"cards: {text} is out of range {MIN_CARDS}..{MAX_INSTANCE_CARDS}")
        if int(text) in sizes:
            raise InputError(f"cards: {text} is named twice")
        sizes.append(int(text))
    if not 1 <= count_each <= MAX_INSTANCES_EACH:
        raise InputError(f"each: {count_each} is out of range 1..{MAX_INSTANCES_EACH}")
    tasks = [
        MeasuringTask(
            Series(family, feasible, tuple(sorted(sizes)), count_each), len(sizes) * count_each,
            0.0, options.repeats or 1, str(options.seed), share, options.limit,
        )
        for family in families
        for feasible in (True, False)
    ]  # fmt: skip
    count = "1 family" if len(families) == 1 else f"{len(families)} families"
    return ComparisonPlan(tasks, f"{count}, {cards} cards", options)
