"""Values of a game: invalid ones are refused however they are built; valid ones vary in form."""

# These tests pass values of wrong types.
# mypy: disable-error-code="arg-type"

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from itertools import permutations, product
from typing import Any

import numpy
import pytest

from quaternity import Answer, Card, Game, Move, Question, Settings, State, TieBreak
from quaternity.base.errors import InputError
from quaternity.game.question import is_plain, plain_question
from quaternity.kwartet.hands import hand_of
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from solvers import DealProblem

START = State.start(Settings(4, 3, 3))
QUESTION = Question(0, 1, Card(0, 2))
MOVE = Move(QUESTION, Answer.NO)
NAN: Any = float("nan")


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Card(0, 10**60_000),
         "number of a card: must be a number up to 1e+50, not a value that cannot be shown"),
        (lambda: Question(0, 1, (0, 2.5)), "number of a card: must be a whole number, not 2.5"),
        (lambda: Question(0, 1, "0-2"), "card '0-2': expected set/number"),
        (lambda: Question(0, 1, (0, 2, 3)), "card: (0, 2, 3) is not a Card"),
        (lambda: Move("0 asks 1 for 02", Answer.NO), "'0 asks 1 for 02' is not a question"),
        (lambda: Question.parse("0 asks 1 for 0/2: no"),
         "is not a question: expected, for example"),
        (lambda: Game(START, (), ()), "settings: <State 4-3-3, turn 0"),
        (lambda: Game(Settings(), [], ()), "moves: [] is not a tuple"),
        (lambda: Move(QUESTION, "perhaps"), "answer 'perhaps': expected yes or no"),
        (lambda: Move(QUESTION, 2), "answer 2: expected yes or no"),
        (lambda: START.after(QUESTION, 5), "answer 5: expected yes or no"),
        (lambda: START.after((0, 1), Answer.NO), "question: (0, 1) is not a Question"),
        (lambda: Settings(players=10**10, sets=10**10), "10000000000 players: the limit is 100"),
        (lambda: Settings(tie_break="random"),
         "tie-break 'random' is unknown; choose from first-in"),
        (lambda: Settings(tie_break=AnnounceTiming.AT_ONCE),
         "is unknown; choose from first-in-order"),
        (lambda: Settings(seed=-1, sets=0), "sets: 0 is less than 1; seed: -1 is out of range"),
        (lambda: replace(START, tie_break="sometimes"), "tie-break 'sometimes' is unknown"),
        (lambda: replace(START, turn=True), "turn: must be a whole number, not True"),
        (lambda: replace(START, turn=3), "turn: player 3 is out of range 0..2"),
        (lambda: replace(START, completed="ooo"), "completed: 'ooo' is not a list"),
        (lambda: replace(START, completed=(None, None, 0.0)),
         "completed[2]: must be a whole number, not 0.0"),
        (lambda: replace(START, problem=tuple(START.problem)), "is not a DealProblem"),
        (lambda: replace(START, set_size=0), "set_size: must be a whole number >= 1, not 0"),
        (lambda: Settings(set_size=1), "set_size: 1 is less than 2"),
        (lambda: Settings(players=1), "players: 1 is less than 2"),
        (lambda: replace(START, seed=10**9), "seed: 1000000000 is out of range"),
        (lambda: KwartetSettings(players="4"), "players: '4' is out of range 2..8"),
        (lambda: KwartetSettings(sets=NAN, announce="now"), "sets: nan is out of range 2..20; ann"),
        (lambda: KwartetSettings(announce=0), "announce 0 is unknown; choose from at-once, after"),
        (lambda: KwartetSettings(own_card_requests=1), "own_card_requests: must be True or False"),
        (lambda: hand_of([Card(3, 0)], 3), "card 3/0 does not exist: there are 3 sets of 4 cards"),
    ],
)  # fmt: skip
def test_invalid_values_are_refused(build: Callable[[], Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        build()
    assert words in str(caught.value)


@pytest.mark.parametrize("value", [Card(0, 2), QUESTION, MOVE, Settings(), START], ids=type)
def test_a_wrong_field_is_refused_however_a_value_is_built(value: Any) -> None:
    fields = {name: getattr(value, name) for name in signature(type(value)).parameters}
    for name, wrong in product(fields, ["x", 1.5, NAN, b"", 10**60, [None]]):
        parts = {**fields, name: wrong}
        is_tuple = issubclass(type(value), tuple)
        with pytest.raises(InputError):
            type(value)(**parts)
        with pytest.raises(InputError):
            value._replace(**parts) if is_tuple else replace(value, **parts)
        with pytest.raises(InputError):
            value._make(parts.values()) if is_tuple else type(value)(*parts.values())


def test_a_question_of_plain_numbers_is_itself() -> None:
    for asker, asked, index, number in permutations(range(5), 4):
        question = Question(asker, asked, Card(index, number))
        from_numpy = Question(numpy.int8(asker), asked, Card(numpy.int64(index), number))
        for plain in (plain_question(question), plain_question(from_numpy)):
            assert plain == question
            assert is_plain(plain)


def test_values_have_only_their_public_fields() -> None:
    names = ["problem", "turn", "completed", "set_size", "tie_break", "seed", "brisk"]
    assert [*signature(State).parameters] == names
    assert Settings() == Settings(4, 3, 3)
    for value in (Settings(seed=999_999_999), START, MOVE):
        assert not hasattr(value, "__dict__")
    with pytest.raises(AttributeError):
        Settings().seed = 1  # type: ignore[misc]  # a value
    with pytest.raises(AttributeError):
        Game.start(Settings()).states = ()  # type: ignore[misc]


def as_any(*values: Any) -> Any:
    """Return values as `Any`, so that the type checker accepts wrong ones."""
    return values


def test_a_rule_may_be_given_by_its_name() -> None:
    """A name kept as text would not equal the enum member and would mean another rule."""
    by_name, hidden = as_any("fewest-sets", "after-own-request")
    assert Settings(tie_break=by_name).tie_break is TieBreak.MIN_SETS
    assert replace(START, tie_break=by_name).tie_break is TieBreak.MIN_SETS
    assert KwartetSettings(announce=hidden).announce is AnnounceTiming.AFTER_OWN_REQUEST
    assert not KwartetSettings(announce=hidden).at_once


@pytest.mark.parametrize("no", as_any(Answer.NO, False, 0, "no", "N", numpy.int64(0)))
def test_an_answer_may_be_given_in_many_ways(no: Any) -> None:
    assert Move(QUESTION, no).answer is Answer.NO
    assert START.after(QUESTION, no) == START.after(QUESTION, Answer.NO)
    assert START.after(QUESTION, no) != START.after(QUESTION, Answer.YES)


def test_numpy_numbers_and_lists_become_built_in_values() -> None:
    two: Any = numpy.int64(2)
    numbers, listed = as_any([0, two], [numpy.int64(0), 1, [0, two]])
    card = Card(*numbers)
    assert (card, type(card.number)) == (Card(0, 2), int)
    question = Question.of(listed)
    assert (question, type(question.asker)) == (QUESTION, int)
    assert START.after(listed, False) == START.after(QUESTION, Answer.NO)
    settings = Settings(two, two, two)
    assert settings == Settings(2, 2, 2)
    assert {type(settings.set_size), type(settings.sets), type(settings.players)} == {int}
    state = State(DealProblem(*START.problem), as_any(numpy.int8(0))[0], as_any([None] * 3)[0], 4)
    assert (state, hash(state)) == (START, hash(START))
    assert {type(state.turn), type(state.set_size)} == {int}
    assert type(KwartetSettings(two).players) is int
