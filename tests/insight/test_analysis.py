"""Analysis of states: chances, counts and prospects of questions, compared with all deals."""

from math import log2

import pytest
from hypothesis import assume, given, settings

from quaternity.base.errors import LimitError, NoDeal
from quaternity.game.question import Answer
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.game.transition import problem_after
from quaternity.insight import analysis
from quaternity.insight.analysis import analyse, prospects
from quaternity.trials.strategies import game_settings, states
from solvers import SetConstraint
from solvers.brute_force import deals
from solvers.counting import count_deals, count_deals_given
from tests.sizes import thorough

small_states = states(game_settings(max_set_size=3, max_players=3, max_cards=8), max_moves=10)


@given(small_states)
@settings(max_examples=thorough(20, 200))
def test_an_analysis_agrees_with_all_deals(state: State) -> None:
    result = analyse(state)
    all_deals = [deal.owner for deal in deals(state.problem)]
    players = range(state.players)
    assert result.deals == len(all_deals)
    for index, set_ in enumerate(state.problem.sets):
        owner = state.completed[index]
        if owner is not None:
            assert result.may_own[index] == [(owner,)] * state.set_size
            alone = [float(player == owner) for player in players]
            assert result.chances[index] == [alone] * state.set_size
            assert {result.counts[player][index] for player in players} == {(0, 0)}
            continue
        for card in range(set_.size):
            owners = [deal[index][card] for deal in all_deals]
            assert result.may_own[index][card] == tuple(sorted(set(owners)))
            assert result.chances[index][card] == pytest.approx(
                [owners.count(player) / len(all_deals) for player in players]
            )
        for player in players:
            held = [deal[index].count(player) for deal in all_deals]
            assert result.counts[player][index] == (min(held), max(held))


def refuse(*_: object) -> list[int]:
    raise LimitError("too many count vectors")


@pytest.mark.parametrize("counting", [count_deals_given, refuse])
@given(state=small_states)
@settings(max_examples=thorough(20, 200))
def test_prospects_agree_with_all_deals(counting: object, state: State) -> None:
    """Each answer is counted by itself if all answers of a set cannot be counted at once."""
    assume(not state.is_over)
    all_deals = [deal.owner for deal in deals(state.problem)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis, "count_deals_given", counting)
        results = prospects(state)
    assert sum(len(prospect.group.cards) for prospect in results) == len(state.legal_questions)
    assert results == sorted(results, key=lambda prospect: -prospect.bits)
    for prospect in results:
        asked, index, cards, answers = prospect.group
        rows = [deal[index] for deal in all_deals]
        able = [row for row in rows if row[cards[0]] != state.turn and state.turn in row]
        yes = sum(row[cards[0]] == asked for row in able)
        no = len(able) - yes
        assert (prospect.before, prospect.after_yes, prospect.after_no) == (len(rows), yes, no)
        possible = [answer for answer, left in ((Answer.NO, no), (Answer.YES, yes)) if left]
        assert [*answers] == possible
        assert prospect.chance_of_yes == pytest.approx(yes / len(able))
        assert prospect.bits_of_asking == pytest.approx(log2(len(rows) / len(able)))
        # The deals that allow the question are equally likely, and split into two parts.
        left = sum(part * log2(part) for part in (yes, no) if part)
        assert prospect.bits == pytest.approx(log2(len(rows)) - left / len(able))


@given(states(game_settings(max_cards=24), max_moves=25))
@settings(max_examples=thorough(8, 60))
def test_prospects_are_counts_of_the_problems_after_answers(state: State) -> None:
    assume(state.turn is not None and not state.is_over)
    for prospect in prospects(state):
        assert state.turn is not None
        question = state.turn, prospect.group.asked, prospect.group.set_index
        assert [prospect.after_no, prospect.after_yes] == [
            count_deals(problem_after(state.problem, *question, prospect.group.cards[-1], answer))
            for answer in (Answer.NO, Answer.YES)
        ]


def test_an_impossible_state_is_not_analysed() -> None:
    start = State.start(Settings(2, 3, 3))
    crossed = SetConstraint((7, 7), (2, 2, 2), (2, 2, 2))
    state = State(start.problem.with_set(0, crossed), 0, start.completed, 2)
    with pytest.raises(NoDeal, match="players 0, 1 and 2 must hold at least 6 cards of set 0"):
        analyse(state)
