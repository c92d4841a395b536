"""A variant of the rules needs one change: without "the asker holds a card of the set"."""

import sys
from collections.abc import Iterator

import pytest

from quaternity.game.game import Game
from quaternity.game.question import Answer, Move, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.insight.analysis import prospects
from quaternity.insight.explanation import explain
from quaternity.perfect.keys.canonical import KeyCodec, Rules, canonical
from quaternity.perfect.successors.one_state import choices
from solvers import SOLVERS, DealProblem, SetConstraint
from tests.limits import limited
from tests.perfect.by_state import choices_by_state


def forget() -> None:
    """Clear all caches, whose contents are wrong under other rules."""
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] in ("quaternity", "solvers"):
            for value in vars(module).values():
                for clear in ("cache_clear", "clear_all"):
                    if hasattr(value, clear) and not isinstance(value, type):
                        getattr(value, clear)()


@pytest.fixture
def anybody_asks() -> Iterator[None]:
    """Play the variant: a question only states that the asker does not have the card."""
    with limited("quaternity.game.transition", MIN_ASKER_CARDS=0):
        forget()
        yield
    forget()


def state_without_set() -> State:
    """Return a state in which players 0 and 1 have set 0 and player 2 is to move."""
    seen, unknown = SetConstraint.of([[0, 1]] * 2, 3), SetConstraint.of([[0, 1, 2]] * 2, 3)
    return State(DealProblem([2] * 3, [seen, unknown, unknown]), 2, (None,) * 3, 2)


def known_by_asking() -> Game:
    """Return a game that proves that player 0 has 1/0, needed to ask for 1/1."""
    game = Game.start(Settings(set_size=3, sets=3, players=3))
    for text in ("0 asks 1 for 1/1: yes", "0 asks 2 for 0/0: yes", "0 asks 2 for 1/2: no"):
        game = game.play(Move.parse(text))
    return game


def routes() -> dict[str, bool]:
    """Return for each route whether a player without a card of a set may ask for its cards."""
    state, question = state_without_set(), Question.of([2, 0, [0, 0]])
    allowed = {
        "tables": question in state.legal_questions,
        "list": question in list(state.legal_questions),
        "faults": not state.faults(question),
        "information": any(prospect.group.set_index == 0 for prospect in prospects(state)),
    }
    for name in ("coalitions", "max-flow", "matching", "cp-sat"):
        allowed[name] = question in state.legal_questions_by(SOLVERS[name])
    game, other = known_by_asking(), Question.of([2, 1, [1, 0]])
    allowed["knowledge"] = game.state.filtered_problem().may_own(1, 0) != (0,)
    allowed["explanation"] = explain(game, other, Answer.YES) is None
    return allowed


def test_the_asker_holds_a_card_of_the_set() -> None:
    assert set(routes().values()) == {False}


@pytest.mark.usefixtures("anybody_asks")
def test_one_change_removes_the_rule_everywhere() -> None:
    assert set(routes().values()) == {True}


@pytest.mark.usefixtures("anybody_asks")
def test_perfect_play_follows_the_rule() -> None:
    state = known_by_asking().state
    code = KeyCodec(Rules.of(state))
    key = canonical(state).key
    assert set(choices(code, key)) == set(choices_by_state(code, key))
