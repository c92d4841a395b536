"""The course of a game, at a terminal or in a browser: its positions, moves, and what was seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from random import Random
from typing import Any, ClassVar, Generic

from quaternity.base.sentences import facts
from quaternity.table.protocol import M, P, Rules, Step, V

MAX_PROGRAM_MOVES = 10_000
"""Maximum number of consecutive moves of programs without a move of a person."""


def whole_events(steps: Iterable[Step], first: int = 1) -> list[tuple[int, str]]:
    """Return what happened, each with the number of its move; a question comes with its answer."""
    events: list[tuple[int, str]] = []
    waits = False
    for number, step in enumerate(steps, first):
        for event in step.events:
            if waits:
                events.pop()
            waits = facts(event).get("answer", event) is None
            events.append((number, event))
    return events


class Course(Generic[P, M, V]):
    """A game under way.

    `moves` have the seat that made them, without those taken back; `steps` are what everybody saw
    of them. With `keeps_positions` the positions between are held instead of found again.
    """

    keeps_positions: ClassVar[bool] = True

    def __init__(
        self,
        rules: Rules[P, M, V],
        start: P,
        positions: Sequence[P] = (),
        moves: Sequence[tuple[int, M]] = (),
    ) -> None:
        self.rules: Any = rules
        self.start, self.position = start, start
        self.moves: list[tuple[int, M]] = []
        self.steps: list[Step] = []
        self._positions = [start]
        for (seat, move), after in zip(moves, positions[1:], strict=False):
            self.add(seat, move, after)

    def add(self, seat: int, move: M, after: P, step: Step | None = None) -> None:
        """Add a move that leads to a position; `step` where it is known already."""
        self.steps.append(step or self.step(seat, move, after))
        self.moves.append((seat, move))
        self.position = after
        if self.keeps_positions:
            self._positions.append(after)

    def step(self, seat: int, move: M, after: P) -> Step:
        """Return what everybody sees of a move from the present position to another."""
        return Step(seat, tuple(self.rules.events(self.position, seat, move, after)))

    def positions_to(self, moves: int) -> list[P]:
        """Return the positions from the start on, to that after so many moves at least."""
        known = self._positions
        for seat, move in self.moves[len(known) - 1 : moves]:
            known.append(self.rules.after(known[-1], seat, move))
        return known

    def forget_positions(self) -> None:
        """Give the memory of the positions between back."""
        self._positions = [self.start]

    def undone(self, people: Collection[int]) -> int:
        """Return how many moves an undo takes back: up to the last move of a person, or of anybody.

        An answer is taken back alone when a program had asked, else with the question.
        """
        people = people or range(self.rules.seats)
        positions, kept = self.positions_to(len(self.moves)), len(self.moves)
        while kept:
            kept -= 1
            asked = None if self.rules.is_settled(positions[kept]) else self.moves[kept - 1][0]
            if self.moves[kept][0] in people and asked not in people:
                break
        return len(self.moves) - kept

    def take_back(self, count: int) -> None:
        """Take back the last moves."""
        kept = len(self.moves) - count
        self.position = self.positions_to(kept)[kept]
        del self.moves[kept:], self.steps[kept:], self._positions[kept + 1 :]

    def chance(self, seed: Any, who: int | str) -> Random:
        """Return the chance of a seat's next move, or of a hint.

        It depends only on the seed and the number of moves before it, so a resumed game goes on
        alike.
        """
        return Random(f"{seed}/{who}/{len(self.moves)}")
