"""Random games and random states of them, possible and impossible, for tests and measurements."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Move, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State, with_problem
from solvers.problem import DealProblem
from solvers.random_problems import brink

BLIND_TRIES = 30
"""Questions tried at random before all legal ones are listed."""

MAX_GAME_MOVES = 2000
"""Number of moves after which `states_of_games` leaves a game that is not over."""

MAX_FLOW_WORK = 60_000
"""The same limit for games without tables, in moves x cards x players: their moves cost runs of a
solver."""


def random_move(state: State, random: Random) -> Move | None:
    """Return a legal question and a legal answer, each drawn evenly; None if there is no question.

    Cost: that of a few single questions, whatever the number of sets.
    """
    asker, view = state.turn, state.legal_questions
    if asker is None:
        return None
    for _ in range(BLIND_TRIES):
        card = Card.trusted(random.randrange(state.sets), random.randrange(state.set_size))
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
    """Yield the states of a random game, which may be long, the start first."""
    state = State.start(settings)
    yield state
    while not state.is_over:
        move = random_move(state, random)
        assert move is not None, f"nothing to ask in {state}"
        state = state.after(move.question, move.answer)
        yield state


def states_of_games(settings: Settings, random: Random, count: int) -> list[State]:
    """Return states at random moments of random games that are not over, in no order.

    A game gives at most a third of its states, so short games give few each. Without coalition
    tables (many players) moves are expensive: then a game gives all its states, and stays short.
    """
    most, part = MAX_GAME_MOVES, 3
    if not State.start(settings).has_tables:
        cards = settings.sets * settings.set_size
        most, part = max(count, 6, MAX_FLOW_WORK // (cards * settings.players)), 1
    chosen: list[State] = []
    while len(chosen) < count:
        states: list[State] = []
        for state in random_game(settings, random):
            if state.is_over or len(states) == most:
                break
            states.append(state)
        share = min(count - len(chosen), -(-len(states) // part))
        chosen += random.sample(states, share)
    return chosen


def damaged(state: State, random: Random, *, possible: bool) -> State:
    """Tighten the constraints of a state until no deal fits; see `brink`.

    Return the last possible state if `possible`, else the first impossible state.
    Cost: about 2 log2(cards) checks of a state.
    """
    last, first = brink(state.problem, random, lambda problem: _possible(state, problem))
    chosen = last if possible else first
    return state if chosen is state.problem else with_problem(state, chosen)


def _possible(state: State, problem: DealProblem) -> bool:
    changed = with_problem(state, problem)
    return changed.slack() is not None if state.has_tables else bool(changed.verdict())
