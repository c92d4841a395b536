"""Cutting planes: pseudo-boolean reasoning that adds sums, as a shortage does.

Every hand and share is assumed by a boolean of its own; those in the core are weighed by linear
programming.
"""

from __future__ import annotations

from collections.abc import Callable

from solvers.rivals.linear import refuted_by
from solvers.rivals.rows import Rows
from solvers.verdict import Verdict


def exact(rows: Rows, seconds: float | None) -> Callable[[], Verdict | None]:
    """Exact: conflict-driven search over pseudo-boolean constraints."""
    from exact import Exact

    solver = Exact([])
    names = [f"x{variable}" for variable in range(len(rows.pairs))]
    for name in names:
        solver.addVariable(name)
    assumed = {}
    for index, one in enumerate(rows.sums):
        terms = [(1, names[variable]) for variable in one.variables]
        if one.kind == "card":
            solver.addConstraint(terms, True, one.least, True, one.most)
            continue
        assumed[f"s{index}"] = index
        solver.addVariable(f"s{index}")
        # With s true the sum is bounded, with s false these say nothing.
        spare = len(terms) - one.most
        solver.addConstraint([*terms, (-one.least, f"s{index}")], True, 0)
        solver.addConstraint([*terms, (spare, f"s{index}")], False, 0, True, len(terms))

    def solve() -> Verdict | None:
        solver.setAssumptions([(name, 1) for name in assumed])
        state = solver.runFull(False, 0 if seconds is None else max(seconds, 1e-3))
        if solver.hasSolution():
            return rows.deal(solver.getLastSolutionFor(names))
        if state == "TIMEOUT":
            return None
        return refuted_by(rows, (assumed[name] for name in solver.getLastCore()))

    return solve


__all__ = ["exact"]
