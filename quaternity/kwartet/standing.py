"""What came out of some games: wins, ties, sets, lengths, and how deals were ruled out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from quaternity.errors import InputError
from quaternity.kwartet.tournament import Outcome, Worlds


class Mean(NamedTuple):
    """A mean with its standard error; the error of values of a single deal is 0."""

    mean: float
    se: float

    @classmethod
    def of(cls, values: Sequence[float], deals: Sequence[int] | None = None) -> Mean:
        """Of at least one value.

        Args:
            deals: per value its deal, by number: values of one deal may depend on each other, deals
                do not, and may have different numbers of values (a ratio estimate). Without,
                every value is on its own.
        """
        number = len(values)
        mean = sum(values) / number
        totals, counts = dict[int, float](), dict[int, int]()
        for value, deal in zip(values, range(number) if deals is None else deals, strict=True):
            totals[deal] = totals.get(deal, 0) + value
            counts[deal] = counts.get(deal, 0) + 1
        if len(totals) < 2:
            return cls(mean, 0.0)
        squares = sum((total - mean * counts[deal]) ** 2 for deal, total in totals.items())
        variance = squares / (len(totals) - 1)
        return cls(mean, sqrt(variance / len(totals)) / (number / len(totals)))


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
        games_a_deal: games that each deal is played in, one after the other; the last deal may have
            fewer. Standard errors are over deals.
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
    games_a_deal: int = 1

    @property
    def deals(self) -> int:
        """Deals that were played, the last one perhaps in part."""
        return -(-self.games // self.games_a_deal)


def standing(
    strategies: tuple[str, ...], games: Sequence[Outcome], games_a_deal: int = 1
) -> Standing:
    """Add up some games: the first ones of a tournament, in order.

    Raises:
        InputError: there is none.
    """
    if not games:
        raise InputError("no game was finished")
    entries = range(len(strategies))
    winners = [
        [entry for entry in entries if game.points[entry] == max(game.points)] for game in games
    ]
    shares = [[1 / len(best) if entry in best else 0.0 for best in winners] for entry in entries]
    deals = [number // games_a_deal for number in range(len(games))]
    return Standing(
        len(games),
        strategies,
        tuple(winners.count([entry]) for entry in entries),
        sum(len(best) > 1 for best in winners),
        tuple(sum(len(best) > 1 and entry in best for best in winners) for entry in entries),
        tuple(Mean.of(share, deals) for share in shares),
        tuple(sum(game.points[entry] for game in games) for entry in entries),
        Mean.of([game.goes for game in games], deals),
        Mean.of([game.requests for game in games], deals),
        games_a_deal,
    )


class WorldsByGo(NamedTuple):
    """Mean decimal logarithms after some goes, over the games that had not ended by then.

    Attributes:
        own: per entry.
        deals: so many deals the games are of.
    """

    goes: int
    games: int
    public: Mean
    own: tuple[Mean, ...]
    deals: int


def worlds_by_go(games: Iterable[Outcome], games_a_deal: int = 1) -> list[WorldsByGo]:
    """The mean curves of the games' worlds, by ascending go; see `standing` for the arguments."""
    by_go: dict[int, list[tuple[int, Worlds]]] = {}
    for number, game in enumerate(games):
        for worlds in game.worlds:
            by_go.setdefault(worlds.goes, []).append((number // games_a_deal, worlds))
    curves = []
    for goes, found in sorted(by_go.items()):
        deals = [deal for deal, _ in found]
        own = zip(*(worlds.own for _, worlds in found), strict=True)
        curves.append(
            WorldsByGo(
                goes,
                len(found),
                Mean.of([worlds.public for _, worlds in found], deals),
                tuple([Mean.of(values, deals) for values in own]),
                len(set(deals)),
            )
        )
    return curves


__all__ = ["Mean", "Standing", "WorldsByGo", "standing", "worlds_by_go"]
