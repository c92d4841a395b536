"""The hierarchy of the exceptions that this distribution raises on purpose.

All of them derive from `QuaternityError`, so that a caller can distinguish a refusal from a defect.
The command line maps each branch of the hierarchy to an exit status (see `quaternity.cli`).
"""

from __future__ import annotations

import copyreg
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple


class QuaternityError(Exception):
    """Base class of every exception raised on purpose. Its text is meant for people.

    It can be pickled, whatever the arguments of its constructor are.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # Refer to the class only, so that processes that unpickle no foreign functions can read it.
        new = copyreg.__newobj__  # type: ignore[attr-defined]  # exists for this purpose
        return new, (type(self), *self.args), self.__dict__


class InputError(QuaternityError, ValueError):
    """A value, file or argument is invalid. The text says where, and what is allowed."""


class FileWarning(UserWarning):
    """An irregularity of a file or text that does not prevent reading it."""


def warn_irregularities(irregularities: Sequence[str]) -> None:
    """Issue a `FileWarning` for each irregularity of a file.

    The warnings point at the code three calls up: at the caller of `Game.parse`, for example, which
    calls `Game._of_record`, which calls this function.
    """
    for irregularity in irregularities:
        warnings.warn(irregularity, FileWarning, stacklevel=4)


class NotUnderstood(InputError):
    """A typed text does not have the form of a move. The message says what a move looks like."""


class LimitError(QuaternityError):
    """A documented limit of size or time was reached, so the answer is unknown."""


class SolverTimeout(LimitError):
    """A solver gave up at its time limit. This is never a statement about feasibility."""


class OutOfMemory(LimitError):
    """A solver exceeded its memory limit. This is never a statement about feasibility."""


class UnsupportedProblem(QuaternityError):
    """A solver got a problem that, according to its contract, it does not support."""


class SolverFault(QuaternityError):
    """A solver broke its contract: a wrong verdict, or an answer that does not verify."""


class SolverCrash(SolverFault):
    """A solver raised an exception that its contract does not allow, or ended its process.

    The text is a predicate; whoever prints it puts the name of the solver in front.
    """


class NoDeal(QuaternityError, ValueError):
    """A question about the deals of a problem that has no deal."""


class IllegalMove(QuaternityError):
    """A move that breaks the rules of a game. `faults` lists every reason, a sentence each."""

    def __init__(self, what: str, faults: Sequence[str]) -> None:
        super().__init__(f"{what}: {'; '.join(faults)}")
        self.faults = list(faults)


class FaultPlace(NamedTuple):
    """The place in a game where a player failed.

    Attributes:
        player: name of the player; empty if no player is at fault, or none is known to be.
        moves, go: numbers of moves made and of goes finished before; `go` is None in a game
            without goes.
        record: the game up to this place, as the text of a log or record.
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
    """A strategy or bot raised an exception, tried to end the program, or broke the rules.

    Attributes:
        message: a sentence that names the player and says what it did.
        trace: the traceback as text, or an empty string.
        place: the game and the move; None if they are not known.
    """

    def __init__(self, what: str, trace: str = "", place: FaultPlace | None = None) -> None:
        super().__init__(what, trace, place)
        self.message, self.trace, self.place = what, trace, place

    def __str__(self) -> str:
        return self.message if self.place is None else f"{self.place}: {self.message}"

    def at(self, place: FaultPlace) -> PlayerFault:
        """Return the same fault with its place."""
        return type(self)(self.message, self.trace, place)


class GameLimit(PlayerFault, LimitError):
    """A game reached a limit, or its process died; no player is known to be at fault."""


class PlayerTimeout(PlayerFault, LimitError):
    """A strategy or bot exceeded the time limit for a move."""


class WorkersLost(LimitError):
    """Workers died repeatedly, or the connection to the cluster was lost."""
