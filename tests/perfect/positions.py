"""Between explicit positions, states and names, for the tests of perfect play."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from random import Random

from quaternity.game.settings import TieBreak
from quaternity.game.state import State
from quaternity.game.transition import out_of_play
from quaternity.perfect.keys.canonical import Coding
from quaternity.perfect.successors.one_state import choices
from solvers.problem import DealProblem, SetConstraint, mask_of
from tests.perfect.plain_solver import Game, Position


def state_of(game: Game, position: Position) -> State:
    """The state that says what the deals of a position have in common."""
    sets = []
    for index, owner in enumerate(position.completed):
        cards = game.cards_of(index)
        if owner is not None:
            sets.append(out_of_play(game.players))
            continue
        owners = [mask_of({deal[card] for deal in position.deals}) for card in cards]
        low = [
            min([deal[card] for card in cards].count(player) for deal in position.deals)
            for player in range(game.players)
        ]
        sets.append(SetConstraint(owners, low, [game.set_size] * game.players))
    hands = [game.hand(position, player) for player in range(game.players)]
    turn = 0 if position.turn is None else position.turn
    problem = DealProblem(hands, sets)
    return State(problem, turn, position.completed, game.set_size, brisk=game.brisk)


def from_hands(size: int, sets: int, hands: tuple[int, ...]) -> State:
    """A start of which nothing is known but how many cards everybody has."""
    players = len(hands)
    one = SetConstraint([(1 << players) - 1] * size, [0] * players, [size] * players)
    return State(DealProblem(hands, [one] * sets), 0, (None,) * sets, size)


def hands_of(cards: int, players: int) -> list[tuple[int, ...]]:
    """All ways to share cards, at least one each, but for the order of the players after 0."""
    every = product(range(1, cards), repeat=players)
    return [one for one in every if sum(one) == cards and list(one[1:]) == sorted(one[1:])]


def smallest_form(game: Game, position: Position) -> tuple[object, ...]:
    """The smallest of all ways to write a position down under other names: no two alike are equal.

    Tries every order of players (the one on turn first), sets in play, and cards within sets.
    """
    points = [position.completed.count(player) for player in range(game.players)]
    if position.turn is None:
        return (sorted(points),)
    open_sets = [index for index, owner in enumerate(position.completed) if owner is None]
    others = [player for player in range(game.players) if player != position.turn]
    forms = []
    for rest in permutations(others):
        roles = (position.turn, *rest)
        names = [roles.index(player) for player in range(game.players)]
        for order in permutations(open_sets):
            for within in product(permutations(range(game.set_size)), repeat=len(order)):
                cards = [
                    index * game.set_size + card
                    for index, inner in zip(order, within, strict=True)
                    for card in inner
                ]
                deals = sorted({tuple([names[deal[c]] for c in cards]) for deal in position.deals})
                forms.append(([points[player] for player in roles], deals))
    return tuple(min(forms))


def relabelled(state: State, random: Random, *, players: bool = True) -> tuple[State, list[int]]:
    """The same state under random names, and the new name of every player."""
    names = list(range(state.players))
    if players:
        random.shuffle(names)
    sets = random.sample(range(state.sets), state.sets)
    cards = [random.sample(range(one.size), one.size) for one in state.problem.sets]
    completed = [state.completed[old] for old in sets]
    turn = state.turn
    return State(
        state.problem.relabelled(names, sets, cards),
        None if turn is None else names[turn],
        tuple(None if owner is None else names[owner] for owner in completed),
        state.set_size,
        state.tie_break,
        state.seed,
        state.brisk,
    ), names


def all_keys(code: Coding, start: bytes, most: int = 10**9) -> list[bytes]:
    """The keys of all canonical states that can follow, or of many of them, by plain steps."""
    found = {start: None}
    for key in (keys := [start]):
        if len(keys) >= most:
            break
        for choice in choices(code, key):
            for reply in choice.replies:
                if reply.key not in found:
                    found[reply.key] = None
                    keys.append(reply.key)
    return keys


def random_states(state: State, random: Random, count: int) -> Iterator[State]:
    """States of random games from a state on, those that are over included."""
    now = state
    for _ in range(count):
        yield now
        legal = list(now.legal_questions.items())
        if not legal:
            now = state
            continue
        question, answers = random.choice(legal)
        now = now.after(question, random.choice(answers))


def with_rule(state: State, tie_break: TieBreak) -> State:
    """The state under another tie-break."""
    return State(state.problem, state.turn, state.completed, state.set_size, tie_break)
