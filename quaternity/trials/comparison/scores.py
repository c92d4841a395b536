"""The field's scores of solvers with a time limit: PAR-2, the virtual best solver, ranks.

Everything here is about one table: per solver the seconds it took on each instance, in one order of
the instances for all, None where it did not decide within the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Times = Mapping[str, Sequence[float | None]]
"""Per solver seconds by instance; None: not decided."""

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

    >>> par2([1.0, None], 10)
    10.5
    """
    paid = [2 * limit if seconds is None else seconds for seconds in times]
    return sum(paid) / len(paid)


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

    paid = np.array(
        [[2 * limit if one is None else one for one in column] for column in times.values()]
    )
    random = np.random.default_rng(seed)
    instances = paid.shape[1]
    drawn = random.multinomial(instances, np.full(instances, 1 / instances), size=RESAMPLES)
    totals = drawn @ paid.T
    ranks = 1 + (totals[:, None, :] < totals[:, :, None]).sum(axis=2)
    low, high = np.percentile(ranks, [2.5, 97.5], axis=0, method="nearest")
    return {solver: (int(low[number]), int(high[number])) for number, solver in enumerate(times)}


__all__ = ["RESAMPLES", "Score", "Times", "par2", "scores", "virtual_best"]
