"""The rules, checked by counts, by positions played by hand and by recorded states."""

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quaternity.game.cards import Card
from quaternity.game.faults import IllegalAnswer, IllegalQuestion
from quaternity.game.game import Game
from quaternity.game.question import Answer, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.state_file import parse_state, state_document
from quaternity.insight.perft import perft
from quaternity.trials.strategies import damaged_states, states
from tests.sizes import thorough
from tests.solvers.problems import ORACLE

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
    for line in ORACLE.read_text().splitlines()[:: thorough(3, 1)]:
        row = json.loads(line)
        state = parse_state(json.dumps(row["state"])).state
        assert bool(state.verdict()) == row["valid"]
        questions = [
            [question.asked, *question.card, int(Answer.NO in answers), int(Answer.YES in answers)]
            for question, answers in state.legal_questions.items()
        ]
        assert sorted(questions) == sorted(row["questions"])
        assert state_document(state) == row["state"]


@given(states() | damaged_states(max_damage=2), st.data())
@settings(max_examples=thorough(80, 800))
def test_a_question_is_legal_iff_it_has_no_faults(state: State, data: st.DataObject) -> None:
    """This includes numbers out of range, which are named with the range."""
    assume(state.verdict())

    def near(size: int) -> st.SearchStrategy[int]:
        return st.integers(0, size - 1) | st.integers(-1, size)

    asker = data.draw(st.just(state.turn or 0) | near(state.players))
    asked = data.draw(near(state.players))
    card = Card(index := data.draw(near(state.sets)), number := data.draw(near(state.set_size)))
    question = Question(asker, asked, card)
    answers = state.legal_questions.answers(question)
    faults = state.faults(question)
    view = state.legal_questions
    assert bool(faults) == (not answers) == (question not in view)
    assert str(question) not in view
    assert bool(view) == bool(len(view))
    assert len(view) == view.count() == len(list(view))
    assert view.moves() == sum(len(possible) for _, possible in view.items())
    ranges = [(asker, state.players, "player {}"), (asked, state.players, "player {}")]
    ranges.append((index, state.sets, "set {}"))
    if 0 <= index < state.sets:
        ranges.append((number, state.set_size, "card {} of a set"))
    wrong = {
        f"{words.format(value)} is out of range 0..{size - 1}"
        for value, size, words in ranges
        if not 0 <= value < size
    }
    assert {fault for fault in faults if "out of range" in fault} == wrong
    assert ("players cannot ask themselves" in faults) == (0 <= asker == asked < state.players)
    assert any(fault.startswith("it is the turn of") for fault in faults) == (asker != state.turn)
    if faults:
        with pytest.raises(IllegalQuestion) as illegal:
            state.after(question, Answer.NO)
        assert illegal.value.faults == faults
    known = 0 <= index < state.sets and 0 <= number < len(state.problem.sets[index].owners)
    owners = state.owners_of(index, number) if known else ()
    assert (f"player {asker} owns {card}" in faults) == (known and owners == (asker,))
    for answer in {*Answer} - {*answers} if answers else ():
        with pytest.raises(IllegalAnswer) as caught:
            state.after(question, answer)
        (fault,) = caught.value.faults
        if answer and asked not in owners:
            assert fault == f"player {asked} is known not to have {card}"
        else:
            verb = "cannot" if answer else "must"
            assert fault.startswith(f"player {asked} {verb} have {card}: otherwise ")


def test_a_question_about_a_full_hand_is_refused_with_its_reason() -> None:
    """Player 2 has 0/0 and 1/0, so asking for a card of set 2 would claim a third card."""
    start = Game.start(Settings(2, 3, 3))
    before = start.play("0 asks 1 for 0/0: no").play("1 asks 0 for 1/0: no")
    full = State(before.state.problem, 2, before.state.completed, 2)
    assert full.legal_questions
    for number in range(2):
        for asked in range(2):
            question = Question(2, asked, Card(2, number))
            assert question not in full.legal_questions
            claim = f"player 2 states that they own another card of set 2 but not 2/{number}"
            with pytest.raises(IllegalQuestion, match=f"{claim}; in that case, .* must hold"):
                full.answers(question)
