"""OpenSpiel's own tests, and its algorithms compared with our solvers."""

from __future__ import annotations

import json
import pickle
from random import Random
from typing import Any

import pytest

pytest.importorskip("pyspiel")

import numpy as np
import pyspiel
from open_spiel.python.algorithms import minimax
from open_spiel.python.algorithms.get_all_states import get_all_states

import quaternity.environments.open_spiel
from quaternity.base.errors import InputError
from quaternity.environments.episode import TableGame
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.state_file import state_text
from quaternity.perfect.solving.solver import solve as solve_quaternity
from quaternity.quarto import solve as solve_quarto
from quaternity.quarto.players import Careful
from quaternity.quarto.rules import QuartoPosition, QuartoRules, QuartoSettings
from quaternity.table.games import GAMES as GAMES_OF_OURS
from tests.sizes import only_thorough, thorough

GAMES = [
    "python_quaternity(max_moves=40)",
    "python_kwartet(players=3,sets=2,max_moves=40)",
    "python_kwartet(players=2,sets=3,announce=after-own-request,reward=points,max_moves=30)",
    "python_quarto",
    "python_set(max_moves=30)",
    "python_set(seats=1,table=9,reward=points,max_moves=30)",
    "python_quaternity(set_size=3,brisk=True)",
]

assert quaternity.environments.open_spiel.UNLIMITED_LENGTH, "importing it registers the games"


def play_randomly(text: str, seed: int, max_moves: int = 1000) -> Any:
    """Return a state of a random game."""
    random, state = Random(seed), pyspiel.load_game(text).new_initial_state()
    while not state.is_terminal() and state.move_number() < max_moves:
        chance = state.is_chance_node()
        actions = [a for a, _ in state.chance_outcomes()] if chance else state.legal_actions()
        state.apply_action(random.choice(actions))
    return state


@pytest.mark.parametrize("text", GAMES)
def test_openspiels_random_simulations(text: str) -> None:
    game = pyspiel.load_game(text)
    pyspiel.random_sim_test(game, num_sims=thorough(1, 5), serialize=True, verbose=False)
    # The name and all parameters recreate the game.
    assert str(pyspiel.load_game(str(game))) == str(game)


@only_thorough  # it imports all games of OpenSpiel and their dependencies
@pytest.mark.parametrize("text", ["python_kwartet(players=3,sets=2,max_moves=5)", "python_quarto"])
def test_openspiels_playthrough(text: str) -> None:
    """The playthrough checks its own output; the same actions give the same text."""
    from open_spiel.python.algorithms import generate_playthrough

    actions = play_randomly(text, 1, 15).history()
    first = generate_playthrough.playthrough(text, actions, observation_params_string="")
    assert first == generate_playthrough.playthrough(text, actions, observation_params_string="")
    assert "InformationStateString(1) = " in first
    assert "ObservationTensor(1)" in first
    assert "Apply action" in first


def test_the_four_games_are_registered() -> None:
    names = pyspiel.registered_names()
    assert {f"python_{name}" for name in GAMES_OF_OURS} <= {*names}
    for name in GAMES_OF_OURS:
        game = pyspiel.load_game(f"python_{name}")
        table = TableGame(name)
        assert game.num_players() == table.seats
        assert game.num_distinct_actions() == table.encoded.actions
        assert game.max_game_length() == table.max_moves
        assert (game.min_utility(), game.max_utility()) == (-1, 1)


@pytest.mark.parametrize("text", ["python_quarto", "python_kwartet(players=2,sets=2)"])
def test_games_and_states_survive_a_file(text: str) -> None:
    game = pyspiel.load_game(text)
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    for original in (game, state):
        assert str(pickle.loads(pickle.dumps(original))) == str(original)  # noqa: S301


def test_wrong_parameters_are_named() -> None:
    for text, words in (
        ("python_kwartet(players=9)", "players: 9 is out of range"),
        ("python_set(reward=luck)", "unknown reward 'luck'"),
    ):
        with pytest.raises((InputError, RuntimeError), match=words):
            pyspiel.load_game(text)


# ------------------------------------------------------------------------ what a player knows


def information(state: Any) -> list[str]:
    return [state.information_state_string(player) for player in range(state.num_players())]


