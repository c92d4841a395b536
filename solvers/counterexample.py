"""The smallest value on which a check fails: Hypothesis as a function instead of as a test."""

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
"""Maximum time spent on making a counterexample smaller, in seconds."""


class _Found(Exception):
    """Carries a finding through Hypothesis."""


class _TimeIsUp(BaseException):
    """Stops Hypothesis, which would go on drawing values that nobody uses."""


@contextmanager
def _files_elsewhere() -> Iterator[None]:
    """Let Hypothesis keep its notes in a temporary folder, not in the caller's."""
    before = vars(configuration).get("__hypothesis_home_directory")
    with TemporaryDirectory() as directory:
        configuration.set_hypothesis_home_dir(directory)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)


def smallest_counterexample(
    strategy: SearchStrategy[Value],
    check: Callable[[Value], Finding | None],
    *,
    examples: int,
    random_seed: int,
    shrink_seconds: float = SHRINK_SECONDS,
) -> tuple[Value, Finding] | None:
    """Return a smallest value on which `check` reports a fault, with the report; or None.

    Args:
        check: what is wrong with a value, or None. It should answer the same twice; when it does
            not, the last report counts.
        examples: how many values to try; fewer when the strategy has no more.

    >>> from hypothesis import strategies as st
    >>> smallest_counterexample(
    ...     st.integers(0, 99), lambda n: "seven" if n >= 7 else None, examples=50, random_seed=1
    ... )
    (7, 'seven')
    """
    failing: dict[Value, Finding] = {}
    until: float | None = None

    def attempt(value: Value) -> None:
        nonlocal until
        if until is not None and value not in failing and monotonic() > until:
            raise _TimeIsUp
        finding = check(value)
        if finding is not None:
            if until is None:
                until = monotonic() + shrink_seconds
            failing.pop(value, None)  # the last one tried stands last
            failing[value] = finding
            raise _Found

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
        with _files_elsewhere():
            campaign()
    except (_Found, _TimeIsUp, Flaky):
        if not failing:
            raise
        # Hypothesis tries the smallest one last of all.
        return list(failing.items())[-1]
    return None
