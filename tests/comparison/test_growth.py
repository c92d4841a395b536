"""Lines fitted to runs that were drawn from a known law, ended ones among them."""

from math import exp, log
from random import Random

import pytest

from quaternity.trials.comparison.growth import Observation, expected, growth

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
    assert found.law == law
    line = found.power if law == "power" else found.exponential
    low, high = line.interval
    assert low - 0.15 * slope < slope < high + 0.15 * slope
    assert low < line.slope < high
    assert 0.2 < line.scatter < 0.4
    assert found.ended == sum(run.ended for run in runs)
    place = log(52) if law == "power" else 52
    assert expected(line, place) == pytest.approx(1e-4 * exp(slope * place), rel=0.3)


def test_runs_that_were_ended_count() -> None:
    runs = drawn("exponential", 0.08, 5.0)
    whole, cut = growth(runs), growth([run for run in runs if not run.ended])
    assert whole is not None
    assert cut is not None
    assert whole.exponential.slope > cut.exponential.slope


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


def test_games_that_are_over_have_no_size() -> None:
    cards = [Observation(size, 1 / (1 + size)) for size in range(6)]
    assert growth(cards) == growth(cards[1:])
