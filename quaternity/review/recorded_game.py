"""A recorded game, restricted to what the reader of its review may see."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from random import Random
from typing import Any

from quaternity.base.errors import InputError, LimitError, QuaternityError
from quaternity.base.text_format import quote_value
from quaternity.base.validation import check_index
from quaternity.table.games import rules_of_record
from quaternity.table.history import History

MAX_REVIEWED_MOVES = 2_000
MAX_HEAD_LINES = 200
"""Maximum number of lines at the beginning of an invalid record that may belong to its header."""

Shares = tuple[float, ...]
"""Type of a tuple with each seat's share of the win. A sole winner has 1, and seats that are tied
for first place have equal shares."""


def shared_win(rules: Any, position: Any) -> Shares:
    """Return 1 for the winner's seat and 0 for the others. Tied winners have equal shares.

    In an unfinished game, all seats have equal shares.
    """
    places = rules.places(position) or (1,) * rules.seats
    return tuple([(place == 1) / places.count(1) for place in places])


class RecordedGame:
    """The game of a record, up to its end or to the first invalid line of the record.

    If `own` is true, the review of a game with hidden cards is limited to one seat, and the object
    contains only what this seat saw.

    Attributes:
        settled: The indices of positions without a pending question.
        numbers: The number of each move, counted from 1. An answer has the number of its question.
        result: Each seat's share of the win, or None if the game is not over.
        fault: Reason why the record is invalid after these moves, or an empty string if it is
            valid.
    """

    def __init__(self, record: object, seat: int | None) -> None:
        data = record.encode(errors="surrogatepass") if isinstance(record, str) else record
        if not isinstance(data, bytes):
            raise InputError(f"record_text: {quote_value(record)} is not the text of a record")
        _check_length(data)
        rules, replay, fault = _replay_valid(data)
        # Do not store the history in the object, because a seat's own review must not contain it.
        positions, history = replay.positions, History.of_replay(rules, replay)
        self.rules, self.names, self.moves = rules, replay.names, replay.moves
        self.seat = None if seat is None else check_index(seat, rules.seats, "seat")
        self.own = rules.hidden and seat is not None
        # The reason could reveal hands that the seat did not see.
        self.fault = "the next line breaks the rules" if fault and self.own else fault
        self.warnings = () if fault or self.own else replay.warnings
        self.settled = [at for at, position in enumerate(positions) if rules.is_settled(position)]
        self.acting = [rules.to_act(position) for position in positions]
        self.points = [rules.points(position) for position in positions]
        self.numbers = [self.whole_moves(index + 1) for index in range(len(self.moves))]
        self.events = [step.events for step in history.steps()]
        self.result = None if self.acting[-1] else shared_win(rules, positions[-1])
        self._seen = [rules.view(x, seat) for x in positions] if self.own else positions

    def may_see(self, seat: int) -> bool:
        """Return whether the review may use the information that a seat had."""
        return not self.own or seat == self.seat

    def view(self, index: int, seat: int) -> Any:
        """Return the part of a position that a seat sees. The review must be allowed to use it."""
        assert self.may_see(seat), "a review for one seat must not use other hands"
        return self._seen[index] if self.own else self.rules.view(self._seen[index], seat)

    def position(self, index: int) -> Any:
        """Return the position with the given index. The game must have no hidden cards."""
        assert not self.rules.hidden, "the game has hidden cards"
        return self._seen[index]

    def draw_position(self, index: int, random: Random, seat: int | None = None) -> Any:
        """Return a position of the game, with random values for everything that is hidden.

        These are the facts that `seat` cannot see or, if it is None, that the review may not use.
        """
        if seat is not None or self.own:
            seen = self._seen[index] if seat is None else self.view(index, seat)
            return self.rules.like(seen, random)
        position = self._seen[index]
        if self.rules.hidden:
            return position
        return self.rules.like(self.rules.view(position, None), random)

    def whole_moves(self, index: int) -> int:
        """Return the number of moves before a position. A question and its answer are one move."""
        return bisect_left(self.settled, index)

    def around(self, index: int) -> tuple[int, int | None]:
        """Return the indices of the positions before and after a move.

        A question and its answer are one move. The second index is None if the answer is missing.
        """
        at = bisect_right(self.settled, index)
        return self.settled[at - 1], self.settled[at] if at < len(self.settled) else None


def _check_length(data: bytes) -> None:
    words = (line.split(None, 2)[:2] for line in data.splitlines())
    # Such a line belongs to the request before it, because the request completed the set.
    moves = sum(line[0].isdigit() and line[1:] != [b"puts"] for line in words if line)
    if moves > MAX_REVIEWED_MOVES:
        raise InputError(
            f"the record has {moves:,} moves: at most {MAX_REVIEWED_MOVES:,} moves can be reviewed"
        )


def _replay_valid(data: bytes) -> tuple[Any, Any, str]:
    """Return the rules, the valid beginning of the game, and the reason why the rest is invalid."""
    try:
        rules = rules_of_record(data)
        return rules, rules.replay(data), ""
    except LimitError:
        raise
    except QuaternityError as error:
        lines, fault = data.splitlines(keepends=True), str(error)
        good = next(
            (n for n in range(1, min(len(lines), MAX_HEAD_LINES)) if _parse_head(lines, n)), None
        )
        if good is None:
            raise InputError(fault) from error
    bad = len(lines)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if _parse_head(lines, middle) else (good, middle)
    rules, replay = _parse_head(lines, good) or (None, None)
    if not (replay and replay.moves) and not lines[good][:1].isdigit():
        # The invalid line is part of the header, so the settings are not known.
        raise InputError(fault)
    return rules, replay, fault


def _parse_head(lines: Sequence[bytes], count: int) -> tuple[Any, Any] | None:
    data = b"".join(lines[:count])
    try:
        rules = rules_of_record(data)
        return rules, rules.replay(data)
    except QuaternityError:
        return None
