"""Mixed-integer programming: branch, bound and cut over the booleans themselves.

An answer "infeasible" carries nothing that could be checked: it is paired with a shortage.
"""

from __future__ import annotations

from collections.abc import Callable

from solvers.rivals.rows import Rows
from solvers.verdict import Infeasible, Verdict


def milp(rows: Rows, seconds: float | None) -> Callable[[], Verdict | None]:
    """SciPy's `milp`: HiGHS."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint
    from scipy.optimize import milp as solve_milp
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *(len(one.variables) for one in rows.sums)])
    columns = [variable for one in rows.sums for variable in one.variables]
    shape = len(rows.sums), len(rows.pairs)
    matrix = csr_array((np.ones(len(columns)), columns, ends), shape=shape)
    least, most = ([getattr(one, end) for one in rows.sums] for end in ("least", "most"))

    def solve() -> Verdict | None:
        found = solve_milp(
            np.zeros(len(rows.pairs)),
            integrality=np.ones(len(rows.pairs), dtype=np.int64),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, least, most),
            options={} if seconds is None else {"time_limit": seconds},
        )
        if found.status == 0:
            return rows.deal(found.x.tolist())
        return Infeasible() if found.status == 2 else None

    return solve


def _by_or_tools(kind: str, rows: Rows, seconds: float | None) -> Callable[[], Verdict | None]:
    from ortools.linear_solver import pywraplp

    solver = pywraplp.Solver.CreateSolver(kind)
    booleans = [solver.BoolVar("") for _ in rows.pairs]
    for one in rows.sums:
        constraint = solver.RowConstraint(one.least, one.most, "")
        for variable in one.variables:
            constraint.SetCoefficient(booleans[variable], 1)
    if seconds is not None:
        solver.SetTimeLimit(max(1, round(1000 * seconds)))

    def solve() -> Verdict | None:
        status = solver.Solve()
        if status in (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE):
            return rows.deal(boolean.solution_value() for boolean in booleans)
        return Infeasible() if status == pywraplp.Solver.INFEASIBLE else None

    return solve


def scip(rows: Rows, seconds: float | None) -> Callable[[], Verdict | None]:
    """SCIP, as OR-Tools carries it."""
    return _by_or_tools("SCIP", rows, seconds)


def cbc(rows: Rows, seconds: float | None) -> Callable[[], Verdict | None]:
    """COIN-OR's CBC, as OR-Tools carries it."""
    return _by_or_tools("CBC", rows, seconds)


def pyscipopt(rows: Rows, seconds: float | None) -> Callable[[], Verdict | None]:
    """SCIP in its own package."""
    from pyscipopt import Model, quicksum

    model = Model()
    model.hideOutput()
    booleans = [model.addVar(vtype="B") for _ in rows.pairs]
    for one in rows.sums:
        total = quicksum(booleans[variable] for variable in one.variables)
        model.addCons((one.least <= total) <= one.most)
    if seconds is not None:
        model.setParam("limits/time", seconds)

    def solve() -> Verdict | None:
        model.optimize()
        if model.getStatus() == "optimal":
            return rows.deal(map(model.getVal, booleans))
        return Infeasible() if model.getStatus() == "infeasible" else None

    return solve


__all__ = ["cbc", "milp", "pyscipopt", "scip"]
