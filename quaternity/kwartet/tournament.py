"""Games between strategies, one after another, and what came out.

A game is a function of the tournament, its seed and its number alone, so games can be played
anywhere and in any order (`quaternity.workers.pool`). Strategies from outside play in a process of
their own (`quaternity.workers.foreign`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import NamedTuple, TypeVar

from quaternity.errors import FaultPlace, GameLimit, InputError, PlayerFault
from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.chances import log10_worlds
from quaternity.kwartet.hands import Hand, dealt_hands
from quaternity.kwartet.log import GameLog, ends_go, log_text
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event, IllegalRequest
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.strategies.registry import STRATEGIES, check_strategies, strategy_named
from quaternity.kwartet.view import request_of
from quaternity.workers.foreign import Sitting, played_apart
from quaternity.workers.own_process import FOREIGN_SECONDS, NotedMove, check_move_seconds, notes
from quaternity.workers.pool import Pool, item_random, ordered_map
from quaternity.workers.seatings import seatings

Result = TypeVar("Result")

MOST_REQUESTS = 200_000
"""A game is given up after so many requests; random players take some thousands."""

MOST_KEPT = 100
"""Outcomes that are kept for games that are the same."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """What is played.

    Attributes:
        settings: the rules; as many players as `strategies`.
        strategies: names, in the order of the table of results.
        seed: of all deals and all strategies.
        rotate: whether each deal is played in all `seatings` of the strategies, one game after the
            other; otherwise they keep their seats. Seat 0 always starts.
        worlds_every: count the possible deals at every so many goes; 0 never.
        move_seconds: the longest that a strategy may think about a request; None: for ever, and
            `quaternity.workers.own_process.FOREIGN_SECONDS` where one is from outside.

    Raises:
        InputError: unknown names, or not one for every player; no possible time.
    """

    settings: KwartetSettings
    strategies: tuple[str, ...]
    seed: int = 0
    rotate: bool = True
    worlds_every: int = 0
    move_seconds: float | None = None

    def __post_init__(self) -> None:
        if len(self.strategies) != self.settings.players:
            raise InputError(
                f"seats: {len(self.strategies)} strategies for {self.settings.players} players"
            )
        check_strategies(self.strategies)
        check_move_seconds(self.move_seconds)

    @property
    def games_a_deal(self) -> int:
        """How many games each deal is played in."""
        return len(seatings(self.settings.players)) if self.rotate else 1

    @property
    def is_foreign(self) -> bool:
        """Whether a strategy is from outside."""
        return any(name not in STRATEGIES for name in self.strategies)

    def deal_of(self, game: int) -> int:
        """The number of the deal of a game."""
        return game // self.games_a_deal

    def seat_of(self, entry: int, game: int) -> int:
        """Where an entry of `strategies` sits in a game."""
        if not self.rotate:
            return entry
        return seatings(self.settings.players)[game % self.games_a_deal][entry]

    def names_in(self, game: int) -> tuple[str, ...]:
        """Per seat the strategy that plays there in a game."""
        names = [""] * self.settings.players
        for entry, name in enumerate(self.strategies):
            names[self.seat_of(entry, game)] = name
        return tuple(names)

    def first_extra(self, game: int) -> int:
        """The first seat with an extra card, where cards do not come out even.

        It moves on from deal to deal.
        """
        return self.deal_of(game)


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
    settings, deal = tournament.settings, tournament.deal_of(game)
    hands = _hands(tournament, game)
    # Each seat has a source of chance of its own: that of the deal could be turned back to the
    # deal, and a common one would show how often the others drew from it.
    chances = [Random(f"{tournament.seed}/{deal}/{seat}") for seat in range(settings.players)]
    names = tournament.names_in(game)
    players = [strategy_named(name) for name in names]
    position = Position.start(settings, hands)
    events: list[Event] = []
    goes = 0
    told = notes()
    if at_go is not None:
        at_go(0, position)
    while not position.public.is_over:
        if len(events) >= MOST_REQUESTS:
            place = _place(tournament, game, [event.question for event in events], None)
            raise GameLimit(f"it is not over after {MOST_REQUESTS} requests", place=place)
        turn = position.public.turn
        view = position.view(turn, events)
        if told is not None:
            told.thinks(turn)
        try:
            question = request_of(players[turn], names[turn], view, chances[turn])
            position, event = position.ask(question)
        except (PlayerFault, IllegalRequest) as error:
            fault = error
            if not isinstance(fault, PlayerFault):
                fault = Sitting("strategy", names[turn], turn).breaks_rules(error)
            asked = [event.question for event in events]
            raise fault.at(_place(tournament, game, asked, turn)) from error
        if told is not None:
            told.moved(question.asked, *question.card, event.answer)
        events.append(event)
        if ends_go(event, position):
            goes += 1
            if at_go is not None:
                at_go(goes, position)
    return _Played(hands, names, tuple(events), position, goes)


def _hands(tournament: Tournament, game: int) -> tuple[Hand, ...]:
    random = item_random(tournament.seed, tournament.deal_of(game))
    return dealt_hands(tournament.settings, random, tournament.first_extra(game))


def _place(
    tournament: Tournament, game: int, asked: Sequence[Question], thinking: int | None
) -> FaultPlace:
    """Where a game is after some legal requests, when a seat, or none, was thinking."""
    settings, hands = tournament.settings, _hands(tournament, game)
    names = tournament.names_in(game)
    events = [event for _, event in Position.start(settings, hands).played(asked)]
    log = GameLog.of(settings, hands, events, names)
    name = "" if thinking is None else names[thinking]
    return FaultPlace(name, thinking, game, len(events), len(log.go_ends), log_text(log))


def _place_noted(
    tournament: Tournament, game: int, moves: Sequence[NotedMove], thinking: int | None
) -> FaultPlace:
    """As `_place`, of what another process noted."""
    position = Position.start(tournament.settings, _hands(tournament, game))
    asked = []
    for move in moves:
        asked.append(Question(position.public.turn, move.asked, Card(move.set_index, move.number)))
        position, _ = position.ask(asked[-1])
    return _place(tournament, game, asked, thinking)


def play_game(tournament: Tournament, game: int) -> Outcome:
    """One game of a tournament, in this process.

    Raises:
        GameLimit: it is not over after `MOST_REQUESTS` requests; with the log up to there.
        LimitError: worlds are asked for and are too many to count.
        PlayerFault: a strategy failed or made an illegal request; with the game, the go (the number
            of goes finished before) and the log up to there.
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


