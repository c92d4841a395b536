"""Histories of games. A history is immutable and contains the rules, first position and moves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from random import Random
from typing import Any, Generic

from quaternity.base.errors import InputError
from quaternity.base.sentences import MessageTemplate, message_data
from quaternity.base.text_record import Replay
from quaternity.table.protocol import M, P, Rules, Step, V

MAX_STORED_POSITIONS = 1_000
"""Maximum number of positions that a history stores. It computes older positions when they are
needed."""

MAX_PROGRAM_MOVES = 10_000
"""Maximum number of moves that programs make in a row without a move of a person."""

WAITS = MessageTemplate("waits", "{who:player} waits")


def whole_events(steps: Iterable[Step]) -> list[tuple[int, str]]:
    """Return the public events of consecutive moves, as pairs (number of the move, event).

    An event is a sentence about the game. A question and its answer count as one move. The question
    is left out if the event of the answer repeats it.
    """
    events: list[tuple[int, str]] = []
    number, is_pending = 0, False
    for step in steps:
        number += not is_pending
        for event in step.events:
            if is_pending:
                events.pop()
            is_pending = message_data(event).get("answer", event) is None
            events.append((number, event))
    return events


class History(Generic[P, M, V]):
    """An immutable history of a game. The methods `play` and `undo` return another history.

    Attributes:
        rules: the rules of the game.
        start: the first position.
        moves: the moves, each with the seat that made it. None means that the seat waited.
        position: the current position.
        max_stored: maximum number of positions that a history returned by `play` stores.
    """

    __slots__ = ("_positions", "_steps", "max_stored", "moves", "position", "rules", "start")

    def __init__(
        self,
        rules: Rules[P, M, V],
        start: P,
        moves: Iterable[tuple[int, Any]] = (),
        positions: Iterable[P] = (),
        max_stored: int = MAX_STORED_POSITIONS,
    ) -> None:
        """Create a history from a first position and moves.

        Args:
            positions: the known positions, from the start on. The positions after the remaining
                moves are computed.
            max_stored: maximum number of positions that a history returned by `play` stores. With
                1, a history stores only the current position.

        Raises:
            IllegalMove: If a move is illegal.
        """
        self.rules: Any = rules
        self.start, self.moves, self.max_stored = start, tuple(moves), max_stored
        known = [*positions] or [start]
        for seat, move in self.moves[len(known) - 1 :]:
            known.append(self._after(known[-1], seat, move))
        # These are the last positions, or all positions after a call of `positions`.
        self._positions = tuple(known)
        self.position: P = known[-1]
        # The steps that have been computed, and the position after them.
        self._steps: tuple[tuple[Step, ...], P] = (), start

    @classmethod
    def of_replay(cls, rules: Rules[P, M, V], replay: Replay[P, M]) -> History[P, M, V]:
        """Return the history of a game whose moves and positions were read from a record."""
        return cls(rules, replay.positions[0], replay.moves, replay.positions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        return (self.moves, self.start, self.rules) == (other.moves, other.start, other.rules)

    def __hash__(self) -> int:
        return hash((self.start, self.moves))

    def __reduce__(self) -> tuple[Any, ...]:
        return History, (self.rules, self.start, self.moves, (), self.max_stored)

    def _after(self, before: P, seat: int, move: Any) -> P:
        after: P = before if move is None else self.rules.after(before, seat, move)
        return after

    def play(self, seat: int, move: M | None, after: P | None = None) -> History[P, M, V]:
        """Return the history after a move of a seat.

        Args:
            seat: the seat that moves.
            move: the move. None means that the seat waits.
            after: the position after the move, if it is known.

        Raises:
            IllegalMove: If the move is illegal.
        """
        if after is None:
            after = self._after(self.position, seat, move)
        other: History[P, M, V] = History.__new__(History)
        other.rules, other.start, other.max_stored = self.rules, self.start, self.max_stored
        # Adding tuples is faster than unpacking them.
        other.moves = self.moves + ((seat, move),)  # noqa: RUF005
        positions = (after,) if self.max_stored == 1 else (*self._positions, after)
        other._positions = positions[-self.max_stored :]
        other.position, other._steps = after, self._steps
        return other

    def undo(self, count: int = 1) -> History[P, M, V]:
        """Return the history without the last `count` moves.

        Raises:
            InputError: If `count` is negative, or greater than the number of moves.
        """
        if not 0 <= count <= len(self.moves):
            raise InputError(f"undo: {count} is out of range 0..{len(self.moves)} (moves so far)")
        kept = len(self.moves) - count
        positions, steps = self.positions()[: kept + 1], self._steps[0]
        other = History(self.rules, self.start, self.moves[:kept], positions, self.max_stored)
        if len(steps) >= kept:
            other._steps = steps[:kept], other.position
        return other

    def undo_length(self, people: Collection[int]) -> int:
        """Return how many moves must be taken back to undo the last move of a person.

        `people` contains the seats of people. If it is empty, all seats count. If the last move
        answered another person's question, the question is undone as well.
        """
        people = people or range(self.rules.seats)
        positions, kept = self.positions(), len(self.moves)
        while kept:
            kept -= 1
            asker = None if self.rules.is_settled(positions[kept]) else self.moves[kept - 1][0]
            if self.moves[kept][0] in people and asker not in people:
                break
        return len(self.moves) - kept

    def positions(self) -> tuple[P, ...]:
        """Return all positions, from the start on.

        Positions that are not stored are computed, and stored until `forget_positions` is called.
        """
        if len(self._positions) <= len(self.moves):
            played = self.transitions(0, self.start)
            self._positions = (self.start, *[after for *_, after in played])
        return self._positions

    def forget_positions(self) -> None:
        """Drop the positions that were stored by `positions`, to save memory."""
        self._positions = self._positions[-self.max_stored :]

    def transitions(
        self, first: int = 0, before: P | None = None
    ) -> Iterator[tuple[P, int, Any, P]]:
        """Yield tuples (position before, seat, move, position after), one for each move.

        Args:
            first: number of moves to skip.
            before: the position before the first move that is yielded, if it is known.
        """
        stored = self._positions
        missing = len(self.moves) + 1 - len(stored)
        if first >= missing:
            before = stored[first - missing]
        elif before is None:
            before = self.positions()[first]
        for number, (seat, move) in enumerate(self.moves[first:], first + 1):
            is_stored = number >= missing
            after = stored[number - missing] if is_stored else self._after(before, seat, move)
            yield before, seat, move, after
            before = after

    def steps(self) -> tuple[Step, ...]:
        """Return a `Step` for each move: the seat that moved, and messages about the move."""
        steps, before = self._steps
        missing = len(self.moves) - len(steps)
        if missing == 1:  # The usual case. Adding tuples is faster than unpacking.
            step = self._step(before, *self.moves[-1], self.position)
            self._steps = steps + (step,), self.position  # noqa: RUF005
        elif missing:
            new = [self._step(*played) for played in self.transitions(len(steps), before)]
            self._steps = (*steps, *new), self.position
        return self._steps[0]

    def _step(self, before: P, seat: int, move: Any, after: P) -> Step:
        if move is None:
            return Step(seat, (WAITS(who=seat),))
        return Step(seat, tuple(self.rules.events(before, seat, move, after)))

    @property
    def whole_moves(self) -> int:
        """The number of moves. A question and its answer together count as one move."""
        return sum(self.rules.is_settled(after) for *_, after in self.transitions())

    def record(self, names: Sequence[str] = ()) -> str:
        """Return the record of the game as text, including hidden information.

        Args:
            names: names of the players by seat. By default, the record contains no names.
        """
        rules = self.rules
        moves = [rules.record_move(*played) for played in self.transitions()]
        return "".join((rules.record_start(self.start, names), *moves))

    def chance(self, seed: Any, purpose: int | str) -> Random:
        """Return a random generator for one purpose at the current point of a game.

        `purpose` is a seat, or a word for another use of random numbers. The generator depends only
        on the seed, the purpose and the number of moves, so a game that is resumed continues with
        the same random numbers.
        """
        return Random(f"{seed}/{purpose}/{len(self.moves)}")
