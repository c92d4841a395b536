"""Caches of the game are bounded by memory, so their estimates must hold."""

import copy
import gc
import pickle
import tracemalloc
from dataclasses import replace
from random import Random

from quaternity.base.memo import Memo
from quaternity.game import legal
from quaternity.game.legal import SetQuestions
from quaternity.game.settings import Settings
from quaternity.game.state import State
from solvers.coalition_tables import layout_for
from solvers.problem import DealProblem, SetConstraint
from tests.limits import limited
from tests.sizes import thorough


def test_kept_questions_are_estimated_in_full_and_forgotten_when_the_budget_is_spent() -> None:
    Memo.clear_all()
    tracemalloc.start()
    legal.questions_with_answers(SetQuestions(0, 7, ((1, tuple(range(5_000)), 3),)))
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert 0 < used < 1.2 * Memo.used_bytes()
    with limited("quaternity.base.memo", MAX_MEMO_BYTES=20_000):
        peak = 0
        for first in range(200):
            pairs = legal.questions_with_answers(SetQuestions(0, 7, ((1, (first, first + 1), 3),)))
            assert [question.card.number for question, _ in pairs] == [first, first + 1]
            peak = max(peak, Memo.used_bytes())
        assert 15_000 < peak <= 20_000
    Memo.clear_all()


def test_outcomes_stay_within_their_budget_while_a_state_holds_its_sets() -> None:
    """The state has many sets of many kinds of cards, and every player is to move once."""
    players, sets, size = 9, 20, 18
    random, everybody = Random(1), (1 << players) - 1
    full, none = (size,) * players, (0,) * players
    constraints = [
        SetConstraint([random.randrange(1, everybody + 1) for _ in range(size)], none, full)
        for _ in range(sets)
    ]
    problem = DealProblem([sets * size // players] * players, constraints)
    Memo.clear_all()
    with limited("quaternity.base.memo", MAX_MEMO_BYTES=2_000_000):
        state = State(problem, 0, (None,) * sets, size)
        state.slack()
        tracemalloc.start()
        for turn in range(thorough(2, players)):
            other = replace(state, turn=turn)
            object.__setattr__(other, "_rows", state.rows())
            assert other.legal_questions
            assert 0 < Memo.used_bytes() <= 2_000_000
        used = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert used < 4_000_000
        # Nothing is lost: values that were computed and dropped are computed again.
        few = list(replace(state, turn=1).legal_questions.items())
    assert few == list(replace(state, turn=1).legal_questions.items())


def test_copies_of_a_state_have_only_its_value() -> None:
    state = State.start(Settings(4, 13, 4))
    questions = list(state.legal_questions)
    packed = pickle.dumps(state)
    assert len(packed) < 2_000
    unpacked = pickle.loads(packed)  # noqa: S301 - written just above
    for other in (unpacked, copy.copy(state), copy.deepcopy(state)):
        assert other == state
        assert list(other.legal_questions) == questions


def test_rows_of_long_sets_are_estimated_in_full_and_freed() -> None:
    """A no splits a run of thousands of cards into two new runs, which nothing shares."""
    Memo.clear_all()
    size = 3_000
    layout = layout_for(3, size, size)
    tracemalloc.start()
    for first in range(thorough(12, 100)):
        owners = (7,) * first + (6,) + (7,) * (size - first - 1)
        row = legal.prepare_set(layout, SetConstraint.unchecked(owners, (0,) * 3, (size,) * 3))
        for fitting in (1, 2, 3):
            assert legal._groups[row, 0, fitting, 0]
    assert tracemalloc.get_traced_memory()[0] < 1.1 * Memo.used_bytes()
    del row
    Memo.clear_all()
    gc.collect()
    left = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert left < 100 * size


def test_sets_of_many_kinds_of_cards_take_little_memory() -> None:
    """A set of a thousand kinds, for twelve players, has tables of 170 MB, which are not kept."""
    random, players, size = Random(1), 12, thorough(400, 1_000)
    owner = [random.randrange(players) for _ in range(2 * size)]
    masks = [1 << player | random.randrange(1 << players) for player in owner]
    sets = [
        SetConstraint(part, (0,) * players, (size,) * players)
        for part in (masks[:size], [(1 << players) - 1] * size)
    ]
    hands = [owner.count(player) for player in range(players)]
    state = State(DealProblem(hands, sets), 0, (None, None), size)
    tracemalloc.start()
    groups = state.legal_questions.groups()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(groups) > 5 * size
    assert peak < 12 * 2**20
