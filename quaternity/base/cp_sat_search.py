"""Functions that run CP-SAT with a time limit, and let an interrupt (Ctrl-C) stop the search.

Python handles an interrupt only between Python instructions, but CP-SAT can run for seconds without
returning to Python. So the search runs in a second thread, and the calling thread waits until the
search ends or an interrupt arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread, local
from time import thread_time
from typing import Any

from quaternity.base.errors import SolverFault, SolverTimeout

_search_time = local()


def processor_time() -> float:
    """Return the processor time of this thread and of the searches that it started, in seconds.

    The work of other threads of the process does not count.
    """
    return thread_time() + getattr(_search_time, "seconds", 0.0)


def run_search(
    model: Any,
    seconds: float | None,
    unanswered: Callable[[], str],
    *,
    seed: int = 0,
    on_solution: Callable[[Callable[[Any], int]], object] | None = None,
    on_bound: Callable[[float], object] | None = None,
    is_whole: bool = False,
    is_quick: bool = False,
    **parameters: Any,
) -> Any:
    """Return the `CpSolver` with a solution of a `CpModel`, or None if the model is infeasible.

    The search uses one thread and a fixed seed, so the same model always gets the same answer.

    Args:
        unanswered: function that returns the error message if the time limit is reached.
        on_solution: function that is called with each solution. A solution is passed as a function
            from a variable to its value.
        on_bound: function that is called with each better bound of the objective.
        is_whole: whether the search must be complete, because the best solution or all solutions
            are wanted. If false, any feasible solution is an answer.
        is_quick: whether the search is so short that it need not be interruptible.
        parameters: further parameters of CP-SAT.

    Raises:
        SolverTimeout: If there is no answer within the time limit.
        SolverFault: If CP-SAT rejects the model.
    """
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    own = {"num_workers": 1, "random_seed": seed, "max_time_in_seconds": seconds}
    # If CP-SAT caught interrupts, they would end only the search and never reach Python.
    for name, value in {**own, "catch_sigint_signal": False, **parameters}.items():
        if value is not None:
            setattr(solver.parameters, name, value)
    if on_bound is not None:
        solver.best_bound_callback = on_bound
    callback = None if on_solution is None else _solution_callback(on_solution)
    status = (
        solver.solve(model, callback) if is_quick else solve_interruptibly(solver, model, callback)
    )
    if status == cp_model.OPTIMAL or (status == cp_model.FEASIBLE and not is_whole):
        return solver
    if status == cp_model.INFEASIBLE:
        return None
    if status in (cp_model.UNKNOWN, cp_model.FEASIBLE):
        raise SolverTimeout(unanswered())
    raise SolverFault(f"CP-SAT gave no answer; its status is {solver.status_name(status)}")


def _solution_callback(on_solution: Callable[[Callable[[Any], int]], object]) -> Any:
    from ortools.sat.python import cp_model

    class Teller(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]  # OR-Tools is untyped
        def on_solution_callback(self) -> None:
            on_solution(self.value)

    return Teller()


def solve_interruptibly(solver: Any, model: Any, callback: Any = None) -> Any:
    """Solve a CP-SAT model and return the status. An interrupt (Ctrl-C) stops the search.

    The interrupt, or any exception of the solver, is raised in the calling thread. CP-SAT calls
    `callback` for every solution.
    """
    # If CP-SAT caught interrupts, they would end only the search and never reach Python.
    solver.parameters.catch_sigint_signal = False
    outcome: list[Any] = []
    spent: list[float] = []
    # Wait for an event, because after an interrupt `Thread.join` may treat a running thread as
    # ended.
    ended = Event()

    def search() -> None:
        try:
            outcome.append(solver.solve(model, callback))
        except Exception as error:  # raised again in the calling thread
            outcome.append(error)
        finally:
            spent.append(thread_time())
            ended.set()

    thread = Thread(target=search, daemon=True)
    try:
        thread.start()
        ended.wait()
    except BaseException:
        # Repeat the call, because stopping a search that has not started yet has no effect.
        while thread.ident is not None and not ended.wait(0.05):
            solver.stop_search()
        raise
    finally:
        _search_time.seconds = getattr(_search_time, "seconds", 0.0) + sum(spent)
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]
