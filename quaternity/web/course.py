"""The course of a game at a table: the present position, and what leads to every other one.

Only the present position and a few before it are held; earlier ones are made again from the moves
when somebody looks at them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import fields
from functools import lru_cache
from random import Random
from typing import Any

from quaternity.errors import InputError
from quaternity.table.match import kept_by_undo
from quaternity.table.protocol import Step
from quaternity.web.refusal import Refusal
from quaternity.web.store import TAKEN_BACK, Entry
from quaternity.web.streams import message

RECENT = 32
"""Of so many versions the position is kept, for moves that were made in an earlier one."""


class Course:
    """A game as its log tells it.

    Attributes:
        rules: of the game.
        start, position: the first position, and the present one.
        moves: each with the seat that made it; those taken back are not among them.
        steps: what everybody saw of them.
        answered: per seat and identity of a move the version with it.
        recent: positions by version.
    """

    def __init__(self, rules: Any, start: Any, entries: Sequence[Entry] = ()) -> None:
        self.rules = rules
        self.start = self.position = start
        self.moves: list[tuple[int, Any]] = []
        self.steps: list[Step] = []
        self.answered: dict[tuple[int, str], int] = {}
        self.recent: OrderedDict[int, Any] = OrderedDict({0: start})
        self._numbers: list[int] = [0]
        """Per version how many moves there were."""
        self._positions: list[Any] | None = None
        for entry in entries:
            if entry.seat == TAKEN_BACK:
                self.take_back(int(entry.move))
            else:
                move = rules.read(entry.move, rules.view(self.position, entry.seat))
                after = rules.after(self.position, entry.seat, move)
                self.advance(entry, move, after, self.step(entry.seat, move, after))

    @property
    def version(self) -> int:
        """The length of the log."""
        return len(self._numbers) - 1

    def step(self, seat: int, move: Any, after: Any) -> Step:
        """What everybody sees of a move that leads from the present position to another."""
        return Step(seat, tuple(self.rules.events(self.position, seat, move, after)))

    def advance(self, entry: Entry, move: Any, after: Any, step: Step) -> None:
        """Add a move that is kept."""
        self.position = after
        self.moves.append((entry.seat, move))
        self.steps.append(step)
        if entry.id:
            self.answered[entry.seat, entry.id] = entry.version
        self._note_version()

    def take_back(self, count: int) -> None:
        """Take back the last moves."""
        kept = len(self.moves) - count
        self.position = self.positions(kept)[kept]
        del self.moves[kept:], self.steps[kept:]
        self._positions = None
        self._note_version()

    def _note_version(self) -> None:
        self._numbers.append(len(self.moves))
        self.recent[self.version] = self.position
        if len(self.recent) > RECENT:
            self.recent.popitem(last=False)

    def meant(self, seat: int, version: int, text: str) -> Any:
        """The move in a text as it was meant in some version, if it still means that.

        Raises:
            Refusal: it is none, or what it names is gone.
        """
        rules, stale = self.rules, version != self.version
        gone = Refusal(409, "what this names is gone", version=self.version)
        if stale and version not in self.recent:
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

    def undone(self, people: Sequence[int]) -> int:
        """How many moves an undo takes back."""
        positions = self.positions(len(self.moves))
        return len(self.moves) - kept_by_undo(self.rules, positions, self.moves, people)

    def positions(self, upto: int) -> list[Any]:
        """The positions from the start on, to that after so many moves at least."""
        found = self._positions or [self.start]
        for seat, move in self.moves[len(found) - 1 : upto]:
            found.append(self.rules.after(found[-1], seat, move))
        self._positions = found
        return found

    def record(self, names: Sequence[str]) -> str:
        """The record of the whole game, with everything that was hidden."""
        positions = self.positions(len(self.moves))
        lines = [
            self.rules.record_move(positions[number], seat, move, positions[number + 1])
            for number, (seat, move) in enumerate(self.moves)
        ]
        return "".join((self.rules.record_start(self.start, names), *lines))

    def forget_positions(self) -> None:
        """Give their memory back."""
        self._positions = None

    def news(self, version: int) -> bytes:
        """The message of an entry of the log; nothing of moves that were taken back since."""
        before, number = self._numbers[version - 1], self._numbers[version]
        data: dict[str, Any] = {"version": version, "events": []}
        if number <= before:
            data["taken_back"] = before - number
        elif min(self._numbers[version:]) >= number:
            seat, events = self.steps[number - 1]
            data |= {"seat": seat, "events": [{"text": text} for text in events]}
        return message("move", data, version)


@lru_cache(maxsize=256)
def has_secret(rules: Any) -> bool:
    """Whether chance decides at the start of a game what nobody, or not everybody, may see."""
    first = rules.start(Random(0))
    return any(rules.start(Random(seed)) != first for seed in range(1, 9))


def settings_of(rules: Any) -> dict[str, Any]:
    """Settings by name, in values of JSON."""
    return {
        one.name: str(value) if isinstance(value, str) else value
        for one in fields(rules.settings)
        for value in [getattr(rules.settings, one.name)]
    }


__all__ = ["Course", "has_secret", "settings_of"]
