"""Search with Hypothesis, outside a test, for a small value that does not meet a condition."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, configuration, given, seed, settings
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

Value = TypeVar("Value", bound=Hashable)
Finding = TypeVar("Finding")

SHRINK_SECONDS = 60.0
"""Maximum time for shrinking a counterexample, in seconds."""


class _FindingReported(Exception):
    """Exception by which the tested function reports a counterexample to Hypothesis."""


class _TimeIsUp(BaseException):
    """Exception that stops Hypothesis at the time limit."""


@contextmanager
def _temporary_hypothesis_home() -> Iterator[None]:
    """Make Hypothesis write its files to a temporary folder instead of the current one."""
    previous = vars(configuration).get("__hypothesis_home_directory")
    with TemporaryDirectory() as directory:
        configuration.set_hypothesis_home_dir(directory)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(previous)


def smallest_counterexample(
    strategy: SearchStrategy[Value],
    check: Callable[[Value], Finding | None],
    *,
    examples: int,
    random_seed: int,
    shrink_seconds: float = SHRINK_SECONDS,
) -> tuple[Value, Finding] | None:
    """Search for values that a check rejects. Return a small one and the result of the check.

    The result is None if the check accepts all values.

    Args:
        strategy: the Hypothesis strategy that generates the values.
        check: a function that returns what is wrong with a value, or None to accept it. It should
            be deterministic. If it is not, its last result for a value counts.
        examples: the maximum number of values to try.
        shrink_seconds: the maximum time for shrinking a counterexample, in seconds.

    >>> from hypothesis import strategies as st
    >>> smallest_counterexample(
    ...     st.integers(0, 99), lambda n: "seven" if n >= 7 else None, examples=50, random_seed=1
    ... )
    (7, 'seven')
    """
    failing: dict[Value, Finding] = {}
    deadline: float | None = None

    def attempt(value: Value) -> None:
        nonlocal deadline
        if deadline is not None and value not in failing and monotonic() > deadline:
            raise _TimeIsUp
        finding = check(value)
        if finding is not None:
            if deadline is None:
                deadline = monotonic() + shrink_seconds
            failing.pop(value, None)  # move the value to the end
            failing[value] = finding
            raise _FindingReported

    campaign = seed(random_seed)(
        settings(
            max_examples=examples,
            database=None,
            deadline=None,
            derandomize=False,
            phases=(Phase.generate, Phase.shrink),
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )(given(strategy)(attempt))
    )
    try:
        with _temporary_hypothesis_home():
            campaign()
    except (_FindingReported, _TimeIsUp, Flaky):
        if not failing:
            raise
        # Hypothesis tries the smallest failing value last.
        return list(failing.items())[-1]
    return None
