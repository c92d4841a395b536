"""Adapters for linear programming, which allows fractions instead of booleans.

The linear program minimizes the total violation of the rows, which are the constraints of the
problem (`solvers.exchange.rows`). The minimum is 0 if and only if a deal exists, because the rows
describe a flow and the vertices of the polytope are integral. Otherwise, the dual values of the
rows are the multipliers of Farkas' lemma. (A program without violations would be infeasible, and
the multipliers would be a dual ray, which neither SciPy nor OR-Tools returns.)

PDLP is not included, because it is a first-order method and its solutions are not vertices. For 37
of 200 problems, rounding the solution did not give a deal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import inf
from typing import Any

from solvers.exchange.rows import LinearModel
from solvers.verdict import Infeasible, Verdict


def violation(
    linear: LinearModel, used: Sequence[int], seconds: float | None = None
) -> tuple[float | None, Sequence[float], list[float]]:
    """Minimize the total violation of some constraints (rows) over all values of the booleans.

    `used` contains the numbers of these rows. Return the violation, which is None if the time limit
    is reached; the values of all booleans; and the weight of each row (a multiplier of Farkas'
    lemma).
    """
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, eye_array, hstack

    rows = [linear.rows[index] for index in used]
    ends = np.cumsum([0, *(len(row.terms) for row in rows)])
    columns = [term for row in rows for term in row.terms]
    shape = len(rows), len(linear.pairs)
    matrix = csr_array((np.ones(len(columns)), columns, ends), shape=shape)
    unit = eye_array(len(rows))
    # Each row requires: booleans + missing - excess - amount = 0, and low <= amount <= high.
    booleans = len(linear.pairs)
    bounds: Any = np.array(
        [(0, inf)] * booleans + [(0, inf)] * (2 * len(rows)) + [(row.low, row.high) for row in rows]
    )
    cost = np.zeros(len(bounds))
    cost[booleans : booleans + 2 * len(rows)] = 1
    result: Any = linprog(
        cost,
        A_eq=hstack([matrix, unit, -unit, -unit], format="csc"),
        b_eq=np.zeros(len(rows)),
        bounds=bounds,
        method="highs-ds",
        options={"time_limit": inf if seconds is None else seconds},
    )
    if result.status == 1:
        return None, (), []
    weights = [0.0] * len(linear.rows)
    for index, weight in zip(used, result.eqlin.marginals.tolist(), strict=True):
        weights[index] = weight
    return float(result.fun), result.x[:booleans].tolist(), weights


def refute_by_core(linear: LinearModel, core: Iterable[int]) -> Infeasible:
    """Return an infeasible verdict, with a proof that is made from contradictory constraints.

    `core` contains the numbers of these constraints (rows). Rows of the kind "card" are always
    included. The verdict has no proof if the rows do not give one.
    """
    used = {*core} | {index for index, row in enumerate(linear.rows) if row.kind == "card"}
    _, _, weights = violation(linear, sorted(used))
    return Infeasible(linear.shortage(weights))


def linprog(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with SciPy's `linprog` (HiGHS, dual simplex)."""

    def solve() -> Verdict | None:
        total_violation, values, weights = violation(linear, range(len(linear.rows)), seconds)
        if total_violation is None:
            return None
        return (
            linear.deal(values) if total_violation < 0.5 else Infeasible(linear.shortage(weights))
        )

    return solve


def _by_or_tools(
    kind: str, linear: LinearModel, seconds: float | None
) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with GLOP or COIN-OR's CLP, from OR-Tools."""
    from ortools.linear_solver import pywraplp

    solver = pywraplp.Solver.CreateSolver(kind)
    booleans = [solver.NumVar(0, solver.infinity(), "") for _ in linear.pairs]
    constraints = []
    cost = solver.Objective()
    for row in linear.rows:
        constraint = solver.RowConstraint(row.low, row.high, "")
        for term in row.terms:
            constraint.SetCoefficient(booleans[term], 1)
        for sign in (1, -1):
            missing = solver.NumVar(0, solver.infinity(), "")
            constraint.SetCoefficient(missing, sign)
            cost.SetCoefficient(missing, 1)
        constraints.append(constraint)
    if seconds is not None:
        solver.SetTimeLimit(max(1, round(1000 * seconds)))

    # By default, CLP may end at a solution that is not a vertex and has fractions.
    parameters = pywraplp.MPSolverParameters()
    parameters.SetIntegerParam(parameters.LP_ALGORITHM, parameters.DUAL)

    def solve() -> Verdict | None:
        if solver.Solve(parameters) != pywraplp.Solver.OPTIMAL:
            return None
        if cost.Value() < 0.5:
            return linear.deal(boolean.solution_value() for boolean in booleans)
        return Infeasible(linear.shortage([constraint.dual_value() for constraint in constraints]))

    return solve


glop = partial(_by_or_tools, "GLOP")
clp = partial(_by_or_tools, "CLP")


def mathopt(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with HiGHS (simplex), called by OR-Tools."""
    from datetime import timedelta

    from ortools.math_opt.python import mathopt as library

    model = library.Model()
    booleans = [model.add_variable(lb=0) for _ in linear.pairs]
    constraints = []
    for row in linear.rows:
        missing, excess = model.add_variable(lb=0), model.add_variable(lb=0)
        total = library.fast_sum([booleans[term] for term in row.terms])
        expression = total + missing - excess
        constraints.append(model.add_linear_constraint(lb=row.low, ub=row.high, expr=expression))
        model.objective.set_linear_coefficient(missing, 1)
        model.objective.set_linear_coefficient(excess, 1)
    parameters = library.SolveParameters(
        lp_algorithm=library.LPAlgorithm.DUAL_SIMPLEX,
        time_limit=None if seconds is None else timedelta(seconds=seconds),
    )

    def solve() -> Verdict | None:
        result = library.solve(model, library.SolverType.HIGHS, params=parameters)
        if result.termination.reason != library.TerminationReason.OPTIMAL:
            return None
        if result.objective_value() < 0.5:
            return linear.deal(result.variable_values(booleans))
        return Infeasible(linear.shortage(result.dual_values(constraints)))

    return solve
