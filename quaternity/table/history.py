"""History of a running game: its positions, its moves, and the events that players saw."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from random import Random
from typing import Any, ClassVar, Generic

from quaternity.base.sentences import message_data
from quaternity.table.protocol import M, P, Rules, Step, V

MAX_PROGRAM_MOVES = 10_000
"""Maximum number of consecutive moves that programs make without a move of a person."""


def whole_events(steps: Iterable[Step], first: int = 1) -> list[tuple[int, str]]:
    """Return the events in order, each with the number of its move.

    A question without an answer is omitted if the next event repeats it with its answer.
    """
    events: list[tuple[int, str]] = []
    is_pending = False
    for number, step in enumerate(steps, first):
        for event in step.events:
            if is_pending:
                events.pop()
            is_pending = message_data(event).get("answer", event) is None
            events.append((number, event))
    return events


class GameHistory(Generic[P, M, V]):
    """The history of a running game.

    Attributes:
        keeps_positions: whether all positions are stored. Otherwise they are recomputed from the
            moves.
        moves: the moves, each with the seat that made it. Moves that were taken back are not
            included.
        steps: the public information about each move.
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
        """Add a move that leads to the position `after`. If `step` is not given, it is computed."""
        self.steps.append(step or self.step(seat, move, after))
        self.moves.append((seat, move))
        self.position = after
        if self.keeps_positions:
            self._positions.append(after)

    def step(self, seat: int, move: M, after: P) -> Step:
        """Return the public information about a move from the current position to another one."""
        return Step(seat, tuple(self.rules.events(self.position, seat, move, after)))

    def positions_to(self, moves: int) -> list[P]:
        """Return the positions from the start to at least the one after `moves` moves."""
        known = self._positions
        for seat, move in self.moves[len(known) - 1 : moves]:
            known.append(self.rules.after(known[-1], seat, move))
        return known

    def forget_positions(self) -> None:
        """Drop all stored positions except the first, to save memory."""
        self._positions = [self.start]

    def undo_length(self, people: Collection[int]) -> int:
        """Return the number of moves that an undo takes back.

        An undo restores the position before the last move of a person. If no people play, it
        restores the position before the last move. If a person answered the question of another
        person, the undo also takes back the question.
        """
        people = people or range(self.rules.seats)
        positions, kept = self.positions_to(len(self.moves)), len(self.moves)
        while kept:
            kept -= 1
            asker = None if self.rules.is_settled(positions[kept]) else self.moves[kept - 1][0]
            if self.moves[kept][0] in people and asker not in people:
                break
        return len(self.moves) - kept

    def take_back(self, count: int) -> None:
        """Take back the last `count` moves."""
        kept = len(self.moves) - count
        self.position = self.positions_to(kept)[kept]
        del self.moves[kept:], self.steps[kept:], self._positions[kept + 1 :]

    def chance(self, seed: Any, purpose: int | str) -> Random:
        """Return the random generator for the next move of a seat, or for another purpose.

        The generator depends only on the seed, the purpose and the number of moves, so a resumed
        game continues in the same way.
        """
        return Random(f"{seed}/{purpose}/{len(self.moves)}")
