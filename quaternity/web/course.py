"""The course of a game at a table in a browser, by the versions of its log.

Only the present position is held, and a few before it where several may act; earlier ones are made
again from the moves when somebody looks at them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.sentences import document
from quaternity.table.course import Course
from quaternity.table.protocol import Step
from quaternity.web.refusal import Refusal
from quaternity.web.store import TAKEN_BACK, Entry
from quaternity.web.streams import message

RECENT = 32
"""Number of recent versions whose positions are kept if several players may act: a move may refer
to an earlier one."""


class LoggedCourse(Course[Any, Any, Any]):
    """A game as its log tells it: a version for each entry.

    `answered` has per seat and identity of a move the version with it, `recent` positions by
    version.
    """

    keeps_positions = False

    def __init__(self, rules: Any, start: Any, entries: Sequence[Entry] = ()) -> None:
        super().__init__(rules, start)
        self.answered: dict[tuple[int, str], int] = {}
        self.recent: OrderedDict[int, Any] = OrderedDict({0: start})
        self._numbers: list[int] = [0]
        """Per version how many moves there were."""
        for entry in entries:
            self.follow(entry)

    @property
    def version(self) -> int:
        """The length of the log."""
        return len(self._numbers) - 1

    def follow(self, entry: Entry) -> None:
        """Do what an entry of the log says."""
        if entry.seat == TAKEN_BACK:
            self.take_back(int(entry.move))
        else:
            move = self.rules.read(entry.move, self.rules.view(self.position, entry.seat))
            self.advance(entry, move, self.rules.after(self.position, entry.seat, move))

    def advance(self, entry: Entry, move: Any, after: Any, step: Step | None = None) -> None:
        """Add a move that is kept."""
        self.add(entry.seat, move, after, step)
        if entry.id:
            self.answered[entry.seat, entry.id] = entry.version
        self._note_version()

    def take_back(self, count: int) -> None:
        """Take back the last moves."""
        super().take_back(count)
        self.forget_positions()
        self._note_version()

    def _note_version(self) -> None:
        self._numbers.append(len(self.moves))
        self.recent[self.version] = self.position
        # Where one at a time may act, a move of an earlier version is refused whatever it meant.
        most = RECENT if len(self.rules.to_act(self.position)) > 1 else 1
        while len(self.recent) > most:
            self.recent.popitem(last=False)

    def meant(self, seat: int, version: int, text: str) -> Any:
        """Return the move in a text as some version meant it, if it still means that."""
        rules, stale = self.rules, version != self.version
        gone = Refusal(
            409,
            "somebody was faster, and what you chose is gone: choose anew",
            version=self.version,
        )
        if version not in self.recent:
            raise gone
        then = rules.view(self.recent[version], seat)
        try:
            move = rules.read(text, then)
        except InputError as error:
            raise Refusal(422, str(error), faults=[str(error)]) from None
        if stale:
            now = rules.view(self.position, seat)
            if rules.faults(now, move) or not rules.still_means(move, then, now):
                raise gone
        return move

    def news(self, version: int) -> bytes:
        """Give the message of an entry of the log; nothing of moves that were taken back since."""
        before, number = self._numbers[version - 1], self._numbers[version]
        data: dict[str, Any] = {"version": version, "events": []}
        if number <= before:
            data["taken_back"] = before - number
        elif min(self._numbers[version:]) >= number:
            seat, events = self.steps[number - 1]
            data |= {"seat": seat, "events": [document(event) for event in events]}
        return message("move", data, version)


def replayed(rules: Any, position: Any, moves: Sequence[tuple[int, Any]]) -> Any:
    """Return the position after some moves."""
    for seat, move in moves:
        position = rules.after(position, seat, move)
    return position


@lru_cache(maxsize=256)
def has_secret(rules: Any) -> bool:
    """Return whether chance decides at the start what nobody, or not everybody, may see."""
    first = rules.start(Random(0))
    return any(rules.start(Random(seed)) != first for seed in range(1, 9))
