"""What a tournament says about its players: shares, margins and ratings, with standard errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log10, sqrt
from random import Random
from typing import NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.picture import Cell, Picture, Shown, heads
from quaternity.table.tournament.playing import GameResult

AVERAGE = 1500.0
"""The rating of an average player of the tournament."""

SCALE = 400.0
"""So many points more mean ten wins for each loss."""

MIN_DEALS = 10
"""Minimum number of deals for an interval: with fewer, the estimated error is unreliable."""

T_95 = (1.95996, 2.37227, 2.82250, 2.55585)
"""The 97.5 % quantile of t with n degrees of freedom: coefficients of 1, 1/n, 1/n^2 and 1/n^3.

Source: Abramowitz and Stegun, *Handbook of Mathematical Functions*, 26.7.5.
"""

RESAMPLES = 200
"""Tournaments drawn anew for the standard errors of ratings."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean, its standard error (None with fewer than two deals), and the number of deals."""

    mean: float
    error: float | None
    deals: int = 0

    @classmethod
    def of(cls, values: Sequence[float], deals: Sequence[int] | None = None) -> Measured:
        """Return the mean of at least one value, and its standard error.

        `deals` has per value its deal: values of a deal may depend on each other, deals do not, and
        may have different numbers of values (a ratio estimate). Without, each is on its own.
        """
        number = len(values)
        mean = sum(values) / number
        totals, counts = dict[int, float](), dict[int, int]()
        for value, deal in zip(values, range(number) if deals is None else deals, strict=True):
            totals[deal] = totals.get(deal, 0) + value
            counts[deal] = counts.get(deal, 0) + 1
        if len(totals) < 2:
            return cls(mean, None, len(totals))
        squares = sum((total - mean * counts[deal]) ** 2 for deal, total in totals.items())
        error = sqrt(squares / (len(totals) - 1) / len(totals))
        return cls(mean, error / (number / len(totals)), len(totals))

    @property
    def margin(self) -> float | None:
        """Return half of the 95 % interval by the t distribution; None below `MIN_DEALS` deals."""
        if self.error is None or self.deals < MIN_DEALS:
            return None
        return self.error * sum(term * float(self.deals - 1) ** -n for n, term in enumerate(T_95))

    def __str__(self) -> str:
        return self.text(3)

    def text(self, digits: int) -> str:
        """Return the rounded mean, and the rounded margin if there is one."""
        margin = "" if self.margin is None else f" ± {self.margin:.{digits}f}"
        return f"{self.mean:.{digits}f}{margin}"


@dataclass(frozen=True, slots=True)
class Record:
    """How one player did. One in several seats of a game counts there by its average seat.

    Attributes:
        games: games it played in, those without a result included.
        wins, tied: games that it won alone, or in which it was first with others.
        share: how often a seat of it won alone.
        score: as `share`, but a game without a sole winner is shared by all seats.
        win_share: as `share`, but such a game is shared by those who are first.
        points: per seat and game.
        by_seat: per seat how often it won alone from there; None where it never sat.
        rating: see `ratings`; None when it played nobody else, or none were asked for.
    """

    games: int
    wins: int
    tied: int
    share: Measured
    score: Measured
    win_share: Measured
    points: Measured
    by_seat: tuple[Measured | None, ...]
    rating: Measured | None