def _logged(tournament: Tournament, game: int) -> GameLog:
    hands, names, events, _, _ = _played(tournament, game)
    return GameLog.of(tournament.settings, hands, events, names)


def logged_game(tournament: Tournament, game: int) -> GameLog:
    """One game of a tournament as a log, the hands included.

    Strategies from outside play in a process of their own, and so do all with a limit of time.
    Raises as `play_game`; and `PlayerTimeout`.
    """
    return _wherever(_logged, tournament, game)


def _wherever(
    play: Callable[[Tournament, int], Result], tournament: Tournament, game: int
) -> Result:
    """A game here, or in a process of its own where the strategies call for that."""
    seconds = tournament.move_seconds
    if not tournament.is_foreign and seconds is None:
        return play(tournament, game)
    return played_apart(
        "strategy",
        tournament.names_in(game),
        FOREIGN_SECONDS if seconds is None else seconds,
        partial(_place_noted, tournament, game),
        play,
        tournament,
        game,
    )


class _Game:
    """The games of one tournament by number; what a worker is sent.

    Where the same strategies sit in the same seats at the same deal, the game is the same: of
    orders that differ in strategies of the same name alone, one is played.
    """

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self._played: dict[tuple[int, tuple[str, ...]], tuple[int, Outcome]] = {}

    def __call__(self, game: int) -> Outcome:
        tournament = self.tournament
        key = tournament.deal_of(game), tournament.names_in(game)
        known = self._played.get(key)
        if known is None:
            if len(self._played) >= MOST_KEPT:
                self._played.clear()
            known = self._played[key] = game, _wherever(play_game, tournament, game)
        first, outcome = known
        if first == game:
            return outcome
        entry_at = {tournament.seat_of(entry, first): entry for entry in range(len(key[1]))}
        same = [entry_at[tournament.seat_of(entry, game)] for entry in range(len(key[1]))]
        worlds = [
            one._replace(own=tuple([one.own[entry] for entry in same])) for one in outcome.worlds
        ]
        return outcome._replace(
            points=tuple([outcome.points[entry] for entry in same]), worlds=tuple(worlds)
        )


def outcomes(
    tournament: Tournament,
    games: int,
    pool: Pool,
    on_done: Callable[[int], None] | None = None,
    chunk_size: int = 20,
) -> Iterator[Outcome]:
    """The games 0, 1, … of a tournament, in this order. Raises as `logged_game`."""
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
