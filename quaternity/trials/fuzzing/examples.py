"""Random problems and games for a fuzzing campaign."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from quaternity.game.game import Game
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.trials.random_play import damage_state, random_move
from solvers.problem import DealProblem
from solvers.random_problems import Sizes, random_feasible, random_tightened

MAX_EXAMPLE_MOVES = 12
"""Maximum number of moves in a random game."""

SMALL = Sizes(players=4, sets=3, set_size=4, same_size=True)
LARGE = Sizes(players=8, sets=6, set_size=6, same_size=True)
LARGE_SHARE, BRINK_SHARE = 0.2, 0.01
"""Fractions of the random problems that are large (see `LARGE`), and that barely have or barely
lack a deal ("brink" problems, see `random_problem`)."""

REAL_GAMES = ((4, 13, 4), (4, 13, 2), (4, 6, 6), (4, 12, 12), (13, 4, 4), (5, 8, 5), (2, 20, 8))
"""Sizes of games as tuples (cards in a set, sets, players). Random "brink" problems are made from
games of these sizes."""


def random_problem(random: Random) -> tuple[str, DealProblem]:
    """Return the kind of a random deal problem ("loosened", "spoilt" or "brink"), and the problem.

    A "loosened" problem is built around a deal, so it is possible. In a "spoilt" problem, a few
    constraints of such a problem are tightened. A "brink" problem is made from a game: its
    constraints are tightened until no deal is possible, or until one step before.
    """
    share = random.random()
    if share < BRINK_SHARE:
        return "brink", _brink(random)
    sizes = LARGE if share < BRINK_SHARE + LARGE_SHARE else SMALL
    if random.random() < 0.3:
        return "loosened", random_feasible(random.randint, sizes)
    return "spoilt", random_tightened(random.randint, sizes)


def _brink(random: Random) -> DealProblem:
    state = State.start(Settings(*random.choice(REAL_GAMES)))
    for _ in range(random.randrange(4 * state.players)):
        move = random_move(state, random)
        if move is None:
            break
        state = state.after(move.question, move.answer)
    return damage_state(state, random, possible=random.random() < 0.5).problem


def random_game(random: Random) -> Game:
    """Return a game after a few random legal moves, with up to four players and twelve cards."""
    settings = random.choice(_SETTINGS)
    if settings.tie_break is TieBreak.MIN_SETS:
        settings = replace(settings, seed=random.randrange(4))
    game = Game.start(settings)
    for _ in range(random.randrange(MAX_EXAMPLE_MOVES + 1)):
        move = random_move(game.state, random)
        if move is None:
            break
        game = game.play(move)
    return game


def _game_settings() -> Iterator[Settings]:
    for players in range(2, 5):
        for size in range(2, 5):
            for sets in range(1, 12 // size + 1):
                if sets * size % players == 0:
                    yield from (Settings(size, sets, players, tie) for tie in TieBreak)


_SETTINGS = tuple(_game_settings())
