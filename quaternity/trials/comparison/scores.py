"""Statistics of runs: PAR-2, virtual best, bootstrap intervals, cactus plots and profiles.

The functions take a table of times (`Times`), which contains the seconds of each solver on each
instance, or None if it was undecided. PAR-2 is the mean time, with twice the limit for each None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Times = Mapping[str, Sequence[float | None]]
"""Type of a mapping from each solver to its times on all instances, in seconds. The time is None
for an instance that the solver did not decide."""

Curve = list[tuple[float, float]]
"""Type of a step function, as a list of corners (x, y) in ascending order of x. The function has
the value y from x to the next corner."""

MIN_SECONDS = 1e-9
"""Minimum time in ratios and on logarithmic axes, in seconds. A measured time of 0 is replaced by
it."""

RESAMPLES = 1000
"""Number of bootstrap samples from which a confidence interval is computed."""


def par2(times: Iterable[float | None], limit: float) -> float:
    """Return the PAR-2 score: the mean time, with twice the limit for an undecided instance.

    A time of more than twice the limit counts as twice the limit, so a late answer is not worse
    than no answer.

    >>> par2([1.0, None, 100.0], 10)
    13.666666666666666
    """
    paid = _penalize(times, limit)
    return sum(paid) / len(paid)


def _penalize(times: Iterable[float | None], limit: float) -> list[float]:
    return [2 * limit if time is None else min(time, 2 * limit) for time in times]


def virtual_best(times: Times) -> list[float | None]:
    """Return the seconds of the fastest solver for each problem, or None if none decided it.

    >>> virtual_best({"a": [1.0, None, None], "b": [2.0, 3.0, None]})
    [1.0, 3.0, None]
    """
    return [
        min((c for c in column if c is not None), default=None)
        for column in zip(*times.values(), strict=True)
    ]


def rank_intervals(times: Times, limit: float, seed: int = 0) -> dict[str, tuple[int, int]]:
    """Return a 95 % confidence interval of each solver's rank by PAR-2, as a pair of ranks.

    The interval is computed by resampling the instances. This bootstrap method is that of Efron,
    *Bootstrap methods: another look at the jackknife* (1979). The running time is proportional to
    `RESAMPLES` times the number of solvers times the number of instances.
    """
    import numpy as np

    paid = [np.array(_penalize(column, limit)) for column in times.values()]
    totals = np.concatenate(
        [
            np.stack([column[chosen].sum(axis=1) for column in paid], axis=1)
            for chosen in _resamples(len(paid[0]), seed)
        ]
    )
    ranks = 1 + (totals[:, None, :] < totals[:, :, None]).sum(axis=2)
    low, high = np.percentile(ranks, [2.5, 97.5], axis=0, method="nearest")
    return {solver: (int(low[number]), int(high[number])) for number, solver in enumerate(times)}


def median_interval(values: Sequence[float], seed: int = 0) -> tuple[float, float] | None:
    """Return a 95 % confidence interval of the median of some values, by resampling the values.

    Return None if there are fewer than two values. The method is that of `rank_intervals`.
    """
    if len(values) < 2:
        return None
    import numpy as np

    array = np.array(values)
    medians = [np.median(array[chosen], axis=1) for chosen in _resamples(len(values), seed)]
    low, high = np.percentile(np.concatenate(medians), [2.5, 97.5])
    return float(low), float(high)


def _resamples(values: int, seed: int) -> Iterator[np.ndarray]:
    import numpy as np

    random = np.random.default_rng(abs(seed))
    block = max(1, 1_000_000 // values)
    for done in range(0, RESAMPLES, block):
        yield random.integers(values, size=(min(block, RESAMPLES - done), values))


def quantile(ascending: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of all values do not exceed.

    >>> quantile([1, 2, 3, 4], 0.5), quantile([1, 2, 3, 4], 0.95)
    (2, 4)
    """
    return ascending[max(1, ceil(share * len(ascending) - 1e-9)) - 1]


def cactus(times: Iterable[float | None]) -> Curve:
    """Return the points of a cactus plot, from the times of a solver on all problems.

    A point (k, s) means that the solver decides k of the problems in at most s seconds each.
    """
    decided = sorted(time for time in times if time is not None)
    return [(float(number), seconds) for number, seconds in enumerate(decided, start=1)]


def performance_profile(times: Times) -> dict[str, Curve]:
    """Return the points (r, share) of each solver's performance profile.

    `share` is the fraction of all problems on which the solver took at most r times as long as the
    fastest solver. Problems that the solver did not decide are not part of this fraction.

    The method is that of Dolan and Moré, *Benchmarking optimization software with performance
    profiles* (2002).
    """
    best = virtual_best(times)
    curves = {}
    for name, own in times.items():
        ratios = sorted(
            max(seconds, MIN_SECONDS) / max(fastest, MIN_SECONDS)
            for seconds, fastest in zip(own, best, strict=True)
            if seconds is not None and fastest is not None
        )
        curve: Curve = []
        for number, ratio in enumerate(ratios, start=1):
            if curve and curve[-1][0] == ratio:
                curve.pop()
            curve.append((ratio, number / len(own)))
        curves[name] = curve
    return curves
