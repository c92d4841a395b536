"""Adapter for pseudo-boolean solvers, which add up constraints to derive a contradiction.

Each row of a hand or share (see `solvers.exchange.rows`) has its own boolean, an assumption that
activates the row. If there is no solution, the solver returns an unsatisfiable core of assumptions.
Linear programming then finds weights for the rows of the core.
"""

from __future__ import annotations

from collections.abc import Callable

from solvers.exchange.rows import LinearModel
from solvers.rivals.linear import refute_by_core
from solvers.verdict import Verdict


def exact(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with Exact, a pseudo-boolean solver."""
    from exact import Exact

    solver = Exact([])
    names = [f"x{term}" for term in range(len(linear.pairs))]
    for name in names:
        solver.addVariable(name)
    assumed = {}
    for index, row in enumerate(linear.rows):
        terms = [(1, names[term]) for term in row.terms]
        if row.kind == "card":
            solver.addConstraint(terms, True, row.low, True, row.high)
            continue
        assumed[f"s{index}"] = index
        solver.addVariable(f"s{index}")
        # If the assumption is true, these constraints bound the sum. Otherwise they always hold.
        spare = len(terms) - row.high
        solver.addConstraint([*terms, (-row.low, f"s{index}")], True, 0)
        solver.addConstraint([*terms, (spare, f"s{index}")], False, 0, True, len(terms))

    def solve() -> Verdict | None:
        solver.setAssumptions([(name, 1) for name in assumed])
        state = solver.runFull(False, 0 if seconds is None else max(seconds, 1e-3))
        if solver.hasSolution():
            return linear.deal(solver.getLastSolutionFor(names))
        if state == "TIMEOUT":
            return None
        return refute_by_core(linear, (assumed[name] for name in solver.getLastCore()))

    return solve
