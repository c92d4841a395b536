"""How CP-SAT is run here: one thread, the strong linear relaxation, a time limit, interruptible."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ortools.sat.python import cp_model

    from quaternity.ternary.best import Best


def new_solver(best: Best[Any], seconds: float) -> cp_model.CpSolver:
    """A solver with the parameters that suit triples of cards.

    Args:
        best: has the time limit and the generator, if any.
        seconds: the time limit otherwise.

    Raises:
        SolverTimeout: the time is up.
    """
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    if best.random is not None:
        solver.parameters.randomize_search = True
        solver.parameters.random_seed = best.random.randrange(2**31)
    solver.parameters.linearization_level = 2
    solver.parameters.max_time_in_seconds = best.seconds_left(seconds)
    return solver


__all__ = ["new_solver"]
