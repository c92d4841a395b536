"""What came out of some games: wins, ties, sets, lengths, and how deals were ruled out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from quaternity.errors import InputError
from quaternity.kwartet.tournament import Outcome, Worlds


class Mean(NamedTuple):
    """A mean with its standard error; the error of a single value is 0."""

    mean: float
    se: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """Of at least one value."""
        number = len(values)
        mean = sum(values) / number
        if number < 2:
            return cls(mean, 0.0)
        variance = sum((value - mean) ** 2 for value in values) / (number - 1)
        return cls(mean, sqrt(variance / number))


@dataclass(frozen=True, slots=True)
class Standing:
    """What came out of some games. Tuples have a number per entry of `strategies`.

    Attributes:
        games: games finished.
        strategies: the names as they were given; one that is given twice has two entries.
        sole_wins: games with more sets than everybody else.
        tied_games: games in which several had the most sets.
        tied_players: how many of these games each entry shared.
        win_share: sole wins plus an even share of every tied game, per game.
        sets_won: sets announced, over all games.
        goes, requests: per game.
    """

    games: int
    strategies: tuple[str, ...]
    sole_wins: tuple[int, ...]
    tied_games: int
    tied_players: tuple[int, ...]
    win_share: tuple[Mean, ...]
    sets_won: tuple[int, ...]
    goes: Mean
    requests: Mean


def standing(strategies: tuple[str, ...], games: Sequence[Outcome]) -> Standing:
    """Add up some games.

    Raises:
        InputError: there is none.
    """
    if not games:
        raise InputError("no game was finished")
    entries = range(len(strategies))
    winners = [
        [entry for entry in entries if game.points[entry] == max(game.points)] for game in games
    ]
    return Standing(
        len(games),
        strategies,
        tuple(winners.count([entry]) for entry in entries),
        sum(len(best) > 1 for best in winners),
        tuple(sum(len(best) > 1 and entry in best for best in winners) for entry in entries),
        tuple(
            Mean.of([1 / len(best) if entry in best else 0.0 for best in winners])
            for entry in entries
        ),
        tuple(sum(game.points[entry] for game in games) for entry in entries),
        Mean.of([game.goes for game in games]),
        Mean.of([game.requests for game in games]),
    )


class WorldsByGo(NamedTuple):
    """Mean decimal logarithms after some goes, over the games that had not ended by then.

    Attributes:
        own: per entry.
    """

    goes: int
    games: int
    public: Mean
    own: tuple[Mean, ...]


def worlds_by_go(games: Iterable[Outcome]) -> list[WorldsByGo]:
    """The mean curves of the games' worlds, by ascending go."""
    by_go: dict[int, list[Worlds]] = {}
    for game in games:
        for worlds in game.worlds:
            by_go.setdefault(worlds.goes, []).append(worlds)
    return [
        WorldsByGo(
            goes,
            len(found),
            Mean.of([worlds.public for worlds in found]),
            tuple(map(Mean.of, zip(*(worlds.own for worlds in found), strict=True))),
        )
        for goes, found in sorted(by_go.items())
    ]


__all__ = ["Mean", "Standing", "WorldsByGo", "standing", "worlds_by_go"]
