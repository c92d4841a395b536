"""Hypothesis strategies that generate games and states of Quaternity.

    from hypothesis import given
    from quaternity.trials.strategies import states

    @given(states())
    def test_my_player(state):
        question = my_player(state)
        assert question in state.legal_questions

Examples shrink towards few players, small sets and short games. `solvers.strategies` generates deal
problems that do not belong to a game.
"""

from __future__ import annotations

from math import gcd

from hypothesis import strategies as st

from quaternity.game.game import Game
from quaternity.game.question import Move
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State, with_problem
from solvers.problem import DealProblem, SetConstraint
from solvers.strategies import composite


@composite
def game_settings(
    draw: st.DrawFn, max_set_size: int = 4, max_players: int = 4, max_cards: int = 12
) -> Settings:
    """Return a strategy for settings of games, with any tie-break, brisk or not.

    `max_set_size` and `max_players` must be at least 2, and `max_cards` must be at least twice each
    of them. `max_cards` is exceeded only if no smaller game has the drawn set size and number of
    players.
    """
    players = draw(st.integers(2, max_players))
    set_size = draw(st.integers(2, max_set_size))
    step = players // gcd(players, set_size)
    max_steps = max(1, max_cards // (set_size * step))
    sets = step * draw(st.integers(1, max_steps))
    tie_break = draw(st.sampled_from(TieBreak))
    seed = draw(st.integers(0, 3)) if tie_break is TieBreak.MIN_SETS else 0
    return Settings(set_size, sets, players, tie_break, seed, draw(st.booleans()))


@composite
def games(
    draw: st.DrawFn, settings: st.SearchStrategy[Settings] | None = None, max_moves: int = 20
) -> Game:
    """Return a strategy for games of legal moves from the start. Some of the games are over."""
    game = Game.start(draw(game_settings() if settings is None else settings))
    for _ in range(draw(st.integers(0, max_moves))):
        legal = list(game.state.legal_questions.items())
        if not legal:
            break
        question, answers = draw(st.sampled_from(legal))
        game = game.play(Move(question, draw(st.sampled_from(answers))))
    return game


def states(
    settings: st.SearchStrategy[Settings] | None = None, max_moves: int = 20
) -> st.SearchStrategy[State]:
    """Return a strategy for reachable states: the last states of `games`."""
    return games(settings, max_moves).map(lambda game: game.state)


@composite
def damaged_states(
    draw: st.DrawFn,
    settings: st.SearchStrategy[Settings] | None = None,
    max_moves: int = 10,
    max_damage: int = 6,
) -> State:
    """Return a strategy for states with a few tightened constraints or changed hand sizes.

    The states are reachable before this change. Many of them are impossible after it, most of them
    just barely.
    """
    state = draw(states(settings, max_moves).filter(lambda state: not state.is_over))
    hands, sets = list(state.problem.hands), list(state.problem.sets)
    in_play = [index for index, owner in enumerate(state.completed) if owner is None]
    any_player = st.integers(0, state.players - 1)
    for _ in range(draw(st.integers(1, max_damage))):
        index, player = draw(st.sampled_from(in_play)), draw(any_player)
        owners, low, high = map(list, sets[index])
        kind = draw(st.sampled_from(("owner", "minimum", "hands")))
        if kind == "owner":
            card = draw(st.integers(0, state.set_size - 1))
            owners[card] &= ~(1 << player)
        elif kind == "minimum":
            low[player] += 1
        else:
            giver = draw(any_player)
            if hands[giver]:
                hands[giver] -= 1
                hands[player] += 1
        sets[index] = SetConstraint(owners, low, high)
    return with_problem(state, DealProblem(hands, sets))
