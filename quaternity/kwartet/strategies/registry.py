"""The table of strategies: one contract, one row each, and a door for other people's rows.

A strategy is a function `(view, random) -> question`: from what its seat sees
(`quaternity.kwartet.view.View`) and a source of chance to a legal request. Another distribution
adds one through an entry point of the group `quaternity.kwartet.strategies`; its name is the name
typed at the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from quaternity.errors import InputError
from quaternity.kwartet.strategies import counting, students
from quaternity.kwartet.view import Strategy
from solvers.plugins import Plugins, load_plugins

ENTRY_POINTS = "quaternity.kwartet.strategies"
"""The entry-point group in which other distributions register strategies."""

STRATEGIES: dict[str, Strategy] = {
    "random": students.random_request,
    "greedy": students.greedy,
    "silent": students.silent,
    "mixed": students.mixed,
    "better-greedy": students.better_greedy,
    "exact": counting.exact,
    "patient": counting.patient,
}
"""The strategies of this distribution, by name. `all_strategies()` adds registered ones."""


@lru_cache(maxsize=1)
def _registered() -> Plugins[Strategy]:
    return load_plugins(ENTRY_POINTS, "strategy", STRATEGIES, _accepted)


def _accepted(name: str, loaded: Any) -> Strategy:
    del name
    if not callable(loaded):
        raise InputError("is not callable")
    strategy: Strategy = loaded
    return strategy


def all_strategies() -> dict[str, Strategy]:
    """The built-in strategies and those registered by other distributions, by name.

    A registration that cannot be used is left out, with a warning; see `solvers.plugins`.
    """
    return {**STRATEGIES, **_registered().found}


def strategy_names() -> list[str]:
    """The names of all strategies."""
    return list(all_strategies())


def strategy_named(name: str) -> Strategy:
    """The strategy of a name.

    Raises:
        InputError: unknown; lists the known names.
    """
    if name in STRATEGIES:
        return STRATEGIES[name]
    check_strategies([name])
    return all_strategies()[name]


def check_strategies(names: Sequence[str]) -> None:
    """Refuse names that are no strategy's.

    What others registered is looked at only for other names than those of this distribution, so a
    package that cannot be loaded stops nobody who does not use it.

    Raises:
        InputError: lists the unknown and the known names, or says what is wrong with a registration
            that cannot be used.
    """
    if all(name in STRATEGIES for name in names):
        return
    for name in names:
        _registered().check(name)
    known = list(all_strategies())
    unknown = dict.fromkeys(name for name in names if name not in known)
    if unknown:
        raise InputError(
            f"seats: {', '.join(map(repr, unknown))} unknown; known are {', '.join(known)}"
        )


__all__ = [
    "ENTRY_POINTS",
    "STRATEGIES",
    "all_strategies",
    "check_strategies",
    "strategy_named",
    "strategy_names",
]
