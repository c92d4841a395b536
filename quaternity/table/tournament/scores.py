"""Scores of players in a tournament: shares of wins, points and ratings, with standard errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log10, sqrt
from random import Random
from typing import NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.picture import Cell, Display, Displayable, heading_cells
from quaternity.table.tournament.playing import GameResult

MEAN_RATING = 1500.0
"""Average rating of the players of a tournament."""

RATING_SCALE = 400.0
"""Difference between two ratings at which the stronger player wins ten games for each game lost."""

MIN_DEALS = 10
"""Minimum number of deals for a confidence interval. With fewer deals, the estimated error is
unreliable."""

T_95 = (1.95996, 2.37227, 2.82250, 2.55585)
"""Coefficients of 1, 1/n, 1/n^2 and 1/n^3 in an approximation of the 97.5 % quantile of Student's t
distribution with n degrees of freedom.

Source: Abramowitz and Stegun, *Handbook of Mathematical Functions*, 26.7.5.
"""

RESAMPLES = 200
"""Number of bootstrap samples of a tournament from which the standard errors of ratings are
computed."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean, its standard error, and the number of deals.

    The standard error is None if there are fewer than two deals.
    """

    mean: float
    error: float | None
    deals: int = 0

    @classmethod
    def of(cls, values: Sequence[float], deals: Sequence[int] | None = None) -> Measured:
        """Return the mean and the standard error of one or more values.

        Args:
            deals: number of the deal to which each value belongs. By default, each value belongs to
                a different deal. Values of the same deal may depend on each other, but deals are
                independent. Deals may have different numbers of values.
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
        """Half the width of the 95 % confidence interval. None for fewer than `MIN_DEALS` deals."""
        if self.error is None or self.deals < MIN_DEALS:
            return None
        return self.error * sum(term * float(self.deals - 1) ** -n for n, term in enumerate(T_95))

    def __str__(self) -> str:
        return self.text(3)

    def text(self, digits: int) -> str:
        """Return the rounded mean as text, followed by "±" and the margin if it is known."""
        margin = "" if self.margin is None else f" ± {self.margin:.{digits}f}"
        return f"{self.mean:.{digits}f}{margin}"


@dataclass(frozen=True, slots=True)
class Record:
    """Scores of one player. If the player has several seats in a game, their average counts.

    Attributes:
        games: number of games that the player played, including games without a result.
        wins: number of games that the player won alone.
        tied: number of games in which the player shared first place.
        share: fraction of games that the player won alone.
        score: like `share`, but each seat gets an equal part of a game that nobody won alone.
        win_share: like `share`, but the seats in first place get equal parts of a tied game.
        points: mean points per seat and game.
        by_seat: for each seat, the fraction of games that the player won alone in this seat. None
            if the player never had the seat.
        rating: the rating (see `ratings`). None if the player met no other player, or no ratings
            were requested.
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
class Table(Displayable):
    """Scores of all players of a tournament. Standard errors are computed over deals.

    Attributes:
        records: the scores of each player.
        margins: `margins[player][other]` is a player's mean lead in score over another player, in
            the games that both played. None if there are no such games.
        shared: number of games with a tie for first place.
        unfinished: number of games that were stopped because they had too many moves.
        moves: mean number of moves of a game.
        games: number of games.
        games_a_deal: number of consecutive games with the same deal. The last deal may have fewer.
    """

    records: tuple[Record, ...]
    margins: tuple[tuple[Measured | None, ...], ...]
    shared: int
    unfinished: int
    moves: Measured
    games: int
    games_a_deal: int

    def picture(self, names: Sequence[str] = ()) -> Display:
        """Return a display with a row for each player, identified by name or number."""
        rows = [heading_cells("player", "games", "wins", "share", "score", "points", "rating")]
        for number, record in enumerate(self.records):
            figures = (
                record.games, record.wins, record.share, record.score, record.points,
                record.rating or "-",
            )  # fmt: skip
            name = names[number] if names else number
            rows.append([*heading_cells(name), *(Cell(str(text)) for text in figures)])
        shared = f"{self.shared} tied, {self.unfinished} without a result"
        return Display(f"{self.games} games", (shared,), rows)

    @property
    def deals(self) -> int:
        """Number of deals. The last deal counts even if some of its games are missing."""
        return -(-self.games // self.games_a_deal)


def make_table(
    results: Sequence[GameResult], players: int, random: Random | None = None, games_a_deal: int = 1
) -> Table:
    """Compute the table of results from the first games of a tournament.

    Args:
        results: the results, in the order of the games.
        players: number of players.
        random: random generator for the standard errors of ratings. None for no ratings.
        games_a_deal: number of consecutive games with the same deal.

    Raises:
        InputError: If there are no results.
    """
    if not results:
        raise InputError("no game has been finished")
    games = _Games(results, games_a_deal)
    scores = [games.values(player, games.score) for player in range(players)]
    rated: list[Measured | None] = [None] * players
    if random is not None:
        rated = _ratings_with_errors(results, players, random, games.deals)

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
        """Return the average of `value(game, seat)` over a player's seats, for each game."""
        averages = {}
        for game, result in enumerate(self.results):
            own = [
                value(game, seat) for seat, entry in enumerate(result.line_up) if entry == player
            ]
            if own:
                averages[game] = sum(own) / len(own)
        return averages

    def mean(self, values: dict[int, float]) -> Measured | None:
        if not values:
            return None
        return Measured.of([*values.values()], [self.deals[game] for game in values])

    def score(self, game: int, seat: int) -> float:
        winner = self.winner[game]
        if winner is None:
            return 1 / len(self.results[game].line_up)
        return float(winner == seat)

    def record(self, player: int, rating: Measured | None) -> Record:
        def mean(value: Callable[[int, int], float]) -> Measured:
            return self.mean(self.values(player, value)) or Measured(0.0, None)

        def alone_from(seat: int) -> Measured | None:
            in_seat = [game for game in own if self.results[game].line_up[seat] == player]
            return self.mean({game: float(self.winner[game] == seat) for game in in_seat})

        line_ups = [result.line_up for result in self.results]
        own = [game for game, line_up in enumerate(line_ups) if player in line_up]
        first = [[line_ups[game][seat] for seat in self.first[game]] for game in own]
        return Record(
            len(own),
            sum(winners == [player] for winners in first),
            sum(len(winners) > 1 and player in winners for winners in first),
            mean(lambda game, seat: self.winner[game] == seat),
            mean(self.score),
            mean(lambda game, seat: (seat in self.first[game]) / max(1, len(self.first[game]))),
            mean(lambda game, seat: self.results[game].points[seat]),
            tuple(map(alone_from, range(len(line_ups[0])))) if own else (),
            rating,
        )


