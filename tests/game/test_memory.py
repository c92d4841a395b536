"""What the game keeps for later is bounded by memory, so its estimates must hold."""

import copy
import gc
import pickle
import tracemalloc

import pytest

from quaternity import listed, set_moves
from quaternity.listed import Listed
from quaternity.settings import Settings
from quaternity.state import State
from solvers.coalition_tables import lanes_for
from solvers.problem import SetConstraint


def test_kept_questions_are_estimated_in_full() -> None:
    listed._PAIRS.forget()
    tracemalloc.start()
    Listed(0, 7, ((1, tuple(range(5_000)), 3),)).pairs()
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert 0 < used < 1.2 * listed._PAIRS.spent
    listed._PAIRS.forget()


def test_kept_questions_are_forgotten_when_the_budget_is_spent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed._PAIRS.forget()
    monkeypatch.setattr(listed, "PAIR_BYTES", 20_000)
    most = 0
    for first in range(200):
        pairs = Listed(0, 7, ((1, (first, first + 1), 3),)).pairs()
        assert [question.card.number for question, _ in pairs[0]] == [first, first + 1]
        most = max(most, listed._PAIRS.spent)
    assert 15_000 < most < 22_000
    listed._PAIRS.forget()


def test_copies_of_a_state_carry_its_value_alone() -> None:
    state = State.start(Settings(4, 13, 4))
    questions = list(state.legal_questions)
    packed = pickle.dumps(state)
    assert len(packed) < 2_000
    unpacked = pickle.loads(packed)  # noqa: S301 - written just above
    for other in (unpacked, copy.copy(state), copy.deepcopy(state)):
        assert other == state
        assert list(other.legal_questions) == questions


def test_rows_of_long_sets_are_estimated_in_full_and_leave_nothing_behind() -> None:
    """Every no takes a card out of a run of thousands: two new runs, which nobody shares."""
    size = 3_000
    layout = lanes_for(3, size, size)
    tracemalloc.start()
    for first in range(100):
        owners = (7,) * first + (6,) + (7,) * (size - first - 1)
        one = set_moves.row(layout, SetConstraint.trusted(owners, (0,) * 3, (size,) * 3))
        for fitting in (1, 2, 3):
            one.groups(0, fitting, 0)
    spent = set_moves._ROWS.spent + set_moves._KINDS.spent
    assert tracemalloc.get_traced_memory()[0] < 1.1 * spent
    del one
    set_moves._ROWS.forget()
    set_moves._KINDS.forget()
    gc.collect()
    left = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert left < 100 * size
