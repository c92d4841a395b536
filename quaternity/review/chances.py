"""Chances by imagined games: how often each seat wins, with a standard error.

Work is measured in milliseconds that it usually takes, and limited by that: a seed gives the same
chances on every machine, unless the clock ends the work before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from random import Random
from typing import Any, NamedTuple

from quaternity.review.judge import Judge, Worth
from quaternity.review.played import Played, Shares

GAMES, MOST_GAMES = 16, 256
"""Games imagined from a position at a time, and at most. Fewer say next to nothing."""

COMPARED = 64
"""Games imagined after each of two moves."""

CURVE, WEIGHING = 220.0, 120.0
"""Milliseconds of usual work for each second of the time limit."""


class Point(NamedTuple):
    """The chances after so many moves, and the largest standard error; None where not known."""

    after: int
    chances: Shares | None
    error: float
    exact: bool


class Tally:
    """Results of imagined games from one position."""

    def __init__(self, totals: Shares, games: int = 0) -> None:
        self.totals, self.games = totals, games

    def add(self, result: Shares) -> None:
        """Add the result of a game."""
        self.games += 1
        self.totals = tuple([x + y for x, y in zip(self.totals, result, strict=True)])

    def error(self, seat: int) -> float:
        """Return the standard error of a seat's chances, above 0 however alike the games were.

        After Agresti and Coull (1998): as if two more games had been won, and two lost. A part of
        a win varies no more than a win does.
        """
        mean = (self.totals[seat] + 2) / (self.games + 4)
        return sqrt(mean * (1 - mean) / (self.games + 4))


class Chances:
    """The chances of one game; `exact` and `tallies` have what is known of each position."""

    def __init__(self, game: Played, judge: Judge, seed: int) -> None:
        self.game, self.judge, self.seed, self.deadline = game, judge, seed, judge.deadline
        self.tallies: dict[int, Tally] = {}
        end = game.result
        self.exact: dict[int, Shares] = {} if end is None else {len(game.moves): end}

    def prove(self) -> None:
        """Look for positions whose end is certain, the last ones first."""
        for index in reversed([] if self.game.rules.hidden else self.game.settled):
            self.deadline.left()
            if index not in self.exact and (end := self.judge.exact(self.game.position(index))):
                self.exact[index] = end

    def imagine(self, work: float) -> bool:
        """Imagine games from all other positions; return whether each had some."""
        for games in range(0, MOST_GAMES, GAMES):
            for index in _spread(self.game.settled):
                tally = self.tallies.get(index, self._none)
                if index in self.exact or tally.games > games:
                    continue
                if work <= 0:
                    return games > 0
                tally = Tally(tally.totals, tally.games)

                def start(random: Random, index: int = index) -> Any:
                    return self.game.drawn(index, random)

                work -= self._play(tally, f"{index}/{games}", start, GAMES)
                self.tallies[index] = tally
        return True

    def point(self, index: int) -> Point:
        """Return what is known of a position."""
        known, after = self._known(index), self.game.whole_moves(index)
        chances = tuple([chance for chance, _ in known]) or None
        return Point(after, chances, max([x for _, x in known], default=0.0), index in self.exact)

    def swing(self, before: int, after: int | None) -> tuple[float, int, float, float] | None:
        """Return the largest change of chances, whose they are, and what they were and became.

        None where that is not known, or no more than chance explains.
        """
        first, then = self._known(before), after and self._known(after)
        changes = [
            (abs(new - old), -seat, old, new)
            for seat, ((old, error), (new, other)) in enumerate(zip(first, then, strict=True))
            if abs(new - old) > 2 * sqrt(error**2 + other**2)
        ] if first and then else []  # fmt: skip
        if not changes:
            return None
        change, seat, old, new = max(changes)
        return change, -seat, old, new

    def _known(self, index: int) -> Sequence[tuple[float, float]]:
        """Return per seat its chances and their error; nothing where they are not known."""
        if index in self.exact:
            return [(chance, 0.0) for chance in self.exact[index]]
        tally = self.tallies.get(index, self._none)
        seats = range(len(tally.totals) if tally.games else 0)
        return [(tally.totals[seat] / tally.games, tally.error(seat)) for seat in seats]

    def weigh(self, index: int, advised: Any) -> tuple[Worth, float]:
        """Compare a move with another by imagined games; return what they cost, too.

        Both are judged by what who moved could see: bad luck is no mistake.
        """
        seat, made = self.game.moves[index]
        work, tallies = 0.0, []
        for name, move in (("made", made), ("advised", advised)):

            def start(random: Random, move: Any = move) -> Any:
                return self.game.rules.after(self.game.drawn(index, random, seat), seat, move)

            tallies.append(Tally(self._none.totals))
            work += self._play(tallies[-1], f"{index}/{name}", start, COMPARED)
        played, best = (tally.totals[seat] / COMPARED for tally in tallies)
        error = sqrt(sum(tally.error(seat) ** 2 for tally in tallies))
        return Worth(played, best, advised, error, exact=False), work

    @property
    def _none(self) -> Tally:
        return Tally((0.0,) * self.game.rules.seats)

    def _play(self, tally: Tally, name: str, start: Callable[[Random], Any], games: int) -> float:
        work = 0.0
        for number in range(games):
            self.deadline.left()
            random = Random(f"{self.seed}/review/{name}/{number}")
            result, cost = self.judge.imagined(start(random), random)
            tally.add(result)
            work += cost
        return work


def _spread(places: Sequence[int]) -> Iterator[int]:
    """Yield places, the first ones spread over all: ends, middle, quarters ..."""
    last, given = len(places) - 1, set[int]()
    step = 1 << last.bit_length()
    while step:
        yield from (places[at] for at in (*range(0, last, step), last) if at not in given)
        given |= {*range(0, last, step), last}
        step //= 2
