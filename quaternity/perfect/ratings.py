"""What a tournament says about its bots: shares, margins and ratings, with standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10, sqrt
from random import Random

from quaternity.perfect.tournament import GameResult

AVERAGE = 1500.0
"""The rating of an average bot of the tournament."""

SCALE = 400.0
"""So many points more mean ten wins for each loss."""

RESAMPLES = 200
"""Tournaments drawn anew for the standard errors of ratings."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean and its standard error; the error is None with fewer than two games."""

    mean: float
    error: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Measured:
        """The mean of values that are independent of each other.

        >>> Measured.of([0.0, 1.0, 1.0, 0.0]).mean
        0.5
        """
        count = len(values)
        mean = sum(values) / count
        if count < 2:
            return cls(mean, None)
        return cls(mean, sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count))

    def __str__(self) -> str:
        return f"{self.mean:.3f}" + ("" if self.error is None else f" ± {self.error:.3f}")


@dataclass(frozen=True, slots=True)
class Record:
    """How one bot did. A bot in several seats of a game counts there by its average seat.

    Attributes:
        games: games it played in, those without a result included.
        wins: games that it won alone.
        share: how often a seat of it won alone.
        score: as `share`, but a game without a sole winner is shared by all seats.
        sets: completed sets per seat and game.
        by_seat: per seat how often it won alone from there; None where it never sat.
        rating: Elo-style: see `ratings`. None when it played nobody else.
    """

    games: int
    wins: int
    share: Measured
    score: Measured
    sets: Measured
    by_seat: tuple[Measured | None, ...]
    rating: Measured | None


@dataclass(frozen=True, slots=True)
class Table:
    """What a tournament says.

    Attributes:
        records: per bot.
        margins: [bot][other], the mean difference of scores in the games they both played; None
            where there are none.
        shared: games that nobody won.
        unfinished: games given up at the cap, without a result.
        moves: per game.
    """

    records: tuple[Record, ...]
    margins: tuple[tuple[Measured | None, ...], ...]
    shared: int
    unfinished: int
    moves: Measured


def tabulated(results: Sequence[GameResult], bots: int, random: Random) -> Table:
    """The table of at least one game.

    Args:
        bots: how many there are.
        random: draws the resamples for the standard errors of ratings.
    """
    scores = [_scores(result) for result in results]
    rated = ratings(results, bots)
    errors = _rating_errors(results, bots, random)
    records = []
    for bot in range(bots):
        mine = [result for result in results if bot in result.line_up]
        rating = None
        if rated[bot] is not None:
            rating = Measured(rated[bot] or 0.0, errors[bot])
        records.append(_record(bot, mine, rating))
    margins = []
    for bot in range(bots):
        row: list[Measured | None] = []
        for other in range(bots):
            both = [one[bot] - one[other] for one in scores if bot in one and other in one]
            row.append(Measured.of(both) if both and bot != other else None)
        margins.append(tuple(row))
    return Table(
        tuple(records),
        tuple(margins),
        sum(result.over and result.winner is None for result in results),
        sum(not result.over for result in results),
        Measured.of([float(result.moves) for result in results]),
    )


def _record(bot: int, results: Sequence[GameResult], rating: Measured | None) -> Record:
    if not results:
        nothing = Measured(0.0, None)
        return Record(0, 0, nothing, nothing, nothing, (), rating)
    shares, sets, seated = [], [], list[list[float]]([[] for _ in results[0].line_up])
    for result in results:
        seats = [seat for seat, who in enumerate(result.line_up) if who == bot]
        shares.append(sum(result.winner == seat for seat in seats) / len(seats))
        sets.append(sum(result.points[seat] for seat in seats) / len(seats))
        for seat in seats:
            seated[seat].append(float(result.winner == seat))
    return Record(
        len(results),
        sum(share > 0 for share in shares),
        Measured.of(shares),
        Measured.of([_scores(result)[bot] for result in results]),
        Measured.of(sets),
        tuple(Measured.of(values) if values else None for values in seated),
        rating,
    )


def _scores(result: GameResult) -> dict[int, float]:
    """Per bot its average seat's score: 1 for winning alone, an equal share when nobody does."""
    seats = len(result.line_up)
    totals: dict[int, list[float]] = {}
    for seat, bot in enumerate(result.line_up):
        score = 1 / seats if result.winner is None else float(result.winner == seat)
        totals.setdefault(bot, []).append(score)
    return {bot: sum(values) / len(values) for bot, values in totals.items()}


def ratings(results: Sequence[GameResult], bots: int) -> list[float | None]:
    """Elo-style ratings of bots; None for one that met no other.

    Each finished game counts as a meeting of every two seats of different bots: won by the sole
    winner, drawn between any two who did not win. The strengths are those of Bradley and Terry with
    a draw as half a win (maximum likelihood by Hunter's MM iteration, 2004), with one drawn meeting
    added for each pair, so that they stay finite. They are shifted to an average of `AVERAGE`.
    """
    return _fitted(_meetings(results, bots))


def _meetings(results: Sequence[GameResult], bots: int) -> list[list[float]]:
    """[bot][other], the wins of a bot over another, draws counting half."""
    wins = [[0.0] * bots for _ in range(bots)]
    for result in results:
        if not result.over:
            continue
        for seat, bot in enumerate(result.line_up):
            for beside, other in enumerate(result.line_up):
                if bot != other:
                    if result.winner == seat:
                        wins[bot][other] += 1
                    elif result.winner != beside:
                        wins[bot][other] += 0.5
    return wins


def _fitted(wins: list[list[float]]) -> list[float | None]:
    bots = range(len(wins))
    met = [[wins[bot][other] + wins[other][bot] for other in bots] for bot in bots]
    playing = [bot for bot in bots if any(met[bot])]
    strength = [1.0 for _ in bots]
    won = [sum(wins[bot][other] + (met[bot][other] > 0) / 2 for other in bots) for bot in bots]
    for _ in range(1000):
        new = list(strength)
        for bot in playing:
            weight = sum(
                (met[bot][other] + 1) / (strength[bot] + strength[other])
                for other in bots
                if met[bot][other]
            )
            new[bot] = won[bot] / weight
        change = max((abs(new[bot] / strength[bot] - 1) for bot in playing), default=0.0)
        strength = new
        if change < 1e-9:
            break
    points = {bot: SCALE * log10(strength[bot]) for bot in playing}
    middle = sum(points.values()) / len(points) if points else 0.0
    return [AVERAGE + points[bot] - middle if bot in points else None for bot in bots]


def _rating_errors(results: Sequence[GameResult], bots: int, random: Random) -> list[float | None]:
    """Standard errors of the ratings, by drawing tournaments from the games with replacement."""
    if len(results) < 2:
        return [None] * bots
    drawn: list[list[float]] = [[] for _ in range(bots)]
    each = [_meetings([result], bots) for result in results]
    for _ in range(RESAMPLES):
        wins = [[0.0] * bots for _ in range(bots)]
        for one in random.choices(each, k=len(each)):
            for bot in range(bots):
                for other in range(bots):
                    wins[bot][other] += one[bot][other]
        for bot, value in enumerate(_fitted(wins)):
            if value is not None:
                drawn[bot].append(value)
    return [_spread(values) for values in drawn]


def _spread(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


__all__ = ["Measured", "Record", "Table", "ratings", "tabulated"]
