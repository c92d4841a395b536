"""Fixtures that measure and report, for all files of this folder.

`race(what, ours, rival, goal=2)` runs two functions in turn, several times, and reports medians and
their ratio; `pace(what, function, per=100, goal="40 µs")` reports one function's time, for goals
that are stated in seconds. A slow result never fails; the table at the end is for readers.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

ROWS = pytest.StashKey[list[tuple[str, str, str, str, str]]]()

Timed = Callable[[], Any]


def text_of(seconds: float) -> str:
    """Return a duration with a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _once(function: Timed) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


@pytest.fixture
def race(request: pytest.FixtureRequest) -> Callable[..., float]:
    """Compare two functions; return the rival's time divided by ours."""

    def compare(
        what: str, ours: Timed, rival: Timed, *, per: int = 1, rounds: int = 7, goal: float = 0
    ) -> float:
        _once(ours)
        _once(rival)
        times = [(_once(ours), _once(rival)) for _ in range(rounds)]
        our_time = statistics.median(seconds for seconds, _ in times) / per
        rival_time = statistics.median(seconds for _, seconds in times) / per
        ratio = statistics.median(b / a for a, b in times)
        wanted = f"at least {goal:g}x" if goal else ""
        request.config.stash[ROWS].append(
            (what, text_of(our_time), text_of(rival_time), f"{ratio:.2f}x", wanted)
        )
        return ratio

    return compare


@pytest.fixture
def pace(request: pytest.FixtureRequest) -> Callable[..., float]:
    """Time one function; return the median in seconds per item."""

    def measure(
        what: str,
        function: Timed,
        *,
        per: int = 1,
        rounds: int = 5,
        goal: str = "",
        warm: bool = True,
    ) -> float:
        if warm:
            _once(function)
        median = statistics.median(_once(function) for _ in range(rounds)) / per
        request.config.stash[ROWS].append((what, text_of(median), "", "", goal))
        return median

    return measure


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Callable[[str, str, str], None]:
    """Report a figure that is not a duration, such as memory or a count."""

    def add(what: str, figure: str, goal: str = "") -> None:
        request.config.stash[ROWS].append((what, figure, "", "", goal))

    return add


def pytest_configure(config: pytest.Config) -> None:
    """Create the list of rows."""
    config.stash[ROWS] = []


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> Iterator[None] | None:
    """Print the table of all measurements."""
    rows = config.stash[ROWS]
    if not rows:
        return None
    head = ("what", "ours", "rival", "ratio", "goal")
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(5)]
    terminalreporter.section("measured")
    for row in [head, *rows]:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        terminalreporter.write_line("  ".join(cells).rstrip())
    return None
