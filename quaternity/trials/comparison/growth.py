"""Growth laws: formulas that give the time of a solver as a function of the size of the problem.

A law is a line fitted to measured times. In an exponential law, the logarithm of the time is a
linear function of the size. In a power law, it is a linear function of the logarithm of the size. A
run that was stopped at a limit is a censored observation: its time is only a lower bound. If one
law is much more likely than the other, only that law is reported. No law is reported if the slope
of the line may be 0, or if the line fits the times at some size badly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log, sqrt
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

MIN_SIZES = 4
"""Minimum number of sizes for fitting a growth law (a formula for the time at each size)."""

NO_LAW = "no law fits"
"""Text that is shown instead of a growth law if the measured times do not support any."""

MIN_LIKELIHOOD_GAP = 3.0
"""If the log-likelihoods of the power law and the exponential law differ by at least this amount,
only the likelier law is reported. The likelihood ratio is then at least 20 to 1."""

MAX_DEVIATION_FACTOR = 2.0
"""Maximum factor by which the fitted time and the mean measured time at a size may differ. If they
differ by more, and by more than chance explains, the growth law is not reported."""


class Observation(NamedTuple):
    """A run of a solver: the size of the problem, the time, and whether a limit stopped it."""

    size: int
    seconds: float
    ended: bool = False


class Law(NamedTuple):
    """Growth law: a line fitted to the logarithms of a solver's times.

    Attributes:
        slope: Slope of the line: the exponent of the power law, or the rate per card of the
            exponential law.
        interval: 95 % confidence interval of the slope.
        intercept: Logarithm of the fitted seconds at one card for the power law, or at 0 cards for
            the exponential law.
        scatter: Standard deviation of the logarithms of the times around the line.
        log_likelihood: Logarithm of the likelihood of the runs.
        is_poor_fit: Whether the fitted time differs from the mean time at some size by more than
            `MAX_DEVIATION_FACTOR`, and by more than chance explains.
    """

    slope: float
    interval: tuple[float, float]
    intercept: float
    scatter: float
    log_likelihood: float
    is_poor_fit: bool = False


class Growth(NamedTuple):
    """Two possible laws for how the time of a solver grows with the size of a problem.

    Attributes:
        power: The power law.
        exponential: The exponential law.
        smallest_size: The smallest size that was used. The times at smaller sizes are mostly
            overhead.
        runs: Number of runs that were used.
        ended: Number of these runs that were stopped at a limit.
    """

    power: Law
    exponential: Law
    smallest_size: int
    runs: int
    ended: int

    @property
    def laws(self) -> dict[str, Law]:
        """The laws that the runs support, by name.

        Both laws are returned if the runs do not decide between them. No law is returned if the
        time may not grow at all, because the slope of a likely law may be 0.
        """
        fits = {"power": self.power, "exponential": self.exponential}
        best = max(fit.log_likelihood for fit in fits.values())
        likely = {
            name: fit
            for name, fit in fits.items()
            if best - fit.log_likelihood < MIN_LIKELIHOOD_GAP
        }
        if any(fit.interval[0] <= 0 for fit in likely.values()):
            return {}
        return {name: fit for name, fit in likely.items() if not fit.is_poor_fit}

    def sentence(self) -> str:
        """Describe how the time grows, or return `NO_LAW` if no law fits."""
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
    """Fit a power law and an exponential law to the runs of a solver on one family.

    Small sizes are left out while their median time is less than twice the smallest median, because
    their time is mostly overhead. At least `MIN_SIZES` sizes with a verdict are kept.

    Args:
        runs: The runs that gave a correct verdict or were stopped at a limit.

    Returns:
        Both laws. The result is None if there are fewer than `MIN_SIZES` sizes, or if fewer than
            two of them have a run with a verdict.

    The model is that of Tobin, *Estimation of relationships for limited dependent variables*
    (1958). In the coordinates of Olsen (1978), the likelihood is concave, so a few Newton steps
    lead from every start to its maximum.
    """
    by_size: dict[int, list[Observation]] = {}
    # A game that is over has 0 cards, and 0 has no logarithm.
    runs = [run for run in runs if run.size]
    for run in runs:
        by_size.setdefault(run.size, []).append(run)
    sizes = sorted(by_size)
    middle = {size: median(run.seconds for run in by_size[size]) for size in sizes}
    answered = [size for size in sizes if not all(run.ended for run in by_size[size])]
    if len(sizes) < MIN_SIZES or len(answered) < 2:
        return None
    lowest = min(middle.values())
    while len(answered) > MIN_SIZES and middle[sizes[0]] < 2 * lowest:
        if sizes[0] in answered:
            answered.remove(sizes[0])
        del sizes[0]
    taken = {size: by_size[size] for size in sizes}
    return Growth(
        _fit_law(log, taken),
        _fit_law(float, taken),
        sizes[0],
        sum(map(len, taken.values())),
        sum(run.ended for own in taken.values() for run in own),
    )


def _fit_law(place: Callable[[int], float], by_size: Mapping[int, Sequence[Observation]]) -> Law:
    runs = [run for own in by_size.values() for run in own]
    law = _fit_line([place(run.size) for run in runs], runs)
    logs = {size: [log(max(run.seconds, 1e-9)) for run in own] for size, own in by_size.items()}
    whole = [logs[size] for size, own in by_size.items() if not any(run.ended for run in own)]
    free = sum(map(len, whole)) - len(whole)
    squares = sum((o - fmean(own)) ** 2 for own in whole for o in own)
    # The scatter cannot be measured if each size has a single run.
    scatter = sqrt(squares / free) if free else 0.0
    for size, own in logs.items():
        off = fmean(own) - (law.intercept + law.slope * place(size))
        if any(run.ended for run in by_size[size]):
            # Stopped runs would have taken longer, so the line may lie above them.
            off = max(off, 0.0)
        if abs(off) > max(log(MAX_DEVIATION_FACTOR), 3 * scatter / sqrt(len(own))):
            return law._replace(is_poor_fit=True)
    return law


def _fit_line(places: Sequence[float], runs: Sequence[Observation]) -> Law:
    """Fit a line for log(seconds) by maximum likelihood. A stopped run gives a lower bound."""
    # With γ = 1/σ and δ = (intercept, slope)/σ, the log-likelihood is the sum of
    # log γ - (γy - δx)²/2 over the answers and of log Φ(δx - γy) over the stopped runs.
    import numpy as np
    from scipy.special import log_ndtr

    centre, width = float(np.mean(places)), float(np.std(places)) or 1.0
    x = np.column_stack([np.ones(len(runs)), (np.array(places) - centre) / width])
    y = np.log([max(run.seconds, 1e-9) for run in runs])
    ended = np.array([run.ended for run in runs])
    rows = np.column_stack([x, -y])  # rows @ (δ, γ) = δx - γy
    start = np.linalg.lstsq(x, y, rcond=None)[0]
    # Assume a scatter of at least 1 %, because clocks are not more accurate. Otherwise, the
    # likelihood of three runs exactly on a line would be infinite.
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
        # φ/Φ, computed with logarithms so that it is accurate in the far tail
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
    return _unscaled_law(point, np.linalg.pinv(curvature), best, centre, width)


def _unscaled_law(
    point: np.ndarray, spread: np.ndarray, best: float, centre: float, width: float
) -> Law:
    slope = point[1] / point[2]
    # The slope is δ₁/γ. The delta method gives its variance.
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
