"""The tree of errors that this distribution raises on purpose.

Its root is one class, so that a caller can tell "the program says no" from a defect. The
command line turns each branch into an exit status (see `quaternity.cli`).
"""

from __future__ import annotations

import copyreg
from typing import Any


class QuaternityError(Exception):
    """Root of every error raised on purpose. Its text is meant for people.

    It crosses processes as it is, whatever it was made of.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # By its class alone: processes that trust nobody's functions read it too.
        new = copyreg.__newobj__  # type: ignore[attr-defined]  # is there, for this
        return new, (type(self), *self.args), self.__dict__


class InputError(QuaternityError, ValueError):
    """A value, file or argument is malformed: the text names it, its place and what was allowed."""


class LimitError(QuaternityError):
    """A documented limit of size or time was reached: no answer, neither yes nor no."""


class SolverTimeout(LimitError):
    """A solver gave up at its time limit. This is never a statement about feasibility."""


class OutOfMemory(LimitError):
    """A solver took more memory than it may. This is never a statement about feasibility."""


class UnsupportedProblem(QuaternityError):
    """A solver was given a problem that its contract says it cannot express."""


class SolverFault(QuaternityError):
    """A solver broke its contract: a wrong verdict, or an answer that does not verify."""


class SolverCrash(SolverFault):
    """A solver raised what its contract does not allow, or ended its process: text without a
    subject, which is the solver."""


class NoDeal(QuaternityError, ValueError):
    """Something was asked about the deals of a problem that no deal satisfies."""
