"""A game that was played, as those may look at it for whom the review is made."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from random import Random
from typing import Any

from quaternity.base.errors import InputError, LimitError, QuaternityError
from quaternity.base.plain_values import numbered
from quaternity.base.wording import shown
from quaternity.table.games import rules_of_record

MOST_MOVES = 2_000
MOST_HEAD = 200
"""Lines of a head that are looked at in a record that breaks the rules."""

Shares = tuple[float, ...]
"""Per seat a part of the win: those in the first place share it."""


def shared_win(rules: Any, position: Any) -> Shares:
    """Return the result of a game; everybody shares one that is not over."""
    places = rules.places(position) or (1,) * rules.seats
    first = places.count(1)
    return tuple([(place == 1) / first for place in places])


class Played:
    """A game up to its end, or to where its record breaks the rules.

    Of a hidden game that a seat reviews, only what the seat saw is kept.

    Attributes:
        seat: whose review it is; None for everybody's.
        moves: each with the seat that made it; `numbers` has the number of its question, from 1.
        texts, events: each move as it is written, and what everybody saw of it.
        settled: the indices of positions in which no question waits.
        fault: what is wrong with the record after these moves.
    """

    def __init__(self, data: bytes, seat: int | None) -> None:
        check_length(data)
        self.rules, replay, fault = _replayed(data)
        rules: Any = self.rules
        self.seat = None if seat is None else numbered(seat, rules.seats, "seat")
        self.own = rules.hidden and self.seat is not None
        self.names: Sequence[str] = replay.names
        self.moves = replay.moves
        positions = replay.positions
        self.settled = [at for at, position in enumerate(positions) if rules.is_settled(position)]
        # Which move breaks the rules can depend on hands that the seat did not see.
        hidden = "the record breaks the rules here" if self.own else fault
        self.fault = fault and hidden
        self.warnings = () if fault or self.own else replay.warnings
        self.acting = [tuple(rules.to_act(position)) for position in positions]
        self.points = [tuple(rules.points(position)) for position in positions]
        self.events, self.texts, self.numbers = [], list[str](), list[int]()
        for index, (mover, move) in enumerate(self.moves):
            before, after = positions[index], positions[index + 1]
            self.events.append(tuple(rules.events(before, mover, move, after)))
            self.texts.append(rules.write(move))
        questions = 0
        for index in range(len(self.moves)):
            questions += rules.is_settled(positions[index])
            self.numbers.append(questions)
        self.result = None if self.acting[-1] else shared_win(rules, positions[-1])
        self._positions = [] if self.own else positions
        self._views = [rules.view(position, seat) for position in positions] if self.own else []

    @property
    def is_open(self) -> bool:
        """Whether everybody sees everything that matters."""
        return not self.rules.hidden

    def may_see(self, seat: int) -> bool:
        """Return whether the view of a seat may be looked at."""
        return not self.own or seat == self.seat

    def view(self, index: int, seat: int) -> Any:
        """Return what a seat saw of a position; only its own in its own review."""
        if not self.own:
            return self.rules.view(self._positions[index], seat)
        assert seat == self.seat, "a seat's own review looks at no other hand"
        return self._views[index]

    def position(self, index: int) -> Any:
        """Return a position of an open game."""
        assert self.is_open, "hands are hidden"
        return self._positions[index]

    def drawn(self, index: int, random: Random) -> Any:
        """Return a position as the review knows it; what it does not know is drawn."""
        if self.own:
            return self.rules.like(self._views[index], random)
        position = self._positions[index]
        return position if self.rules.hidden else self._open(position, random)

    def drawn_for(self, index: int, seat: int, random: Random) -> Any:
        """Return a position as a seat that is on turn knew it."""
        return self.rules.like(self.view(index, seat), random)

    def _open(self, position: Any, random: Random) -> Any:
        return self.rules.like(self.rules.view(position, None), random)

    def whole_moves(self, index: int) -> int:
        """Return how many whole moves were made before a position in which no question waits."""
        return bisect_left(self.settled, index)

    def settled_after(self, index: int) -> int | None:
        """Return the first position from an index on in which no question waits."""
        at = bisect_left(self.settled, index)
        return self.settled[at] if at < len(self.settled) else None

    def settled_before(self, index: int) -> int:
        """Return the last position up to an index in which no question waits."""
        return self.settled[bisect_right(self.settled, index) - 1]


def check_length(data: bytes) -> None:
    """Refuse a record that is too long before it is read: a move is a line that a number begins."""
    words = (line.split(None, 2)[:2] for line in data.splitlines())
    # What is put down belongs to the request before.
    moves = sum(line[0].isdigit() and line[1:] != [b"puts"] for line in words if line)
    if moves > MOST_MOVES:
        raise _too_long(moves)


def _too_long(moves: int) -> InputError:
    return InputError(
        f"the record has {moves:,} moves: games of at most {MOST_MOVES:,} moves are reviewed"
    )


def _replayed(data: bytes) -> tuple[Any, Any, str]:
    """Return rules, the game played back as far as it keeps to them, and what breaks them."""
    try:
        rules = rules_of_record(data)
        return rules, rules.replay(data), ""
    except LimitError:
        raise
    except QuaternityError as error:
        lines = data.splitlines(keepends=True)
        good = next((n for n in range(1, min(len(lines), MOST_HEAD)) if _part(lines, n)), None)
        if good is None:
            raise InputError(str(error)) from error
        bad = len(lines)
        while bad - good > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if _part(lines, middle) else (good, middle)
        rules, replay = _part(lines, good) or (None, None)
        return rules, replay, str(error)


def _part(lines: Sequence[bytes], count: int) -> tuple[Any, Any] | None:
    """Return rules and game of the first lines of a record; None where they are none."""
    data = b"".join(lines[:count])
    try:
        rules = rules_of_record(data)
        return rules, rules.replay(data)
    except QuaternityError:
        return None


def record_bytes(record: object) -> bytes:
    """Return the text of a record as bytes."""
    if isinstance(record, str):
        return record.encode(errors="surrogatepass")
    if not isinstance(record, bytes):
        raise InputError(f"record_text: {shown(record)} is not the text of a record")
    return record