@pytest.mark.parametrize("text", ["python_kwartet(players=3,sets=2,max_moves=12)", GAMES[4]])
def test_recall_is_perfect(text: str) -> None:
    """The information state only grows, and it grows at every move."""
    final = play_randomly(text, 2)
    state = final.get_game().new_initial_state()
    before: list[str] = []
    for action in final.history():
        chance = state.is_chance_node()
        state.apply_action(action)
        if state.is_chance_node():
            continue
        now = information(state)
        if not chance:
            assert all(len(new) > len(old) for new, old in zip(now, before, strict=True))
            assert all(new.startswith(old) for new, old in zip(now, before, strict=True))
        before = now


def test_hidden_cards_are_in_no_string_and_no_tensor() -> None:
    """Deals with equal own hands give equal observations after the deal."""
    game = pyspiel.load_game("python_kwartet(players=3,sets=2,max_moves=5)")
    first = play_randomly(str(game), 3, 9)
    seen: dict[str, tuple[float, ...]] = {}
    root = game.new_initial_state()
    extra = first.history()[0]
    root.apply_action(extra)
    for state in leaves_of_chance(root):
        tensor = tuple(state.observation_tensor(0))
        key = state.information_state_string(0)
        assert seen.setdefault(key, tensor) == tensor
    # 3 + 3 + 2 cards: all hands of player 0, some with sets that are gone.
    hands = {tuple(tensor[5 * 3 :]) for tensor in seen.values()}
    assert len(seen) == len(hands) in (28, 56)


@pytest.mark.parametrize(
    "text",
    [
        "python_kwartet(players=3,sets=2,max_moves=4)",
        "python_kwartet(players=2,sets=2,announce=after-own-request,max_moves=5)",
        "python_quaternity(set_size=2,sets=3,max_moves=5)",
        "python_quarto(max_moves=3)",
        "python_set(max_moves=4)",
    ],
)
def test_the_information_state_tensor_is_equivalent_to_the_string(text: str) -> None:
    """Tensors are equal if and only if the strings are, for all players and moments."""
    game, both = pyspiel.load_game(text), set()
    first_action = -6 if "set(" in text else 0
    for seed in range(thorough(60, 2000)):
        random, state = Random(seed), game.new_initial_state()
        while state.is_chance_node() and "set(" not in text:
            state.apply_action(random.choice(state.chance_outcomes())[0])
        while state.is_chance_node():  # two decks, which differ late
            cards = [card for card, _ in state.chance_outcomes()]
            state.apply_action(cards[0 if len(cards) > 70 or len(cards) == 2 else seed % 2 - 1])
        while True:
            for player in range(game.num_players()):
                tensor = np.array(state.information_state_tensor(player), np.float32)
                both.add((state.information_state_string(player), tensor.tobytes()))
            if state.is_terminal():
                break
            state.apply_action(random.choice(state.legal_actions()[first_action:]))
    strings, tensors = zip(*both, strict=True)
    assert len(set(strings)) == len(set(tensors)) == len(both) > 50


def test_the_layout_of_the_information_state_tensor_is_described() -> None:
    for name in GAMES_OF_OURS:
        game = pyspiel.load_game(f"python_{name}")
        lines = game.table.describe(recalled=True).splitlines()
        last = int(lines[-1].partition("..")[2].partition(" ")[0])
        assert game.get_type().provides_information_state_tensor
        assert game.information_state_tensor_size() == last + 1
    large = pyspiel.load_game("python_set(rule=triple)")
    assert not large.get_type().provides_information_state_tensor
    assert (
        not pyspiel.load_game("python_set(max_moves=0)")
        .get_type()
        .provides_information_state_tensor
    )


def leaves_of_chance(state: Any) -> Any:
    if not state.is_chance_node():
        yield state
        return
    for action, chance in state.chance_outcomes():
        assert 0 < chance <= 1
        yield from leaves_of_chance(state.child(action))


def test_the_chances_of_a_deal_are_those_of_a_shuffled_deck() -> None:
    game = pyspiel.load_game("python_kwartet(players=3,sets=2)")

    def chances(state: Any, reach: float) -> list[float]:
        if not state.is_chance_node():
            return [reach]
        return [
            probability
            for action, chance in state.chance_outcomes()
            for probability in chances(state.child(action), reach * chance)
        ]

    deal_chances = chances(game.new_initial_state(), 1.0)
    assert len(deal_chances) == 3 * 560
    assert deal_chances == pytest.approx([1 / len(deal_chances)] * len(deal_chances))


# ------------------------------------------------------------------------ solved values


