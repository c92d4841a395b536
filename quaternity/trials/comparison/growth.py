"""The growth of the time of a solver with the size: as a power of it, or exponentially.

Both laws are straight lines for the logarithm of the time, over the logarithm of the size or over
the size. Runs that reached the limit say that it would have taken longer, and count as that:
leaving them out makes every solver look harmless. The law with the greater likelihood is named
when the other is far less likely. No law is named that the runs do not support: where its line may
be level, or is far off at some size, as when a solver goes about small and large problems in
different ways.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log, sqrt
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

MIN_SIZES = 4
"""Minimum number of sizes to which a law is fitted."""

NO_LAW = "no law"
"""Text of a growth for which the runs support no law."""

CLEAR = 3.0
"""Difference of the logarithms of the likelihoods from which on one law is named: about 20 to 1."""

FAR = 2.0
"""Factor by which a line may be off at a size."""


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
        is_far: whether at some size the line is off by more than the factor `FAR`, and by more than
            the scatter of runs of one size explains: nothing, where each size has one run.
    """

    slope: float
    interval: tuple[float, float]
    at_one: float
    scatter: float
    log_likelihood: float
    is_far: bool = False


class Growth(NamedTuple):
    """Both laws for one solver on one family.

    Attributes:
        smallest: the size from which on runs were taken; below it the time is overhead.
        runs, ended: how many there are from there on, and how many of them reached the limit.
    """

    power: Law
    exponential: Law
    smallest: int
    runs: int
    ended: int

    @property
    def laws(self) -> dict[str, Law]:
        """The laws that the runs support, by name: both where they do not tell them apart.

        None where the slope of a law that fits as well as any may be 0: that the time grows at all
        is not shown then.
        """
        fits = {"power": self.power, "exponential": self.exponential}
        best = max(fit.log_likelihood for fit in fits.values())
        likely = {name: fit for name, fit in fits.items() if best - fit.log_likelihood < CLEAR}
        if any(fit.interval[0] <= 0 for fit in likely.values()):
            return {}
        return {name: fit for name, fit in likely.items() if not fit.is_far}

    def sentence(self) -> str:
        """Say in a few words how the time grows, or that the runs support no law."""
        words = []
        for name, fit in self.laws.items():
            if name == "power":
                low, high = fit.interval
                words.append(f"size^{fit.slope:.1f} ({low:.1f} .. {high:.1f})")
            else:
                cards = float(f"{log(2) / fit.slope:.3g}")
                words.append(f"doubles every {cards:,g} cards")
        return " or ".join(words) or NO_LAW


def growth(runs: Sequence[Observation]) -> Growth | None:
    """Fit both laws.

    Sizes at which the median is below twice the least median say what starting costs, not how the
    time grows: they are left out as long as `MIN_SIZES` sizes with an answer remain.

    Args:
        runs: of one solver on one family, decided or ended at the limit; wrong ones are no runs.

    Returns: None when fewer than `MIN_SIZES` sizes were met or fewer than two were decided.

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
    if len(sizes) < MIN_SIZES or len(answered) < 2:
        return None
    least = min(middle.values())
    while len(answered) > MIN_SIZES and middle[sizes[0]] < 2 * least:
        if sizes[0] in answered:
            answered.remove(sizes[0])
        del sizes[0]
    taken = {size: by_size[size] for size in sizes}
    return Growth(
        _law(log, taken),
        _law(float, taken),
        sizes[0],
        sum(map(len, taken.values())),
        sum(run.ended for own in taken.values() for run in own),
    )


def _law(place: Callable[[int], float], by_size: Mapping[int, Sequence[Observation]]) -> Law:
    runs = [run for own in by_size.values() for run in own]
    law = _fitted([place(run.size) for run in runs], runs)
    logs = {size: [log(max(run.seconds, 1e-9)) for run in own] for size, own in by_size.items()}
    whole = [logs[size] for size, own in by_size.items() if not any(run.ended for run in own)]
    free = sum(map(len, whole)) - len(whole)
    squares = sum((o - fmean(own)) ** 2 for own in whole for o in own)
    scatter = sqrt(squares / free) if free else 0.0  # one run a size shows none
    for size, own in logs.items():
        off = fmean(own) - (law.at_one + law.slope * place(size))
        if any(run.ended for run in by_size[size]):
            off = max(off, 0.0)  # these took longer than that
        if abs(off) > max(log(FAR), 3 * scatter / sqrt(len(own))):
            return law._replace(is_far=True)
    return law


def _fitted(places: Sequence[float], runs: Sequence[Observation]) -> Law:
    """Return the line of greatest likelihood for log(seconds), ended runs lying above their value.

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
    return _law_at(point, np.linalg.pinv(curvature), best, centre, width)


def _law_at(point: np.ndarray, spread: np.ndarray, best: float, centre: float, width: float) -> Law:
    """Turn (δ, γ) and its covariances into a law of the places before they were scaled."""
    slope = point[1] / point[2]
    # The slope is δ₁/γ: its variance by the delta method.
    direction = (0.0, 1 / point[2], -point[1] / point[2] ** 2)
    error = sqrt(max(0.0, float(direction @ spread @ direction)))
    low, high = slope - 1.96 * error, slope + 1.96 * error
    return Law(
        float(slope) / width,
        (float(low) / width, float(high) / width),
        float(point[0] / point[2] - slope * centre / width),
        1 / float(point[2]),
        best,
    )
