"""How CP-SAT is run here: one thread, the strong linear relaxation, a time limit, interruptible."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    return solver


__all__ = ["new_solver"]
