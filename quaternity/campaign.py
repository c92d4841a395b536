"""A campaign of random problems and random games in which the solvers must never disagree.

Problems are judged by every solver (`solvers.judgement`): verdicts agree, each stands on evidence.
Of a game every position is taken apart: it must be possible; every candidate for a question and
its answer is put to every solver, and the engine's legal questions must be what they say; no set
in play may be owned for certain by one player; and the player on turn must have a question.

What is found is made as small as can be and becomes a state. Everything is drawn by Hypothesis, in
batches with seeds of their own, so that a campaign with a seed can be repeated, wherever it runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import time
from typing import TYPE_CHECKING

from quaternity.game import Game
from quaternity.legal import problem_after
from quaternity.question import Answer
from quaternity.random_play import with_problem
from quaternity.state import State
from quaternity.state_file import state_text
from quaternity.workers import Pool, SerialExecutor, ordered_map
from solvers.judgement import Judgement, judge
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import Solver

if TYPE_CHECKING:
    from quaternity.question import Question

PROBLEMS_AT_ONCE, GAMES_AT_ONCE = 90, 10
"""Examples of a batch of problems, and of the batch of games after it."""

MOST_MOVES = 12
"""Most moves of a random game."""

SHRINK_SECONDS = 60.0
"""How long a finding is made smaller at most."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A disagreement, or a verdict or a rule that does not stand.

    Attributes:
        where: "problem" or "game".
        text: sentences that say what is wrong.
        state_file: the text of a state file that shows it, made as small as could be.
        moves: of a game, the moves that led there.
    """

    where: str
    text: str
    state_file: str
    moves: tuple[str, ...] = ()


@dataclass(slots=True)
class Tally:
    """What was looked at.

    Attributes:
        counts: feasible and infeasible problems, games, positions, candidates (of questions with
            answers), each by name.
        refused, gave_up: per solver, how many problems it did not decide, candidates included.
    """

    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    gave_up: Counter[str] = field(default_factory=Counter)

    @property
    def examples(self) -> int:
        """Problems and games."""
        return self.counts["feasible"] + self.counts["infeasible"] + self.counts["games"]

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.counts += other.counts
        self.refused += other.refused
        self.gave_up += other.gave_up

    def judged(self, judgement: Judgement) -> None:
        """Count who did not decide a problem."""
        self.refused.update(judgement.refused.keys())
        self.gave_up.update(judgement.gave_up.keys())


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


Result = tuple[Tally, Finding | None]


def batches(examples: int | None, until: float | None, seed: int) -> Iterator[Batch]:
    """The batches of a campaign: so many examples, or for ever.

    Problems and games take turns, nine problems for each game.

    >>> [(batch.games, batch.examples) for batch in batches(120, None, seed=1)]
    [(False, 90), (True, 10), (False, 18), (True, 2)]
    """
    number, left = 0, examples
    while left is None or left > 0:
        whole = PROBLEMS_AT_ONCE + GAMES_AT_ONCE
        size = whole if left is None else min(whole, left)
        games = size * GAMES_AT_ONCE // whole
        for is_games, share in ((False, size - games), (True, games)):
            if share:
                yield Batch(is_games, share, seed + 2 * number + is_games, until)
        number += 1
        left = None if left is None else left - size


def run_campaign(
    solvers: Sequence[Solver],
    *,
    examples: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    pool: Pool | None = None,
    on_batch: Callable[[Tally], None] = lambda tally: None,
) -> Result:
    """Look for disagreements until one is found, or the examples or the seconds are used up.

    Args:
        solvers: to be held against each other and the evidence. In other processes they are found
            by name.
        examples, seconds: exactly one of them.
        seed: the same seed draws the same examples.
        pool: where it runs (default: here); see `quaternity.workers`.
        on_batch: called with everything counted so far after each batch.

    Returns the tally, and the first finding or None.
    """
    if (examples is None) == (seconds is None):
        raise ValueError("exactly one of examples and seconds is needed")
    until = None if seconds is None else time() + seconds
    tally = Tally()
    work = batches(examples, until, seed * 1_000_003)
    results = ordered_map(pool or SerialExecutor(), partial(run_batch, solvers=solvers), work)
    for part, finding in results:
        tally.add(part)
        on_batch(tally)
        if finding is not None:
            return tally, finding
        if until is not None and time() >= until:
            break
    return tally, None


def run_batch(batch: Batch, solvers: Sequence[Solver]) -> Result:
    """One batch; see `run_campaign`. The tally leaves out what making a finding smaller takes."""
    from quaternity.strategies import games
    from solvers.counterexample import smallest_counterexample
    from solvers.strategies import deal_problems

    tally = Tally()
    found = False

    def in_time() -> bool:
        return found or batch.until is None or time() < batch.until

    def look_at_problem(problem: DealProblem) -> Finding | None:
        nonlocal found
        if not in_time():
            return None
        judgement = judge(problem, solvers)
        if judgement.faults:
            found = True
            return problem_finding(problem, judgement)
        if not found:
            tally.judged(judgement)
            tally.counts["feasible" if judgement.feasible else "infeasible"] += 1
        return None

    def look_at_game(game: Game) -> Finding | None:
        nonlocal found
        if not in_time():
            return None
        part = Tally()
        finding = game_finding(game, solvers, part)
        if finding is not None:
            found = True
        elif not found:
            part.counts["games"] += 1
            tally.add(part)
        return finding

    limits = {
        "examples": batch.examples,
        "random_seed": batch.seed,
        "shrink_seconds": SHRINK_SECONDS,
    }
    if batch.games:
        in_game = smallest_counterexample(games(max_moves=MOST_MOVES), look_at_game, **limits)
        return tally, None if in_game is None else in_game[1]
    problems = deal_problems(same_size=True)
    in_problem = smallest_counterexample(problems, look_at_problem, **limits)
    return tally, None if in_problem is None else in_problem[1]


def problem_finding(problem: DealProblem, judgement: Judgement) -> Finding:
    """The finding of a problem whose sets all have the same size, of at least 1."""
    sizes = {one.size for one in problem.sets}
    state = State(problem, None, (None,) * len(problem.sets), sizes.pop())
    return Finding("problem", _faults(judgement), state_text(state))


def game_finding(game: Game, solvers: Sequence[Solver], tally: Tally) -> Finding | None:
    """The first thing wrong with the positions of a game, or None."""
    for number, state in enumerate(game.states):
        fault = position_fault(state, solvers, tally)
        if fault is not None:
            text, shown = fault
            moves = tuple(map(str, game.moves[:number]))
            return Finding("game", text, state_text(shown), moves)
    return None


def position_fault(
    state: State, solvers: Sequence[Solver], tally: Tally
) -> tuple[str, State] | None:
    """What is wrong with a position of a game, and a state that shows it; None when all is well.

    Cost: a run of every solver per candidate for a question and an answer, interchangeable cards
    taken together.
    """
    tally.counts["positions"] += 1
    judgement = judge(state.problem, solvers)
    tally.judged(judgement)
    if judgement.faults:
        return _faults(judgement), state
    if not judgement.feasible:
        return "a position reached by legal moves is judged infeasible", state
    if not state.is_over and not state.legal_questions:
        return f"player {state.turn} is on turn and has no question to ask", state
    return _question_fault(state, solvers, tally) or _completion_fault(state, solvers, tally)


def _question_fault(
    state: State, solvers: Sequence[Solver], tally: Tally
) -> tuple[str, State] | None:
    """The engine's legal questions and answers, against every solver's view of each candidate."""
    found = dict(state.legal_questions.items())
    for question, changed, answer in _candidates(state):
        judgement = judge(changed, solvers)
        tally.judged(judgement)
        tally.counts["candidates"] += 1
        if judgement.faults:
            return f"after '{question}: {answer}' {_faults(judgement)}", with_problem(
                state, changed
            )
        if (answer in found.get(question, ())) != judgement.feasible:
            word = "legal" if judgement.feasible else "not legal"
            return (
                f"'{question}: {answer}' is {word} by the evidence, but not to the engine"
                if judgement.feasible
                else f"'{question}: {answer}' is {word} by the evidence, but legal to the engine",
                state,
            )
    return None


def _candidates(state: State) -> Iterator[tuple[Question, DealProblem, Answer]]:
    """Every question and answer whose legality is for the solvers to say, cards alike but one."""
    from quaternity.cards import Card
    from quaternity.question import Question

    asker, problem = state.turn, state.problem
    if asker is None:
        return
    for index, one in enumerate(problem.sets):
        alike: Mapping[int, int] = {mask: card for card, mask in enumerate(one.owners)}
        for card in alike.values():
            for asked, hand in enumerate(problem.hands):
                if asked != asker and hand:
                    question = Question(asker, asked, Card(index, card))
                    for answer in Answer:
                        changed = problem_after(problem, asker, asked, index, card, answer)
                        yield question, changed, answer


def _completion_fault(
    state: State, solvers: Sequence[Solver], tally: Tally
) -> tuple[str, State] | None:
    """A set in play that one player owns in every deal: it should have been put down."""
    for index, one in enumerate(state.problem.sets):
        for player in range(state.players):
            if not one.size or not all(mask >> player & 1 for mask in one.owners):
                continue
            high = (*one.high[:player], one.size - 1, *one.high[player + 1 :])
            fewer = SetConstraint(one.owners, one.low, high)
            changed = state.problem.with_set(index, fewer)
            judgement = judge(changed, solvers)
            tally.judged(judgement)
            if judgement.faults:
                return _faults(judgement), with_problem(state, changed)
            if not judgement.feasible:
                return f"player {player} owns all of set {index}, and it is not completed", state
    return None


def _faults(judgement: Judgement) -> str:
    return "; ".join(map(str, judgement.faults))


__all__ = [
    "Batch", "Finding", "Tally", "batches", "position_fault", "problem_finding", "run_batch",
    "run_campaign",
]  # fmt: skip
