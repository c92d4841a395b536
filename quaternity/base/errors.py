"""Exceptions that `quaternity` and `solvers` raise on purpose, and their hierarchy.

All exceptions derive from `QuaternityError`, so that a caller can distinguish them from bugs. The
command line maps each branch of the hierarchy to an exit status (see `quaternity.cli`).
"""

from __future__ import annotations

import copyreg
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple


class QuaternityError(Exception):
    """Base class of all exceptions that are raised on purpose, with a text for the user.

    Every such exception can be pickled, whatever arguments its constructor takes.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # Let the pickle refer only to the class, because some processes refuse to unpickle
        # functions.
        new = copyreg.__newobj__  # type: ignore[attr-defined]  # exists for this purpose
        return new, (type(self), *self.args), self.__dict__


class InputError(QuaternityError, ValueError):
    """Error for an invalid value, file or argument.

    The text says where the fault is, and what is allowed.
    """


class FileWarning(UserWarning):
    """Warning about an irregularity of a file or text that does not prevent reading it."""


def warn_irregularities(irregularities: Sequence[str]) -> None:
    """Issue a `FileWarning` for each irregularity of a file.

    Each warning points to the line three calls up the stack, for example to the caller of
    `Game.parse`.
    """
    for irregularity in irregularities:
        warnings.warn(irregularity, FileWarning, stacklevel=4)


class NotUnderstood(InputError):
    """Error for user input that does not have the form of a move.

    The message says what a move looks like.
    """


class LimitError(QuaternityError):
    """Error for a result that is unknown because a documented limit of size or time was reached."""


class SolverTimeout(LimitError):
    """Error for a solver that reached its time limit. The problem may be feasible or infeasible."""


class OutOfMemory(LimitError):
    """Error for a solver that exceeded its memory limit. The problem may be feasible or not."""


class UnsupportedProblem(QuaternityError):
    """Error for a problem that a solver cannot solve, according to the solver's documentation."""


class SolverFault(QuaternityError):
    """Error for a solver that does not work correctly, for example because its verdict is wrong."""


class SolverCrash(SolverFault):
    """Error for a solver that raised an unexpected exception or ended its process.

    The text describes the failure. The name of the solver is added when the error is printed.
    """


class NoDeal(QuaternityError, ValueError):
    """Error for a problem that has no deal, although a deal or facts about deals were requested."""


class IllegalMove(QuaternityError):
    """Error for a move that breaks the rules of a game.

    The attribute `faults` lists all reasons as sentences.
    """

    def __init__(self, what: str, faults: Sequence[str]) -> None:
        super().__init__(f"{what}: {'; '.join(faults)}")
        self.faults = list(faults)


class FaultPlace(NamedTuple):
    """Place in a game where a player failed.

    Attributes:
        player: name of the player, or an empty string if no player is known to be at fault.
        moves: number of moves made before the failure.
        go: number of turns finished before the failure, or None in a game that does not count
            turns. All moves of a player until the turn passes are one turn.
        record: the record of the game up to this place, as text.
    """

    player: str
    seat: int | None
    game: int
    moves: int
    go: int | None
    record: str

    def __str__(self) -> str:
        when = f"move {self.moves}" if self.go is None else f"go {self.go}"
        return f"game {self.game}, {when}"


class PlayerFault(QuaternityError):
    """Error for a strategy or bot that raised an exception, tried to exit, or broke the rules.

    Attributes:
        message: a sentence that names the player and the fault.
        trace: the traceback as text, or an empty string if there is none.
        place: the game and the move, or None if they are not known.
    """

    def __init__(self, what: str, trace: str = "", place: FaultPlace | None = None) -> None:
        super().__init__(what, trace, place)
        self.message, self.trace, self.place = what, trace, place

    def __str__(self) -> str:
        return self.message if self.place is None else f"{self.place}: {self.message}"

    def at(self, place: FaultPlace) -> PlayerFault:
        """Return a copy of the error with the place in the game where it occurred."""
        return type(self)(self.message, self.trace, place)


class GameLimit(PlayerFault, LimitError):
    """Error for a game that reached a limit, or that ended because its process died.

    No player is known to be at fault.
    """


class PlayerTimeout(PlayerFault, LimitError):
    """Error for a strategy or bot that exceeded the time limit for a move."""


class WorkersLost(LimitError):
    """Error for workers that died repeatedly, or for a lost connection to the cluster."""