# ---------------------------------------------------------------------------- ratings


def ratings(results: Sequence[GameResult], players: int) -> list[float | None]:
    """Return a rating of each player, like the Elo ratings of chess.

    In each finished game, two different players meet once for each pair of their seats. A sole
    winner wins all of their meetings, and other meetings are draws. The rating is None if the
    player met no other player. The ratings follow the Bradley-Terry model and are computed by
    Hunter's MM iteration (2004). An extra draw between each two players who met keeps them finite.
    Their average is `MEAN_RATING`.
    """
    return _fit_ratings(_meetings(results, players))


def _meetings(results: Sequence[GameResult], players: int) -> list[list[float]]:
    """Return `wins[player][other]`: how often a player beat another. A draw is half a win."""
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


def _fit_ratings(wins: list[list[float]]) -> list[float | None]:
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
    points = {x: RATING_SCALE * log10(strength[x]) for x in playing}
    middle = sum(points.values()) / len(points) if points else 0.0
    return [MEAN_RATING + points[y] - middle if y in points else None for y in players]


def _ratings_with_errors(
    results: Sequence[GameResult], players: int, random: Random, deals: Sequence[int]
) -> list[Measured | None]:
    by_deal: dict[int, list[GameResult]] = {}
    for result, deal in zip(results, deals, strict=True):
        by_deal.setdefault(deal, []).append(result)
    meetings = [[*chain(*_meetings(games, players))] for games in by_deal.values()]
    resampled: list[list[float]] = [[] for _ in range(players)]
    for _ in range(RESAMPLES if len(meetings) > 1 else 0):
        wins = _sum_meetings(random.choices(meetings, k=len(meetings)), players)
        for player, value in enumerate(_fit_ratings(wins)):
            if value is not None:
                resampled[player].append(value)
    return [
        None
        if value is None
        else Measured(value, _standard_deviation(resampled[player]), len(meetings))
        for player, value in enumerate(_fit_ratings(_sum_meetings(meetings, players)))
    ]


def _sum_meetings(meetings: Sequence[list[float]], players: int) -> list[list[float]]:
    sums = [sum(numbers) for numbers in zip(*meetings, strict=True)]
    return [sums[players * number : players * number + players] for number in range(players)]


def _standard_deviation(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


# ---------------------------------------------------------------------------- possible deals


class WorldsByGo(NamedTuple):
    """Mean number of possible deals in games of Kwartet, after a number of goes.

    A go is a player's turn, which may have several requests. Games that are already over are left
    out.

    Attributes:
        goes: number of goes.
        public: mean log10 of the number of deals, for an observer without cards.
        own: the same mean for each player, who knows their own hand.
        deals: number of different deals in these games.
    """

    goes: int
    public: Measured
    own: tuple[Measured, ...]
    deals: int


def worlds_by_go(results: Sequence[GameResult], games_a_deal: int = 1) -> list[WorldsByGo]:
    """Return how many deals were still possible after each turn, as means over all games.

    A go is a player's turn. The results must have `details` with `deal_counts`.
    """
    by_go: dict[int, list[tuple[int, float, list[float]]]] = {}
    for number, result in enumerate(results):
        seats = [result.line_up.index(player) for player in range(len(result.line_up))]
        for goes, public, own in result.details.deal_counts:
            deal = number // games_a_deal
            by_go.setdefault(goes, []).append((deal, public, [own[seat] for seat in seats]))
    curves = []
    for goes, games in sorted(by_go.items()):
        deals, public, own = zip(*games, strict=True)
        means = [Measured.of(values, deals) for values in zip(*own, strict=True)]
        curves.append(WorldsByGo(goes, Measured.of(public, deals), tuple(means), len(set(deals))))
    return curves
