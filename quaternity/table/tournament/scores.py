"""What a tournament says about its players: shares, margins and ratings, with standard errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log10, sqrt
from random import Random
from typing import NamedTuple

from quaternity.errors import InputError
from quaternity.table.tournament.playing import GameResult

AVERAGE = 1500.0
"""The rating of an average player of the tournament."""

SCALE = 400.0
"""So many points more mean ten wins for each loss."""

RESAMPLES = 200
"""Tournaments drawn anew for the standard errors of ratings."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean and its standard error; the error is None with fewer than two deals."""

    mean: float
    error: float | None

    @classmethod
    def of(cls, values: Sequence[float], deals: Sequence[int] | None = None) -> Measured:
        """Of at least one value.

        Args:
            deals: per value its deal, by number: values of one deal may depend on each other, deals
                do not, and may have different numbers of values (a ratio estimate). Without,
                every value is on its own.

        >>> Measured.of([0.0, 1.0, 1.0, 0.0]).mean
        0.5
        """
        number = len(values)
        mean = sum(values) / number
        totals, counts = dict[int, float](), dict[int, int]()
        for value, deal in zip(values, range(number) if deals is None else deals, strict=True):
            totals[deal] = totals.get(deal, 0) + value
            counts[deal] = counts.get(deal, 0) + 1
        if len(totals) < 2:
            return cls(mean, None)
        squares = sum((total - mean * counts[deal]) ** 2 for deal, total in totals.items())
        error = sqrt(squares / (len(totals) - 1) / len(totals))
        return cls(mean, error / (number / len(totals)))

    def __str__(self) -> str:
        return f"{self.mean:.3f}" + ("" if self.error is None else f" ± {self.error:.3f}")


