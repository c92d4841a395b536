"""The field's two ways to show many runs at once: cactus plots and performance profiles."""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.trials.comparison.measuring import Measured, Timing
from quaternity.trials.comparison.summary import decides

Curve = list[tuple[float, float]]
"""Corners of a step function, ascending: (x, value from x on)."""


def _times(measured: Sequence[Measured], solver: str) -> dict[int, float]:
    """Per state the median run of a solver, where it decided."""
    return {
        number: _middle(one.timings[solver]).total
        for number, one in enumerate(measured)
        if decides(one, solver)
    }


def _middle(runs: Sequence[Timing]) -> Timing:
    return sorted(runs, key=lambda run: run.total)[len(runs) // 2]


def cactus(measured: Sequence[Measured], solver: str) -> Curve:
    """Points (k, seconds): with that much time for each state, the solver decides k states."""
    times = sorted(_times(measured, solver).values())
    return [(float(number), seconds) for number, seconds in enumerate(times, start=1)]


def performance_profile(measured: Sequence[Measured], solvers: Sequence[str]) -> dict[str, Curve]:
    """Per solver the points (r, share): on that share of all states it took at most r times as
    long as the quickest solver there. A state that a solver did not decide never counts for it.

    Source: Dolan and Moré, *Benchmarking optimization software with performance profiles* (2002).
    """
    times = {name: _times(measured, name) for name in solvers}
    best: dict[int, float] = {}
    for own in times.values():
        for state, seconds in own.items():
            best[state] = min(seconds, best.get(state, seconds))
    curves = {}
    for name, own in times.items():
        ratios = sorted(seconds / best[state] for state, seconds in own.items())
        curve: Curve = []
        for number, ratio in enumerate(ratios, start=1):
            if curve and curve[-1][0] == ratio:
                curve.pop()
            curve.append((ratio, number / len(measured)))
        curves[name] = curve
    return curves


__all__ = ["Curve", "cactus", "performance_profile"]
