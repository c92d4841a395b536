"""Random games, and random possible and impossible states, for tests and measurements.

A state is possible if some deal satisfies all its constraints.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Move, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State, with_problem
from solvers.problem import DealProblem
from solvers.random_problems import boundary_pair

MAX_RANDOM_TRIES = 30
"""Maximum number of random questions that are tried to find a legal question. If none is legal, all
legal questions are listed."""

MAX_GAME_STATES = 2000
"""Maximum number of states of one game that `random_states` plays. A longer game is cut off."""

MAX_FLOW_WORK = 60_000
"""Approximate maximum of states x cards x players in a random game. The limit applies only to games
with so many players that each move needs several runs of a solver."""


def random_move(state: State, random: Random) -> Move | None:
    """Return a random legal question and answer, or None if there is no legal question.

    All legal questions are equally likely.
    """
    asker, view = state.turn, state.legal_questions
    if asker is None:
        return None
    for _ in range(MAX_RANDOM_TRIES):
        card = Card.unchecked(random.randrange(state.sets), random.randrange(state.set_size))
        question = Question.trusted(asker, random.randrange(state.players), card)
        answers = view.answers(question)
        if answers:
            return Move(question, random.choice(answers))
    legal = list(view.items())
    if not legal:
        return None
    question, answers = random.choice(legal)
    return Move(question, random.choice(answers))


def random_game(settings: Settings, random: Random) -> Iterator[State]:
    """Yield the states of a random game, beginning with the initial state. The game may be long."""
    state = State.start(settings)
    yield state
    while not state.is_over:
        move = random_move(state, random)
        assert move is not None, f"no question is legal in {state}"
        state = state.after(move.question, move.answer)
        yield state


def random_states(settings: Settings, random: Random, count: int) -> list[State]:
    """Return random states of random games, in no particular order. No state is the end of a game.

    At most a third of the states of each game are used, so short games contribute only a few. If
    there are so many players that moves take long, games are kept short, and all their states are
    used.
    """
    max_states, divisor = MAX_GAME_STATES, 3
    if not State.start(settings).has_tables:
        cards = settings.sets * settings.set_size
        max_states, divisor = max(count, 6, MAX_FLOW_WORK // (cards * settings.players)), 1
    chosen: list[State] = []
    while len(chosen) < count:
        states: list[State] = []
        for state in random_game(settings, random):
            if state.is_over or len(states) == max_states:
                break
            states.append(state)
        share = min(count - len(chosen), -(-len(states) // divisor))
        chosen += random.sample(states, share)
    return chosen


def damage_state(state: State, random: Random, *, possible: bool) -> State:
    """Tighten constraints of a state at random until it is just possible or just impossible.

    If `possible` is true, the result is the last state that is still possible, otherwise the first
    impossible state (see `boundary_pair`). The search checks about 2 log2(cards) states.
    """
    last, first = boundary_pair(state.problem, random, lambda problem: _is_possible(state, problem))
    chosen = last if possible else first
    return state if chosen is state.problem else with_problem(state, chosen)


def _is_possible(state: State, problem: DealProblem) -> bool:
    changed = with_problem(state, problem)
    return changed.slack() is not None if state.has_tables else bool(changed.verdict())
