"""Public exceptions of this package."""

from typing import TYPE_CHECKING

from quaternity.base.errors import (
    FaultPlace,
    FileWarning,
    GameLimit,
    IllegalMove,
    InputError,
    LimitError,
    NoDeal,
    PlayerFault,
    PlayerTimeout,
    QuaternityError,
    SolverFault,
    SolverTimeout,
    UnsupportedProblem,
    WorkersLost,
)
from quaternity.base.lazy_names import public_only

__all__ = [
    "FaultPlace",
    "FileWarning",
    "GameLimit",
    "IllegalMove",
    "InputError",
    "LimitError",
    "NoDeal",
    "PlayerFault",
    "PlayerTimeout",
    "QuaternityError",
    "SolverFault",
    "SolverTimeout",
    "UnsupportedProblem",
    "WorkersLost",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
