"""The history of a game at a table, with a version number for each entry of the table's log.

An entry of the log is either a move, or a take-back with the number of moves that were taken back.
The version is the number of entries so far, so it also increases when moves are taken back. Only
the positions of recent versions are kept in memory. `replays` computes earlier positions again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.table.history import History
from quaternity.web.changes import TAKEN_BACK, Entry
from quaternity.web.http_errors import HttpError

RECENT = 32
"""Number of recent versions of a game whose positions are kept in memory. Pages need them to show
the latest moves one by one. If several players may act at the same time, a player may choose a move
in any of these positions."""


class VersionedHistory(NamedTuple):
    """The game at a table, with a version number for each move and each take-back.

    It is immutable. The version is the number of entries in the log of the table.

    Attributes:
        game: The game without the moves that were taken back.
        numbers: The number of moves in the game at each version, from version 0 on. Moves that had
            been taken back do not count.
        versions_by_id: The version after each move for which a client chose an id. A key consists
            of the seat that made the move, and the id.
        recent: Positions of the recent versions, by version. The last one is the current position.
    """

    game: History[Any, Any, Any]
    numbers: tuple[int, ...]
    versions_by_id: Mapping[tuple[int, str], int]
    recent: Mapping[int, Any]

    @classmethod
    def begin(cls, rules: Any, start: Any, entries: Iterable[Entry] = ()) -> VersionedHistory:
        """Return a history that starts at a position and contains the given log entries."""
        history = cls(History(rules, start, max_stored=1), (0,), {}, {0: start})
        for entry in entries:
            history = history.with_entry(entry)
        return history

    @property
    def version(self) -> int:
        """The current version: the number of moves and take-backs in the log of the table."""
        return len(self.numbers) - 1

    @property
    def position(self) -> Any:
        """The current position."""
        return self.game.position

    def with_entry(self, entry: Entry) -> VersionedHistory:
        """Return the history after another log entry, which is a move or a take-back."""
        return self.with_game(entry, self.game_after(entry))

    def game_after(self, entry: Entry) -> History[Any, Any, Any]:
        """Return the game after another log entry, which is a move or a take-back."""
        if entry.seat == TAKEN_BACK:
            return self.game.undo(int(entry.move))
        rules = self.game.rules
        move = rules.read(entry.move, rules.view(self.position, entry.seat))
        return self.game.play(entry.seat, move)

    def with_game(self, entry: Entry, game: History[Any, Any, Any]) -> VersionedHistory:
        """Return a history with one more log entry. `game` is the history of the game after it."""
        # Compute the public events of the move now, while the position before the move is known.
        game.steps()
        game.forget_positions()
        version, by_id = entry.version, self.versions_by_id
        recent = [*self.recent.items(), (version, game.position)][-RECENT:]
        return VersionedHistory(
            game,
            (*self.numbers, len(game.moves)),
            {**by_id, (entry.seat, entry.id): version} if entry.id else by_id,
            dict(recent),
        )

    def kept_version(self, version: int) -> tuple[int, int]:
        """Return the first version, from `version` on, whose moves all still belong to the game.

        The second result is the number of moves at this version.
        """
        kept, number = self.version, self.numbers[-1]
        for earlier in range(self.version, max(version, 0) - 1, -1):
            if self.numbers[earlier] <= number:
                kept, number = earlier, self.numbers[earlier]
        return kept, number

    def taken_back(self, version: int) -> int:
        """Return how many moves the log entry of a version took back. It is 0 for a move."""
        return max(0, self.numbers[version - 1] - self.numbers[version]) if version else 0

    def read_move(self, seat: int, version: int, text: str) -> Any:
        """Parse the text of a move, which a player may have chosen at an earlier version.

        `version` is the number of log entries that the player saw. Raises `HttpError` if the text
        is not a move, if the version is too old, or if the move is now impossible or would have
        another meaning.
        """
        rules, stale = self.game.rules, version != self.version
        if version not in self.recent:
            raise self._gone_error()
        then = rules.view(self.recent[version], seat)
        try:
            move = rules.read(text, then)
        except InputError as error:
            raise HttpError(422, str(error), faults=[str(error)]) from None
        if stale:
            now = rules.view(self.position, seat)
            if rules.faults(now, move) or not rules.still_means(move, then, now):
                raise self._gone_error()
        return move

    def _gone_error(self) -> HttpError:
        return HttpError(
            409,
            "another player was faster, so your choice is gone: choose again",
            version=self.version,
        )


@lru_cache(maxsize=256)
def has_random_start(rules: Any) -> bool:
    """Return whether the first position of a game is random, for example the dealt cards."""
    first = rules.start(Random(0))
    return any(rules.start(Random(seed)) != first for seed in range(1, 9))
