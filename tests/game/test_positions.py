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


def test_nobody_has_won_before_the_end() -> None:
    state = State.start(Settings(2, 3, 3)).after(Question(0, 1, Card(0, 1)), Answer.YES)
    assert state.points == (1, 0, 0)
    assert state.winner is None


def restated(state: State) -> State:
    """The same deals, said as tightly as can be."""
    return State(state.closed(), state.turn, state.completed, state.set_size)


def test_what_is_implied_need_not_be_said() -> None:
    """After the no, card 0/0 is player 2's: a minimum of 1 for player 2 adds nothing."""
    state = State.start(Settings(2, 3, 3)).after(Question(0, 1, Card(0, 0)), Answer.NO)
    one = state.problem.sets[0]
    assert (one.owners[0], one.low) == (0b100, (1, 0, 0))
    told = one._replace(low=(1, 0, 1))
    other = State(state.problem.with_set(0, told), state.turn, state.completed, 2)
    assert other != state
    assert other.same_position(state)
    assert state.same_position(other)


def test_equal_hands_and_turn_are_not_enough() -> None:
    start = State.start(Settings(2, 3, 3))
    first, second = (start.after(Question(0, 1, Card(0, n)), Answer.NO) for n in range(2))
    assert (first.turn, first.hands, first.completed) == (
        second.turn, second.hands, second.completed
    )  # fmt: skip
    assert not first.same_position(second)


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
