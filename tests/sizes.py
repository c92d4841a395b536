"""How much a test tries: little in `make test`, much in `make thorough`. The one place for both.

A law is written once. What it costs comes from here: the number of Hypothesis examples from
`examples`, every other number (seeds, games, sizes) from `thorough`.
"""

import os
from typing import TypeVar

import pytest
from hypothesis import settings

THOROUGH = settings.get_current_profile_name() == "thorough"
"""Whether this is the thorough run; `conftest.py` has the profiles."""

FEWER = 20
"""How many times fewer examples the quick run tries."""

PART = int(os.environ.get("QUATERNITY_PART", "1"))
"""How many times fewer examples a thorough run tries that is one of many, as that of `.ci/run`."""

LEAST = 5
"""It tries at least so many, or as many as the thorough one."""

T = TypeVar("T")


def thorough(few: T, many: T) -> T:
    """`few` in the quick run, `many` in the thorough one."""
    return many if THOROUGH else few


def examples(many: int) -> int:
    """How many Hypothesis examples to try, for a test that tries so many in the thorough run."""
    few = min(many, max(LEAST, many // FEWER))
    return thorough(few, max(few, many // PART))


only_thorough = pytest.mark.skipif(not THOROUGH, reason="dear, and its law is tested elsewhere too")
"""The mark of a test for the thorough run alone."""

__all__ = ["THOROUGH", "examples", "only_thorough", "thorough"]
