"""The history of a game at a table, by the versions of its log.

It holds the current position, and a few earlier ones while several players may act. All others are
replayed from the moves on request.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.sentences import document
from quaternity.table.history import GameHistory
from quaternity.table.protocol import Step
from quaternity.web.http_errors import HttpError
from quaternity.web.store import TAKEN_BACK, Entry
from quaternity.web.streams import message

RECENT = 32
"""Number of recent versions whose positions are kept if several players may act, because a move may
refer to an earlier version."""


class VersionedHistory(GameHistory[Any, Any, Any]):
    """The history of a game, with a version for each entry of its log.

    `versions_by_id` maps a seat and the id of its move to the version after that move; `recent`
    maps versions to positions.
    """

    keeps_positions = False

    def __init__(self, rules: Any, start: Any, entries: Sequence[Entry] = ()) -> None:
        super().__init__(rules, start)
        self.versions_by_id: dict[tuple[int, str], int] = {}
        self.recent: OrderedDict[int, Any] = OrderedDict({0: start})
        self._numbers: list[int] = [0]
        """The number of moves in each version."""
        for entry in entries:
            self.apply_entry(entry)

    @property
    def version(self) -> int:
        """The length of the log."""
        return len(self._numbers) - 1

    def apply_entry(self, entry: Entry) -> None:
        """Apply an entry of the log: a move, or moves taken back."""
        if entry.seat == TAKEN_BACK:
            self.take_back(int(entry.move))
        else:
            move = self.rules.read(entry.move, self.rules.view(self.position, entry.seat))
            self.advance(entry, move, self.rules.after(self.position, entry.seat, move))

    def advance(self, entry: Entry, move: Any, after: Any, step: Step | None = None) -> None:
        """Add a move that the store has saved."""
        self.add(entry.seat, move, after, step)
        if entry.id:
            self.versions_by_id[entry.seat, entry.id] = entry.version
        self._note_version()

    def take_back(self, count: int) -> None:
        """Take back the last moves."""
        super().take_back(count)
        self.forget_positions()
        self._note_version()

    def _note_version(self) -> None:
        self._numbers.append(len(self.moves))
        self.recent[self.version] = self.position
        # If only one player may act, a move of an earlier version is refused in any case.
        limit = RECENT if len(self.rules.to_act(self.position)) > 1 else 1
        while len(self.recent) > limit:
            self.recent.popitem(last=False)

    def read_move(self, seat: int, version: int, text: str) -> Any:
        """Return the move that a text meant in a version.

        Raises `HttpError` if the text is not a move, or if the move means something else by now.
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
        """Return the message about an entry of the log, without events if it was taken back."""
        before, number = self._numbers[version - 1], self._numbers[version]
        data: dict[str, Any] = {"version": version, "events": []}
        if number <= before:
            data["taken_back"] = before - number
        elif min(self._numbers[version:]) >= number:
            seat, events = self.steps[number - 1]
            data |= {"seat": seat, "events": [document(event) for event in events]}
        return message("move", data, version)


def replay_position(rules: Any, position: Any, moves: Sequence[tuple[int, Any]]) -> Any:
    """Return the position after some moves."""
    for seat, move in moves:
        position = rules.after(position, seat, move)
    return position


@lru_cache(maxsize=256)
def has_random_start(rules: Any) -> bool:
    """Return whether the initial position depends on chance, so that it may have a secret."""
    first = rules.start(Random(0))
    return any(rules.start(Random(seed)) != first for seed in range(1, 9))
