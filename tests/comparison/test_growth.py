"""Lines fitted to runs that were drawn from a known law, ended ones among them."""

from collections.abc import Callable
from math import exp, log
from random import Random
from statistics import NormalDist

import pytest

from quaternity.trials.comparison.growth import Law, Observation, growth

SIZES = (12, 20, 32, 52, 80, 120, 180, 200)


def drawn(law: str, slope: float, limit: float) -> list[Observation]:
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
    runs = drawn(law, slope, limit)
    found = growth(runs)
    assert found is not None
    assert list(found.laws) == [law]
    line = found.power if law == "power" else found.exponential
    low, high = line.interval
    assert low - 0.15 * slope < slope < high + 0.15 * slope
    assert low < line.slope < high
    assert 0.2 < line.scatter < 0.4
    assert found.ended == sum(run.ended for run in runs)
    place = log(52) if law == "power" else 52
    assert exp(line.at_one + line.slope * place) == pytest.approx(
        1e-4 * exp(slope * place), rel=0.3
    )


# Of 120 cards some runs are ended there, and some not. Where all are ended that a line foresees to
# be, as at 5 s by the exponential law, they teach nothing.
@pytest.mark.parametrize(
    ("law", "slope", "limit"), [("power", 1.9, 0.8), ("exponential", 0.08, 1.5)]
)
def test_runs_that_were_ended_count(law: str, slope: float, limit: float) -> None:
    runs = drawn(law, slope, limit)
    lines = [fitted(law, those) for those in (runs, [run for run in runs if not run.ended])]
    assert lines[0].slope > lines[1].slope + 0.01 * slope
    assert lines[0].log_likelihood == pytest.approx(likelihood(law, lines[0], runs), abs=1e-9)
    for name in ("slope", "at_one", "scatter"):
        for times in (0.999, 1.001):
            beside = lines[0]._replace(**{name: getattr(lines[0], name) * times})
            assert likelihood(law, beside, runs) < lines[0].log_likelihood


def fitted(law: str, runs: list[Observation]) -> Law:
    found = growth(runs)
    assert found is not None
    return found.power if law == "power" else found.exponential


def likelihood(law: str, line: Law, runs: list[Observation]) -> float:
    """Its logarithm, run by run, of those from the first size that is no overhead."""
    found, normal = growth(runs), NormalDist()
    assert found is not None
    total = 0.0
    for run in runs:
        if run.size < found.smallest:
            continue
        place = log(run.size) if law == "power" else run.size
        off = (log(run.seconds) - line.at_one - line.slope * place) / line.scatter
        total += log(normal.cdf(-off)) if run.ended else log(normal.pdf(off) / line.scatter)
    return total


@pytest.mark.parametrize("each", [1, 2, 6])
def test_runs_that_no_law_foresees_are_told_as_that(each: int) -> None:
    random = Random(5)
    scatter = {size: [exp(random.gauss(0, 0.1)) for _ in range(each)] for size in SIZES}
    kinds: dict[str, Callable[[int], float]] = {
        "level": lambda size: 0.01,
        "falls": lambda size: 0.01 / size,
        # As a solver that begins to go about it in another way at 100 cards.
        "a quicker model": lambda size: 1e-4 * size**2 / (1 if size < 100 else 20),
        "a slower model": lambda size: 1e-4 * size * (1 if size < 100 else 20),
        "one model": lambda size: 1e-4 * size**2,
    }
    for name, seconds in kinds.items():
        runs = [Observation(size, seconds(size) * off) for size in SIZES for off in scatter[size]]
        found = growth(runs)
        assert found is not None
        assert (found.sentence() == "no law") is (found.laws == {}) is (name != "one model"), name


@pytest.mark.parametrize("each", [1, 3])
@pytest.mark.parametrize(("factor", "is_far"), [(1.3, False), (1.9, False), (2.1, True)])
def test_a_line_may_be_off_by_a_factor_of_two_where_nothing_scatters(
    factor: float, is_far: bool, each: int
) -> None:
    """Above the line at every second pair of sizes, and below it at the others."""
    runs = [
        Observation(2**place, 4.0**place * factor ** (1 if place % 4 in (0, 3) else -1))
        for place in range(12)
        for _ in range(each)
    ]
    found = growth(runs)
    assert found is not None
    assert found.power.is_far == is_far


def test_what_starting_costs_is_left_out() -> None:
    runs = [Observation(size, 0.01 + 1e-7 * size**3) for size in (4, 8, 16, 32, 64, 128, 256, 512)]
    found = growth(runs)
    assert found is not None
    assert found.smallest == 64
    assert 2.5 < found.power.slope < 3.1


def test_too_few_sizes_say_nothing() -> None:
    assert growth([]) is None
    assert growth([Observation(size, 1.0 * size) for size in (4, 8, 16)]) is None
    assert growth([Observation(size, 1.0, ended=True) for size in SIZES]) is None


def test_the_sentence() -> None:
    found = growth([Observation(size, size * 1.0) for size in (1, 2, 4, 8)])
    assert found is not None
    assert found.sentence() == "size^1.0 (1.0 .. 1.0)"
    slow = growth([Observation(size, exp(size / 5000)) for size in (1, 2000, 4000, 7000, 9000)])
    assert slow is not None
    assert slow.sentence() == "doubles every 3,470 cards"


def test_games_that_are_over_have_no_size() -> None:
    cards = [Observation(size, 1 / (1 + size)) for size in range(6)]
    assert growth(cards) == growth(cards[1:])
