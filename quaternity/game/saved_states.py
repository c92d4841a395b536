"""Functions that shrink and save states for which a solver gives a wrong result."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

from quaternity.base.errors import InputError
from quaternity.base.writing import write_text
from quaternity.game.state import State
from quaternity.game.state_file import any_text
from solvers.cross_check import judge
from solvers.minimize import minimize_problem
from solvers.problem import DealProblem
from solvers.solver import Solver


def smallest_state(state: State, solvers: Sequence[Solver], seconds: float) -> tuple[State, str]:
    """Return a smaller state about which some solver is wrong, and a description of the fault.

    Completed sets are removed first. If the fault disappears without them, or if no solver is
    wrong, the state is returned unchanged. Only the faulty solvers are run again. After `seconds`,
    the search stops and returns the smallest state found so far.
    """
    is_faulty = _fault_predicate(state.problem, solvers)
    in_play = [constraint for constraint in state.problem.sets if constraint.size]
    problem = DealProblem(state.problem.hands, in_play)
    if in_play and is_faulty(problem):
        problem = minimize_problem(problem, is_faulty, same_size=True, seconds=seconds)
        state = State(problem, None, (None,) * len(problem.sets), problem.sets[0].size)
    return state, judge(state.problem, solvers).in_words()


def smallest_text(case: State | DealProblem, solvers: Sequence[Solver], seconds: float) -> str:
    """Return the text of a file with a small state or problem about which some solver is wrong.

    `case` is the state or deal problem from which the search starts.
    """
    if isinstance(case, State):
        return any_text(smallest_state(case, solvers, seconds)[0])
    return any_text(minimize_problem(case, _fault_predicate(case, solvers), seconds=seconds))


def _fault_predicate(
    problem: DealProblem, solvers: Sequence[Solver]
) -> Callable[[DealProblem], bool]:
    names = {fault.solver for fault in judge(problem, solvers).faults}
    guilty = [solver for solver in solvers if solver.name in names] or solvers
    return lambda other: bool(judge(other, guilty).faults)


def check_directory(directory: str) -> None:
    """Check, before a long computation, that files can be saved in a directory.

    Raises:
        InputError: If the path is not a directory, or if the directory is not writable.
    """
    if not Path(directory).is_dir():
        raise InputError(f"{directory}: not a directory")
    if not os.access(directory, os.W_OK):
        raise InputError(f"{directory}: cannot be written")


def save_finding(directory: str, text: str) -> str:
    """Save the text of a state or deal problem in a directory, and return the path of the file.

    The name of the file contains a hash of the text.
    """
    path = Path(directory) / f"disagreement-{sha256(text.encode()).hexdigest()[:8]}.json"
    write_text(path, text)
    return str(path)
