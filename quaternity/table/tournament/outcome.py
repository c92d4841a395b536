"""Outcome of a tournament: its finished games, and the game in which a player failed, if any."""

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
        kind: the game's word for a computer player, for example "bot".
        fault: the failure of the player.
        saved: the path of the file to which the game was saved. None if it was not saved.
        replay: the command that replays the game.
    """

    kind: str
    fault: PlayerFault
    saved: str | None
    replay: str

    def document(self) -> dict[str, Any]:
        """Return the failure as a JSON object."""
        place = self.fault.place
        assert place is not None, "only a failure that happened in a game has a document"
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
    """The results of a tournament: the finished games, and how the tournament ended.

    Attributes:
        games: the results of the finished games.
        seconds: duration of the tournament.
        stopped: the exception that ended the tournament early. None if all games were finished.
        failed: the game in which a player failed. None if no player failed.
    """

    games: Sequence[GameResult]
    seconds: float
    stopped: BaseException | None = None
    failed: FailedGame | None = None

    def document(self) -> dict[str, Any]:
        """Return the duration and the failed game as a JSON object."""
        return {"seconds": self.seconds, "failed": self.failed and self.failed.document()}
