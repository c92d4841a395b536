"""Counting rivals: how many deals there are, by decision diagrams and by model counters.

Ours (`solvers.counting`) multiplies small polynomials and takes a millisecond; these are here to
hold the numbers against, as far as they get.

pyapproxmc is left out: of `x or y, not x or not y` it counts one model, not two.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from solvers.errors import InputError
from solvers.exchange.rows import LinearModel, linear_model
from solvers.problem import DealProblem
from solvers.rivals.table import COUNTERS
from solvers.shortage import plain_shortage


def count_by(name: str, problem: DealProblem) -> int | float:
    """How many deals a counter finds: a whole number if it is exact, else a float.

    No limit is kept: a model counter takes for ever at some 20 cards, decision diagrams at more.

    Raises:
        InputError: no such counter, or not installed (says what installs it).
    """
    if name not in COUNTERS:
        raise InputError(f"counter {name!r} is unknown; known are {', '.join(COUNTERS)}")
    COUNTERS[name].check_installed()
    if plain_shortage(problem) is not None:
        return 0
    linear = linear_model(problem)
    if linear.hopeless is not None:
        return 0
    number: int | float = COUNTERS[name].adapted()(linear) if linear.pairs else 1
    return number


def _diagram(manager: Any, linear: LinearModel) -> Any:
    """The decision diagram of all sums, the booleans in the order of the cards."""
    names = [f"x{term}" for term in range(len(linear.pairs))]
    manager.configure(reordering=False)
    manager.declare(*names)
    whole = manager.true
    for row in linear.rows:
        # Per number of true booleans so far, what remains to be satisfied.
        counted = [
            manager.true if row.low <= number <= row.high else manager.false
            for number in range(len(row.terms) + 1)
        ]
        for term in reversed(row.terms):
            boolean = manager.var(names[term])
            counted = [manager.ite(boolean, more, same) for same, more in pairwise(counted)]
        whole &= counted[0]
    return whole


def decision_diagram(linear: LinearModel) -> int:
    """Decision diagrams of `dd`, in Python: whole numbers."""
    from dd.autoref import BDD

    manager = BDD()
    return int(manager.count(_diagram(manager, linear), nvars=len(linear.pairs)))


def cudd(linear: LinearModel) -> float:
    """CUDD by `dd`: a float, wrong in its sixteenth digit."""
    from dd.cudd import BDD

    manager = BDD()
    return float(manager.count(_diagram(manager, linear), nvars=len(linear.pairs)))


def ganak(linear: LinearModel) -> int:
    """Ganak, projected to the booleans of the problem."""
    from pyganak import Counter

    from solvers.rivals.sat import clauses

    counter = Counter()
    counter.add_clauses(clauses(linear, "totalizer"))
    counter.set_sampling_set(range(1, len(linear.pairs) + 1))
    return int(counter.count())


__all__ = ["count_by", "cudd", "decision_diagram", "ganak"]
