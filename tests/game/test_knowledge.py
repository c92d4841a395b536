"""What a state implies: closing, counting, information, and reasons traced to moves."""

from math import factorial, log2
from random import Random

import pytest

from quaternity.analysis import analyse
from quaternity.cards import Card
from quaternity.explanation import explain, known_from
from quaternity.game import Game
from quaternity.information import prospects
from quaternity.legal import problem_after
from quaternity.question import Answer, Move, Question
from quaternity.settings import Settings
from quaternity.state import State
from solvers import DealProblem, SetConstraint, solve
from solvers.brute_force import deals
from solvers.counting import count_deals
from solvers.errors import NoDeal
from tests.agreement import agree

SMALL = [Settings(2, 3, 3), Settings(3, 2, 3), Settings(2, 4, 4), Settings(2, 2, 2)]


def played(settings: Settings, random: Random, moves: int) -> Game:
    """A game after some random moves."""
    game = Game.start(settings)
    for _ in range(moves):
        if game.state.is_over:
            break
        question, answers = random.choice(list(game.state.legal_questions.items()))
        game = game.ask(question, random.choice(answers))
    return game


@pytest.mark.parametrize("settings", SMALL, ids=str)
def test_analysis_agrees_with_enumeration(settings: Settings) -> None:
    random = Random(1)
    for _ in range(15):
        state = played(settings, random, random.randrange(8)).state
        found = analyse(state)
        every = list(deals(state.problem))
        assert found.deals == len(every)
        for index, one in enumerate(state.problem.sets):
            for card in range(one.size):
                owners = [deal.owner[index][card] for deal in every]
                assert found.may_own[index][card] == tuple(sorted(set(owners)))
                assert found.chances[index][card] == pytest.approx(
                    [owners.count(player) / len(every) for player in range(state.players)]
                )
            for player in range(state.players):
                held = [deal.owner[index].count(player) for deal in every]
                assert found.counts[player][index] == (min(held), max(held))


def test_completed_sets_belong_to_their_owner() -> None:
    game = Game.start(Settings(2, 3, 3)).play(Move.parse("0 asks 1 for 0/1: yes"))
    found = analyse(game.state)
    assert found.may_own[0] == [(0,), (0,)]
    assert found.chances[0] == [[1.0, 0.0, 0.0]] * 2
    assert [row[0] for row in found.counts] == [(0, 0)] * 3


def test_golden_numbers_of_deals() -> None:
    assert analyse(State.start(Settings(4, 13, 4))).deals == factorial(52) // factorial(13) ** 4
    assert analyse(State.start()).deals == factorial(12) // factorial(4) ** 3


def test_an_impossible_state_is_not_analysed() -> None:
    start = State.start(Settings(2, 3, 3))
    crossed = SetConstraint((7, 7), (2, 2, 2), (2, 2, 2))
    state = State(start.problem.with_set(0, crossed), 0, start.completed, 2)
    with pytest.raises(NoDeal, match="players 0, 1 and 2 must hold at least 6 cards of set 0"):
        analyse(state)


@pytest.mark.parametrize("settings", SMALL, ids=str)
def test_prospects_agree_with_enumeration(settings: Settings) -> None:
    random = Random(2)
    for _ in range(10):
        state = played(settings, random, random.randrange(6)).state
        every = list(deals(state.problem))
        found = prospects(state)
        assert sum(len(one.group.cards) for one in found) == len(state.legal_questions)
        assert found == sorted(found, key=lambda one: -one.bits)
        for one in found:
            asked, index, cards, answers = one.group
            able = [
                deal.owner[index]
                for deal in every
                if deal.owner[index][cards[0]] != state.turn and state.turn in deal.owner[index]
            ]
            yes = sum(owner[cards[0]] == asked for owner in able)
            assert (one.after_yes, one.after_no) == (yes, len(able) - yes)
            assert (bool(one.after_no), bool(one.after_yes)) == (
                Answer.NO in answers, Answer.YES in answers
            )  # fmt: skip
            assert 0 <= one.chance_of_yes <= 1
            assert -1e-9 <= one.bits <= log2(len(every)) + 1e-9


@pytest.mark.parametrize("settings", [*SMALL, Settings(4, 3, 3), Settings(4, 6, 3)], ids=str)
def test_all_moves_together_say_what_the_state_says(settings: Settings) -> None:
    random = Random(3)
    for _ in range(15):
        game = played(settings, random, random.randrange(25))

        def as_known(game: Game = game) -> int:
            return count_deals(known_from(game, range(len(game.moves))))

        def as_state(game: Game = game) -> int:
            return count_deals(game.state.problem)

        agree({"moves": as_known, "state": as_state})


def claim(problem: DealProblem, question: Question, answer: Answer) -> DealProblem:
    asker, asked, (set_index, number) = question
    return problem_after(problem, asker, asked, set_index, number, answer)


@pytest.mark.parametrize(
    "settings", [Settings(2, 3, 3), Settings(4, 3, 3), Settings(4, 6, 4)], ids=str
)
def test_explanations_are_minimal(settings: Settings) -> None:
    random = Random(4)
    explained = 0
    while explained < 25:
        game = played(settings, random, random.randrange(1, 40))
        if game.state.is_over:
            continue
        question, answers = random.choice(list(game.state.legal_questions.items()))
        if len(answers) == 2:
            assert all(explain(game, question, answer) is None for answer in answers)
            continue
        answer = Answer(not answers[0])
        found = explain(game, question, answer)
        assert found is not None
        assert found.shortage.holds(found.problem)
        assert found.in_words()
        assert not solve(claim(known_from(game, found.moves), question, answer))
        for index in found.moves:
            fewer = set(found.moves) - {index}
            assert solve(claim(known_from(game, fewer), question, answer))
        explained += 1


def test_an_illegal_question_is_traced() -> None:
    game = Game.start(Settings(3, 2, 3)).play(Move.parse("0 asks 1 for 0/1: yes"))
    game = game.play(Move.parse("0 asks 2 for 1/0: no"))
    found = explain(game, Question(2, 0, Card(0, 1)))
    legal = Question(2, 0, Card(0, 1)) in game.state.legal_questions
    assert (found is None) == legal


def test_a_repeated_position_is_noticed() -> None:
    game = Game.start(Settings(4, 3, 3))
    for move in (
        "0 asks 1 for 0/0: no", "1 asks 0 for 0/0: no", "0 asks 1 for 0/0: no",
        "1 asks 0 for 0/0: no",
    ):  # fmt: skip
        game = game.play(Move.parse(move))
    assert game.undo().repeats() is None
    assert game.repeats() == 2


def test_a_state_shows_itself_in_a_notebook() -> None:
    game = Game.start(Settings(2, 3, 3)).play(Move.parse("0 asks 1 for 0/1: yes"))
    html = game.state._repr_html_()
    assert html.startswith("<div>")
    assert "<b>player 0</b>" in html
    assert 'colspan="2"' in html
    assert repr(game.state) == ("<State 2-3-3, turn 0, hands [1, 1, 2], completed set 0: player 0>")