def quarto_end(empty: int, seed: int, squares: bool) -> tuple[str, QuartoPosition]:
    """Return a record of careful play up to `empty` empty cells, and the position at its end."""
    rules, random = QuartoRules(QuartoSettings(squares)), Random(seed)
    while True:
        position = rules.start(random)
        record = rules.record_start(position, ())
        while not position.is_over and len(position.board.empty) > empty:
            seat, move = position.turn, Careful().choose(position, random)
            after = rules.after(position, seat, move)
            record += rules.record_move(position, seat, move, after)
            position = after
        if not position.is_over:
            return record, position


@pytest.mark.parametrize("squares", [False, True])
@pytest.mark.parametrize("seed", range(thorough(3, 30)))
def test_minimax_agrees_with_solved_ends_of_quarto(seed: int, squares: bool) -> None:
    record, position = quarto_end(thorough(4, 5), seed, squares)
    game = pyspiel.load_game("python_quarto", {"start": record})
    value, _ = minimax.alpha_beta_search(game)
    assert value == solve_quarto(position.board, position.in_hand, squares).outcome


class AgainstAll(pyspiel.Game):  # type: ignore[misc]
    """A game of one player against all others, who cooperate to keep that player from winning."""

    def __init__(self, table: TableGame, hero: int) -> None:
        self.table, self.hero = table, hero
        quarto = pyspiel.load_game("python_quarto")
        info = pyspiel.GameInfo(
            num_distinct_actions=table.encoded.actions, max_chance_outcomes=0, num_players=2,
            min_utility=-1.0, max_utility=1.0, utility_sum=0.0,
            max_game_length=table.max_moves or 1000,
        )  # fmt: skip
        super().__init__(quarto.get_type(), info, {})

    def new_initial_state(self) -> Any:
        return StateAgainstAll(self)


class StateAgainstAll(pyspiel.State):  # type: ignore[misc]
    def __init__(self, game: AgainstAll) -> None:
        super().__init__(game)
        self.hero, self.episode = game.hero, game.table.episode(Random(0))

    def current_player(self) -> int:
        seat = self.episode.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else int(seat != self.hero)

    def _legal_actions(self, player: int) -> list[int]:
        return [action for action, is_legal in enumerate(self.episode.mask) if is_legal]

    def _apply_action(self, action: int) -> None:
        self.episode = self.episode.after(action)

    def is_terminal(self) -> bool:
        return self.episode.seat is None

    def returns(self) -> list[float]:
        won = 1.0 if self.episode.returns()[self.hero] == 1 else -1.0
        return [won, -won]

    def __str__(self) -> str:
        return json.dumps(self.episode.game.rules.view_json(self.episode.position))


def quaternity_end(seed: int, settings: Settings, moves: int) -> State:
    """Return the state after `moves` random moves, of a game that is not over."""
    random = Random(seed)
    while True:
        state = State.start(settings)
        for _ in range(moves):
            if not state.is_over:
                question = random.choice(list(state.legal_questions))
                state = state.after(question, random.choice(state.answers(question)))
        if not state.is_over:
            return state


@pytest.mark.parametrize("brisk", [False, True])
@pytest.mark.parametrize("seed", range(thorough(4, 40)))
def test_minimax_agrees_with_solved_ends_of_quaternity(seed: int, brisk: bool) -> None:
    """Compare who can force a win against all others; a question and its answer are two moves."""
    state = quaternity_end(seed, Settings(2, 3, 3, brisk=brisk), seed % 4)
    standing = solve_quaternity(state).standing(state)
    lengths = [length for length in standing.forced_length if length is not None]
    max_moves = 2 * max(lengths, default=2)
    table = TableGame("quaternity", start=state_text(state), max_moves=max_moves)
    for hero in range(3):
        value, _ = minimax.alpha_beta_search(AgainstAll(table, hero), maximizing_player_id=0)
        assert (value == 1) == (hero in standing.can_force)


def test_value_iteration_agrees_with_solved_quaternity() -> None:
    """Compare every state of a game with cycles."""
    pytest.importorskip("cvxpy", reason="OpenSpiel's value iteration imports cvxpy")
    from open_spiel.python.algorithms import value_iteration

    state = quaternity_end(1, Settings(2, 3, 3), thorough(2, 0))
    table = TableGame("quaternity", start=state_text(state), max_moves=0)
    solution = solve_quaternity(state)
    for hero in range(3):
        game = AgainstAll(table, hero)
        states = get_all_states(game, -1, True, False, to_string=str)
        values = value_iteration.value_iteration(game, -1, 0.01, cyclic_game=True)
        assert len(values) == len(states) > 10
        for key, value in values.items():
            position = states[key].episode.position
            if position.pending is None and not position.state.is_over:
                assert (value == 1) == (hero in solution.standing(position.state).can_force)
