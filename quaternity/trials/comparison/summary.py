"""Summary of a comparison: a row of statistics for each solver, computed from its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from quaternity.trials.comparison.run import Run
from quaternity.trials.comparison.scores import (
    Times,
    median_interval,
    par2,
    quantile,
    rank_intervals,
    virtual_best,
)

MIN_MEASUREMENTS = 30
"""Minimum number of measured times from which a median is computed (see `rounds_for` and
`rows_of`)."""


@dataclass(frozen=True, slots=True)
class Row:
    """Statistics of one solver. Times are in seconds, or None if nothing was measured.

    Attributes:
        feasible: Number of feasible instances that the solver decided.
        infeasible: Number of infeasible instances that the solver decided. Only decided instances
            count for the times.
        skipped: Number of instances that the solver refused.
        gave_up: Number of instances on which the solver reached a limit.
        left_out: Number of instances on which the solver was not run because its budget was spent.
        faults: Number of instances with a wrong or unproved verdict, or a crash.
        median: Median time to build and solve the model.
        interval: 95 % bootstrap interval of the median.
        p95: 95th percentile of the time.
        total: Sum of the median times on the instances.
        build: Median time to build the model.
        solve: Median time to solve the model.
        ratio: Median time divided by that of the fastest solver, which has 1. Only instances that
            all solvers decided count. Solvers that decided none are ignored.
        common: Number of instances from which `ratio` is computed.
        common_median: Median time on these common instances.
        timeouts: Number of instances, included in `gave_up`, on which the time limit was reached.
        memory_outs: Number of instances, included in `gave_up`, on which the memory limit was
            reached.
        crashes: Number of instances, included in `faults`, on which the solver crashed.
        peak: Maximum peak memory of the runs in a separate process, in bytes.
        decided: Number of instances that the solver decided.
        par2: PAR-2 score (see `quaternity.trials.comparison.scores.par2`).
        fastest: Number of instances on which no solver was faster.
        alone: Number of instances that no other solver decided.
        contribution: Seconds by which the PAR-2 of the virtual best would be worse without the
            solver.
        rank: Rank by PAR-2. Equal scores share the smaller rank.
        rank_interval: 95 % bootstrap interval of the rank.
    """

    solver: str
    feasible: int
    infeasible: int
    skipped: int
    gave_up: int
    left_out: int
    faults: int
    median: float | None
    interval: tuple[float, float] | None
    p95: float | None
    total: float | None
    build: float | None
    solve: float | None
    ratio: float | None
    common: int
    common_median: float | None
    timeouts: int
    memory_outs: int
    crashes: int
    peak: int | None
    decided: int
    par2: float
    fastest: int
    alone: int
    contribution: float
    rank: int
    rank_interval: tuple[int, int]


def rounds_for(states: int) -> int:
    """Return the number of rounds in which each state is measured.

    There are at least `MIN_MEASUREMENTS` runs of a solver in total.

    >>> rounds_for(100), rounds_for(30), rounds_for(7)
    (1, 1, 5)
    """
    return -(-MIN_MEASUREMENTS // max(1, states))


def times_of(runs: Iterable[Run], solvers: Iterable[str]) -> Times:
    """Return each solver's median time on each problem, in seconds.

    The time is None unless all runs of the solver decided the problem.
    """
    table = _by_instance(runs, solvers)
    return {solver: [_median(own) for own in table[solver]] for solver in table}


def rows_of(runs: Sequence[Run], solvers: Sequence[str], limit: float, seed: int = 0) -> list[Row]:
    """Return a row of statistics for each solver, in the given order. Without runs, return none.

    With at least `MIN_MEASUREMENTS` instances, each instance counts once, by its median run, and
    the interval of the median reflects the choice of the instances. With fewer instances, every run
    counts, and the interval reflects the variation between runs. In the PAR-2 score, an undecided
    instance counts as twice the `limit`.
    """
    if not runs:
        return []
    table = _by_instance(runs, solvers)
    feasible = list({run.instance: run.feasible for run in runs}.values())
    times = {solver: [_median(own) for own in table[solver]] for solver in table}
    common, common_medians = _on_common(times)
    quickest = min((own for own in common_medians.values() if own), default=None)
    best = virtual_best(times)
    best_par2, scores = par2(best, limit), {name: par2(own, limit) for name, own in times.items()}
    intervals = rank_intervals(times, limit, seed)
    rows = []
    for solver, own in times.items():
        memory = [run.memory for runs in table[solver] for run in runs if run.memory is not None]
        sampled = _sample(table[solver], own)
        seconds = sorted(run.cost for run in sampled)
        without = virtual_best({name: them for name, them in times.items() if name != solver})
        without = without or [None] * len(best)
        decided = [number for number, taken in enumerate(own) if taken is not None]
        possible = sum(feasible[number] is True for number in decided)
        shared = common_medians[solver]
        rows.append(
            Row(
                solver,
                feasible=possible,
                infeasible=len(decided) - possible,
                **_endings(table[solver]),
                median=median(seconds) if seconds else None,
                interval=median_interval(seconds, seed),
                p95=quantile(seconds, 0.95) if seconds else None,
                total=sum(own[number] or 0.0 for number in decided) if decided else None,
                build=_median_of_known(run.build for run in sampled),
                solve=_median_of_known(run.solve for run in sampled),
                ratio=None if shared is None or quickest is None else shared / quickest,
                common=common,
                common_median=shared,
                peak=max(memory, default=None),
                decided=len(decided),
                par2=scores[solver],
                fastest=sum(own[number] == best[number] for number in decided),
                alone=sum(without[number] is None for number in decided),
                contribution=par2(without, limit) - best_par2,
                rank=1 + sum(score < scores[solver] for score in scores.values()),
                rank_interval=intervals[solver],
            )
        )
    return rows


def _on_common(times: Times) -> tuple[int, dict[str, float | None]]:
    """Return how many problems all solvers decided, and the median time of each solver on them.

    Solvers that decided no problem are ignored.
    """
    compared = [own for own in times.values() if any(seconds is not None for seconds in own)]
    common = [
        number for number, column in enumerate(zip(*compared, strict=True)) if None not in column
    ]
    return len(common), {
        solver: _median_of_known(own[number] for number in common) for solver, own in times.items()
    }


def _endings(met: Iterable[Iterable[Run]]) -> dict[str, int]:
    ends = Counter(answer for runs in met for answer in {run.answer for run in runs})
    return {
        "skipped": ends["refused"],
        "gave_up": ends["timeout"] + ends["memory"] + ends["gave up"],
        "left_out": ends["left out"],
        "faults": ends["wrong"] + ends["crashed"],
        "timeouts": ends["timeout"],
        "memory_outs": ends["memory"],
        "crashes": ends["crashed"],
    }


def _by_instance(runs: Iterable[Run], solvers: Iterable[str]) -> dict[str, list[list[Run]]]:
    instances: dict[str, int] = {}
    for run in runs:
        instances.setdefault(run.instance, len(instances))
    table: dict[str, list[list[Run]]] = {solver: [[] for _ in instances] for solver in solvers}
    for run in runs:
        table[run.solver][instances[run.instance]].append(run)
    return table


def _median(runs: Sequence[Run]) -> float | None:
    if not runs or not all(run.decided for run in runs):
        return None
    return runs[0].cost if len(runs) == 1 else median(run.cost for run in runs)


def _median_of_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _sample(met: Sequence[Sequence[Run]], times: Sequence[float | None]) -> list[Run]:
    decided = [runs for runs, seconds in zip(met, times, strict=True) if seconds is not None]
    if len(met) < MIN_MEASUREMENTS:
        return [run for runs in decided for run in runs]
    return [sorted(runs, key=lambda run: run.cost)[len(runs) // 2] for runs in decided]
