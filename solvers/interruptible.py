"""CP-SAT, so that an interrupt stops it.

CP-SAT works for seconds without a step of Python, and Python hears of an interrupt only between
its steps. So the search runs in a second thread, and this one waits for it and for interrupts.
"""

from __future__ import annotations

from threading import Event, Thread, local
from time import thread_time
from typing import Any

_searched = local()


def processor_time() -> float:
    """Seconds of processor time of this thread, its searches in second threads included.

    What other threads of the process do meanwhile does not count.
    """
    return thread_time() + getattr(_searched, "seconds", 0.0)


def solved(solver: Any, model: Any, callback: Any = None) -> Any:
    """The status of a CP-SAT solve; an interrupt stops the search before it goes on its way.

    Args:
        solver: a `CpSolver`; its own handling of interrupts is turned off.
        model: a `CpModel`.
        callback: called by CP-SAT with every solution.

    Raises what the solver raises.
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


__all__ = ["processor_time", "solved"]
