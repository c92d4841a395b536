"""Random games, damaged states, and the promises of the public strategies."""

from collections import Counter
from itertools import islice, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity import Settings, State, TieBreak
from quaternity.trials.random_play import damage_state, random_game, random_move, random_states
from quaternity.trials.strategies import damaged_states, game_settings, states
from solvers import SOLVERS
from tests.limits import limited
from tests.sizes import examples, thorough

SIZES = [Settings(4, 3, 3), Settings(2, 2, 2), Settings(4, 13, 4), Settings(3, 4, 6)]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_random_game_is_a_game(size: Settings) -> None:
    states = list(random_game(size, Random(1)))
    assert states[0] == State.start(size)
    assert states[-1].is_over
    assert all(not state.is_over for state in states[:-1])
    for before, after in pairwise(states[:6]):
        nexts = [
            before.after(question, answer)
            for question, answers in before.legal_questions.items()
            for answer in answers
        ]
        assert after in nexts


def test_every_move_can_be_drawn() -> None:
    state = State.start(Settings(2, 3, 3))
    random = Random(0)
    moves = Counter(random_move(state, random) for _ in range(2000))
    assert len(moves) == state.legal_questions.moves() == 24
    assert min(moves.values()) > 40


def test_there_is_no_move_without_a_turn_or_after_the_end() -> None:
    *_, last = random_game(Settings(2, 2, 2), Random(0))
    assert random_move(last, Random(0)) is None
    start = State.start()
    without_turn = State(start.problem, None, start.completed, start.set_size)
    assert random_move(without_turn, Random(0)) is None


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_requested_number_of_states_is_the_same_for_a_seed(size: Settings) -> None:
    drawn = random_states(size, Random(3), 25)
    assert len(drawn) == 25
    assert all(state.verdict() and not state.is_over for state in drawn)
    assert drawn == random_states(size, Random(3), 25) != random_states(size, Random(4), 25)


@pytest.mark.parametrize("seed", range(3))
def test_a_game_gives_a_third_of_its_states(seed: int) -> None:
    size = Settings(4, 6, 4)
    first = [state for state in random_game(size, Random(seed)) if not state.is_over]
    third = -(-len(first) // 3)
    *of_first, other = random_states(size, Random(seed), third + 1)
    assert all(state in first for state in of_first)
    assert other not in first


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


@pytest.mark.parametrize("size", [Settings(4, 3, 3), Settings(2, 2, 2)], ids=str)
def test_every_card_bound_and_hand_of_a_game_can_be_damaged(size: Settings) -> None:
    """A single damage to an untouched game is one of these, and each of them occurs."""
    start = State.start(size).problem
    seen = set[tuple[int | str, ...]]()

    @given(damaged_states(st.just(size), max_moves=0, max_damage=1))
    @settings(max_examples=1500, derandomize=True, database=None)
    def draw(state: State) -> None:
        problem = state.problem
        changes: set[tuple[int | str, ...]] = {
            (index, card, player)
            for index, constraint in enumerate(problem.sets)
            for card, mask in enumerate(constraint.owners)
            for player in range(size.players)
            if not mask >> player & 1
        }
        changes |= {
            (index, player)
            for index, constraint in enumerate(problem.sets)
            for player, least in enumerate(constraint.low)
            if least
        }
        assert {least for constraint in problem.sets for least in constraint.low} <= {0, 1}
        moved = [a - b for a, b in zip(problem.hands, start.hands, strict=True)]
        if any(moved):
            changes.add((moved.index(-1), "gives", moved.index(1)))
        assert len(changes) <= 1
        seen.update(changes)

    draw()
    sets, cards, players = range(size.sets), range(size.set_size), range(size.players)
    expected: set[tuple[int | str, ...]]
    expected = {(index, card, player) for index in sets for card in cards for player in players}
    expected |= {(index, player) for index in sets for player in players}
    expected |= {(a, "gives", b) for a in players for b in players if a != b}
    assert seen == expected


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


@given(game_settings())
@settings(max_examples=examples(1200))
def test_settings_stay_within_their_limits(drawn: Settings) -> None:
    assert drawn.set_size <= 4
    assert drawn.players <= 4
    assert drawn.sets * drawn.set_size <= 12


@pytest.mark.parametrize(
    ("strategy", "kinds"),
    [
        (damaged_states().map(lambda state: bool(state.verdict())), [False, True]),
        (states().map(lambda state: state.is_over), [False, True]),
        (game_settings().map(lambda one: one.tie_break), list(TieBreak)),
    ],
)
def test_all_kinds_occur_often(strategy: st.SearchStrategy[object], kinds: list[object]) -> None:
    seen: Counter[object] = Counter()

    @given(strategy)
    @settings(max_examples=thorough(80, 200), derandomize=True, database=None)
    def count(kind: object) -> None:
        seen[kind] += 1

    count()
    assert all(seen[kind] >= thorough(4, 10) for kind in kinds), seen
