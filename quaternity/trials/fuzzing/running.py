"""Runs of fuzzing campaigns: batches of problems and games, in one process or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from time import monotonic

from quaternity.game.game import Game
from quaternity.game.saved_states import smallest_state
from quaternity.game.state import State
from quaternity.game.state_file import parse_state, state_text
from quaternity.trials.fuzzing.examples import MAX_EXAMPLE_MOVES, random_game, random_problem
from quaternity.trials.fuzzing.positions import game_finding
from quaternity.trials.fuzzing.tally import Finding, Shape, Tally
from quaternity.workers.pool import Pool, SerialExecutor, item_random, ordered_map
from solvers.cross_check import judge
from solvers.exchange.deal_problem_file import deal_problem_text
from solvers.problem import DealProblem
from solvers.solver import Solver

BATCH_SIZE = 100
"""Number of examples in a batch. Every tenth example is a game, and the others are problems."""

SHRINK_SECONDS = 30.0
"""Maximum time for simplifying a problem or game that reveals a fault, in seconds."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of random problems and games, on which solvers are tested.

    The contents depend only on `seed` and `number`. `seconds` is the time limit of the batch.
    """

    examples: int
    seed: int
    number: int
    seconds: float | None = None


def batches(examples: int | None, seconds: float | None, seed: int) -> Iterator[Batch]:
    """Yield batches of random examples until the examples or the seconds are used up.

    If `examples` or `seconds` is None, it is not limited.

    >>> [batch.examples for batch in batches(250, None, seed=1)]
    [100, 100, 50]
    """
    begun = monotonic()
    number, remaining, time_left = 0, examples, seconds
    while (remaining is None or remaining > 0) and (time_left is None or time_left > 0):
        size = BATCH_SIZE if remaining is None else min(BATCH_SIZE, remaining)
        yield Batch(size, seed, number, time_left)
        number += 1
        remaining = None if remaining is None else remaining - size
        time_left = None if seconds is None else seconds - (monotonic() - begun)


def run_campaign(
    solvers: Sequence[Solver],
    *,
    examples: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    tally: Tally | None = None,
    pool: Pool | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> Finding | None:
    """Test solvers on random problems and games. Return the first fault, or None if there is none.

    Args:
        solvers: The solvers to test. Worker processes find them by their names.
        examples: Number of examples.
        seconds: Time limit in seconds. Exactly one of `examples` and `seconds` must be set.
        tally: Tally of the judged examples, which is updated during the campaign. It is also valid
            after an interrupt.
        pool: The workers that run the campaign (see `quaternity.workers.pool`). By default, this
            process runs it.
        on_progress: Called after each update of the tally.
    """
    if (examples is None) == (seconds is None):
        raise ValueError("set exactly one of examples and seconds")
    total = tally if tally is not None else Tally()

    def count(part: Tally) -> None:
        total.add(part)
        on_progress()

    # In this process, each example is counted immediately. Workers return the counts of a whole
    # batch.
    task = partial(run_batch, solvers=solvers, on_example=count if pool is None else None)
    serial = Pool.around(SerialExecutor(), in_flight=1)
    for part, finding in ordered_map(pool or serial, task, batches(examples, seconds, seed)):
        if pool is not None:
            count(part)
        if finding is not None:
            return finding
    return None


def run_batch(
    batch: Batch, solvers: Sequence[Solver], on_example: Callable[[Tally], None] | None = None
) -> tuple[Tally, Finding | None]:
    """Return the tally of one batch, and a minimized example of its first fault.

    The example is None if no fault was found. If there is a fault, the tally counts only the
    examples before it.
    """
    begun = monotonic()
    total = Tally()
    random = item_random(batch.seed, batch.number)
    for index in range(batch.examples):
        if batch.seconds is not None and monotonic() - begun >= batch.seconds:
            break
        part = Tally()
        check = _game_example if index % 10 == 9 else _problem_example
        finding = check(random, solvers, part)
        if finding is not None:
            return total, finding
        total.add(part)
        if on_example is not None:
            on_example(part)
    return total, None


def _problem_example(random: Random, solvers: Sequence[Solver], part: Tally) -> Finding | None:
    kind, problem = random_problem(random)
    judgement = judge(problem, solvers)
    if judgement.faults:
        return _shrink_problem(problem, solvers)
    part.count_undecided(judgement)
    if judgement.feasible is not None:
        part.shapes[Shape.of(kind, problem, judgement.feasible)] += 1
    return None


def _game_example(random: Random, solvers: Sequence[Solver], part: Tally) -> Finding | None:
    game = random_game(random)
    finding = game_finding(game, solvers, part)
    if finding is None:
        part.shapes[Shape.of("game", game.states[0].problem, feasible=True)] += 1
        return None
    shown = parse_state(finding.state_file).state.problem
    if judge(shown, solvers).faults:
        return _shrink_problem(shown, solvers)
    return _shrink_game(finding, solvers)


def _shrink_problem(problem: DealProblem, solvers: Sequence[Solver]) -> Finding:
    size = max([constraint.size for constraint in problem.sets], default=0) or 1
    # The owners of completed sets do not affect the problem, so any owner will do.
    completed = tuple([None if constraint.size else 0 for constraint in problem.sets])
    state = State(problem, None, completed, size)
    state, text = smallest_state(state, solvers, SHRINK_SECONDS)
    file = state_text(state)
    # No game has this state, so the file contains only the deal problem.
    if parse_state(file).state.problem != state.problem:
        file = deal_problem_text(state.problem)
    return Finding("problem", text, file)


def _shrink_game(finding: Finding, solvers: Sequence[Solver]) -> Finding:
    from quaternity.trials.strategies import games
    from solvers.counterexample import smallest_counterexample

    def check(game: Game) -> Finding | None:
        return game_finding(game, solvers, Tally())

    smaller = smallest_counterexample(
        games(max_moves=MAX_EXAMPLE_MOVES),
        check,
        examples=200,
        random_seed=0,
        shrink_seconds=SHRINK_SECONDS,
    )
    return finding if smaller is None else smaller[1]
