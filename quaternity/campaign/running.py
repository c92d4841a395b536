"""Campaigns: batches of random examples, one after another or in many processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from time import time

from quaternity.campaign.positions import game_finding
from quaternity.campaign.tally import Finding, Tally
from quaternity.game import Game
from quaternity.state import State
from quaternity.state_file import state_text
from quaternity.workers import Pool, SerialExecutor, ordered_map
from solvers.judgement import judge
from solvers.problem import DealProblem
from solvers.registry import Solver

PROBLEMS_AT_ONCE, GAMES_AT_ONCE = 45, 5
"""Examples of a batch of problems, and of the batch of games after it."""

MOST_MOVES = 12
"""Most moves of a random game."""

SHRINK_SECONDS = 30.0
"""How long a finding is made smaller at most, by each of two methods."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A part of a campaign: so many examples of one kind.

    Attributes:
        games: games instead of problems.
        examples: how many.
        seed: of these examples.
        until: the time (seconds since 1970) after which nothing more is looked at, or None.
    """

    games: bool
    examples: int
    seed: int
    until: float | None = None


def batches(examples: int | None, until: float | None, seed: int) -> Iterator[Batch]:
    """The batches of a campaign: so many examples, or for ever.

    Problems and games take turns, nine problems for each game.

    >>> [(batch.games, batch.examples) for batch in batches(70, None, seed=1)]
    [(False, 45), (True, 5), (False, 18), (True, 2)]
    """
    number, left = 0, examples
    whole = PROBLEMS_AT_ONCE + GAMES_AT_ONCE
    while left is None or left > 0:
        size = whole if left is None else min(whole, left)
        games = size * GAMES_AT_ONCE // whole
        for is_games, share in ((False, size - games), (True, games)):
            if share:
                yield Batch(is_games, share, seed * 1_000_003 + 2 * number + is_games, until)
        number += 1
        left = None if left is None else left - size


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
    """Look for disagreements until one is found, or the examples or the seconds are used up.

    Args:
        solvers: to be held against each other and the evidence. In other processes they are found
            by name.
        examples, seconds: exactly one of them.
        seed: the same seed draws the same examples.
        tally: what is looked at is counted here, as it goes; so it is right after an interrupt.
        pool: where it runs (default: here); see `quaternity.workers`.
        on_progress: called whenever the tally has grown.

    Returns the first finding, or None.
    """
    if (examples is None) == (seconds is None):
        raise ValueError("exactly one of examples and seconds is needed")
    total = tally if tally is not None else Tally()
    until = None if seconds is None else time() + seconds

    def count(part: Tally) -> None:
        total.add(part)
        on_progress()

    # Here every example is counted at once; from elsewhere the counts come back with the batch.
    task = partial(run_batch, solvers=solvers, on_example=count if pool is None else None)
    here = Pool.around(SerialExecutor(), in_flight=1)
    results = ordered_map(pool or here, task, batches(examples, until, seed))
    for part, finding in results:
        if pool is not None:
            count(part)
        if finding is not None:
            return finding
        if until is not None and time() >= until:
            break
    return None


def run_batch(
    batch: Batch, solvers: Sequence[Solver], on_example: Callable[[Tally], None] | None = None
) -> tuple[Tally, Finding | None]:
    """One batch: what it looked at, and the smallest finding or None.

    Examples that only serve to make a finding smaller are not counted.
    """
    from quaternity.strategies import games
    from solvers.counterexample import smallest_counterexample
    from solvers.strategies import deal_problems

    hunt = _Hunt(batch, solvers, on_example or (lambda tally: None))
    if batch.games:
        in_game = smallest_counterexample(
            games(max_moves=MOST_MOVES),
            hunt.game,
            examples=batch.examples,
            random_seed=batch.seed,
            shrink_seconds=SHRINK_SECONDS,
        )
        return hunt.tally, None if in_game is None else in_game[1]
    in_problem = smallest_counterexample(
        deal_problems(same_size=True),
        hunt.problem,
        examples=batch.examples,
        random_seed=batch.seed,
        shrink_seconds=SHRINK_SECONDS,
    )
    return hunt.tally, None if in_problem is None else _smallest(in_problem[0], hunt.solvers)


class _Hunt:
    """Looks at the examples of a batch. Once something is found, only at the solvers at fault."""

    def __init__(
        self, batch: Batch, solvers: Sequence[Solver], on_example: Callable[[Tally], None]
    ) -> None:
        self.batch, self.solvers, self.on_example = batch, list(solvers), on_example
        self.tally = Tally()
        self.found = False

    def problem(self, problem: DealProblem) -> set[str] | None:
        """The solvers at fault on a problem, or None."""
        if self._is_late():
            return None
        judgement = judge(problem, self.solvers)
        if judgement.faults:
            guilty = {fault.solver for fault in judgement.faults}
            self.found = True
            self.solvers = [one for one in self.solvers if one.name in guilty]
            return guilty
        part = Tally()
        part.judged(judgement)
        part.counts["feasible" if judgement.feasible else "infeasible"] += 1
        self._count(part)
        return None

    def game(self, game: Game) -> Finding | None:
        """What is wrong with a game, or None."""
        if self._is_late():
            return None
        part = Tally()
        finding = game_finding(game, self.solvers, part)
        if finding is not None:
            self.found = True
            return finding
        part.counts["games"] += 1
        self._count(part)
        return None

    def _is_late(self) -> bool:
        until = self.batch.until
        return not self.found and until is not None and time() >= until

    def _count(self, part: Tally) -> None:
        if not self.found:
            self.tally.add(part)
            self.on_example(part)


def _smallest(problem: DealProblem, guilty: Sequence[Solver]) -> Finding:
    """The finding of a problem, which is made smaller still: by what problems are made of."""
    from solvers.reduction import reduced

    problem = reduced(
        problem,
        lambda smaller: bool(judge(smaller, guilty).faults),
        same_size=True,
        seconds=SHRINK_SECONDS,
    )
    sets = problem.sets
    state = State(problem, None, (None,) * len(sets), sets[0].size)
    return Finding("problem", judge(problem, guilty).in_words(), state_text(state))


__all__ = ["GAMES_AT_ONCE", "PROBLEMS_AT_ONCE", "Batch", "batches", "run_batch", "run_campaign"]
