"""Linear programming: the booleans as fractions, what their sums miss as small as can be.

The smallest violation is 0 where a deal exists: the sums are those of a flow, so corners are whole.
Otherwise the dual values of the sums are the multipliers of Farkas' lemma. (The programme itself,
infeasible, would have them as a ray; neither SciPy nor OR-Tools gives it.)

PDLP is left out: it is a first-order method, whose fractions are no corner; rounded they were no
deal in 37 of 200 problems.
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
    """Minimize the total violation of some sums, by SciPy's `linprog` (HiGHS, dual simplex).

    Returns the violation (None at the time limit), the value of every boolean, and the weight of
    every sum.
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
    # booleans + missing - too many - amount = 0, the amount being between least and most.
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


def refuted_by(linear: LinearModel, core: Iterable[int]) -> Infeasible:
    """Refute by a core (numbers of sums) and the sums of the cards; no shortage if these do not."""
    used = {*core} | {index for index, row in enumerate(linear.rows) if row.kind == "card"}
    _, _, weights = violation(linear, sorted(used))
    return Infeasible(linear.shortage(weights))


def linprog(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Solve by SciPy's `linprog`: HiGHS' dual simplex."""

    def solve() -> Verdict | None:
        missed, values, weights = violation(linear, range(len(linear.rows)), seconds)
        if missed is None:
            return None
        return linear.deal(values) if missed < 0.5 else Infeasible(linear.shortage(weights))

    return solve


def _by_or_tools(
    kind: str, linear: LinearModel, seconds: float | None
) -> Callable[[], Verdict | None]:
    """Solve by a simplex of OR-Tools: its own (GLOP), or COIN-OR's (CLP)."""
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
            missed = solver.NumVar(0, solver.infinity(), "")
            constraint.SetCoefficient(missed, sign)
            cost.SetCoefficient(missed, 1)
        constraints.append(constraint)
    if seconds is not None:
        solver.SetTimeLimit(max(1, round(1000 * seconds)))

    # Left to itself CLP may end between corners, with fractions.
    corners = pywraplp.MPSolverParameters()
    corners.SetIntegerParam(corners.LP_ALGORITHM, corners.DUAL)

    def solve() -> Verdict | None:
        if solver.Solve(corners) != pywraplp.Solver.OPTIMAL:
            return None
        if cost.Value() < 0.5:
            return linear.deal(boolean.solution_value() for boolean in booleans)
        return Infeasible(linear.shortage([constraint.dual_value() for constraint in constraints]))

    return solve


glop = partial(_by_or_tools, "GLOP")
clp = partial(_by_or_tools, "CLP")


def mathopt(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Solve by HiGHS' simplex, as MathOpt of OR-Tools carries it."""
    from datetime import timedelta

    from ortools.math_opt.python import mathopt as library

    model = library.Model()
    booleans = [model.add_variable(lb=0) for _ in linear.pairs]
    constraints = []
    for row in linear.rows:
        missed, extra = model.add_variable(lb=0), model.add_variable(lb=0)
        total = library.fast_sum([booleans[term] for term in row.terms])
        expression = total + missed - extra
        constraints.append(model.add_linear_constraint(lb=row.low, ub=row.high, expr=expression))
        model.objective.set_linear_coefficient(missed, 1)
        model.objective.set_linear_coefficient(extra, 1)
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
