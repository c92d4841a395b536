"""Estimates of the number of states, and of the time and disk space, that solving a game takes.

A level contains the states that are first reached after the same number of moves. Small levels are
expanded completely. Of a larger level with n states, only m random states are expanded. Let e be
the number of their transitions to new states, and d the number of distinct states that these reach.
If all u states of the next level were equally likely, then d would be u (1 - exp(-e / u)). This
equation gives u. All n states would then reach u (1 - exp(-(e n / m) / u)) states, which is the
estimated size of the next level. The next sample is drawn from the d states.

The estimate is too low if some states are reached more often than others, especially with small
samples. So the sample size is repeatedly multiplied by four. Sampling stops when the estimate
changes little, the sample is no longer small compared with the game, or time runs out. The estimate
is then assumed to grow once more by the last factor.

The result is rough, usually within a factor of 2.5. It may be many times too low if time ran out
before larger samples changed little (`Estimate.steady`).
"""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import asdict, dataclass
from math import exp
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.perfect.keys.arrays import Keys, contains, key_array
from quaternity.perfect.keys.canonical import Key, Rules, canonical, coding
from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.successors.many_states import expand

if TYPE_CHECKING:
    from quaternity.game.state import State
    from quaternity.perfect.successors.many_states import Expansion

SAMPLE = 1000
"""Maximum number of states of each level in the first sample. A level contains the states that are
first reached after the same number of moves."""

PATIENCE = 15.0
"""Time after which `estimate_game` stops sampling, in seconds."""

STEADY_GROWTH = 1.2
"""Sampling stops if the last enlargement of the sample raised the estimated number of states by
less than this factor."""

ENOUGH_SHARE = 20
"""Sampling stops if more than 1/20 of the estimated number of states has been examined."""

MAX_TIME_GROWTH = 5
"""If a sample is made four times as large, its time is assumed to grow by at most this factor."""

MOVES = 12
"""Maximum number of moves in a random game. Its last state is used as a random state."""

DRAWS = 3
"""Number of random questions drawn for each move of a random game. Illegal ones are dropped."""

VALUE_SHARE = 0.6
"""Ratio of the time for merging, numbering and evaluating states to the time for computing the
states that follow them."""

ANSWER_BYTES, QUESTION_BYTES = 4, 1
"""Sizes of an answer and of a question on disk, in bytes."""

