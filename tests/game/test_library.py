"""First steps with the library: texts for values, questions to a game, and parsing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import settings as sizes
from hypothesis import strategies as st

from quaternity import (
    Card,
    Game,
    Move,
    Question,
    Settings,
    State,
    record_text,
    state_text,
)
from quaternity.errors import FileWarning, InputError
from quaternity.game.rules import QuaternityPosition, QuaternityRules
from quaternity.game.state_file import parse_state
from quaternity.trials.strategies import games
from tests.sizes import examples


def test_first_steps_with_a_game() -> None:
    start = Game.start(Settings(set_size=2, sets=3, players=3))
    game = start.play("0 asks 1 for 0/1: yes")
    assert (game.turn, game.points, game.is_over, game.winners) == (0, (1, 0, 0), False, ())
    assert Question.parse("0 asks 2 for 1/0") in game.legal_questions
    assert "0  =0  =0  completed" in str(game)
    assert game.svg().startswith("<svg")
    assert game.undo() == start
    assert start.ask("0 asks 1 for 0/1", "yes") == game
    assert Question(0, 1, "0/1") == Question(0, 1, Card(0, 1)) == game.moves[0].question


@given(games())
@sizes(max_examples=examples(60))
def test_a_game_agrees_with_its_state(game: Game) -> None:
    state = game.state
    assert game.points == state.points
    assert game.turn == (None if game.is_over else state.turn)
    assert [*dict.fromkeys(move.question for move in game.legal_moves)] == [*game.legal_questions]
    best = max(game.points)
    winners = tuple(seat for seat, points in enumerate(game.points) if points == best)
    assert game.winners == (winners if game.is_over else ())
    assert state.winner == (winners[0] if game.is_over and len(winners) == 1 else None)
    assert game.record() == record_text(game)
    assert (
        str(game) == game.board() == QuaternityRules(game.settings).show(QuaternityPosition(state))
    )


@given(games())
@sizes(max_examples=examples(60))
def test_texts_are_accepted_as_values(game: Game) -> None:
    replayed = Game.start(game.settings)
    for move in game.moves:
        assert Move.parse(str(move)) == move
        assert Question.parse(str(move.question)) == move.question
        assert replayed.play(str(move)) == replayed.ask(str(move.question), str(move.answer))
        replayed = replayed.play(str(move))
    assert (
        replayed == game == Game.parse(record_text(game)) == Game.parse(record_text(game).encode())
    )
    if game.turn is not None:
        assert State.parse(state_text(game.state)) == game.state


@given(st.text(), st.sampled_from([Question.parse, Move.parse, Card.parse]))
def test_an_invalid_text_is_refused(text: str, parse: Callable[[str], object]) -> None:
    with pytest.raises(InputError):
        parse(f"{text}!")


def test_irregularities_of_a_file_are_warnings() -> None:
    game = Game.start().play(Game.start().legal_moves[0])
    with pytest.warns(FileWarning, match="incomplete") as warned:
        assert Game.parse(record_text(game) + "1 as") == game
    assert warned[0].filename == __file__
    text = state_text(game.state).replace("{", '{"note": 1, ', 1)
    with pytest.warns(FileWarning) as warned:
        assert State.parse(text) == game.state
    assert [str(w.message) for w in warned] == parse_state(text).warnings