@dataclass(frozen=True, slots=True)
class Record:
    """How one player did. One in several seats of a game counts there by its average seat.

    Attributes:
        games: games it played in, those without a result included.
        wins: games that it won alone.
        tied: games in which it was first together with others.
        share: how often a seat of it won alone.
        score: as `share`, but a game without a sole winner is shared by all seats.
        win_share: as `share`, but such a game is shared by those who are first.
        points: per seat and game.
        by_seat: per seat how often it won alone from there; None where it never sat.
        rating: Elo-style: see `ratings`. None when it played nobody else, or none were asked for.
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
class Table:
    """What a tournament says.

    Attributes:
        records: per player.
        margins: [player][other], the mean difference of scores in the games they both played; None
            where there are none.
        shared: games that nobody won alone.
        unfinished: games given up at the cap, without a result.
        moves: per game.
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
    """The table of the first games of a tournament, in order.

    Args:
        players: how many there are.
        random: draws the resamples for the standard errors of ratings; without there are none.
        games_a_deal: see `Table`.

    Raises:
        InputError: there is no game.
    """
    if not results:
        raise InputError("no game was finished")
    deals = [number // games_a_deal for number in range(len(results))]
    scores = [_by_game(results, player, _score) for player in range(players)]
    rated: list[Measured | None] = [None] * players
    if random is not None:
        rated = _rated(results, players, random, deals)

    def margin(player: int, other: int) -> Measured | None:
        both = [game for game in scores[player] if game in scores[other]]
        if player == other or not both:
            return None
        ahead = [scores[player][game] - scores[other][game] for game in both]
        return Measured.of(ahead, [deals[game] for game in both])

    return Table(
        tuple(_record(results, player, deals, rated[player]) for player in range(players)),
        tuple(tuple(margin(one, other) for other in range(players)) for one in range(players)),
        sum(len(result.first) > 1 for result in results),
        sum(result.places is None for result in results),
        Measured.of([float(result.moves) for result in results], deals),
        len(results),
        games_a_deal,
    )


def _record(
    results: Sequence[GameResult], player: int, deals: Sequence[int], rating: Measured | None
) -> Record:
    def measured(value: Callable[[GameResult, int], float]) -> Measured:
        found = _by_game(results, player, value)
        if not found:
            return Measured(0.0, None)
        return Measured.of([*found.values()], [deals[game] for game in found])

    def alone_from(seat: int) -> Measured | None:
        there = [game for game, one in enumerate(results) if one.line_up[seat] == player]
        alone = [float(results[game].winner == seat) for game in there]
        return Measured.of(alone, [deals[game] for game in there]) if there else None

    mine = [result for result in results if player in result.line_up]
    first = [[result.line_up[seat] for seat in result.first] for result in mine]
    return Record(
        len(mine),
        sum(who == [player] for who in first),
        sum(len(who) > 1 and player in who for who in first),
        measured(lambda result, seat: result.winner == seat),
        measured(_score),
        measured(lambda result, seat: (seat in result.first) / max(1, len(result.first))),
        measured(lambda result, seat: result.points[seat]),
        tuple(map(alone_from, range(len(results[0].line_up)))) if mine else (),
        rating,
    )


def _by_game(
    results: Sequence[GameResult], player: int, value: Callable[[GameResult, int], float]
) -> dict[int, float]:
    """Per game that a player is in the mean of a value over his seats."""
    found = {}
    for game, result in enumerate(results):
        values = [value(result, seat) for seat, who in enumerate(result.line_up) if who == player]
        if values:
            found[game] = sum(values) / len(values)
    return found


def _score(result: GameResult, seat: int) -> float:
    """1 for winning alone, an equal share when nobody does."""
    winner = result.winner
    return 1 / len(result.line_up) if winner is None else float(winner == seat)


# ---------------------------------------------------------------------------- ratings


def ratings(results: Sequence[GameResult], players: int) -> list[float | None]:
    """Elo-style ratings of players; None for one that met no other.

    Each finished game counts as a meeting of every two seats of different players: won by the sole
    winner, drawn between any two who did not win. The strengths are those of Bradley and Terry with
    a draw as half a win (maximum likelihood by Hunter's MM iteration, 2004), with one drawn meeting
    added for each pair, so that they stay finite. They are shifted to an average of `AVERAGE`.
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
    met = [[wins[one][other] + wins[other][one] for other in players] for one in players]
    playing = [one for one in players if any(met[one])]
    strength = [1.0 for _ in players]
    won = [
        sum(wins[one][other] + (met[one][other] > 0) / 2 for other in players) for one in players
    ]
    for _ in range(1000):
        new = list(strength)
        for one in playing:
            weight = sum(
                (met[one][other] + 1) / (strength[one] + strength[other])
                for other in players
                if met[one][other]
            )
            new[one] = won[one] / weight
        change = max((abs(new[one] / strength[one] - 1) for one in playing), default=0.0)
        strength = new
        if change < 1e-9:
            break
    points = {one: SCALE * log10(strength[one]) for one in playing}
    middle = sum(points.values()) / len(points) if points else 0.0
    return [AVERAGE + points[one] - middle if one in points else None for one in players]


def _rated(
    results: Sequence[GameResult], players: int, random: Random, deals: Sequence[int]
) -> list[Measured | None]:
    """Ratings with standard errors, by drawing tournaments from the deals with replacement."""
    by_deal: dict[int, list[GameResult]] = {}
    for result, deal in zip(results, deals, strict=True):
        by_deal.setdefault(deal, []).append(result)
    each = [_meetings(games, players) for games in by_deal.values()]
    drawn: list[list[float]] = [[] for _ in range(players)]
    for _ in range(RESAMPLES if len(each) > 1 else 0):
        wins = _summed(random.choices(each, k=len(each)), players)
        for player, value in enumerate(_fitted(wins)):
            if value is not None:
                drawn[player].append(value)
    return [
        None if value is None else Measured(value, _spread(drawn[player]))
        for player, value in enumerate(_fitted(_summed(each, players)))
    ]


def _summed(meetings: Sequence[list[list[float]]], players: int) -> list[list[float]]:
    wins = [[0.0] * players for _ in range(players)]
    for one in meetings:
        for mine, more in zip(wins, one, strict=True):
            for other, number in enumerate(more):
                mine[other] += number
    return wins


def _spread(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


# ---------------------------------------------------------------------------- possible deals


class WorldsByGo(NamedTuple):
    """Mean decimal logarithms of numbers of possible deals after some goes of Kwartet.

    They are of the games that had not ended by then.

    Attributes:
        own: per player of the tournament.
        deals: so many deals the games are of.
    """

    goes: int
    public: Measured
    own: tuple[Measured, ...]
    deals: int


def worlds_by_go(results: Sequence[GameResult], games_a_deal: int = 1) -> list[WorldsByGo]:
    """The mean curves of games whose `details` have `worlds`, by ascending go."""
    by_go: dict[int, list[tuple[int, float, list[float]]]] = {}
    for number, result in enumerate(results):
        seats = [result.line_up.index(player) for player in range(len(result.line_up))]
        for goes, public, own in result.details.worlds:
            found = number // games_a_deal, public, [own[seat] for seat in seats]
            by_go.setdefault(goes, []).append(found)
    curves = []
    for goes, games in sorted(by_go.items()):
        deals, public, own = zip(*games, strict=True)
        each = [Measured.of(values, deals) for values in zip(*own, strict=True)]
        curves.append(WorldsByGo(goes, Measured.of(public, deals), tuple(each), len(set(deals))))
    return curves


__all__ = [
    "AVERAGE",
    "Measured",
    "Record",
    "Table",
    "WorldsByGo",
    "ratings",
    "tabulated",
    "worlds_by_go",
]
