"""The errors a user of the games can meet, under one root (see `solvers.errors`)."""

from solvers.errors import (
    InputError,
    LimitError,
    QuaternityError,
    SolverFault,
    SolverTimeout,
    UnsupportedProblem,
)

__all__ = [
    "InputError",
    "LimitError",
    "QuaternityError",
    "SolverFault",
    "SolverTimeout",
    "UnsupportedProblem",
]
