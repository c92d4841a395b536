"""From times to figures: medians with their uncertainty, tails, totals and ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median

from quaternity.trials.comparison.measuring import Measured, Timing
from quaternity.trials.comparison.scores import Times

ENOUGH = 30
"""Measurements a median should rest on; see `rounds_for` and `summarise`."""

RESAMPLES = 1000
"""Bootstrap resamples of an interval."""


@dataclass(frozen=True, slots=True)
class Row:
    """What the comparison says of one solver. Times in seconds, None where nothing was measured.

    Attributes:
        feasible, infeasible: states it decided either way, rightly. All times are of these.
        skipped: states it refused.
        gave_up: states on which it reached its limit.
        left_out: states it was not given, its budget being spent.
        faults: states with a wrong or unproved verdict.
        median, interval: of making the model and solving it; 95 % bootstrap interval.
        p95: nineteen of twenty runs took at most this.
        total: over its states.
        build, solve: medians of the two steps apart.
        ratio: how many times as long as the fastest solver, by the medians over the states that all
            solvers decided; 1 for the fastest. Solvers that decided no state at all are left aside.
        common: how many states these are.
        common_median: its median over them, which `ratio` compares.
        timeouts, memory_outs: of `gave_up`, the states on which that limit was reached.
        crashes: of `faults`, the states on which it gave no verdict.
        peak: most bytes of memory of any run in a process of its own.
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
    timeouts: int = 0
    memory_outs: int = 0
    crashes: int = 0
    peak: int | None = None


def rounds_for(states: int) -> int:
    """How often each state must be measured so that every median rests on `ENOUGH` runs.

    >>> rounds_for(100), rounds_for(30), rounds_for(7)
    (1, 1, 5)
    """
    return -(-ENOUGH // max(1, states))


def summarise(measured: Sequence[Measured], solvers: Sequence[str], seed: int = 0) -> list[Row]:
    """One row per solver, in the order given.

    With at least `ENOUGH` states each state counts once, by its median run, and the interval says
    how the median would vary over other states of the same kind. With fewer states every run
    counts, and the interval says how it would vary over other runs on these states.

    Args:
        seed: of the bootstrap.
    """
    per_state = {
        name: {state: one for state, one in enumerate(own) if one is not None}
        for name, own in median_times(measured, solvers).items()
    }
    common = decided_by_all(measured, solvers)
    medians = {
        name: median(times[state] for state in common) if times and common else None
        for name, times in per_state.items()
    }
    return [_row(name, measured, per_state[name], len(common), medians, seed) for name in solvers]


def decides(one: Measured, solver: str) -> bool:
    """Whether a solver gave the verdict that stands, and nothing wrong besides."""
    return (
        solver in one.timings
        and one.feasible is not None
        and not any(fault.solver == solver for fault in one.faults)
    )


def decided_by_all(measured: Sequence[Measured], solvers: Sequence[str]) -> list[int]:
    """The numbers of the states that all solvers decided which decided any."""
    compared = [name for name in solvers if any(decides(one, name) for one in measured)]
    return [
        number
        for number, one in enumerate(measured)
        if compared and all(decides(one, name) for name in compared)
    ]


def _row(
    name: str,
    measured: Sequence[Measured],
    per_state: dict[int, float],
    common: int,
    medians: dict[str, float | None],
    seed: int,
) -> Row:
    runs = sample(measured, name)
    totals = sorted(timing.total for timing in runs)
    feasible = sum(measured[number].feasible is True for number in per_state)
    own, fastest = medians[name], min((one for one in medians.values() if one), default=None)
    kinds = [{fault.kind for fault in one.faults if fault.solver == name} for one in measured]
    peaks = [
        run.peak for one in measured for run in one.timings.get(name, ()) if run.peak is not None
    ]
    return Row(
        solver=name,
        feasible=feasible,
        infeasible=len(per_state) - feasible,
        skipped=sum(name in one.refused for one in measured),
        gave_up=sum(name in one.gave_up for one in measured),
        left_out=sum(name in one.left_out for one in measured),
        faults=sum(map(bool, kinds)),
        median=median(totals) if totals else None,
        interval=median_interval(totals, seed),
        p95=quantile(totals, 0.95) if totals else None,
        total=sum(per_state.values()) if totals else None,
        build=median(timing.build for timing in runs) if runs else None,
        solve=median(timing.solve for timing in runs) if runs else None,
        ratio=None if own is None or fastest is None else own / fastest,
        common=common,
        common_median=own,
        timeouts=sum(one.limits.get(name) == "timeout" for one in measured),
        memory_outs=sum(one.limits.get(name) == "memory" for one in measured),
        crashes=sum("crash" in kind for kind in kinds),
        peak=max(peaks, default=None),
    )


def sample(measured: Sequence[Measured], solver: str) -> list[Timing]:
    """The runs that speak for a solver: one per state, or all of them when states are few."""
    found: list[Timing] = []
    for one in measured:
        runs = one.timings[solver] if decides(one, solver) else ()
        if len(measured) >= ENOUGH and runs:
            found.append(sorted(runs, key=lambda run: run.total)[len(runs) // 2])
        else:
            found += runs
    return found


def median_times(measured: Sequence[Measured], solvers: Sequence[str]) -> Times:
    """Per solver the seconds of its median run on each state; None where it did not decide."""
    return {
        name: [
            median(run.total for run in one.timings[name]) if decides(one, name) else None
            for one in measured
        ]
        for name in solvers
    }


def quantile(ascending: Sequence[float], share: float) -> float:
    """The smallest value that at least a share of all do not exceed.

    >>> quantile([1, 2, 3, 4], 0.5), quantile([1, 2, 3, 4], 0.95)
    (2, 4)
    """
    return ascending[max(1, ceil(share * len(ascending) - 1e-9)) - 1]


def median_interval(values: Sequence[float], seed: int = 0) -> tuple[float, float] | None:
    """The 95 % bootstrap interval of the median (percentile method); None for fewer than two.

    Source: Efron, *Bootstrap methods: another look at the jackknife* (1979).
    Cost: `RESAMPLES` x values.
    """
    if len(values) < 2:
        return None
    import numpy as np

    random = np.random.default_rng(abs(seed))
    array = np.array(values)
    rows = max(1, 1_000_000 // len(values))  # resamples at a time, to bound the memory
    medians: list[float] = []
    while len(medians) < RESAMPLES:
        chosen = random.integers(
            len(values), size=(min(rows, RESAMPLES - len(medians)), len(values))
        )
        medians += np.median(array[chosen], axis=1).tolist()
    low, high = np.percentile(medians, [2.5, 97.5])
    return float(low), float(high)
