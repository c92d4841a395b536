"""Conversions between explicit positions, states and names, for the tests of perfect play."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from random import Random

from quaternity.game.settings import TieBreak
from quaternity.game.state import State
from quaternity.game.transition import out_of_play
from quaternity.perfect.keys.canonical import KeyCodec
from quaternity.perfect.successors.one_state import choices
from solvers.problem import DealProblem, SetConstraint, mask_of
from tests.perfect.plain_solver import Game, Position


def state_of(game: Game, position: Position) -> State:
    """Return the state that describes what the deals of a position have in common."""
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
    """Return a start in which only the number of cards of each player is known."""
    players = len(hands)
    unknown = SetConstraint([(1 << players) - 1] * size, [0] * players, [size] * players)
    return State(DealProblem(hands, [unknown] * sets), 0, (None,) * sets, size)


def hands_of(cards: int, players: int) -> list[tuple[int, ...]]:
    """Return the ways to share cards, at least one each, up to the order of players after 0."""
    ways = product(range(1, cards), repeat=players)
    return [way for way in ways if sum(way) == cards and list(way[1:]) == sorted(way[1:])]


def smallest_form(game: Game, position: Position) -> tuple[object, ...]:
    """Return the smallest form of a position under all names; equivalent positions share it.

    Try every order of players (the player to move first), sets in play, and cards within sets.
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


def relabel(state: State, random: Random, *, players: bool = True) -> tuple[State, list[int]]:
    """Return the same state under random names, and the new name of every player."""
    names = list(range(state.players))
    if players:
        random.shuffle(names)
    sets = random.sample(range(state.sets), state.sets)
    cards = [random.sample(range(row.size), row.size) for row in state.problem.sets]
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


def all_keys(code: KeyCodec, start: bytes, limit: int = 10**9) -> list[bytes]:
    """Return the keys of all reachable canonical states, or of `limit` of them at least."""
    seen = {start: None}
    for key in (keys := [start]):
        if len(keys) >= limit:
            break
        for choice in choices(code, key):
            for reply in choice.replies:
                if reply.key not in seen:
                    seen[reply.key] = None
                    keys.append(reply.key)
    return keys


def random_states(state: State, random: Random, count: int) -> Iterator[State]:
    """Yield states of random games that start at `state`, including finished ones."""
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
    """Return the state under another tie-break."""
    return State(state.problem, state.turn, state.completed, state.set_size, tie_break)
