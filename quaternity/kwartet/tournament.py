"""Games between strategies, one after another, and what came out.

A game is a function of the tournament, its seed and its number alone, so games can be played
anywhere and in any order (`quaternity.workers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from quaternity.errors import InputError, LimitError
from quaternity.kwartet.hands import Hand, dealt_hands
from quaternity.kwartet.log import GameLog, ends_go
from quaternity.kwartet.position import Position
from quaternity.kwartet.requests import Event, IllegalRequest
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.strategies.registry import check_strategies, strategy_named
from quaternity.kwartet.view import request_of
from quaternity.kwartet.worlds import log10_worlds
from quaternity.workers import Pool, item_random, ordered_map

MOST_REQUESTS = 200_000
"""A game is given up after so many requests; random players take some thousands."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """What is played.

    Attributes:
        settings: the rules; as many players as `strategies`.
        strategies: names, in the order of the table of results.
        seed: of all deals and all strategies.
        rotate: whether the strategies move on one seat from game to game. Seat 0 always starts.
        worlds_every: count the possible deals at every so many goes; 0 never.

    Raises:
        InputError: unknown names, or not one for every player.
    """

    settings: KwartetSettings
    strategies: tuple[str, ...]
    seed: int = 0
    rotate: bool = True
    worlds_every: int = 0

    def __post_init__(self) -> None:
        if len(self.strategies) != self.settings.players:
            raise InputError(
                f"seats: {len(self.strategies)} strategies for {self.settings.players} players"
            )
        check_strategies(self.strategies)

    def seat_of(self, entry: int, game: int) -> int:
        """Where an entry of `strategies` sits in a game."""
        return (entry + game) % self.settings.players if self.rotate else entry

    def first_extra(self, game: int) -> int:
        """The first seat with an extra card, where cards do not come out even.

        It moves on from game to game; with rotating strategies only after each full round, so that
        every strategy has the extra card equally often.
        """
        return game // self.settings.players if self.rotate else game


class Worlds(NamedTuple):
    """Decimal logarithms of numbers of possible deals after some goes.

    Attributes:
        public: for who sees no hand.
        own: per entry, for the seat that sees its own.
    """

    goes: int
    public: float
    own: tuple[float, ...]


class Outcome(NamedTuple):
    """One game.

    Attributes:
        points: per entry of the tournament, the sets it announced.
        goes: number of goes; a go is one player's stretch of requests.
        requests: number of requests.
        worlds: see `Tournament.worlds_every`.
    """

    points: tuple[int, ...]
    goes: int
    requests: int
    worlds: tuple[Worlds, ...] = ()


class _Played(NamedTuple):
    dealt: tuple[Hand, ...]
    names: tuple[str, ...]
    events: tuple[Event, ...]
    end: Position
    goes: int


def _played(
    tournament: Tournament, game: int, at_go: Callable[[int, Position], None] | None = None
) -> _Played:
    """Play one game.

    Args:
        at_go: told the number of finished goes and the position, from the deal on.
    """
    settings = tournament.settings
    random = item_random(tournament.seed, game)
    hands = dealt_hands(settings, random, tournament.first_extra(game))
    # Each seat has a source of chance of its own: that of the deal could be turned back to the
    # deal, and a common one would show how often the others drew from it.
    chances = [Random(f"{tournament.seed}/{game}/{seat}") for seat in range(settings.players)]
    names = [""] * settings.players
    for entry, name in enumerate(tournament.strategies):
        names[tournament.seat_of(entry, game)] = name
    players = [strategy_named(name) for name in names]
    position = Position.start(settings, hands)
    events: list[Event] = []
    goes = 0
    if at_go is not None:
        at_go(0, position)
    while not position.public.is_over:
        if len(events) >= MOST_REQUESTS:
            raise LimitError(f"game {game} is not over after {MOST_REQUESTS} requests")
        turn = position.public.turn
        view = position.view(turn, events)
        try:
            question = request_of(players[turn], names[turn], view, chances[turn])
            position, event = position.ask(question)
        except InputError as error:
            raise InputError(f"game {game}, go {goes}: {error}") from error
        except IllegalRequest as error:
            raise InputError(
                f"game {game}, go {goes}: strategy {names[turn]!r}: {error}"
            ) from error
        events.append(event)
        if ends_go(event, position):
            goes += 1
            if at_go is not None:
                at_go(goes, position)
    return _Played(hands, tuple(names), tuple(events), position, goes)


def play_game(tournament: Tournament, game: int) -> Outcome:
    """One game of a tournament.

    Raises:
        LimitError: it is not over after `MOST_REQUESTS` requests, or worlds are asked for and are
            too many to count.
        InputError: a strategy failed or made an illegal request; names it, the game and the go
            (the number of goes finished before).
    """
    every = tournament.worlds_every
    worlds: list[Worlds] = []
    entries = range(tournament.settings.players)

    def count(goes: int, position: Position) -> None:
        if goes % every == 0 and not position.public.is_over:
            views = [position.view(tournament.seat_of(entry, game)) for entry in entries]
            own = tuple(log10_worlds(view.problem) for view in views)
            worlds.append(Worlds(goes, log10_worlds(position.public.problem), own))

    _, _, events, end, goes = _played(tournament, game, count if every else None)
    points = end.public.points
    by_entry = tuple(points[tournament.seat_of(entry, game)] for entry in entries)
    return Outcome(by_entry, goes, len(events), tuple(worlds))


def logged_game(tournament: Tournament, game: int) -> GameLog:
    """One game of a tournament as a log, the hands included. Raises as `play_game`."""
    hands, names, events, _, _ = _played(tournament, game)
    return GameLog.of(tournament.settings, hands, events, names)


class _Game:
    """`play_game` of one tournament; what a worker is sent."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament

    def __call__(self, game: int) -> Outcome:
        return play_game(self.tournament, game)


def outcomes(
    tournament: Tournament,
    games: int,
    pool: Pool,
    on_done: Callable[[int], None] | None = None,
    chunk_size: int = 20,
) -> Iterator[Outcome]:
    """The games 0, 1, … of a tournament, in this order. Raises as `play_game`."""
    return ordered_map(pool, _Game(tournament), range(games), chunk_size, on_done)


__all__ = [
    "MOST_REQUESTS",
    "Outcome",
    "Tournament",
    "Worlds",
    "logged_game",
    "outcomes",
    "play_game",
]
