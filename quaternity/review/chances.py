"""Chances by imagined games: how often each seat wins, with a standard error.

Work is measured in milliseconds that it usually takes, and limited by that: a seed gives the same
chances on every machine, unless the clock ends the work before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from random import Random
from typing import Any, NamedTuple

from quaternity.base.deadline import Deadline
from quaternity.review.judge import Judge, Worth
from quaternity.review.played import Played, Shares

GAMES = 16
"""Games imagined from a position before the next one's turn; fewer say next to nothing."""

MOST_GAMES = 256
"""Games imagined from a position, or after a move, at most."""

CURVE, WEIGHING = 300.0, 200.0
"""Milliseconds of usual work for each second of the time limit."""


class Point(NamedTuple):
    """The chances after so many moves; None where they were not found.

    Attributes:
        error: the largest standard error of these chances; 0 where they are exact.
    """

    after: int
    chances: Shares | None
    error: float
    exact: bool


class Tally:
    """Results of imagined games from one position."""

    def __init__(self, seats: int) -> None:
        self.games, self.totals = 0, [0.0] * seats

    def add(self, result: Shares) -> None:
        """Add the result of a game."""
        self.games += 1
        self.totals = [total + part for total, part in zip(self.totals, result, strict=True)]

    @property
    def chances(self) -> Shares:
        """Per seat its mean part of the win."""
        return tuple([total / self.games for total in self.totals])

    def error(self, seat: int) -> float:
        """Return the standard error of a seat's chances, above 0 however alike the games were.

        After Agresti and Coull (1998): as if two more games had been won, and two lost. A part of
        a win varies no more than a win does.
        """
        mean = (self.totals[seat] + 2) / (self.games + 4)
        return sqrt(mean * (1 - mean) / (self.games + 4))

    @property
    def largest_error(self) -> float:
        """The largest standard error of a seat."""
        return max(map(self.error, range(len(self.totals))))


class Chances:
    """The chances of one game; `work` and the deadline end the search for them."""

    def __init__(self, game: Played, judge: Judge, seed: int, deadline: Deadline) -> None:
        self.game, self.judge, self.seed, self.deadline = game, judge, seed, deadline
        self.exact: dict[int, Shares] = {}
        self.tallies: dict[int, Tally] = {}
        if game.result is not None:
            self.exact[len(game.moves)] = game.result

    def find_exact(self) -> None:
        """Look for positions whose end is certain, the last ones first."""
        for index in reversed(self.game.settled if self.game.is_open else ()):
            self.deadline.left()
            if index not in self.exact:
                result = self.judge.exact(self.game.position(index))
                if result is not None:
                    self.exact[index] = result

    def imagine(self, work: float) -> bool:
        """Imagine games from all other positions; return whether each had its games."""
        places = [index for index in _spread(self.game.settled) if index not in self.exact]
        seats = self.game.rules.seats
        for games in range(GAMES, MOST_GAMES + 1, GAMES):
            for index in places:
                known = self.tallies.setdefault(index, Tally(seats))
                if known.games >= games:
                    continue
                if work <= 0:
                    return games > GAMES
                tally = Tally(seats)

                def start(random: Random, index: int = index) -> Any:
                    return self.game.drawn(index, random)

                work -= self._play(tally, f"{index}/{games}", start, GAMES)
                known.games += tally.games
                known.totals = [*map(sum, zip(known.totals, tally.totals, strict=True))]
        return True

    def point(self, index: int) -> Point:
        """Return what was found about a position."""
        after = self.game.whole_moves(index)
        if index in self.exact:
            return Point(after, self.exact[index], 0.0, True)
        tally = self.tallies.get(index)
        if tally is None or not tally.games:
            return Point(after, None, 0.0, False)
        return Point(after, tally.chances, tally.largest_error, False)

    def swing(self, before: int, after: int) -> tuple[int, float, float] | None:
        """Return whose chances changed most between two positions, and from what to what.

        None where that is not known, or no more than chance explains.
        """
        first, last = self._known(before), self._known(after)
        if first is None or last is None:
            return None
        changes = []
        for seat, ((old, error), (new, other)) in enumerate(zip(first, last, strict=True)):
            if abs(new - old) > 2 * sqrt(error * error + other * other):
                changes.append((abs(new - old), -seat, old, new))
        if not changes:
            return None
        _, seat, old, new = max(changes)
        return -seat, old, new

    def _known(self, index: int) -> Sequence[tuple[float, float]] | None:
        if index in self.exact:
            return [(chance, 0.0) for chance in self.exact[index]]
        tally = self.tallies.get(index)
        if tally is None or not tally.games:
            return None
        return [(chance, tally.error(seat)) for seat, chance in enumerate(tally.chances)]

    def weigh(self, index: int, advised: Any, games: int) -> tuple[Worth, float]:
        """Compare a move with another by imagined games; return what they cost, too.

        Both are judged by what who moved could see: bad luck is no mistake.
        """
        game, rules = self.game, self.game.rules
        seat, made = game.moves[index]
        work, tallies = 0.0, []
        for name, move in (("made", made), ("advised", advised)):

            def start(random: Random, move: Any = move) -> Any:
                return rules.after(game.drawn_for(index, seat, random), seat, move)

            tallies.append(Tally(rules.seats))
            work += self._play(tallies[-1], f"{index}/{name}", start, games)
        played, best = (tally.chances[seat] for tally in tallies)
        error = sqrt(sum(tally.error(seat) ** 2 for tally in tallies))
        return Worth(played, best, advised, error, exact=False), work

    def _play(
        self, tally: Tally, name: str, start: Callable[[Random], Any], games: int
    ) -> float:  # fmt: skip
        work = 0.0
        for number in range(games):
            self.deadline.left()
            random = Random(f"{self.seed}/review/{name}/{number}")
            result, cost = self.judge.imagined(start(random), random, self.deadline)
            tally.add(result)
            work += cost
        return work


def _spread(places: Sequence[int]) -> Iterator[int]:
    """Yield places so that the first ones are spread over all: ends, middle, quarters ..."""
    last, given = len(places) - 1, set[int]()
    step = max(1, 1 << max(last, 0).bit_length())
    while step:
        for at in (*range(0, last + 1, step), last):
            if at not in given:
                given.add(at)
                yield places[at]
        step //= 2
