"""The interface of a solver: an exact function from deal problems to verdicts, with metadata."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from quaternity.base.errors import UnsupportedProblem
from quaternity.base.validation import validate_arguments
from solvers.problem import DealProblem
from solvers.verdict import Verdict


def _accept_all(problem: DealProblem) -> str | None:
    del problem
    return None


@dataclass(frozen=True, slots=True)
class Solver:
    """A solver of deal problems.

    Attributes:
        name: the name used on the command line.
        idea: a description of the method, in one line.
        prepare: builds the solver's model of a problem and returns a function. Calling that
            function once solves the model and returns the verdict. `quaternity compare` times
            the two steps separately.
        refuses: returns the reason why the solver cannot express a problem or does not try it, or
            None. A refused problem is skipped; this says nothing about its feasibility.
        certifies: whether every infeasible verdict of the solver has a shortage.
        prepare_within: like `prepare`, with a time limit in seconds for the solving step, at which
            it raises `SolverTimeout`; None if the solver cannot keep a time limit.
        isolated: whether commands run the solver in a separate process, with limits on time and
            memory (`quaternity.workers.isolated_solvers`). True for external solvers.
        changes_model: whether the solver models small and large problems in different ways, so that
            its running time does not follow a single growth law.

    A solver is pickled by its name (see `solvers.registry`): another process looks the name up in
    its own registry. A time limit is lost in this way.
    """

    name: str
    idea: str
    prepare: Callable[[DealProblem], Callable[[], Verdict]]
    refuses: Callable[[DealProblem], str | None] = _accept_all
    certifies: bool = False
    prepare_within: Callable[[DealProblem, float], Callable[[], Verdict]] | None = None
    isolated: bool = False
    changes_model: bool = field(default=False, kw_only=True)

    @property
    def accepts_all(self) -> bool:
        """Return whether the solver accepts every problem."""
        return self.refuses is _accept_all

    def with_time_limit(self, seconds: float) -> Solver:
        """Return a copy of the solver with a time limit, or itself if it cannot keep one."""
        within = self.prepare_within
        if within is None:
            return self
        return replace(self, prepare=lambda problem: within(problem, seconds))

    @validate_arguments(problem=DealProblem)
    def __call__(self, problem: DealProblem) -> Verdict:
        """Decide whether a problem is feasible.

        Raises:
            UnsupportedProblem: If the solver refuses the problem.
            LimitError: If the solver gives up.
        """
        reason = self.refuses(problem)
        if reason is not None:
            raise UnsupportedProblem(f"{self.name}: {reason}")
        return self.prepare(problem)()


def solver_from_function(name: str, function: Callable[[DealProblem], Verdict]) -> Solver:
    """Return a `Solver` that calls a function; the first line of its docstring is the idea."""
    idea = (getattr(function, "__doc__", None) or "").strip().split("\n")[0]
    return Solver(name, idea, lambda problem: partial(function, problem))
