"""The rules, checked by counts, by positions played by hand and by recorded states."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from quaternity.base.errors import InputError, SolverFault
from quaternity.game.cards import Card
from quaternity.game.faults import IllegalAnswer, IllegalQuestion
from quaternity.game.game import Game
from quaternity.game.question import Answer, Move, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.state_file import parse_state, state_document
from quaternity.insight.perft import perft
from solvers import Infeasible, SetConstraint
from solvers.solver import solver_from_function
from tests.sizes import thorough

PERFT = {
    (4, 3, 3): [48, 2160, 90240],
    (2, 3, 3): [24, 384, 1344, 3168, 6912, 14496],
    (3, 2, 3): [24, 456, 5160, 36372, 211512],
    (3, 4, 4): [72, 4716, 277776],
    (4, 13, 4): [312, 96252],
}


@pytest.mark.parametrize("size", PERFT)
def test_perft(size: tuple[int, int, int]) -> None:
    state = State.start(Settings(*size))
    counts = [count for count in PERFT[size] if count < thorough(100_000, 10**9)]
    assert [perft(state, depth + 1) for depth in range(len(counts))] == counts


def test_recorded_states() -> None:
    """Check verdicts and legal questions of states on which two independent programs agree."""
    lines = (Path(__file__).parents[1] / "data/oracle_states.jsonl").read_text().splitlines()
    for line in lines[:: thorough(3, 1)]:
        row = json.loads(line)
        state = parse_state(json.dumps(row["state"])).state
        assert bool(state.verdict()) == row["valid"]
        questions = [
            [question.asked, *question.card, int(Answer.NO in answers), int(Answer.YES in answers)]
            for question, answers in state.legal_questions.items()
        ]
        assert sorted(questions) == sorted(row["questions"])
        assert state_document(state) == row["state"]


def play(settings: Settings, *moves: str) -> Game:
    position = Game.start(settings)
    for move in moves:
        position = position.play(Move.parse(move))
    return position


def test_an_answer_changes_turn_hands_and_bounds() -> None:
    start = State.start()
    no = start.after(Question(0, 1, Card(0, 2)), Answer.NO)
    assert (no.turn, no.hands, no.owners_of(0, 2)) == (1, (4, 4, 4), (2,))
    assert [constraint.low for constraint in no.problem.sets] == [(1, 0, 0), (0, 0, 0), (0, 0, 0)]
    yes = start.after(Question(0, 1, Card(0, 2)), Answer.YES)
    assert (yes.turn, yes.hands, yes.owners_of(0, 2)) == (0, (5, 3, 4), (0,))
    assert yes.problem.sets[0].low == (2, 0, 0)


def test_views_of_legal_questions() -> None:
    start = State.start()
    view = start.legal_questions
    assert view
    assert len(view) == view.count() == len(list(view)) == 24
    assert view.moves() == 48
    assert Question(0, 1, Card(0, 0)) in view
    assert Question(1, 0, Card(0, 0)) not in view
    assert Question(0, 0, Card(0, 0)) not in view
    assert "0 asks 1 for 0/0" not in view
    assert start.answers(Question(0, 1, Card(0, 0))) == (Answer.NO, Answer.YES)


def test_a_view_by_a_solver_checks_the_verdicts_of_that_solver() -> None:
    view = State.start().legal_questions_by(
        solver_from_function("hopeless", lambda _: Infeasible())
    )
    with pytest.raises(SolverFault, match="hopeless says infeasible, but this deal satisfies"):
        view.answers(Question(0, 1, Card(0, 0)))


def test_illegal_questions_list_all_their_faults() -> None:
    with pytest.raises(IllegalQuestion) as caught:
        State.start().answers(Question(1, 1, Card(7, 0)))
    assert caught.value.faults == [
        "it is the turn of player 0, not of player 1",
        "a player cannot ask itself",
        "set 7 is out of range 0..2",
    ]


@pytest.mark.parametrize("asker", range(3))
def test_every_player_to_move_gets_the_same_messages(asker: int) -> None:
    """This includes the first and the last player, and reports nothing that is not wrong."""
    other, third = (asker + 1) % 3, (asker + 2) % 3
    known = SetConstraint.of([[asker], [other], [0, 1, 2], [0, 1, 2]], players=3)
    problem = State.start().problem.with_set(0, known)
    state = replace(State.start(), problem=problem, turn=asker)
    for question, fault in (
        (Question(asker, other, Card(1, 4)), "card 4 of a set is out of range 0..3"),
        (Question(asker, other, Card(0, 0)), f"player {asker} owns 0/0"),
    ):
        with pytest.raises(IllegalQuestion) as illegal:
            state.answers(question)
        assert illegal.value.faults == [fault]
    for question, answer, fault in (
        (
            Question(asker, third, Card(0, 1)),
            Answer.YES,
            f"player {third} is known not to have 0/1",
        ),
        (
            Question(asker, other, Card(0, 1)),
            Answer.NO,
            f"player {other} must have 0/1: otherwise ",
        ),
    ):
        with pytest.raises(IllegalAnswer) as caught:
            state.after(question, answer)
        [message] = caught.value.faults
        assert message.startswith(fault)
        assert message == fault or fault.endswith("otherwise ")


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        (Question(3, 1, Card(0, 0)), "player 3 is out of range 0..2"),
        (Question(0, 3, Card(0, 0)), "player 3 is out of range 0..2"),
        (Question(0, -1, Card(0, 0)), "player -1 is out of range 0..2"),
        (Question(0, 1, Card(3, 0)), "set 3 is out of range 0..2"),
        (Question(0, 1, Card(-1, 0)), "set -1 is out of range 0..2"),
        (Question(0, 1, Card(0, 4)), "card 4 of a set is out of range 0..3"),
        (Question(0, 1, Card(0, -1)), "card -1 of a set is out of range 0..3"),
    ],
    ids=str,
)
def test_the_first_number_out_of_range_is_named_with_the_range(
    question: Question, fault: str
) -> None:
    state = State.start(Settings(4, 3, 3))
    assert question not in state.legal_questions
    with pytest.raises(IllegalQuestion) as caught:
        state.answers(question)
    assert fault in caught.value.faults


def test_an_impossible_answer_is_refused_with_its_reason() -> None:
    played = play(Settings(3, 2, 3), "0 asks 1 for 0/1: no")
    with pytest.raises(IllegalAnswer, match="player 2 must have 0/1: otherwise nobody may own"):
        played.ask(Question(1, 2, Card(0, 1)), Answer.NO)


def test_a_question_about_a_full_hand_is_refused_with_its_reason() -> None:
    """Player 2 has 0/0 and 1/0, so asking for a card of set 2 would claim a third card."""
    before = play(Settings(2, 3, 3), "0 asks 1 for 0/0: no", "1 asks 0 for 1/0: no")
    full = State(before.state.problem, 2, before.state.completed, 2)
    assert full.legal_questions
    for number in range(2):
        for asked in range(2):
            question = Question(2, asked, Card(2, number))
            assert question not in full.legal_questions
            claim = f"player 2 states that they own another card of set 2 but not 2/{number}"
            with pytest.raises(IllegalQuestion, match=f"{claim}; in that case, .* must hold"):
                full.answers(question)


def test_a_question_about_the_only_card_left_is_refused_with_its_reason() -> None:
    """Player 1 has 2/0 and player 0 has 2/1 after the last no."""
    state = play(
        Settings(2, 3, 3),
        "0 asks 1 for 0/0: no", "1 asks 0 for 1/0: no", "0 asks 2 for 2/0: no",
    ).state  # fmt: skip
    assert state.turn == 2
    for number in range(2):
        question = Question(2, 0, Card(2, number))
        assert question not in state.legal_questions
        claim = f"by asking, player 2 states that they own another card of set 2 but not 2/{number}"
        with pytest.raises(IllegalQuestion, match=f"{claim}; in that case, .* of set 2"):
            state.answers(question)


def test_games_are_values() -> None:
    start = Game.start()
    played = start.play(Move.parse("0 asks 1 for 0/2: no"))
    assert played.undo() == start
    with pytest.raises(InputError, match="undo: no move was made"):
        start.undo()
    assert len(played.states) == 2
    assert played != start
    assert hash(played.state) != hash(start.state)
