"""Computer players that follow a Kwartet strategy, and statistics of their games."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from quaternity.base.errors import InputError
from quaternity.game.question import Question, is_plain, plain_question
from quaternity.kwartet.chances import log10_deals
from quaternity.kwartet.played import ends_go
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event, IllegalRequest
from quaternity.kwartet.rules import KwartetPosition
from quaternity.kwartet.view import Strategy, View
from quaternity.workers.isolated_players import SeatedPlayer
from quaternity.workers.progress import Progress


class DealCounts(NamedTuple):
    """Numbers of possible deals at one moment of a game, as decimal logarithms.

    Attributes:
        goes: the number of finished goes. A go is a series of requests by one player.
        public: the number of deals that are possible for an observer who sees no hand.
        own: for each seat, the number of deals that are possible for the player in this seat.
    """

    goes: int
    public: float
    own: tuple[float, ...]


class GameDetails(NamedTuple):
    """The number of goes in a game, and the numbers of possible deals at several moments.

    A go is a series of requests by one player.
    """

    goes: int
    deal_counts: tuple[DealCounts, ...] = ()


class StrategyPlayer:
    """A computer player that follows a strategy.

    A strategy is a function that takes a view and a random generator, and returns a request.
    """

    game = "kwartet"

    def __init__(self, name: str, strategy: Strategy) -> None:
        if not callable(strategy):
            raise InputError(f"StrategyPlayer: strategy must be a function, not {strategy!r}")
        self.name, self.strategy = name, strategy

    def choose(self, view: View, random: Random) -> Question:
        """Return the request that the strategy chooses for a view."""
        return self.strategy(view, random)

    @staticmethod
    def play_bare(
        players: Sequence[StrategyPlayer],
        start: KwartetPosition,
        chances: Sequence[Random],
        cap: int,
        course: Progress,
        details: int,
    ) -> tuple[KwartetPosition, int, GameDetails]:
        """Play a game in which each player follows a strategy.

        Return the last position, the number of requests, and details (see `GameDetails`).

        Args:
            chances: the random generator of each player.
            cap: the number of requests after which the game ends at the latest.
            course: the object that records which move is being played, for error reports.
            details: the number of goes after which the possible deals are counted again, or 0 to
                count none. A go is a series of requests by one player.

        Raises:
            LimitError: If there are too many deals to count.
        """
        seated = [
            SeatedPlayer("strategy", player.name, seat) for seat, player in enumerate(players)
        ]
        position, goes = start.position, 0
        events: list[Event] = []
        worlds = [_count_deals(0, position)] if details and not position.public.is_over else []
        while not position.public.is_over and len(events) < cap:
            turn = position.public.turn
            course.note_thinking(turn)
            view = position.view(turn, events)
            question = seated[turn].call(players[turn].strategy, view, chances[turn])
            if not is_plain(question):
                question = seated[turn].validate(plain_question, question)
            try:
                position, event = position.ask(question)
            except IllegalRequest as error:
                raise seated[turn].rule_fault(error) from error
            course.note_move(turn, question)
            events.append(event)
            if ends_go(event, position.public):
                goes += 1
                if details and not goes % details and not position.public.is_over:
                    worlds.append(_count_deals(goes, position))
        end = KwartetPosition(start.dealt, position, tuple(events))
        return end, len(events), GameDetails(goes, tuple(worlds))


def _count_deals(goes: int, position: Position) -> DealCounts:
    own = [
        log10_deals(position.view(seat).problem) for seat in range(position.public.settings.players)
    ]
    return DealCounts(goes, log10_deals(position.public.problem), tuple(own))
