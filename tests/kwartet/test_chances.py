"""The strategy `exact`: no request has a better chance, and chances are exact if all is known."""

from random import Random

import pytest

from quaternity.kwartet.chances import chance_of, owner_weights
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.strategies.counting import exact
from solvers.problem import DealProblem, SetConstraint
from tests.kwartet.games import legal_requests, random_game
from tests.sizes import thorough

SETTINGS = [
    KwartetSettings(3, 3),
    KwartetSettings(3, 3, set_size=3, aside=2),
    KwartetSettings(2, 4, set_size=2, aside=3),
    KwartetSettings(4, 2, set_size=5, aside=1),
]


@pytest.mark.parametrize("seed", range(thorough(4, 12)))
def test_no_request_for_a_card_of_another_has_a_better_chance(seed: int) -> None:
    random, settings = Random(f"hint/{seed}"), SETTINGS[seed % len(SETTINGS)]
    for position, _ in random_game(settings, random, max_events=12):
        if position.public.is_over:
            continue
        view = position.view(position.public.turn)
        advice = exact(view, Random(0))
        assert not view.faults(advice)
        assert chance_of(view, advice) == max(
            chance_of(view, question) for question in legal_requests(position)
        )


@pytest.mark.parametrize("players", range(2, 13))
def test_chances_are_exact_if_every_owner_is_known(players: int) -> None:
    sets = [SetConstraint([1 << (card + index) % players for card in range(4)], [0] * players,
                          [4] * players) for index in range(5)]  # fmt: skip
    owners = [(card + index) % players for index in range(5) for card in range(4)]
    problem = DealProblem([owners.count(player) for player in range(players)], sets)
    weights = owner_weights(problem)
    assert (weights.exact, weights.total) == (True, 1)
    for index, cards in enumerate(weights.owned):
        for card, owned in enumerate(cards):
            assert list(owned) == [player == (card + index) % players for player in range(players)]
