"""Which states are the same position, and who has won."""

from itertools import combinations

import pytest

from quaternity import Answer, Card, Question, Settings, State
from quaternity.game.transition import out_of_play
from solvers.brute_force import deals
from solvers.problem import DealProblem
from tests.agreement import agree


def over(players: int, *completed: int) -> State:
    """The end of a game, by the owners of the sets."""
    problem = DealProblem((0,) * players, (out_of_play(players),) * len(completed))
    return State(problem, 0, completed, 2)


@pytest.mark.parametrize(
    ("completed", "winner"),
    [((0, 0, 1), 0), ((0, 1, 1), 1), ((2, 1, 2, 0), 2), ((2,), 2),
     ((0, 1), None), ((1, 2, 2, 1), None), ((0, 1, 2), None), ((2, 0, 1, 2, 0), None)],
)  # fmt: skip
def test_who_has_most_sets_alone_wins(completed: tuple[int, ...], winner: int | None) -> None:
    assert over(3, *completed).winner == winner


def restated(state: State) -> State:
    """The same deals, said as tightly as can be."""
    return State(state.closed(), state.turn, state.completed, state.set_size)


def test_a_position_is_turn_completed_sets_and_deals() -> None:
    start = State.start(Settings(2, 3, 3))
    reached = [
        state.after(question, answer)
        for state in [start, start.after(Question(0, 1, Card(0, 0)), Answer.NO)]
        for question, answers in state.legal_questions.items()
        for answer in answers
    ]
    reached = [start, *reached[::2]]
    every = [*reached, *map(restated, reached)]
    listed = {id(state): frozenset(deals(state.problem)) for state in every}

    def by_deals(one: State, other: State) -> bool:
        return (one.turn, one.completed, listed[id(one)]) == (
            other.turn, other.completed, listed[id(other)]
        )  # fmt: skip

    found = [
        agree({"closed": State.same_position, "deals": by_deals}, one, other)
        for one, other in combinations(every, 2)
    ]
    assert len(reached) <= sum(found) < len(found)
