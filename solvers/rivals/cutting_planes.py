"""Cutting planes: pseudo-boolean reasoning that adds sums, as a shortage does.

Every hand and share is assumed by a boolean of its own; those in the core are weighed by linear
programming.
"""

from __future__ import annotations

from collections.abc import Callable

from solvers.exchange.rows import LinearModel
from solvers.rivals.linear import refuted_by
from solvers.verdict import Verdict


def exact(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Solve by Exact: conflict-driven search over pseudo-boolean constraints."""
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
        # With s true the sum is bounded, with s false these say nothing.
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
        return refuted_by(linear, (assumed[name] for name in solver.getLastCore()))

    return solve
