"""CP-SAT: the declarative model.

One boolean per allowed (card, player); exactly one owner per card; hand sizes; per player and set a
minimum and a maximum. OR-Tools' CP-SAT proves or refutes it with one thread and a fixed seed. An
infeasible verdict carries no shortage of its own: `solvers.certify` pairs it with one.
"""

from __future__ import annotations

from collections.abc import Callable

from solvers.errors import SolverFault, SolverTimeout
from solvers.problem import DealProblem, players_in
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

SECONDS = 60.0
"""Default time limit of one solve."""


def prepare(
    problem: DealProblem, *, seed: int = 0, seconds: float = SECONDS
) -> Callable[[], Verdict]:
    """Build the model; the result solves it.

    Args:
        seed: of CP-SAT's search.
        seconds: time limit of the solve.

    The solve raises `SolverTimeout` at the limit: that is never read as infeasible.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    held: list[list[cp_model.IntVar]] = [[] for _ in problem.hands]
    owner: list[list[list[tuple[int, cp_model.IntVar]]]] = []
    for constraint in problem.sets:
        shares: list[list[cp_model.IntVar]] = [[] for _ in problem.hands]
        rows = []
        for mask in constraint.owners:
            row = [(player, model.new_bool_var("")) for player in players_in(mask)]
            model.add_exactly_one(variable for _, variable in row)
            for player, variable in row:
                shares[player].append(variable)
            rows.append(row)
        for player, share in enumerate(shares):
            held[player] += share
            low, high = constraint.low[player], constraint.high[player]
            if low > 0 or high < len(share):
                # CP-SAT's domains need low <= high and 64 bits; crossed bounds say "never".
                if low > min(high, len(share)):
                    model.add_bool_or([])
                else:
                    model.add_linear_constraint(sum(share), low, min(high, len(share)))
        owner.append(rows)
    for player, hand in enumerate(problem.hands):
        model.add(sum(held[player]) == min(hand, len(held[player]) + 1))

    def solve() -> Verdict:
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = seed
        solver.parameters.max_time_in_seconds = seconds
        status = solver.solve(model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Feasible(
                Deal(
                    tuple(
                        tuple(
                            next(player for player, variable in row if solver.value(variable))
                            for row in rows
                        )
                        for rows in owner
                    )
                )
            )
        if status == cp_model.INFEASIBLE:
            return Infeasible()
        if status == cp_model.UNKNOWN:
            raise SolverTimeout(f"CP-SAT reached its time limit of {seconds:g} s without an answer")
        raise SolverFault(f"CP-SAT refused the model: {solver.status_name(status)}")

    return solve


def prepare_within(problem: DealProblem, seconds: float) -> Callable[[], Verdict]:
    """`prepare` with a time limit in seconds."""
    return prepare(problem, seconds=seconds)


__all__ = ["SECONDS", "prepare", "prepare_within"]
