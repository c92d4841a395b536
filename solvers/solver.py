"""The interface of a solver: an exact function from deal problems to verdicts."""

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


@dataclass(frozen=True, slots=True, repr=False)
class Solver:
    """Solver of deal problems: a function from a problem to a verdict, with a description.

    Attributes:
        name: the name of the solver on the command line.
        idea: a description of the method in one line.
        prepare: function that builds the solver's model of a problem. It returns a function that
            solves the model and returns the verdict, and is called only once. `quaternity compare`
            measures both steps separately.
        refuses: function that returns the reason why the solver does not accept a problem, or None.
            A refusal says nothing about the feasibility of the problem.
        certifies: whether every infeasible verdict of the solver contains a proof (a shortage).
        prepare_within: function like `prepare`, with the time limit in seconds as a second
            argument. At the limit, solving raises `SolverTimeout`. None if the solver does not
            support time limits.
        isolated: whether commands run the solver in a separate process, with limits on time and
            memory (`quaternity.workers.isolated_solvers`). This is true for external solvers.
        changes_model: whether the solver uses different models for small and large problems, so
            that no single growth law describes its running time.

    A solver is pickled by its name, which another process looks up in its own registry. A time
    limit is not pickled.
    """

    name: str
    idea: str
    prepare: Callable[[DealProblem], Callable[[], Verdict]]
    refuses: Callable[[DealProblem], str | None] = _accept_all
    certifies: bool = False
    prepare_within: Callable[[DealProblem, float], Callable[[], Verdict]] | None = None
    isolated: bool = False
    changes_model: bool = field(default=False, kw_only=True)

    def __repr__(self) -> str:
        return f"<Solver {self.name}>"

    @property
    def accepts_all(self) -> bool:
        """Return whether the solver accepts every problem."""
        return self.refuses is _accept_all

    def with_time_limit(self, seconds: float) -> Solver:
        """Return a copy with a time limit, or the solver itself if it does not support one."""
        within = self.prepare_within
        if within is None:
            return self
        return replace(self, prepare=lambda problem: within(problem, seconds))

    @validate_arguments(problem=DealProblem)
    def __call__(self, problem: DealProblem) -> Verdict:
        """Decide whether a problem is feasible, and return the verdict.

        Raises:
            UnsupportedProblem: If the solver refuses the problem.
            LimitError: If the solver gives up.
        """
        reason = self.refuses(problem)
        if reason is not None:
            raise UnsupportedProblem(f"{self.name}: {reason}")
        return self.prepare(problem)()


def solver_from_function(name: str, function: Callable[[DealProblem], Verdict]) -> Solver:
    """Return a `Solver` that calls a function. Its `idea` is the first line of the docstring."""
    idea = (getattr(function, "__doc__", None) or "").strip().split("\n")[0]
    return Solver(name, idea, lambda problem: partial(function, problem))
