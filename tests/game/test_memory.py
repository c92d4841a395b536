"""What the game keeps for later is bounded by memory, so its estimates must hold."""

import copy
import pickle
import tracemalloc

import pytest

from quaternity import listed
from quaternity.listed import Listed
from quaternity.settings import Settings
from quaternity.state import State


def test_kept_questions_are_estimated_in_full() -> None:
    listed._PAIRS.forget()
    cards = tuple(range(5_000))
    tracemalloc.start()
    Listed(0, 7, ((1, cards, 3),)).pairs()
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
