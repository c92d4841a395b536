"""The tree of errors that this distribution raises on purpose.

Its root is one class, so that a caller can tell "the program says no" from a defect. The
command line turns each branch into an exit status (see `quaternity.cli`).
"""

from __future__ import annotations

import copyreg
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple


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


class FileWarning(UserWarning):
    """An oddity of a file or text that can be read all the same."""


def warn_of(oddities: Sequence[str]) -> None:
    """Warn whoever called the method that called the caller of what is odd about a file."""
    for oddity in oddities:
        warnings.warn(oddity, FileWarning, stacklevel=4)


class NotUnderstood(InputError):
    """A typed text is no move at all: the message says what a move looks like."""


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
    """A solver raised what its contract does not allow, or ended its process.

    The text has no subject, which is the solver.
    """


class NoDeal(QuaternityError, ValueError):
    """Something was asked about the deals of a problem that no deal satisfies."""


class IllegalMove(QuaternityError):
    """A move that the rules of a game refuse; `faults` are sentences about all that is wrong."""

    def __init__(self, what: str, faults: Sequence[str]) -> None:
        super().__init__(f"{what}: {'; '.join(faults)}")
        self.faults = list(faults)


class FaultPlace(NamedTuple):
    """The place in a game where a player failed.

    Attributes:
        player: its name; the empty text when no player is at fault, or it is not known.
        moves, go: the moves made and the goes finished before; not every game has goes.
        record: the game up to there, as the text of a log or record.
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
    """A strategy or bot raised something, tried to end the program, or broke the rules.

    Attributes:
        what: what it did; names it.
        trace: its traceback as text, or empty.
        place: where in which game; None when that is not known.
    """

    def __init__(self, what: str, trace: str = "", place: FaultPlace | None = None) -> None:
        super().__init__(what, trace, place)
        self.what, self.trace, self.place = what, trace, place

    def __str__(self) -> str:
        return self.what if self.place is None else f"{self.place}: {self.what}"

    def at(self, place: FaultPlace) -> PlayerFault:
        """Return the same with its place."""
        return type(self)(self.what, self.trace, place)


class GameLimit(PlayerFault, LimitError):
    """A game reached a limit, or was lost; no player of it is known to be at fault."""


class PlayerTimeout(PlayerFault, LimitError):
    """A strategy or bot took longer for a move than it was given."""


class WorkersLost(LimitError):
    """Workers died again and again, or the cluster went away."""
