"""Estimates of each seat's chance to win, from simulated games, with standard errors.

The number of simulated games depends on the time that they usually take, not on the elapsed time.
The same seed therefore gives the same chances on every machine, unless the time limit is reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from random import Random
from typing import Any, NamedTuple

from quaternity.base.errors import LimitError, SolverTimeout
from quaternity.review.judge import Judge, MoveValue
from quaternity.review.recorded_game import RecordedGame, Shares

GAMES_PER_PASS, MAX_SIMULATED_GAMES = 16, 256
"""Number of games simulated from each position in one pass, and maximum number in all passes
together. Fewer games than one pass would not give a useful estimate."""

COMPARED_GAMES, CONFIRMING_GAMES = 32, 128
"""Number of games that are simulated after each of two moves to compare them, and number of further
games that confirm a difference. When many moves are reviewed, some differences occur by chance, so
only a confirmed difference is reported."""

CURVE_MILLISECONDS, COMPARISON_MILLISECONDS = 250.0, 200.0
"""Time for two parts of a review: estimating the chances in all positions, and comparing moves. The
unit is milliseconds for each second of the time limit. The time is computed from the number of
simulated games, not measured."""


class Point(NamedTuple):
    """Each seat's chance of winning at one moment of a game, as a point of a curve.

    `after` is the number of moves before this moment. `chances` is None if the chances are not
    known, and `error` is the largest standard error.
    """

    after: int
    chances: Shares | None
    error: float
    exact: bool


class Chance(NamedTuple):
    """Estimated chance that a seat wins, with its standard error."""

    mean: float
    error: float


def estimate_chances(results: Sequence[Shares]) -> list[Chance]:
    """Estimate each seat's chance of winning from the results of simulated games.

    The standard errors are computed as if there were two more wins and two more losses (Agresti and
    Coull, 1998), so they are above 0 even if all results are equal. They are also valid for shared
    wins, which vary less.
    """
    games, chances = len(results), list[Chance]()
    for total in map(sum, zip(*results, strict=True)):
        mean = (total + 2) / (games + 4)
        chances.append(Chance(total / games, sqrt(mean * (1 - mean) / (games + 4))))
    return chances


class PlayoutEstimate:
    """Estimates of each seat's chance to win, for each position of one game.

    `exact` maps the index of a position to its known result, and `results` maps it to the results
    of simulated games. `too_large` contains the positions with too many deals to draw a random one.
    """

    def __init__(self, game: RecordedGame, judge: Judge, seed: int) -> None:
        self.game, self.judge, self.seed = game, judge, seed
        self.results: dict[int, list[Shares]] = {}
        self.too_large: set[int] = set()
        self.exact = {} if game.result is None else {len(game.moves): game.result}

    def simulate(self, work: float) -> bool:
        """Simulate games from all positions without an exact result.

        Stop when the estimated time of these games (see `Judge.simulate`) adds up to `work`
        milliseconds. Return whether at least one pass over all positions was completed.
        """
        for games in range(0, MAX_SIMULATED_GAMES, GAMES_PER_PASS):
            for index in _evenly_spread(self.game.settled):
                results = self.results.get(index, [])
                if index in self.exact or index in self.too_large or len(results) > games:
                    continue
                if work <= 0:
                    return games > 0
                try:
                    more, cost = self._simulate_games(f"{index}/{games}", GAMES_PER_PASS, index)
                except SolverTimeout:
                    raise
                except LimitError:
                    self.too_large.add(index)
                    continue
                self.results[index] = results + more
                work -= cost
        return True

    def chances_at(self, index: int) -> list[Chance]:
        """Return each seat's exact or estimated chance at a position.

        The list is empty if the chances are unknown.
        """
        if index in self.exact:
            return [Chance(share, 0.0) for share in self.exact[index]]
        return estimate_chances(self.results.get(index, []))

    def point(self, index: int) -> Point:
        """Return the chances at a position as a `Point` of the curve of chances."""
        known, after = self.chances_at(index), self.game.whole_moves(index)
        chances = tuple([chance.mean for chance in known]) or None
        largest = max([chance.error for chance in known], default=0.0)
        return Point(after, chances, largest, index in self.exact)

    def swing(self, before: int, after: int | None) -> tuple[float, int, float, float] | None:
        """Return (change, seat, old chance, new chance) for the seat whose chance changes most.

        `before` and `after` are indices of positions. Return None if the chances are not known, or
        if every change may be due to chance.
        """
        old, new = self.chances_at(before), [] if after is None else self.chances_at(after)
        changes = [
            (abs(x.mean - y.mean), -seat, x.mean, y.mean)
            for seat, (x, y) in enumerate(zip(old, new, strict=False))
            if abs(x.mean - y.mean) > 2 * sqrt(x.error**2 + y.error**2)
        ]
        if not changes:
            return None
        change, seat, was, became = max(changes)
        return change, -seat, was, became

    def confirms(self, before: int, after: int, seat: int, rises: bool) -> bool:
        """Simulate further games. Return whether they confirm a change of a seat's chance.

        `before` and `after` are indices of positions. `rises` says whether the chance is expected
        to be higher in the second position, or else lower.
        """
        fresh = []
        for index in (before, after):
            if index in self.exact:
                fresh.append(self.chances_at(index)[seat])
                continue
            more, _ = self._simulate_games(f"{index}/again", CONFIRMING_GAMES, index)
            self.results[index] = self.results.get(index, []) + more
            fresh.append(estimate_chances(more)[seat])
        old, new = fresh if rises else reversed(fresh)
        return new.mean - old.mean > 2 * sqrt(old.error**2 + new.error**2)

    def compare_move(self, index: int, advised: Any) -> tuple[MoveValue, float]:
        """Compare a move with the advised move by simulated games.

        Return the value of the move, and the estimated time of the simulations in milliseconds
        (see `Judge.simulate`). Both moves are judged by the information that the player had, so bad
        luck does not count as a mistake. If the move seems to be a mistake, the value is computed
        again, from further games only.

        Args:
            index: the index of the move.
            advised: the other move.
        """
        worth, work = self._compare(index, advised, COMPARED_GAMES)
        if not worth.mistake:
            return worth, work
        again, more = self._compare(index, advised, CONFIRMING_GAMES)
        return again, work + more

    def _compare(self, index: int, advised: Any, games: int) -> tuple[MoveValue, float]:
        seat, move = self.game.moves[index]
        made, work = self._simulate_games(f"{index}/{games} made", games, index, (seat, move))
        others, more = self._simulate_games(
            f"{index}/{games} advised", games, index, (seat, advised)
        )
        played, best = estimate_chances(made)[seat], estimate_chances(others)[seat]
        error = sqrt(played.error**2 + best.error**2)
        return MoveValue(played.mean, best.mean, advised, error, exact=False), work + more

    def _simulate_games(
        self, name: str, games: int, index: int, move: tuple[int, Any] | None = None
    ) -> tuple[list[Shares], float]:
        work, results = 0.0, list[Shares]()
        for number in range(games):
            self.judge.deadline.remaining()
            random = Random(f"{self.seed}/review/{name}/{number}")
            start = self.game.draw_position(index, random, None if move is None else move[0])
            if move is not None:
                start = self.game.rules.after(start, *move)
            result, cost = self.judge.simulate(start, random)
            results.append(result)
            work += cost
        return results, work


def _evenly_spread(places: Sequence[int]) -> Iterator[int]:
    """Yield the places in an order that soon covers the range: ends, middle, quarters, ..."""
    last, yielded = len(places) - 1, set[int]()
    step = 1 << last.bit_length()
    while step:
        yield from (places[at] for at in (*range(0, last, step), last) if at not in yielded)
        yielded |= {*range(0, last, step), last}
        step //= 2
