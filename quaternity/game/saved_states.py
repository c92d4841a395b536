"""States that show a fault: made small, and kept as files so that it can be looked at again."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

from quaternity.base.errors import InputError
from quaternity.base.writing import write_text
from quaternity.game.state import State
from quaternity.game.state_file import any_text
from solvers.judgement import judge
from solvers.problem import DealProblem
from solvers.reduction import reduced
from solvers.solver import Solver


def smallest_state(state: State, solvers: Sequence[Solver], seconds: float) -> tuple[State, str]:
    """Shrink a state about which some solver is wrong; return it and what is wrong.

    Completed sets go first. If the fault needs them, or no solver is wrong, the state stays as it
    is. Only the solvers at fault are asked again. After `seconds` the smallest so far is returned.

    Cost: see `solvers.reduction.reduced`; a run of every solver per step.
    """
    is_faulty = _still_faulty(state.problem, solvers)
    in_play = [constraint for constraint in state.problem.sets if constraint.size]
    problem = DealProblem(state.problem.hands, in_play)
    if in_play and is_faulty(problem):
        problem = reduced(problem, is_faulty, same_size=True, seconds=seconds)
        state = State(problem, None, (None,) * len(problem.sets), problem.sets[0].size)
    return state, judge(state.problem, solvers).in_words()


def smallest_text(given: State | DealProblem, solvers: Sequence[Solver], seconds: float) -> str:
    """Return the text of a file of the `smallest_state`, or of a smallest deal problem."""
    if isinstance(given, State):
        return any_text(smallest_state(given, solvers, seconds)[0])
    return any_text(reduced(given, _still_faulty(given, solvers), seconds=seconds))


def _still_faulty(problem: DealProblem, solvers: Sequence[Solver]) -> Callable[[DealProblem], bool]:
    """Return a test whether a solver that is wrong about a problem is wrong about another."""
    names = {fault.solver for fault in judge(problem, solvers).faults}
    guilty = [solver for solver in solvers if solver.name in names] or solvers
    return lambda other: bool(judge(other, guilty).faults)


def check_directory(directory: str) -> None:
    """Refuse, before long work, a directory in which no finding could be saved."""
    if not Path(directory).is_dir():
        raise InputError(f"{directory}: not a directory")
    if not os.access(directory, os.W_OK):
        raise InputError(f"{directory}: cannot be written")


def save_finding(directory: str, text: str) -> str:
    """Save the text of a state or deal problem, named by its content; return the path."""
    path = Path(directory) / f"disagreement-{sha256(text.encode()).hexdigest()[:8]}.json"
    write_text(path, text)
    return str(path)
