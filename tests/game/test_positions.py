"""Equality of positions, and the winner of a game."""

from itertools import combinations

import pytest

from quaternity import Answer, Card, Question, Settings, State
from quaternity.game.transition import out_of_play
from solvers.brute_force import deals
from solvers.problem import DealProblem
from tests.agreement import agree


def final_state(players: int, *completed: int) -> State:
    """Return the state at the end of a game, given the owners of the sets."""
    problem = DealProblem((0,) * players, (out_of_play(players),) * len(completed))
    return State(problem, 0, completed, 2)


@pytest.mark.parametrize(
    ("completed", "winner"),
    [((0, 0, 1), 0), ((0, 1, 1), 1), ((2, 1, 2, 0), 2), ((2,), 2),
     ((0, 1), None), ((1, 2, 2, 1), None), ((0, 1, 2), None), ((2, 0, 1, 2, 0), None)],
)  # fmt: skip
def test_most_sets_win_unless_shared(completed: tuple[int, ...], winner: int | None) -> None:
    assert final_state(3, *completed).winner == winner


def restate(state: State) -> State:
    """Return the state with the tightest bounds for the same deals."""
    return State(state.filtered(), state.turn, state.completed, state.set_size)


def test_a_position_is_turn_completed_sets_and_deals() -> None:
    start = State.start(Settings(2, 3, 3))
    reached = [
        state.after(question, answer)
        for state in [start, start.after(Question(0, 1, Card(0, 0)), Answer.NO)]
        for question, answers in state.legal_questions.items()
        for answer in answers
    ]
    reached = [start, *reached[::2]]
    all_states = [*reached, *map(restate, reached)]
    listed = {id(state): frozenset(deals(state.problem)) for state in all_states}

    def by_deals(state: State, other: State) -> bool:
        return (state.turn, state.completed, listed[id(state)]) == (
            other.turn, other.completed, listed[id(other)]
        )  # fmt: skip

    equal = [
        agree({"closed": State.same_position, "deals": by_deals}, state, other)
        for state, other in combinations(all_states, 2)
    ]
    assert len(reached) <= sum(equal) < len(equal)
