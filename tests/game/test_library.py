"""First steps with the library: texts for values, questions to a game, and parsing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity import (
    Answer,
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
from quaternity.game.state_file import parse_state
from solvers import SetConstraint
from tests.limits import limited
from tests.sizes import examples


@given(st.text(), st.sampled_from([Question.parse, Move.parse, Card.parse]))
@settings(max_examples=examples(400))
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


def test_a_notebook_shows_a_state_and_why_it_is_impossible_or_not_deduced() -> None:
    game = Game.start(Settings(2, 3, 3)).play(Move(Question(0, 1, "0/1"), Answer.YES))
    html = game.state._repr_html_()
    assert "player 0 (to move): 1 card, 1 point" in html
    assert 'colspan="2"' in html
    assert "0  =0  =0  completed" in str(game)
    assert game.picture().lines[0].endswith(f": {game.moves[-1]}")
    assert repr(game.state) == ("<State 2-3-3, turn 0, hands [1, 1, 2], completed set 0: player 0>")
    start = State.start(Settings(2, 13, 13))
    crossed = SetConstraint((8191, 8191), (1,) * 3 + (0,) * 10, (2,) * 13)
    state = State(start.problem.with_set(0, crossed), 0, start.completed, 2)
    html = state._repr_html_()
    assert "impossible: players 0, 1 and 2 must hold at least 3 cards of set 0" in html
    assert "impossible" not in start._repr_html_()
    with limited("solvers.flow_filtering", MAX_STEPS=10):
        html = start._repr_html_()
        assert "impossible" not in html
        assert (
            "only stated facts are shown, without conclusions: "
            "filtering by flow searched more arcs than the limit of 10" in html
        )
