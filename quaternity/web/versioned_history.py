"""The history of a game at a table, which can return the position at any version.

The version of a game is the number of entries in the table's log. The current position is kept in
memory, with a few earlier ones if several players may act at once. All other positions are replayed
on request.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.sentences import document
from quaternity.table.history import History
from quaternity.table.protocol import Step
from quaternity.web.http_errors import HttpError
from quaternity.web.store import TAKEN_BACK, Entry
from quaternity.web.streams import message

RECENT = 32
"""Number of recent versions whose positions are kept if several players may act at once. A move may
then refer to an earlier version."""


class VersionedHistory:
    """The history of a game, with a version for each log entry.

    Attributes:
        history: the rules, the first position and the moves that were not taken back.
        versions_by_id: the version after each move, by its seat and its id.
        recent: the positions of recent versions.
    """

    def __init__(self, rules: Any, start: Any, entries: Sequence[Entry] = ()) -> None:
        self.history: History[Any, Any, Any] = History(rules, start, max_stored=1)
        self.rules, self.start = rules, start
        self.versions_by_id: dict[tuple[int, str], int] = {}
        self.recent: OrderedDict[int, Any] = OrderedDict({0: start})
        self._numbers: list[int] = [0]
        """For each version, the number of moves made so far."""
        for entry in entries:
            self.apply_entry(entry)

    @property
    def version(self) -> int:
        """The current version, which is the number of entries in the log."""
        return len(self._numbers) - 1

    @property
    def position(self) -> Any:
        """The current position."""
        return self.history.position

    @property
    def moves(self) -> tuple[tuple[int, Any], ...]:
        """The moves that were not taken back, each with the seat that made it."""
        return self.history.moves

    @property
    def steps(self) -> tuple[Step, ...]:
        """The public information about each move."""
        return self.history.steps()

    def step(self, seat: int, move: Any, after: Any) -> Step:
        """Return the public information about a move from the current position to another one."""
        return self.history.play(seat, move, after).steps()[-1]

    def positions_to(self, moves: int) -> tuple[Any, ...]:
        """Return the positions from the start to the one after `moves` moves."""
        return History(self.rules, self.start, self.moves[:moves]).positions()

    def forget_positions(self) -> None:
        """Drop all stored positions except the current one, to save memory."""
        self.history.forget_positions()

    def undo_length(self, people: Collection[int]) -> int:
        """Return the number of moves that an undo takes back (see `History.undo_length`)."""
        return self.history.undo_length(people)

    def chance(self, seed: Any, purpose: int | str) -> Random:
        """Return the random generator for the next move (see `History.chance`)."""
        return self.history.chance(seed, purpose)

    def apply_entry(self, entry: Entry) -> None:
        """Apply an entry of the log: a move, or moves taken back."""
        if entry.seat == TAKEN_BACK:
            self.take_back(int(entry.move))
        else:
            move = self.rules.read(entry.move, self.rules.view(self.position, entry.seat))
            self.advance(entry, move, self.rules.after(self.position, entry.seat, move))

    def advance(self, entry: Entry, move: Any, after: Any, step: Step | None = None) -> None:
        """Add a move that has been stored, with the position after it."""
        del step  # The history computes the step.
        self.history = self.history.play(entry.seat, move, after)
        # Compute the step while the position before the move is known.
        self.history.steps()
        if entry.id:
            self.versions_by_id[entry.seat, entry.id] = entry.version
        self._note_version()

    def take_back(self, count: int) -> None:
        """Take back the last `count` moves."""
        self.history = self.history.undo(count)
        self.history.forget_positions()
        self._note_version()

    def _note_version(self) -> None:
        self._numbers.append(len(self.moves))
        self.recent[self.version] = self.position
        # Keep only one version if a single player may act, because moves of earlier versions are
        # then refused.
        limit = RECENT if len(self.rules.to_act(self.position)) > 1 else 1
        while len(self.recent) > limit:
            self.recent.popitem(last=False)

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

    def event_message(self, version: int) -> bytes:
        """Return the stream message about a log entry.

        It contains no events if the move was taken back later.
        """
        before, number = self._numbers[version - 1], self._numbers[version]
        data: dict[str, Any] = {"version": version, "events": []}
        if number <= before:
            data["taken_back"] = before - number
        elif min(self._numbers[version:]) >= number:
            seat, events = self.steps[number - 1]
            data |= {"seat": seat, "events": [document(event) for event in events]}
        return message("move", data, version)


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
