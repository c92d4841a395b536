"""Brisk games: questions that must be answered with no are forbidden, so the games end."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from quaternity import Answer, Card, Game, Move, Question, Settings, State
from quaternity.base.errors import InputError
from quaternity.game.faults import IllegalQuestion
from quaternity.game.record import RecordError, parse_record, record_text
from quaternity.game.rules import QuaternityRules
from quaternity.game.state_file import StateFileError, parse_state, state_text
from quaternity.insight.check import check_record
from quaternity.insight.explanation import explanation_lines
from quaternity.trials.strategies import game_settings, games
from solvers import SOLVERS
from solvers.counting import count_deals
from tests.sizes import examples

BRISK = Settings(3, 3, 3, brisk=True)
LARGER = game_settings(max_players=6, max_set_size=5, max_cards=30).map(
    lambda size: replace(size, brisk=True)
)
HOPELESS = Question(1, 0, Card(0, 1))


def known_no(settings: Settings = BRISK) -> Game:
    """Return a game after `0 asks 1 for 0/1: no`, so that neither player has the card."""
    return Game.start(settings).play(Move.parse("0 asks 1 for 0/1: no"))


@given(games(LARGER, max_moves=60))
@settings(max_examples=examples(200))
def test_the_player_to_move_has_a_question_and_every_no_rules_out_deals(game: Game) -> None:
    """The proof in the guide states this: nobody is stuck, and games end."""
    for state, after, move in zip(game.states, game.states[1:], game.moves, strict=False):
        before, left = (count_deals(position.problem) for position in (state, after))
        if not move.answer:
            assert left < before
        elif after.completed == state.completed:
            assert after.turn == state.turn
            assert left <= before
    assert game.state.is_over or game.state.legal_questions
    if not game.state.is_over:
        assert any(Answer.YES in answers for _, answers in game.state.legal_questions.items())


@pytest.mark.parametrize("answer", Answer)
def test_a_hopeless_question_is_refused_with_its_reason(answer: Answer) -> None:
    game = known_no()
    reason = (
        "player 0 is known not to have 0/1; "
        "a brisk game forbids questions that can only be answered by no"
    )
    with pytest.raises(IllegalQuestion) as caught:
        game.state.after(HOPELESS, answer)
    assert caught.value.faults == [reason]
    assert [*explanation_lines(game, HOPELESS)] == [
        f"1 asks 0 for 0/1 is refused: {reason}",
        "  this follows from these moves alone:",
        "    move 1: 0 asks 1 for 0/1: no",
    ]
    record = parse_record(f"{record_text(game)}{Move(HOPELESS, answer)}\n")
    message = check_record(record, [SOLVERS["coalitions"]]).reason
    assert message is not None
    assert reason in message
    assert message.endswith("follows from these moves alone: line 7: 0 asks 1 for 0/1: no")


def test_a_count_may_make_a_question_hopeless() -> None:
    """Player 1 must have a card of set 0 to ask for one, so players 0 and 1 have both others."""
    game, question = known_no(), Question(1, 2, Card(0, 0))
    assert game.state.faults(question) == [
        "player 2 cannot have 0/0: otherwise players 0 and 1 must hold at least 2 cards of set 0 "
        "(players 0 and 1 each keep at least 1), but can have only 1; a brisk game forbids "
        "questions that can only be answered by no"
    ]
    # Any other fault is reported alone.
    assert game.state.faults(Question(0, 1, Card(0, 1))) == [
        "it is the turn of player 1, not of player 0"
    ]


def test_the_text_of_settings_is_unchanged() -> None:
    """`compare` makes seeds of this text."""
    words = "Settings(set_size=2, sets=3, players=3, tie_break=<TieBreak.FIRST_IN_ORDER: 'first-in-"
    assert str(Settings(2, 3, 3)) == f"{words}order'>, seed=0)"
    assert str(Settings(2, 3, 3, brisk=True)) == f"{words}order'>, seed=0, brisk=True)"


def test_brisk_is_yes_or_no_in_a_record_and_a_truth_value_elsewhere() -> None:
    head = "quaternity 1\nset-size 3\nsets 3\nplayers 3\nbrisk {}\n"
    assert parse_record(head.format("no")).settings == Settings(3, 3, 3)
    assert QuaternityRules.of_record(head.format("yes").encode()).settings == BRISK
    with pytest.raises(RecordError, match="line 5: brisk: must be yes or no, not 'true'"):
        parse_record(head.format("true"))
    with pytest.raises(InputError, match="brisk yes was requested, but the record has no"):
        QuaternityRules(BRISK).replay(head.format("no").encode())
    with pytest.raises(RecordError, match="incomplete"):
        parse_record(head.format("yes").removesuffix("s\n"))
    text = state_text(State.start(BRISK)).replace("true", '"yes"')
    with pytest.raises(StateFileError, match='brisk: must be true or false, not "yes"'):
        parse_state(text)
