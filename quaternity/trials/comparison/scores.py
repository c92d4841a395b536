"""The field's ways to look at many runs: PAR-2, the virtual best solver, ranks, and two curves.

Everything here is about one table: per solver the seconds it took on each instance, in one order of
the instances for all, None where it did not decide within the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Times = Mapping[str, Sequence[float | None]]
"""Per solver seconds by instance; None: not decided."""

Curve = list[tuple[float, float]]
"""Corners of a step function, ascending: (x, value from x on)."""

LEAST_SECONDS = 1e-9
"""What is below counts as this where times are divided: a coarse clock may have seen nothing."""

RESAMPLES = 1000
"""Bootstrap resamples of the ranks."""


class Score(NamedTuple):
    """What the table says of one solver.

    Attributes:
        solver: its name.
        decided: on how many instances it answered within the limit.
        par2: see `par2`.
        fastest: on how many instances nobody was faster.
        alone: how many instances only it decided.
        contribution: how many seconds worse the virtual best solver's PAR-2 were without it.
        rank: by PAR-2, 1 for the best; equal scores share the smaller rank.
        rank_interval: 95 % bootstrap interval of the rank.
    """

    solver: str
    decided: int
    par2: float
    fastest: int
    alone: int
    contribution: float
    rank: int
    rank_interval: tuple[int, int]


def par2(times: Iterable[float | None], limit: float) -> float:
    """The mean of the seconds, where an instance that was not decided counts twice the limit.

    Nothing counts more: who answers after the limit is no worse than who never answers.

    >>> par2([1.0, None, 100.0], 10)
    13.666666666666666
    """
    paid = _paid(times, limit)
    return sum(paid) / len(paid)


def _paid(times: Iterable[float | None], limit: float) -> list[float]:
    return [2 * limit if one is None else min(one, 2 * limit) for one in times]


def virtual_best(times: Times) -> list[float | None]:
    """Per instance the seconds of whoever was fastest there; None where nobody decided.

    >>> virtual_best({"a": [1.0, None, None], "b": [2.0, 3.0, None]})
    [1.0, 3.0, None]
    """
    return [
        min((one for one in column if one is not None), default=None)
        for column in zip(*times.values(), strict=True)
    ]


def scores(times: Times, limit: float, seed: int = 0) -> list[Score]:
    """One score per solver, best rank first.

    Args:
        times: at least one instance.
        limit: seconds an instance that was not decided is taken to have cost, halved.
        seed: of the bootstrap over instances.

    Cost: `RESAMPLES` x solvers x instances.
    """
    best = virtual_best(times)
    best_par2 = par2(best, limit)
    own_par2 = {solver: par2(own, limit) for solver, own in times.items()}
    intervals = _rank_intervals(times, limit, seed)
    found = []
    for solver, own in times.items():
        others = {name: column for name, column in times.items() if name != solver}
        without = virtual_best(others) if others else [None] * len(best)
        decided = [(mine, least) for mine, least in zip(own, best, strict=True) if mine is not None]
        found.append(
            Score(
                solver,
                len(decided),
                own_par2[solver],
                sum(mine == least for mine, least in decided),
                sum(
                    mine is not None and rest is None
                    for mine, rest in zip(own, without, strict=True)
                ),
                par2(without, limit) - best_par2,
                1 + sum(score < own_par2[solver] for score in own_par2.values()),
                intervals[solver],
            )
        )
    return sorted(found, key=lambda score: (score.rank, score.solver))


def _rank_intervals(times: Times, limit: float, seed: int) -> dict[str, tuple[int, int]]:
    """The 95 % bootstrap interval of each solver's rank: other instances of the same kind.

    Source: Efron, *Bootstrap methods: another look at the jackknife* (1979).
    """
    import numpy as np

    paid = np.array([_paid(column, limit) for column in times.values()])
    random = np.random.default_rng(abs(seed))
    instances = paid.shape[1]
    drawn = random.multinomial(instances, np.full(instances, 1 / instances), size=RESAMPLES)
    totals = drawn @ paid.T
    ranks = 1 + (totals[:, None, :] < totals[:, :, None]).sum(axis=2)
    low, high = np.percentile(ranks, [2.5, 97.5], axis=0, method="nearest")
    return {solver: (int(low[number]), int(high[number])) for number, solver in enumerate(times)}


def cactus(times: Iterable[float | None]) -> Curve:
    """Points (k, seconds): with that much time for each instance, the solver decides k of them."""
    decided = sorted(one for one in times if one is not None)
    return [(float(number), seconds) for number, seconds in enumerate(decided, start=1)]


def performance_profile(times: Times) -> dict[str, Curve]:
    """Per solver the points (r, share): on that share of all instances it took at most r times as
    long as the quickest solver there. One that it did not decide never counts for it.

    Source: Dolan and Moré, *Benchmarking optimization software with performance profiles* (2002).
    """
    best = virtual_best(times)
    curves = {}
    for name, own in times.items():
        ratios = sorted(
            max(mine, LEAST_SECONDS) / max(least, LEAST_SECONDS)
            for mine, least in zip(own, best, strict=True)
            if mine is not None and least is not None
        )
        curve: Curve = []
        for number, ratio in enumerate(ratios, start=1):
            if curve and curve[-1][0] == ratio:
                curve.pop()
            curve.append((ratio, number / len(own)))
        curves[name] = curve
    return curves
