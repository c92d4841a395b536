"""Games of Kwartet between strategies, and one player's chances, on one core."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from random import Random

import pytest

from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from quaternity.kwartet.strategies.counting import patient
from quaternity.kwartet.strategies.reader import reader, reading
from quaternity.kwartet.view import Strategy, View
from quaternity.table.tournament.playing import Tournament, play_game
from solvers.counting import chances, count_deals
from tests.kwartet.games import random_log

pytestmark = pytest.mark.bench

LINE_UPS = [
    ("greedy,silent,mixed,random", AnnounceTiming.AFTER_OWN_REQUEST, 100, "4 ms"),
    ("exact,exact,exact,exact", AnnounceTiming.AT_ONCE, 20, "60 ms"),
    ("patient,exact,exact,exact", AnnounceTiming.AT_ONCE, 20, ""),
    ("better-greedy,better-greedy,better-greedy,better-greedy", AnnounceTiming.AT_ONCE, 50, ""),
]


@pytest.mark.parametrize(("names", "announce", "games", "goal"), LINE_UPS)
def test_a_game(
    names: str, announce: AnnounceTiming, games: int, goal: str, pace: Callable[..., float]
) -> None:
    """The rounds play different games, so that no game is cached."""
    rules = KwartetRules(KwartetSettings(announce=announce))
    tournament = Tournament(rules, tuple(names.split(",")))
    numbers = count()

    def play() -> None:
        for _ in range(games):
            play_game(tournament, next(numbers))

    pace(f"a game of {names}", play, per=games, goal=goal)


@pytest.mark.parametrize("players", [4, 6, 8])
def test_a_move_of_the_reader(players: int, race: Callable[..., float]) -> None:
    """Compare it with a move of `patient` in the same seat of the same game."""
    rules, random = KwartetRules(KwartetSettings(players)), Random(3)
    game, views = rules.start(random), list[View]()
    while not game.position.public.is_over:
        turn = game.position.public.turn
        view = rules.view(game, turn)
        if turn == 0:
            views.append(view)
        game = rules.after(game, turn, patient(view, random))

    def moves(strategy: Strategy) -> None:
        reading.GAME_CACHE.records.clear()
        for view in views:
            strategy(view, random)

    race(
        f"a move of reader among {players}, against patient's",
        lambda: moves(reader),
        lambda: moves(patient),
        per=len(views),
        rounds=5,
    )


@pytest.mark.parametrize(("players", "goal"), [(4, "10 ms"), (6, "")])
def test_all_chances_of_a_player_at_the_start(
    players: int, goal: str, pace: Callable[..., float]
) -> None:
    settings = KwartetSettings(players)
    starts = [random_log(settings, Random(seed), 0).positions[0] for seed in range(200)]
    views = [start.view(start.public.turn) for start in starts]
    numbers = count()
    pace(
        f"chances of one of {players} players at the start",
        lambda: chances(views[next(numbers)].problem),
        rounds=15,
        goal=goal,
    )
    pace(
        f"possible deals for one of {players} players at the start",
        lambda: count_deals(views[next(numbers)].problem),
        rounds=15,
    )
