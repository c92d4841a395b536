"""Random games, damaged states, and the promises of the public strategies."""

from collections import Counter
from dataclasses import replace
from itertools import islice, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity import Answer, Move, Question, Settings, State
from quaternity.trials.random_play import damage_state, random_game, random_move, random_states
from quaternity.trials.strategies import damaged_states, game_settings, states
from solvers import SOLVERS
from solvers.strategies import deal_problems
from tests.limits import limited
from tests.sizes import examples, thorough

SIZES = [Settings(4, 3, 3), Settings(2, 2, 2), Settings(4, 13, 4), Settings(3, 4, 6)]


def moves_of(state: State) -> list[tuple[Question, Answer]]:
    return [(ask, answer) for ask, answers in state.legal_questions.items() for answer in answers]


@given(states(game_settings(max_set_size=2, max_cards=6)))
@settings(max_examples=examples(100))
def test_every_move_can_be_drawn(state: State) -> None:
    random = Random(0)
    moves: set[Move | None] = {Move(*move) for move in moves_of(state)}
    drawn = {random_move(state, random) for _ in range(40 * len(moves) + 1)}
    assert drawn == (moves or {None})
    assert random_move(replace(state, turn=None), random) is None


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_requested_number_of_states_is_the_same_for_a_seed(size: Settings) -> None:
    game = list(random_game(size, Random(3)))
    assert game[-1].is_over
    assert not any(state.is_over for state in game[:-1])
    for before, after in pairwise(game[:6]):
        assert after in [before.after(*move) for move in moves_of(before)]
    drawn = random_states(size, Random(3), 25)
    # The first game gives a third of its states.
    from_game = [state in game for state in drawn[: -(-(len(game) - 1) // 3)]]
    assert all(from_game)
    assert len(drawn) == 25
    assert all(state.verdict() and not state.is_over for state in drawn)
    assert drawn == random_states(size, Random(3), 25) != random_states(size, Random(4), 25)


@pytest.mark.parametrize("flows", [200, 8000])
@pytest.mark.parametrize("count", [1, 8])
def test_games_of_many_players_stay_short(flows: int, count: int) -> None:
    """The states are as many as requested; the work limit bounds the length of their game."""
    size = Settings(2, 20, 20)
    assert not State.start(size).has_tables
    with limited("quaternity.trials.random_play", MAX_FLOW_WORK=flows):
        drawn = random_states(size, Random(1), count)
    most = max(count, 6, flows // (40 * 20))
    game = [*islice(random_game(size, Random(1)), most)]
    assert len(drawn) == count
    assert all(state in game for state in drawn)


@given(damaged_states(max_moves=0))
@settings(max_examples=thorough(60, 500))
def test_damage_leaves_the_cards(state: State) -> None:
    start = State.start(Settings(state.set_size, state.sets, state.players))
    assert sum(state.hands) == sum(start.hands)
    for set_, whole in zip(state.problem.sets, start.problem.sets, strict=True):
        assert set_.size == whole.size
        assert set_.high == whole.high


@pytest.mark.parametrize("size", [*SIZES, Settings(2, 13, 13)], ids=str)
def test_damage_stops_on_either_side_of_the_brink(size: Settings) -> None:
    flow = SOLVERS["max-flow"]
    for number, state in enumerate(random_states(size, Random(5), 6)):
        sound = damage_state(state, Random(number), possible=True)
        broken = damage_state(state, Random(number), possible=False)
        assert flow(sound.problem)
        assert not flow(broken.problem)
        assert damage_state(broken, Random(0), possible=True) is broken
        # They differ in one step: the owners of a card, a minimum or a card in a hand.
        pairs = zip(sound.problem.sets, broken.problem.sets, strict=True)
        different = sum(constraint != other for constraint, other in pairs)
        assert different + (sound.hands != broken.hands) == 1


@pytest.mark.parametrize(
    "strategy",
    [
        deal_problems().map(lambda problem: bool(SOLVERS["max-flow"](problem))),
        damaged_states().map(lambda state: bool(state.verdict())),
        states().map(lambda state: state.is_over),
    ],
)
def test_both_kinds_occur_often(strategy: st.SearchStrategy[bool]) -> None:
    seen: Counter[bool] = Counter()

    @given(strategy)
    @settings(max_examples=thorough(60, 200), derandomize=True, database=None)
    def count(kind: bool) -> None:
        seen[kind] += 1

    count()
    assert min(seen[False], seen[True]) >= thorough(4, 10), seen
