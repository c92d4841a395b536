"""The field's ways to look at many runs: PAR-2, virtual best, bootstrap intervals, two curves.

Everything here is about one table: per solver the seconds it took on each instance, in one order of
the instances for all, None where it did not decide within the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Times = Mapping[str, Sequence[float | None]]
"""Per solver seconds by instance; None: not decided."""

Curve = list[tuple[float, float]]
"""Corners of a step function, ascending: (x, value from x on)."""

MIN_SECONDS = 1e-9
"""Minimum time in a quotient or on a logarithmic axis, in seconds; a coarse clock may measure 0."""

RESAMPLES = 1000
"""Bootstrap resamples of an interval."""


def par2(times: Iterable[float | None], limit: float) -> float:
    """Give the mean of the seconds, where an instance that was not decided counts twice the limit.

    Nothing counts more: who answers after the limit is no worse than who never answers.

    >>> par2([1.0, None, 100.0], 10)
    13.666666666666666
    """
    paid = _paid(times, limit)
    return sum(paid) / len(paid)


def _paid(times: Iterable[float | None], limit: float) -> list[float]:
    return [2 * limit if time is None else min(time, 2 * limit) for time in times]


def virtual_best(times: Times) -> list[float | None]:
    """Per instance the seconds of whoever was fastest there; None where nobody decided.

    >>> virtual_best({"a": [1.0, None, None], "b": [2.0, 3.0, None]})
    [1.0, 3.0, None]
    """
    return [
        min((c for c in column if c is not None), default=None)
        for column in zip(*times.values(), strict=True)
    ]


def rank_intervals(times: Times, limit: float, seed: int = 0) -> dict[str, tuple[int, int]]:
    """Return the 95 % bootstrap interval of each solver's rank: other instances of the same kind.

    Source: Efron, *Bootstrap methods: another look at the jackknife* (1979).
    Cost: `RESAMPLES` x solvers x instances.
    """
    import numpy as np

    paid = [np.array(_paid(column, limit)) for column in times.values()]
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
    """Return the 95 % bootstrap interval of the median (percentile method); None below two values.

    Source and cost as `rank_intervals`, of one solver.
    """
    if len(values) < 2:
        return None
    import numpy as np

    array = np.array(values)
    medians = [np.median(array[chosen], axis=1) for chosen in _resamples(len(values), seed)]
    low, high = np.percentile(np.concatenate(medians), [2.5, 97.5])
    return float(low), float(high)


def _resamples(values: int, seed: int) -> Iterator[np.ndarray]:
    """Draw the indices of resamples of so many values, some resamples at a time for the memory."""
    import numpy as np

    random = np.random.default_rng(abs(seed))
    most = max(1, 1_000_000 // values)
    for done in range(0, RESAMPLES, most):
        yield random.integers(values, size=(min(most, RESAMPLES - done), values))


def quantile(ascending: Sequence[float], share: float) -> float:
    """Return the smallest value that at least a share of all do not exceed.

    >>> quantile([1, 2, 3, 4], 0.5), quantile([1, 2, 3, 4], 0.95)
    (2, 4)
    """
    return ascending[max(1, ceil(share * len(ascending) - 1e-9)) - 1]


def cactus(times: Iterable[float | None]) -> Curve:
    """Points (k, seconds): with that much time for each instance, the solver decides k of them."""
    decided = sorted(time for time in times if time is not None)
    return [(float(number), seconds) for number, seconds in enumerate(decided, start=1)]


def performance_profile(times: Times) -> dict[str, Curve]:
    """Return per solver the points (r, share) of its performance profile.

    On that share of all instances it took at most r times as long as the quickest solver there. An
    instance that it did not decide never counts for it.

    Source: Dolan and Moré, *Benchmarking optimization software with performance profiles* (2002).
    """
    best = virtual_best(times)
    curves = {}
    for name, own in times.items():
        ratios = sorted(
            max(mine, MIN_SECONDS) / max(least, MIN_SECONDS)
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
