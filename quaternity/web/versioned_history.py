"""The history of a game at a table, which can return the position at any version.

The version of a game is the number of entries in the table's log. The current position is kept in
memory, with those of the last versions. All other positions are replayed on request.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.table.protocol import Step
from quaternity.web.changes import TAKEN_BACK, Entry
from quaternity.web.http_errors import HttpError

RECENT = 32
"""Number of recent versions whose positions are kept. Pages show them one after another. If several
players may act at once, a move may refer to one of them."""


class VersionedHistory(NamedTuple):
    """The history of a game, with a version for each log entry.

    Attributes:
        moves: The moves, each with the seat that made it. Moves that were taken back are left out.
        steps: The public information about each move.
        numbers: For each version, the number of moves made so far.
        versions_by_id: Version after a move, by its seat and the id that the client chose.
        recent: Positions of recent versions. The last one is the current position.
    """

    rules: Any
    start: Any
    moves: tuple[tuple[int, Any], ...]
    steps: tuple[Step, ...]
    numbers: tuple[int, ...]
    versions_by_id: Mapping[tuple[int, str], int]
    recent: Mapping[int, Any]

    @classmethod
    def begin(cls, rules: Any, start: Any, entries: Iterable[Entry] = ()) -> VersionedHistory:
        """Return the history of a game that begins at `start`, after the given log entries."""
        history = cls(rules, start, (), (), (0,), {}, {0: start})
        for entry in entries:
            history = history.with_entry(entry)
        return history

    @property
    def version(self) -> int:
        """The current version, which is the number of entries in the log."""
        return len(self.numbers) - 1

    @property
    def position(self) -> Any:
        """The current position."""
        return self.recent[self.version]

    def with_entry(self, entry: Entry) -> VersionedHistory:
        """Return the history after an entry of the log: a move, or moves taken back."""
        if entry.seat == TAKEN_BACK:
            return self.without_last(int(entry.move))
        move = self.rules.read(entry.move, self.rules.view(self.position, entry.seat))
        after = self.rules.after(self.position, entry.seat, move)
        return self.with_move(entry, move, after, self.step(entry.seat, move, after))

    def with_move(self, entry: Entry, move: Any, after: Any, step: Step) -> VersionedHistory:
        """Return the history after a move that leads to the position `after`."""
        known = {(entry.seat, entry.id): entry.version} if entry.id else {}
        return self._replace(
            moves=(*self.moves, (entry.seat, move)),
            steps=(*self.steps, step),
            versions_by_id={**self.versions_by_id, **known} if known else self.versions_by_id,
        )._with_version(after)

    def without_last(self, count: int) -> VersionedHistory:
        """Return the history after the last `count` moves were taken back."""
        kept = len(self.moves) - count
        fewer = self._replace(moves=self.moves[:kept], steps=self.steps[:kept])
        return fewer._with_version(self.position_after(kept))

    def _with_version(self, position: Any) -> VersionedHistory:
        version = len(self.numbers)
        recent = [*self.recent.items(), (version, position)][-RECENT:]
        return self._replace(numbers=(*self.numbers, len(self.moves)), recent=dict(recent))

    def step(self, seat: int, move: Any, after: Any) -> Step:
        """Return the public information about a move from the current position to another one."""
        return Step(seat, tuple(self.rules.events(self.position, seat, move, after)))

    def positions(self) -> Iterable[Any]:
        """Yield all positions of the game, from the start to the current one."""
        return accumulate(
            self.moves, lambda position, move: self.rules.after(position, *move), initial=self.start
        )

    def position_after(self, number: int) -> Any:
        """Return the position after `number` moves."""
        return replay_position(self.rules, self.start, self.moves[:number])

    def undo_length(self, people: Collection[int]) -> int:
        """Return the number of moves that an undo takes back.

        An undo restores the position before the last move of a person. If no people play, it
        restores the position before the last move. If a person answered the question of another
        person, the undo also takes back the question.
        """
        people = people or range(self.rules.seats)
        positions, kept = list(self.positions()), len(self.moves)
        while kept:
            kept -= 1
            asker = None if self.rules.is_settled(positions[kept]) else self.moves[kept - 1][0]
            if self.moves[kept][0] in people and asker not in people:
                break
        return len(self.moves) - kept

    def chance(self, seed: Any, purpose: int | str) -> Random:
        """Return the random generator for the next move of a seat, or for another purpose.

        The generator depends only on the seed, the purpose and the number of moves, so a resumed
        game continues in the same way.
        """
        return Random(f"{seed}/{purpose}/{len(self.moves)}")

    def kept_version(self, version: int) -> tuple[int, int]:
        """Return the first version from `version` on that no undo has erased, and its move number.

        An undo erases the versions after the position that it restores.
        """
        kept, number = self.version, self.numbers[-1]
        for earlier in range(self.version, max(version, 0) - 1, -1):
            if self.numbers[earlier] <= number:
                kept, number = earlier, self.numbers[earlier]
        return kept, number

    def taken_back(self, version: int) -> int:
        """Return the number of moves that the change to a version took back, or 0 for a move."""
        return max(0, self.numbers[version - 1] - self.numbers[version]) if version else 0

    def read_move(self, seat: int, version: int, text: str) -> Any:
        """Parse a move in the way that the player meant it when the game had the given version.

        Raises `HttpError` if the text is not a move, or if the move is no longer possible with the
        same meaning.
        """
        rules, stale = self.rules, version != self.version
        gone = HttpError(
            409,
            "another player was faster, and what you chose is gone; choose again",
            version=self.version,
        )
        if version not in self.recent:
            raise gone
        then = rules.view(self.recent[version], seat)
        try:
            move = rules.read(text, then)
        except InputError as error:
            raise HttpError(422, str(error), faults=[str(error)]) from None
        if stale:
            now = rules.view(self.position, seat)
            if rules.faults(now, move) or not rules.still_means(move, then, now):
                raise gone
        return move


def replay_position(rules: Any, position: Any, moves: Sequence[tuple[int, Any]]) -> Any:
    """Return the position that is reached from `position` by the given moves."""
    for seat, move in moves:
        position = rules.after(position, seat, move)
    return position


@lru_cache(maxsize=256)
def has_random_start(rules: Any) -> bool:
    """Return whether the first position of a game is random, and therefore may be secret."""
    first = rules.start(Random(0))
    return any(rules.start(Random(seed)) != first for seed in range(1, 9))
