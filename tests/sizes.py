"""The sizes of tests: small in `make test`, large in `make thorough`.

A law is written once. `examples` gives its number of Hypothesis examples, and `thorough` every
other size (seeds, games, cards).
"""

from typing import TypeVar

import pytest
from hypothesis import settings

THOROUGH = settings.get_current_profile_name() == "thorough"
"""Whether this is the thorough run; `conftest.py` defines the profiles."""

FEWER = 20
"""Divisor of the number of examples in the default run."""

MIN_EXAMPLES = 5
"""Minimum number of examples in the default run."""

T = TypeVar("T")


def thorough(few: T, many: T) -> T:
    """Return `few` in the default run and `many` in the thorough run."""
    return many if THOROUGH else few


def examples(many: int) -> int:
    """Return the number of Hypothesis examples of a test that tries `many` in the thorough run."""
    return thorough(min(many, max(MIN_EXAMPLES, many // FEWER)), many)


only_thorough = pytest.mark.skipif(not THOROUGH, reason="slow; a quick test covers the same law")
"""Mark of a test that runs only in the thorough run."""

__all__ = ["THOROUGH", "examples", "only_thorough", "thorough"]
