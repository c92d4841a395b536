"""Adapters for mixed-integer programming: branch and cut over Boolean variables.

If a solver finds a problem infeasible, it returns no evidence, so `solvers.certify` adds a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from solvers.exchange.rows import LinearModel
from solvers.verdict import Infeasible, Verdict


def milp(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with SciPy's `milp` (HiGHS)."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint
    from scipy.optimize import milp as solve_milp
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *(len(row.terms) for row in linear.rows)])
    columns = [term for row in linear.rows for term in row.terms]
    shape = len(linear.rows), len(linear.pairs)
    matrix = csr_array((np.ones(len(columns)), columns, ends), shape=shape)
    lows, highs = ([getattr(row, end) for row in linear.rows] for end in ("low", "high"))

    def solve() -> Verdict | None:
        result = solve_milp(
            np.zeros(len(linear.pairs)),
            integrality=np.ones(len(linear.pairs), dtype=np.int64),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, lows, highs),
            options={} if seconds is None else {"time_limit": seconds},
        )
        if result.status == 0:
            return linear.deal(result.x.tolist())
        return Infeasible() if result.status == 2 else None

    return solve


def _by_or_tools(
    kind: str, linear: LinearModel, seconds: float | None
) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with SCIP or COIN-OR's CBC, from OR-Tools."""
    from ortools.linear_solver import pywraplp

    solver = pywraplp.Solver.CreateSolver(kind)
    booleans = [solver.BoolVar("") for _ in linear.pairs]
    for row in linear.rows:
        constraint = solver.RowConstraint(row.low, row.high, "")
        for term in row.terms:
            constraint.SetCoefficient(booleans[term], 1)
    if seconds is not None:
        solver.SetTimeLimit(max(1, round(1000 * seconds)))

    def solve() -> Verdict | None:
        status = solver.Solve()
        if status in (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE):
            return linear.deal(boolean.solution_value() for boolean in booleans)
        return Infeasible() if status == pywraplp.Solver.INFEASIBLE else None

    return solve


scip = partial(_by_or_tools, "SCIP")
cbc = partial(_by_or_tools, "CBC")


def pyscipopt(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with SCIP, from the package PySCIPOpt."""
    from pyscipopt import Model, quicksum

    model = Model()
    model.hideOutput()
    booleans = [model.addVar(vtype="B") for _ in linear.pairs]
    for row in linear.rows:
        total = quicksum(booleans[term] for term in row.terms)
        model.addCons((row.low <= total) <= row.high)
    if seconds is not None:
        model.setParam("limits/time", seconds)

    def solve() -> Verdict | None:
        model.optimize()
        if model.getStatus() == "optimal":
            return linear.deal(map(model.getVal, booleans))
        return Infeasible() if model.getStatus() == "infeasible" else None

    return solve
