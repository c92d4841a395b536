"""How CP-SAT is run here: one thread, the strong linear relaxation, a time limit, interruptible."""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from quaternity.errors import SolverFault

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


def new_solver(seconds: float) -> cp_model.CpSolver:
    """A solver with the parameters that suit triples of cards."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.linearization_level = 2
    solver.parameters.max_time_in_seconds = seconds
    # Otherwise an interrupt would only end the search, and Python would not hear of it.
    solver.parameters.catch_sigint_signal = False
    return solver


def solve(
    solver: cp_model.CpSolver,
    model: cp_model.CpModel,
    callback: cp_model.CpSolverSolutionCallback | None = None,
) -> Any:
    """The status of a solve in a thread of its own, so that an interrupt can stop it.

    Raises:
        SolverFault: the solver has raised an error.
    """
    statuses: list[Any] = []
    # Not `Thread.join`: interrupted once, it may take a running thread for an ended one.
    ended = Event()

    def work() -> None:
        try:
            statuses.append(solver.solve(model, callback))
        finally:
            ended.set()

    Thread(target=work, daemon=True).start()
    try:
        ended.wait()
    except BaseException:
        solver.stop_search()
        ended.wait()
        raise
    if not statuses:
        raise SolverFault("CP-SAT ended without a status")
    return statuses[0]


__all__ = ["new_solver", "solve"]
