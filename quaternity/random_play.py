"""Random games and random states of them, possible and impossible, for tests and measurements."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from quaternity.cards import Card
from quaternity.question import Move, Question
from quaternity.settings import Settings
from quaternity.state import State
from solvers.problem import DealProblem, SetConstraint

BLIND_TRIES = 30
"""Questions tried at random before all legal ones are listed."""

MOST_MOVES = 2000
"""Moves after which `states_of_games` leaves a game that is not over."""

MOST_FLOWS = 60_000
"""The same for games without tables, whose moves cost runs of a solver: moves x cards x players."""


def random_move(state: State, random: Random) -> Move | None:
    """A legal question and a legal answer, each drawn evenly; None when there is no question.

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
    """The states of one random game, the start first. It may go on for long: take what you need."""
    state = State.start(settings)
    yield state
    while not state.is_over:
        move = random_move(state, random)
        assert move is not None, f"nothing to ask in {state}"
        state = state.after(move.question, move.answer)
        yield state


def states_of_games(settings: Settings, random: Random, count: int) -> list[State]:
    """States at random moments of random games, in no order; games that are over left out.

    One game gives at most a third of its states, so short games give few each. Without coalition
    tables (many players) moves are dear: then one game gives all its states, and stays short.
    """
    most, part = MOST_MOVES, 3
    if not State.start(settings).has_tables:
        cards = settings.sets * settings.set_size
        most, part = max(count, 6, MOST_FLOWS // (cards * settings.players)), 1
    found: list[State] = []
    while len(found) < count:
        states: list[State] = []
        for state in random_game(settings, random):
            if state.is_over or len(states) == most:
                break
            states.append(state)
        share = min(count - len(found), -(-len(states) // part))
        found += random.sample(states, share)
    return found


def damaged(state: State, random: Random, *, possible: bool) -> State:
    """The state with constraints tightened up to the brink of the impossible.

    Cards are taken, one by one, out of the reach of a random group of players, or minimums of the
    other players are raised, and if that is not enough cards move from the others' hands to the
    group's, until no deal fits. An impossible state is given back as it is.

    Args:
        possible: give the last possible state, not the first impossible one.

    Cost: about 2 log2(cards) checks of a state.
    """
    if not _possible(state, state.problem):
        return state
    problems = [state.problem]
    ever_worse = _ever_worse(state, random)
    sound, tried = 0, 1
    while True:
        while len(problems) <= tried:
            problems.append(next(ever_worse))
        if not _possible(state, problems[tried]):
            break
        sound, tried = tried, 2 * tried
    while tried - sound > 1:
        middle = (tried + sound) // 2
        if _possible(state, problems[middle]):
            sound = middle
        else:
            tried = middle
    return with_problem(state, problems[sound if possible else tried])


def _ever_worse(state: State, random: Random) -> Iterator[DealProblem]:
    """The state's problem with more and more damage, for ever; impossible from some point on."""
    everybody = range(state.players)
    group = random.sample(everybody, random.randrange(1, state.players))
    others = [player for player in everybody if player not in group]
    problem = state.problem
    cards = [
        (index, card) for index, one in enumerate(problem.sets) for card in range(len(one.owners))
    ]
    random.shuffle(cards)
    layout = state.layout() if state.has_tables else None
    for index, card in cards:
        tighter = _tightened(problem.sets[index], card, group, others, random)
        # What is wrong with one set alone is seen at a glance; damage should lie between sets.
        if layout is None or layout.table_of(tighter) >= 0:
            problem = problem.with_set(index, tighter)
            yield problem
    hands = list(problem.hands)
    while any(hands[player] for player in others):
        giver = random.choice([player for player in others if hands[player]])
        hands[giver] -= 1
        hands[random.choice(group)] += 1
        yield DealProblem(hands, problem.sets)
    while True:
        hands[random.choice(everybody)] += 1
        yield DealProblem(hands, problem.sets)


def with_problem(state: State, problem: DealProblem) -> State:
    """A state that differs in its deal problem only: sets must be in play as before."""
    return State(problem, state.turn, state.completed, state.set_size, state.tie_break, state.seed)


def _tightened(
    one: SetConstraint, card: int, group: list[int], others: list[int], random: Random
) -> SetConstraint:
    """One card out of the group's reach, or one more card of its set for one of the others."""
    rest = one.owners[card]
    for player in group:
        rest &= ~(1 << player)
    keeper = random.choice(others)
    ownable = sum(mask >> keeper & 1 for mask in one.owners)
    room = sum(one.low) < one.size and one.low[keeper] < min(ownable, one.high[keeper])
    if room and (not rest or random.random() < 0.5):
        low = (*one.low[:keeper], one.low[keeper] + 1, *one.low[keeper + 1 :])
        return SetConstraint.trusted(one.owners, low, one.high)
    if not rest:
        return one
    owners = (*one.owners[:card], rest, *one.owners[card + 1 :])
    return SetConstraint.trusted(owners, one.low, one.high)


def _possible(state: State, problem: DealProblem) -> bool:
    changed = with_problem(state, problem)
    return changed.slack() is not None if state.has_tables else bool(changed.verdict())


__all__ = ["damaged", "random_game", "random_move", "states_of_games", "with_problem"]