STATE_BYTES = 7
"""Size of a state on disk in bytes, without its key."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rough estimate of the resources for solving a game.

    Attributes:
        states: number of canonical states.
        exact: whether `states` is the true number, because no level was sampled.
        finished: False if time ran out before the last level, so that all numbers are too low.
        seconds: time with one process, in seconds.
        disk: maximum size of the working files, in bytes. It is reached while the graph is written.
        steady: False if time ran out while larger samples still found many more states, so that all
            numbers may be many times too low.
    """

    states: int
    exact: bool
    seconds: float
    disk: int
    finished: bool = True
    steady: bool = True

    def document(self) -> dict[str, Any]:
        """Return the attributes as a dictionary of plain values for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        minutes = self.seconds / 60
        duration = f"{self.seconds:.0f} s" if minutes < 2 else f"{minutes:,.0f} min"
        about = "" if self.exact else "about "
        text = f"{about}{self.states:,} states, {duration}, {self.disk / 1e6:,.0f} MB on disk"
        if not self.finished:
            return f"{text} (or many times more, because time ran out before the last moves)"
        if not self.steady:
            return (
                f"{text} (or many times more, because larger samples still found more when time "
                "ran out)"
            )
        return text


def estimate(
    rules: Rules, start: Key, random: Random, sample: int = SAMPLE, patience: float = float("inf")
) -> Estimate:
    """Return an estimate of the time and space for solving a game.

    The game begins in the state with the key `start`.

    Args:
        sample: number of states examined in each level at first. A level contains the states after
            the same number of moves.
        patience: seconds after which sampling stops. The result may then be unfinished.
    """
    end = time.perf_counter() + patience
    size, best = sample, _take_samples(rules, start, random, sample, end)
    previous = best if best.exact else _take_samples(rules, start, random, max(1, sample // 4), end)
    while not best.exact and best.finished and previous.finished:
        growth = max(1.0, best.states / previous.states)
        if growth < STEADY_GROWTH or best.expanded * ENOUGH_SHARE > best.states:
            return best.estimate(growth)
        if best.taken * MAX_TIME_GROWTH > end - time.perf_counter():
            return best.estimate(growth, steady=False)
        size *= 4
        previous, best = best, _take_samples(rules, start, random, size, end)
        if not best.finished:
            return previous.estimate(growth, steady=False)
    return best.estimate(1.0)


def estimate_game(state: State) -> Estimate:
    """Return an estimate of the time and space for solving a game, within `PATIENCE` seconds."""
    rules = Rules.of(state)
    # States with many cards and players are expensive, so the sample is smaller for them.
    size = rules.set_size * rules.sets * rules.players
    sample = max(20, min(SAMPLE, SAMPLE * 48 // size))
    return estimate(rules, canonical(state).key, Random(0), sample, PATIENCE)


def is_larger(state: State, limit: int, random: Random) -> bool:
    """Return whether random games show that more than `limit` states can follow from a state.

    The result False proves nothing. A state without a canonical form raises an error, as in
    `canonical`.
    """
    # If there are N states, then n independent random states have at least n (n - 1) / 2 / N equal
    # pairs on average, however unevenly the states occur. A small number of equal pairs therefore
    # indicates a large N, here with an error below 1 in 1000.
    canonical(state)  # Raise an error for too many players before any game is played.
    seen, equal = Counter[Key](), 0
    for number in range(math.isqrt(40 * limit) + 1):
        later = state
        for _ in range(min(MOVES, 2 * state.sets) * DRAWS):
            card = Card(random.randrange(state.sets), random.randrange(state.set_size))
            if later.turn is None:
                break
            # Listing all legal questions takes far longer than drawing a few illegal ones.
            question = Question(later.turn, random.randrange(state.players), card)
            if answers := later.legal_questions.answers(question):
                later = later.after_legal(question, random.choice(answers))
        key = canonical(later).key
        equal += seen[key]
        seen[key] += 1
        pairs = number * (number + 1) / 2
        if pairs > limit * (equal + 3 * math.sqrt(equal) + 8):
            return True
        if equal > 2 * pairs / limit + 20:
            break
    return False


class _SampleResult(NamedTuple):
    """The result of sampling all levels (states after the same number of moves) once.

    The samples contained `expanded` states. Sampling took `taken` seconds.
    """

    states: float
    exact: bool
    finished: bool
    seconds: float
    disk: float
    expanded: int
    taken: float

    def estimate(self, growth: float, steady: bool = True) -> Estimate:
        return Estimate(
            round(self.states * growth),
            self.exact and self.finished,
            self.seconds * growth,
            round(self.disk * growth),
            self.finished,
            steady,
        )


def _take_samples(
    rules: Rules, start: Key, random: Random, sample: int, end: float
) -> _SampleResult:
    """Return samples of all levels, taken until the time `end` (of `time.perf_counter`)."""
    code, orders = coding(rules), len(role_orders(rules.players)[0])
    started = time.perf_counter()
    level = key_array(code, [start])
    seen = level
    size, total, disk, largest, seconds, exact = 1.0, 1.0, 0.0, 0.0, 0.0, True
    finished, expanded_states = True, 0
    while len(level):
        if time.perf_counter() > end:
            finished = False
            break
        sampled = level
        if len(level) > sample:
            exact = False
            rows = np.array(sorted(random.sample(range(len(level)), sample)))
            sampled = level[rows]
        began = time.perf_counter()
        result = expand((rules, sampled))
        scale = size / len(sampled)
        seconds += (time.perf_counter() - began) * scale
        expanded_states += len(sampled)
        bytes_taken = len(result.asked) * QUESTION_BYTES + len(result.outcomes) * ANSWER_BYTES
        disk += bytes_taken * scale
        largest = max(largest, (bytes_taken + len(result.keys) * code.words * 8) * scale)
        level, reached = _new_states(result, seen, orders)
        seen = np.union1d(seen, level)
        size = float(len(level)) if exact else _extrapolate(len(level), reached, scale)
        total += size
        if size < 1:
            break
    # The key of each state is stored twice: with the known states and in its level. The questions
    # and answers of the largest level are also stored twice, with the keys that its portions lead
    # to. (The states of a sample share fewer successors than those of a portion, so this is too
    # high.)
    disk += 2 * total * code.words * 8 + total * STATE_BYTES + largest
    taken = time.perf_counter() - started
    duration = seconds * (1 + VALUE_SHARE)
    return _SampleResult(total, exact, finished, duration, disk, expanded_states, taken)


def _new_states(result: Expansion, seen: Keys, orders: int) -> tuple[Keys, int]:
    """Return the states that are not in `seen`, and the number of transitions to them.

    A transition is a pair (state, next state). Several moves between them count once.
    """
    groups, states = result.counts.shape
    parent = np.repeat(np.tile(np.arange(states), groups), result.counts.ravel())
    answers = np.arange(len(result.outcomes))
    # The yes answers to open questions come last.
    answers[len(parent) :] -= len(answers) - len(parent)
    leads = np.stack([parent[answers], result.outcomes // orders], 1)
    targets = np.unique(leads, axis=0)[:, 1]
    fresh = ~contains(seen, result.keys)
    return result.keys[fresh], int(fresh[targets].sum())


def _extrapolate(distinct: int, reached: int, scale: float) -> float:
    """Estimate how many new states all states of a level lead to, from a sample of the level.

    A level contains the states after the same number of moves. The sample led to `distinct` states
    by `reached` transitions. The level is `scale` times as large as the sample.
    """
    if distinct == reached:
        return distinct * scale
    low, high = float(distinct), float(distinct) * max(2, reached) ** 2
    for _ in range(100):
        middle = (low + high) / 2
        if middle * (1 - exp(-reached / middle)) < distinct:
            low = middle
        else:
            high = middle
    return low * (1 - exp(-reached * scale / low))
