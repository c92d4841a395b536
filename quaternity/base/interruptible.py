"""CP-SAT: how every search of this house is set up, interrupted, and read.

CP-SAT works for seconds without a step of Python, and Python hears of an interrupt only between
its steps. So the search runs in a second thread, and this one waits for it and for interrupts.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread, local
from time import thread_time
from typing import Any

from quaternity.base.errors import SolverFault, SolverTimeout

_searched = local()


def processor_time() -> float:
    """Seconds of processor time of this thread, its searches in second threads included.

    What other threads of the process do meanwhile does not count.
    """
    return thread_time() + getattr(_searched, "seconds", 0.0)


def searched(
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
    """Return a `CpSolver` that has found a solution of a `CpModel`, or None: there is none.

    One thread and a seed, so that the same model gets the same answer.

    Args:
        unanswered: what to say when the time limit is reached.
        on_solution: told every solution: a function from a variable to its value there.
        on_bound: told every better bound.
        is_whole: one solution is no answer: the best is asked for, or all of them.
        is_quick: it takes no longer than an interrupt may wait.
        parameters: others of CP-SAT.

    Raises:
        SolverTimeout: no answer within the time limit.
        SolverFault: CP-SAT refused the model.
    """
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    own = {"num_workers": 1, "random_seed": seed, "max_time_in_seconds": seconds}
    # Otherwise an interrupt ends only the search, and Python hears of no interrupt any more.
    for name, value in {**own, "catch_sigint_signal": False, **parameters}.items():
        if value is not None:
            setattr(solver.parameters, name, value)
    if on_bound is not None:
        solver.best_bound_callback = on_bound
    callback = None if on_solution is None else _teller(on_solution)
    status = solver.solve(model, callback) if is_quick else solved(solver, model, callback)
    if status == cp_model.OPTIMAL or (status == cp_model.FEASIBLE and not is_whole):
        return solver
    if status == cp_model.INFEASIBLE:
        return None
    if status in (cp_model.UNKNOWN, cp_model.FEASIBLE):
        raise SolverTimeout(unanswered())
    raise SolverFault(f"CP-SAT ended with {solver.status_name(status)}")


def _teller(on_solution: Callable[[Callable[[Any], int]], object]) -> Any:
    from ortools.sat.python import cp_model

    class Teller(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]  # OR-Tools is untyped
        def on_solution_callback(self) -> None:
            on_solution(self.value)

    return Teller()


def solved(solver: Any, model: Any, callback: Any = None) -> Any:
    """Return the status of a CP-SAT solve; an interrupt stops the search before it goes on its way.

    The solver's own handling of interrupts is turned off. CP-SAT calls `callback` with every
    solution. Raises what the solver raises.
    """
    # Otherwise an interrupt ends the search only, and Python never hears of this or a later one.
    solver.parameters.catch_sigint_signal = False
    outcome: list[Any] = []
    spent: list[float] = []
    # Not `Thread.join`: interrupted once, it may take a running thread for an ended one.
    ended = Event()

    def search() -> None:
        try:
            outcome.append(solver.solve(model, callback))
        except Exception as error:  # handed over to the thread that waits
            outcome.append(error)
        finally:
            spent.append(thread_time())
            ended.set()

    thread = Thread(target=search, daemon=True)
    try:
        thread.start()
        ended.wait()
    except BaseException:
        # An interrupt may come before the search has begun: stopping it then has no effect.
        while thread.ident is not None and not ended.wait(0.05):
            solver.stop_search()
        raise
    finally:
        _searched.seconds = getattr(_searched, "seconds", 0.0) + sum(spent)
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]
