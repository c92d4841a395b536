"""From runs to figures: a row per solver, with medians and their uncertainty, ratios and scores."""

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

ENOUGH = 30
"""Measurements a median should rest on; see `rounds_for` and `rows_of`."""


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one solver. Times in seconds, None where nothing was measured.

    Attributes:
        feasible, infeasible: instances it decided either way, rightly. All times are of these.
        skipped: instances it refused.
        gave_up: instances on which it reached a limit.
        left_out: instances it was not given, its budget being spent.
        faults: instances with a wrong or unproved verdict, or a crash.
        median, interval: of making the model and solving it; 95 % bootstrap interval.
        p95: nineteen of twenty runs took at most this.
        build, solve: medians of the two steps apart.
        ratio: how many times as long as the fastest solver, by the medians over the instances that
            all solvers decided; 1 for the fastest. Solvers that decided none at all are left aside.
        common, common_median: how many instances these are, and the solver's median over them.
        timeouts, memory_outs: of `gave_up`, the instances on which that limit was reached.
        crashes: of `faults`, the instances on which it gave no verdict.
        peak: most bytes of memory of any run in a process of its own.
        par2: see `quaternity.trials.comparison.scores.par2`.
        fastest: instances on which nobody was faster.
        alone: instances that only it decided.
        contribution: how many seconds worse the virtual best solver's PAR-2 were without it.
        rank, rank_interval: by PAR-2, equal scores share the smaller rank; 95 % bootstrap interval.
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
    """Return how often to measure each state so that every median rests on `ENOUGH` runs.

    >>> rounds_for(100), rounds_for(30), rounds_for(7)
    (1, 1, 5)
    """
    return -(-ENOUGH // max(1, states))


def times_of(runs: Iterable[Run], solvers: Iterable[str]) -> Times:
    """Return each solver's median seconds per instance; None unless every run decided it."""
    table = _by_instance(runs, solvers)
    return {solver: [_median(own) for own in table[solver]] for solver in table}


def rows_of(runs: Sequence[Run], solvers: Sequence[str], limit: float, seed: int = 0) -> list[Row]:
    """Return a row per solver, in the order given; none where there are no runs.

    With at least `ENOUGH` instances each of them counts once, by its median run, and the interval
    says how the median would vary over other instances of the same kind. With fewer every run
    counts, and the interval says how it would vary over other runs on these instances.

    An instance that was not decided is taken to have cost twice the `limit`.
    Cost: `scores.RESAMPLES` x solvers x instances.
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
        memory = [run.memory for met in table[solver] for run in met if run.memory is not None]
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
                build=_middle(run.build for run in sampled),
                solve=_middle(run.solve for run in sampled),
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
    """Return how many instances all decided who decided any, and each solver's median on them."""
    compared = [own for own in times.values() if any(seconds is not None for seconds in own)]
    common = [
        number for number, column in enumerate(zip(*compared, strict=True)) if None not in column
    ]
    return len(common), {
        solver: _middle(own[number] for number in common) for solver, own in times.items()
    }


def _endings(met: Iterable[Iterable[Run]]) -> dict[str, int]:
    """Count the instances by how their runs ended, under the names of a row."""
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
    """Return, per solver, its runs on each instance, in one order of the instances for all."""
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


def _middle(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _sample(met: Sequence[Sequence[Run]], times: Sequence[float | None]) -> list[Run]:
    """Return the runs that speak for a solver: one per instance, or all where these are few."""
    decided = [runs for runs, seconds in zip(met, times, strict=True) if seconds is not None]
    if len(met) < ENOUGH:
        return [run for runs in decided for run in runs]
    return [sorted(runs, key=lambda run: run.cost)[len(runs) // 2] for runs in decided]
