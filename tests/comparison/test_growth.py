"""Laws of growth, fitted to random runs of a known law, some of which reach the time limit."""

from collections.abc import Callable
from math import exp, log
from random import Random
from statistics import NormalDist

import pytest

from quaternity.trials.comparison.growth import Law, Observation, growth

SIZES = (12, 20, 32, 52, 80, 120, 180, 200)


def random_runs(law: str, slope: float, limit: float) -> list[Observation]:
    random = Random(f"{law} {slope} {limit}")
    runs = []
    for size in SIZES:
        for _ in range(6):
            line = slope * log(size) if law == "power" else slope * size
            seconds = 1e-4 * exp(line + random.gauss(0, 0.3))
            runs.append(Observation(size, min(seconds, limit), seconds > limit))
    return runs


@pytest.mark.parametrize("limit", [1e12, 5.0])
@pytest.mark.parametrize(("law", "slope"), [("power", 2.2), ("power", 3.0), ("exponential", 0.08)])
def test_the_law_is_found(law: str, slope: float, limit: float) -> None:
    runs = random_runs(law, slope, limit)
    fit = growth(runs)
    assert fit is not None
    assert list(fit.laws) == [law]
    line = fit.power if law == "power" else fit.exponential
    low, high = line.interval
    assert low - 0.15 * slope < slope < high + 0.15 * slope
    assert low < line.slope < high
    assert 0.2 < line.scatter < 0.4
    assert fit.ended == sum(run.ended for run in runs)
    place = log(52) if law == "power" else 52
    assert exp(line.intercept + line.slope * place) == pytest.approx(
        1e-4 * exp(slope * place), rel=0.3
    )


# At 120 cards the limit ends some runs but not all. If it ended exactly the runs that the line
# predicts to reach it, as at 5 s with the exponential law, they would add no information.
@pytest.mark.parametrize(
    ("law", "slope", "limit"), [("power", 1.9, 0.8), ("exponential", 0.08, 1.5)]
)
def test_runs_that_reached_the_limit_count(law: str, slope: float, limit: float) -> None:
    runs = random_runs(law, slope, limit)
    lines = [fit_law(law, part) for part in (runs, [run for run in runs if not run.ended])]
    assert lines[0].slope > lines[1].slope + 0.01 * slope
    assert lines[0].log_likelihood == pytest.approx(likelihood(law, lines[0], runs), abs=1e-9)
    for name in ("slope", "intercept", "scatter"):
        for times in (0.999, 1.001):
            neighbour = lines[0]._replace(**{name: getattr(lines[0], name) * times})
            assert likelihood(law, neighbour, runs) < lines[0].log_likelihood


def fit_law(law: str, runs: list[Observation]) -> Law:
    fit = growth(runs)
    assert fit is not None
    return fit.power if law == "power" else fit.exponential


def likelihood(law: str, line: Law, runs: list[Observation]) -> float:
    """Return the log-likelihood of the runs from the first size that is not overhead."""
    fit, normal = growth(runs), NormalDist()
    assert fit is not None
    total = 0.0
    for run in runs:
        if run.size < fit.smallest_size:
            continue
        place = log(run.size) if law == "power" else run.size
        off = (log(run.seconds) - line.intercept - line.slope * place) / line.scatter
        total += log(normal.cdf(-off)) if run.ended else log(normal.pdf(off) / line.scatter)
    return total


@pytest.mark.parametrize("repeats", [1, 2, 6])
def test_runs_that_follow_no_law_are_reported(repeats: int) -> None:
    random = Random(5)
    scatter = {size: [exp(random.gauss(0, 0.1)) for _ in range(repeats)] for size in SIZES}
    kinds: dict[str, Callable[[int], float]] = {
        "level": lambda size: 0.01,
        "falls": lambda size: 0.01 / size,
        # Like a solver that changes its method at 100 cards.
        "a quicker model": lambda size: 1e-4 * size**2 / (1 if size < 100 else 20),
        "a slower model": lambda size: 1e-4 * size * (1 if size < 100 else 20),
        "one model": lambda size: 1e-4 * size**2,
    }
    for name, seconds in kinds.items():
        runs = [Observation(size, seconds(size) * off) for size in SIZES for off in scatter[size]]
        fit = growth(runs)
        assert fit is not None
        assert (fit.sentence() == "no law fits") is (fit.laws == {}) is (name != "one model"), name


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize(("factor", "is_far"), [(1.3, False), (1.9, False), (2.1, True)])
def test_a_line_without_scatter_may_be_off_by_a_factor_of_two(
    factor: float, is_far: bool, repeats: int
) -> None:
    """Runs are above the line at every second pair of sizes, and below it at the others."""
    runs = [
        Observation(2**place, 4.0**place * factor ** (1 if place % 4 in (0, 3) else -1))
        for place in range(12)
        for _ in range(repeats)
    ]
    fit = growth(runs)
    assert fit is not None
    assert fit.power.is_poor_fit == is_far


def test_startup_time_is_left_out() -> None:
    runs = [Observation(size, 0.01 + 1e-7 * size**3) for size in (4, 8, 16, 32, 64, 128, 256, 512)]
    fit = growth(runs)
    assert fit is not None
    assert fit.smallest_size == 64
    assert 2.5 < fit.power.slope < 3.1


def test_too_few_sizes_have_no_fit() -> None:
    assert growth([]) is None
    assert growth([Observation(size, 1.0 * size) for size in (4, 8, 16)]) is None
    assert growth([Observation(size, 1.0, ended=True) for size in SIZES]) is None


def test_a_law_is_written_as_a_sentence() -> None:
    fit = growth([Observation(size, size * 1.0) for size in (1, 2, 4, 8)])
    assert fit is not None
    assert fit.sentence() == "size^1.0 (1.0 .. 1.0)"
    slow = growth([Observation(size, exp(size / 5000)) for size in (1, 2000, 4000, 7000, 9000)])
    assert slow is not None
    assert slow.sentence() == "doubles every 3,470 cards"


def test_instances_of_size_zero_are_ignored() -> None:
    cards = [Observation(size, 1 / (1 + size)) for size in range(6)]
    assert growth(cards) == growth(cards[1:])
