"""The contract of a solver: one row of a table, whoever wrote the solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from quaternity.base.errors import UnsupportedProblem
from quaternity.base.plain_values import takes
from solvers.problem import DealProblem
from solvers.verdict import Verdict


def _takes_all(problem: DealProblem) -> str | None:
    del problem
    return None


@dataclass(frozen=True, slots=True)
class Solver:
    """One row of the table.

    Attributes:
        name: as typed at the command line.
        idea: one line for people.
        prepare: builds what the solver needs; the result, called once, gives the verdict. The two
            steps are timed apart by `quaternity compare`.
        refuses: why the solver cannot express or will not try a problem, or None. A refused problem
            is skipped, which is never a statement about feasibility.
        certifies: whether its infeasible verdicts carry a shortage.
        within: `prepare` with a limit in seconds for the solving step, if the solver can keep
            one; at the limit it raises `SolverTimeout`.
        apart: whether commands run it in a process of its own, under limits of time and memory
            (`quaternity.workers.apart`): true for foreign solvers.
        switches: whether it models small and large problems in different ways, so that no single
            law says how its time grows.

    A row is pickled as its name (by `solvers.registry`), so that other processes find their own; a
    limit is not kept.
    """

    name: str
    idea: str
    prepare: Callable[[DealProblem], Callable[[], Verdict]]
    refuses: Callable[[DealProblem], str | None] = _takes_all
    certifies: bool = False
    within: Callable[[DealProblem, float], Callable[[], Verdict]] | None = None
    apart: bool = False
    switches: bool = field(default=False, kw_only=True)

    @property
    def takes_all(self) -> bool:
        """Return whether it refuses nothing."""
        return self.refuses is _takes_all

    def limited(self, seconds: float) -> Solver:
        """Return the same solver with a time limit; unchanged when it cannot keep one."""
        within = self.within
        if within is None:
            return self
        return replace(self, prepare=lambda problem: within(problem, seconds))

    @takes(problem=DealProblem)
    def __call__(self, problem: DealProblem) -> Verdict:
        """Decide a problem.

        Raises:
            UnsupportedProblem: the solver refuses it.
            LimitError: the solver gave up.
        """
        reason = self.refuses(problem)
        if reason is not None:
            raise UnsupportedProblem(f"{self.name}: {reason}")
        return self.prepare(problem)()


def solver_from_function(name: str, function: Callable[[DealProblem], Verdict]) -> Solver:
    """Make a row from a plain function; its documentation's first line becomes the idea."""
    idea = (getattr(function, "__doc__", None) or "").strip().split("\n")[0]
    return Solver(name, idea, lambda problem: partial(function, problem))
