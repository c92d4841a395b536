"""The errors a user of the games can meet, under one root (see `solvers.errors`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from solvers.errors import (
    InputError,
    LimitError,
    QuaternityError,
    SolverFault,
    SolverTimeout,
    UnsupportedProblem,
)


class IllegalMove(QuaternityError):
    """A move that the rules of a game refuse.

    Attributes:
        faults: everything that is wrong with it, each a sentence.
    """

    def __init__(self, what: str, faults: Sequence[str]) -> None:
        super().__init__(f"{what}: {'; '.join(faults)}")
        self.faults = list(faults)


class FaultPlace(NamedTuple):
    """Where in a game a player failed.

    Attributes:
        player: its name; the empty text when no player is at fault, or it is not known.
        seat: where it sat.
        game: the number of the game.
        moves: moves made before.
        go: the number of goes finished before, where a game has goes.
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
        """The same with its place."""
        return type(self)(self.what, self.trace, place)


class GameLimit(PlayerFault, LimitError):
    """A game reached a limit, or was lost; no player of it is known to be at fault."""


class PlayerTimeout(PlayerFault, LimitError):
    """A strategy or bot took longer for a move than it was given."""


class WorkersLost(LimitError):
    """Workers died again and again, or the cluster went away."""


__all__ = [
    "FaultPlace",
    "GameLimit",
    "IllegalMove",
    "InputError",
    "LimitError",
    "PlayerFault",
    "PlayerTimeout",
    "QuaternityError",
    "SolverFault",
    "SolverTimeout",
    "UnsupportedProblem",
    "WorkersLost",
]
