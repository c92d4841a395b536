"""Advice: nothing has a better chance, whichever way chances are found."""

from fractions import Fraction
from random import Random

import pytest

from quaternity.game.question import Question
from quaternity.kwartet import chances
from quaternity.kwartet.hint import chance_of, hint
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.strategies.counting import exact
from quaternity.kwartet.view import View
from solvers.brute_force import deals, refuses
from tests.agreement import agree
from tests.kwartet.games import legal_requests, random_game
from tests.sizes import thorough


def by_counting_deals(view: View, question: Question) -> Fraction:
    """The share of the possible deals in which the request succeeds, deal by deal."""
    index, number = question.card
    owners = [deal.owner[index][number] for deal in deals(view.problem)]
    return Fraction(owners.count(question.asked), len(owners))


@pytest.mark.parametrize("seed", range(thorough(4, 12)))
def test_no_request_for_a_card_of_another_has_a_better_chance(seed: int) -> None:
    random = Random(f"hint/{seed}")
    looked = 0
    for position, _ in random_game(KwartetSettings(3, 3), random, most_events=12):
        if position.public.is_over:
            continue
        view = position.view(position.public.turn)
        advice = hint(view)
        assert not view.faults(advice.question)
        assert advice == hint(view)
        assert advice.chance == max(
            chance_of(view, question) for question in legal_requests(position)
        )
        if refuses(view.problem) is None:
            agree({"deal by deal": by_counting_deals, "counting": chance_of}, view, advice.question)
            looked += 1
    assert looked


@pytest.mark.parametrize("seed", range(thorough(1, 3)))
def test_no_estimate_gets_into_the_advice(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With many players `exact` estimates; what is said to be the best chance is counted."""
    monkeypatch.setattr(chances, "MOST_LANES", 0)
    random, estimated = Random(f"hint/many/{seed}"), 0
    for position, _ in random_game(
        KwartetSettings(6, thorough(6, 8)), random, most_events=thorough(10, 30)
    ):
        view = position.view(position.public.turn)
        best = max(chance_of(view, question) for question in legal_requests(position))
        assert hint(view).chance == best
        estimated += chance_of(view, exact(view, Random(0))) < best
    assert estimated
