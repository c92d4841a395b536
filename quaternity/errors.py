"""The errors that users of the games meet, under one root."""

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