@dataclass(frozen=True, slots=True)
class Table(Shown):
    """What a tournament says.

    Attributes:
        margins: [player][other], the mean difference of scores in the games they both played; None
            where there are none.
        shared: games that nobody won alone.
        unfinished: games given up at the cap, without a result.
        games, games_a_deal: finished games, and how many each deal is played in, one after the
            other; the last deal may have fewer. Standard errors are over deals.
    """

    records: tuple[Record, ...]
    margins: tuple[tuple[Measured | None, ...], ...]
    shared: int
    unfinished: int
    moves: Measured
    games: int
    games_a_deal: int

    def picture(self, names: Sequence[str] = ()) -> Picture:
        """Return a row for each player, under names if given, else numbers."""
        rows = [heads("player", "games", "wins", "share", "score", "points", "rating")]
        for number, record in enumerate(self.records):
            figures = (
                record.games, record.wins, record.share, record.score, record.points,
                record.rating or "-",
            )  # fmt: skip
            name = names[number] if names else number
            rows.append([*heads(name), *(Cell(str(text)) for text in figures)])
        shared = f"nobody won {self.shared}, {self.unfinished} without a result"
        return Picture(f"{self.games} games", (shared,), rows)

    @property
    def deals(self) -> int:
        """Deals that were played, the last one perhaps in part."""
        return -(-self.games // self.games_a_deal)


def tabulated(
    results: Sequence[GameResult],
    players: int,
    random: Random | None = None,
    games_a_deal: int = 1,
) -> Table:
    """Return the table of the first games of a tournament, in order.

    Only with `random`, which draws resamples, have ratings standard errors.
    """
    if not results:
        raise InputError("no game was finished")
    games = _Games(results, games_a_deal)
    scores = [games.values(player, games.score) for player in range(players)]
    rated: list[Measured | None] = [None] * players
    if random is not None:
        rated = _rated(results, players, random, games.deals)

    def margin(player: int, other: int) -> Measured | None:
        both = [game for game in scores[player] if game in scores[other]]
        if player == other or not both:
            return None
        return games.mean({game: scores[player][game] - scores[other][game] for game in both})

    return Table(
        tuple(games.record(player, rated[player]) for player in range(players)),
        tuple(
            tuple(margin(number, other) for other in range(players)) for number in range(players)
        ),
        sum(len(first) > 1 for first in games.first),
        sum(result.places is None for result in results),
        Measured.of([float(result.moves) for result in results], games.deals),
        len(results),
        games_a_deal,
    )


class _Games:
    def __init__(self, results: Sequence[GameResult], games_a_deal: int) -> None:
        self.results = results
        self.deals = [game // games_a_deal for game in range(len(results))]
        self.first = [result.first for result in results]
        self.winner = [first[0] if len(first) == 1 else None for first in self.first]

    def values(self, player: int, value: Callable[[int, int], float]) -> dict[int, float]:
        """Per game that a player is in the mean of a value of game and seat over their seats."""
        averages = {}
        for game, result in enumerate(self.results):
            mine = [value(game, seat) for seat, who in enumerate(result.line_up) if who == player]
            if mine:
                averages[game] = sum(mine) / len(mine)
        return averages

    def mean(self, values: dict[int, float]) -> Measured | None:
        if not values:
            return None
        return Measured.of([*values.values()], [self.deals[game] for game in values])

    def score(self, game: int, seat: int) -> float:
        """1 for winning alone, an equal share when nobody does."""
        winner = self.winner[game]
        if winner is None:
            return 1 / len(self.results[game].line_up)
        return float(winner == seat)

    def record(self, player: int, rating: Measured | None) -> Record:
        def mean(value: Callable[[int, int], float]) -> Measured:
            return self.mean(self.values(player, value)) or Measured(0.0, None)

        def alone_from(seat: int) -> Measured | None:
            there = [game for game in mine if self.results[game].line_up[seat] == player]
            return self.mean({game: float(self.winner[game] == seat) for game in there})

        line_ups = [result.line_up for result in self.results]
        mine = [game for game, line_up in enumerate(line_ups) if player in line_up]
        first = [[line_ups[game][seat] for seat in self.first[game]] for game in mine]
        return Record(
            len(mine),
            sum(who == [player] for who in first),
            sum(len(who) > 1 and player in who for who in first),
            mean(lambda game, seat: self.winner[game] == seat),
            mean(self.score),
            mean(lambda game, seat: (seat in self.first[game]) / max(1, len(self.first[game]))),
            mean(lambda game, seat: self.results[game].points[seat]),
            tuple(map(alone_from, range(len(line_ups[0])))) if mine else (),
            rating,
        )


# ---------------------------------------------------------------------------- ratings


def ratings(results: Sequence[GameResult], players: int) -> list[float | None]:
    """Return Elo-style ratings of players; None for one that met no other.

    Every two seats of different players meet in a finished game: won by the sole winner, drawn
    between any two who did not win. The strengths are those of Bradley and Terry with a draw as
    half a win (Hunter's MM iteration, 2004), with one drawn meeting added for each pair, so that
    they stay finite. They are shifted to an average of `AVERAGE`.
    """
    return _fitted(_meetings(results, players))


def _meetings(results: Sequence[GameResult], players: int) -> list[list[float]]:
    """[player][other], the wins of a player over another, draws counting half."""
    wins = [[0.0] * players for _ in range(players)]
    for result in results:
        if result.places is None:
            continue
        winner = result.winner
        for seat, player in enumerate(result.line_up):
            for beside, other in enumerate(result.line_up):
                if player != other:
                    if winner == seat:
                        wins[player][other] += 1
                    elif winner != beside:
                        wins[player][other] += 0.5
    return wins


def _fitted(wins: list[list[float]]) -> list[float | None]:
    players = range(len(wins))
    met = [[wins[player][other] + wins[other][player] for other in players] for player in players]
    playing = [p for p in players if any(met[p])]
    strength = [1.0 for _ in players]
    won = [
        sum(wins[player][other] + (met[player][other] > 0) / 2 for other in players)
        for player in players
    ]
    for _ in range(1000):
        new = list(strength)
        for player in playing:
            weight = sum(
                (met[player][other] + 1) / (strength[player] + strength[other])
                for other in players
                if met[player][other]
            )
            new[player] = won[player] / weight
        change = max((abs(new[n] / strength[n] - 1) for n in playing), default=0.0)
        strength = new
        if change < 1e-9:
            break
    points = {x: SCALE * log10(strength[x]) for x in playing}
    middle = sum(points.values()) / len(points) if points else 0.0
    return [AVERAGE + points[y] - middle if y in points else None for y in players]


def _rated(
    results: Sequence[GameResult], players: int, random: Random, deals: Sequence[int]
) -> list[Measured | None]:
    """Ratings with standard errors, by drawing tournaments from the deals with replacement."""
    by_deal: dict[int, list[GameResult]] = {}
    for result, deal in zip(results, deals, strict=True):
        by_deal.setdefault(deal, []).append(result)
    each = [[*chain(*_meetings(games, players))] for games in by_deal.values()]
    drawn: list[list[float]] = [[] for _ in range(players)]
    for _ in range(RESAMPLES if len(each) > 1 else 0):
        wins = _summed(random.choices(each, k=len(each)), players)
        for player, value in enumerate(_fitted(wins)):
            if value is not None:
                drawn[player].append(value)
    return [
        None if value is None else Measured(value, _spread(drawn[player]), len(each))
        for player, value in enumerate(_fitted(_summed(each, players)))
    ]


def _summed(meetings: Sequence[list[float]], players: int) -> list[list[float]]:
    sums = [sum(numbers) for numbers in zip(*meetings, strict=True)]
    return [sums[players * number : players * number + players] for number in range(players)]


def _spread(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


# ---------------------------------------------------------------------------- possible deals


class WorldsByGo(NamedTuple):
    """Mean decimal logarithms of numbers of possible deals after some goes of Kwartet.

    `own` is per player; the means are of `deals` games that had not ended by then.
    """

    goes: int
    public: Measured
    own: tuple[Measured, ...]
    deals: int


def worlds_by_go(results: Sequence[GameResult], games_a_deal: int = 1) -> list[WorldsByGo]:
    """Return the mean curves of games whose `details` have `worlds`, by ascending go."""
    by_go: dict[int, list[tuple[int, float, list[float]]]] = {}
    for number, result in enumerate(results):
        seats = [result.line_up.index(player) for player in range(len(result.line_up))]
        for goes, public, own in result.details.worlds:
            deal = number // games_a_deal
            by_go.setdefault(goes, []).append((deal, public, [own[seat] for seat in seats]))
    curves = []
    for goes, games in sorted(by_go.items()):
        deals, public, own = zip(*games, strict=True)
        each = [Measured.of(values, deals) for values in zip(*own, strict=True)]
        curves.append(WorldsByGo(goes, Measured.of(public, deals), tuple(each), len(set(deals))))
    return curves
