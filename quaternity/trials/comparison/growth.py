"""How the time of a solver grows with the size: as a power of it, or exponentially.

Both laws are straight lines for the logarithm of the time, over the logarithm of the size or over
the size. Runs that reached the limit say that it would have taken longer, and count as that:
leaving them out makes every solver look harmless. The law with the greater likelihood is named
when the other is far less likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from statistics import median
from typing import NamedTuple

LEAST_SIZES = 4
"""Sizes a line must rest on."""

CLEAR = 3.0
"""Difference of the logarithms of the likelihoods from which on one law is named: about 20 to 1."""


class Observation(NamedTuple):
    """One run: the size, the seconds, and whether it was ended there."""

    size: int
    seconds: float
    ended: bool = False


class Law(NamedTuple):
    """One line through the runs, with normal scatter of the logarithms.

    Attributes:
        slope: of the logarithm of the seconds: the exponent of the power law (per factor e of the
            size), or the rate of the exponential law (per card).
        interval: 95 % of the slope.
        at_one: logarithm of the seconds where the line begins.
        scatter: standard deviation around the line.
        log_likelihood: of the runs.
    """

    slope: float
    interval: tuple[float, float]
    at_one: float
    scatter: float
    log_likelihood: float


class Growth(NamedTuple):
    """Both laws for one solver on one family.

    Attributes:
        power, exponential: the two lines.
        smallest: the size from which on runs were taken; below it the time is overhead.
        runs, ended: how many there are from there on, and how many of them reached the limit.
    """

    power: Law
    exponential: Law
    smallest: int
    runs: int
    ended: int

    @property
    def law(self) -> str:
        """`power`, `exponential`, or `either` when the runs do not tell them apart."""
        margin = self.power.log_likelihood - self.exponential.log_likelihood
        if abs(margin) < CLEAR:
            return "either"
        return "power" if margin > 0 else "exponential"

    def sentence(self) -> str:
        """The growth in a few words."""
        low, high = self.power.interval
        power = f"size^{self.power.slope:.1f} ({low:.1f} .. {high:.1f})"
        rate = self.exponential.slope
        if rate <= 0:
            return power
        double = f"doubles every {log(2) / rate:.3g} cards"
        return {"power": power, "exponential": double, "either": f"{power} or {double}"}[self.law]


def growth(runs: Sequence[Observation]) -> Growth | None:
    """Fit both laws.

    Sizes at which the median is below twice the least median say what starting costs, not how the
    time grows: they are left out as long as `LEAST_SIZES` sizes with an answer remain.

    Args:
        runs: of one solver on one family, decided or ended at the limit; wrong ones are no runs.

    Returns: None when fewer than `LEAST_SIZES` sizes were met or fewer than two were decided.

    Cost: a few Newton steps of three unknowns.
    Source: Tobin, *Estimation of relationships for limited dependent variables* (1958); in the
    coordinates of Olsen (1978) the likelihood is concave, so that every start leads to its top.
    """
    by_size: dict[int, list[Observation]] = {}
    runs = [run for run in runs if run.size]  # a game that is over has no cards, and no logarithm
    for run in runs:
        by_size.setdefault(run.size, []).append(run)
    sizes = sorted(by_size)
    middle = {size: median(run.seconds for run in by_size[size]) for size in sizes}
    answered = [size for size in sizes if not all(run.ended for run in by_size[size])]
    if len(sizes) < LEAST_SIZES or len(answered) < 2:
        return None
    least = min(middle.values())
    while len(answered) > LEAST_SIZES and middle[sizes[0]] < 2 * least:
        if sizes[0] in answered:
            answered.remove(sizes[0])
        del sizes[0]
    taken = [run for run in runs if run.size >= sizes[0]]
    return Growth(
        _fitted([log(run.size) for run in taken], taken),
        _fitted([float(run.size) for run in taken], taken),
        sizes[0],
        len(taken),
        sum(run.ended for run in taken),
    )


def _fitted(places: Sequence[float], runs: Sequence[Observation]) -> Law:
    """The line of greatest likelihood for log(seconds), ended runs lying above their value.

    With γ = 1/σ and δ = (intercept, slope)/σ the log-likelihood is the sum of
    log γ - (γy - δx)²/2 over answers and of log Φ(δx - γy) over ended runs.
    """
    import numpy as np
    from scipy.special import log_ndtr

    centre, width = float(np.mean(places)), float(np.std(places)) or 1.0
    x = np.column_stack([np.ones(len(runs)), (np.array(places) - centre) / width])
    y = np.log([max(run.seconds, 1e-9) for run in runs])
    ended = np.array([run.ended for run in runs])
    rows = np.column_stack([x, -y])  # rows @ (δ, γ) = δx - γy
    start = np.linalg.lstsq(x, y, rcond=None)[0]
    # No clock is finer than a hundredth of the time: without this floor, three runs on one
    # line would be infinitely likely.
    floor = 0.01
    scatter = max(float(np.std(y - x @ start)), floor)
    point = np.array([*(start / scatter), 1 / scatter])

    def value(at: np.ndarray) -> float:
        if not 0 < at[2] <= 1 / floor:
            return -np.inf
        gap = rows @ at
        answers = np.log(at[2]) - gap[~ended] ** 2 / 2 - log(2 * np.pi) / 2
        return float(answers.sum() + log_ndtr(gap[ended]).sum())

    best = value(point)
    for _ in range(200):
        gap = rows @ point
        # φ/Φ, by logarithms so that it holds far out
        ratio = np.exp(-(gap**2) / 2 - log(2 * np.pi) / 2 - log_ndtr(gap))
        weight = np.where(ended, ratio * (ratio + gap), 1.0)
        gradient = rows.T @ np.where(ended, ratio, -gap)
        gradient[2] += (~ended).sum() / point[2]
        curvature = (rows * weight[:, None]).T @ rows
        curvature[2, 2] += (~ended).sum() / point[2] ** 2
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        share = 1.0
        while share > 1e-9 and value(point + share * step) < best:
            share /= 2
        if share <= 1e-9:
            break
        point = point + share * step
        gain, best = value(point) - best, value(point)
        if gain < 1e-10:
            break
    spread = np.linalg.pinv(curvature)
    slope = point[1] / point[2]
    # The slope is δ₁/γ: its variance by the delta method.
    direction = np.array([0.0, 1 / point[2], -point[1] / point[2] ** 2])
    error = float(np.sqrt(max(0.0, direction @ spread @ direction)))
    low, high = slope - 1.96 * error, slope + 1.96 * error
    return Law(
        float(slope) / width,
        (float(low) / width, float(high) / width),
        float(point[0] / point[2] - slope * centre / width),
        1 / float(point[2]),
        best,
    )


def expected(law: Law, place: float) -> float:
    """The seconds on a line; `place` is the logarithm of the size, or the size."""
    return exp(law.at_one + law.slope * place)


__all__ = ["CLEAR", "LEAST_SIZES", "Growth", "Law", "Observation", "expected", "growth"]
