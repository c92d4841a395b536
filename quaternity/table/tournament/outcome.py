"""How a tournament ended: its finished games, and the game in which a player failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quaternity.base.errors import LimitError, PlayerFault
from quaternity.table.tournament.playing import GameResult


@dataclass(frozen=True, slots=True)
class FailedGame:
    """The game in which a player failed.

    Attributes:
        kind: the word for a player of this game.
        saved: the path of the file to which the game was saved, or None.
        replay: the command that replays the game.
    """

    kind: str
    fault: PlayerFault
    saved: str | None
    replay: str

    def document(self) -> dict[str, Any]:
        """Return the failure as plain values for JSON."""
        place = self.fault.place
        assert place is not None, "the failure must have happened in a game"
        return {
            self.kind: place.player or None,
            "seat": place.seat,
            "game": place.game,
            "moves": place.moves,
            "go": place.go,
            "reason": self.fault.message,
            "limit": isinstance(self.fault, LimitError),
            "saved": self.saved,
            "replay": self.replay,
        }


@dataclass(frozen=True, slots=True)
class TournamentRun:
    """The finished games of a tournament, its duration, and what ended it early, or None."""

    games: Sequence[GameResult]
    seconds: float
    stopped: BaseException | None = None
    failed: FailedGame | None = None

    def document(self) -> dict[str, Any]:
        """Return the duration and the failed game as plain values for JSON."""
        return {"seconds": self.seconds, "failed": self.failed and self.failed.document()}
