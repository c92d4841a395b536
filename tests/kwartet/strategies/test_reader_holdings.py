"""The reader's computations, compared with a list of all ways to share a set."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from quaternity.kwartet.settings import SET_SIZE
from quaternity.kwartet.strategies.reader import holdings
from quaternity.kwartet.strategies.reader.asking import chances_by_lack
from quaternity.kwartet.strategies.reader.coupling import couple_sets, fit_hand_sizes
from quaternity.kwartet.strategies.reader.holdings import Floats
from tests.sizes import thorough

SETS = 2


def some_weights(players: int, seed: int, size: int = SET_SIZE) -> Floats:
    """Return weights of two sets, a third of which are 0."""
    random = np.random.default_rng(seed)
    weights: Floats = random.random((1 << size, players, SETS))
    weights[random.random(weights.shape) < 1 / 3] = 0
    weights[0] = 0.1
    weights[-1, 0] = 0.1
    return weights


@pytest.mark.parametrize("size", [2, 3, 4, 6])
@pytest.mark.parametrize("players", [2, 3, thorough(4, 6)])
def test_sums_over_all_ways_to_share_a_set(players: int, size: int) -> None:
    if players**size > thorough(5000, 10_000):
        size = SET_SIZE
    weights = some_weights(players, players, size)
    total, largest = np.zeros(SETS), np.zeros(SETS)
    held, asked = np.zeros_like(weights), Random(players).randrange(players)
    lacks = np.zeros((1 << size, size, players, SETS))
    for owners in product(range(players), repeat=size):
        masks = [
            sum(1 << card for card in range(size) if owners[card] == p) for p in range(players)
        ]
        weight = np.prod([weights[mask, player] for player, mask in enumerate(masks)], axis=0)
        total += weight
        largest = np.maximum(largest, weight)
        for player, mask in enumerate(masks):
            held[mask, player] += weight
        for card, owner in enumerate(owners):
            lacks[(1 << size) - 1 - masks[asked], card, owner] += weight
    np.testing.assert_allclose(holdings.totals(weights), total)
    np.testing.assert_allclose(holdings.likeliest(weights), largest)
    np.testing.assert_allclose(holdings.holding_chances(weights), held / total)
    np.testing.assert_allclose(holdings.holding_chances_of(weights, asked), held[:, asked] / total)
    chances, of_asked = chances_by_lack(weights, asked)
    np.testing.assert_allclose(of_asked, held[:, asked] / total)
    for card in range(size):
        for case, mask in enumerate(
            np.flatnonzero(holdings.tables(1 << size).holds[:, card]).tolist()
        ):
            # The asked player's weight of the given holding cancels out.
            total = lacks[mask, card].sum(axis=0)
            known = total > 0
            np.testing.assert_allclose(
                chances[card, case][:, known],
                (lacks[mask, card] / np.maximum(total, 1e-300))[:, known],
            )


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 8])
def test_the_only_way_to_share_a_set_is_certain(players: int) -> None:
    """This holds for any number of players and any weight."""
    random = Random(players)
    for size in (0.01, 0.5, 3.0):
        first, second, *others = random.sample(range(players), players)
        weights = np.zeros((4, players, players + 1))
        weights[0] = size  # nobody needs to hold anything
        weights[1, first, 0] = weights[2, second, 0] = size  # one way, a card each
        weights[3, [first, second], 1] = weights[3, [first, second], 2] = size  # two ways each
        for index, other in enumerate(others, 3):
            weights[3, other, index] = size  # one way
        hands = [2] * players
        hands[first] = hands[second] = 3
        owned, run = couple_sets(weights, hands, None)
        assert [chance == 1 for chance in run] == [index not in (1, 2) for index in range(len(run))]
        assert all(0 < chance <= 1 for chance in run)
        assert [owned[0, first, 0], owned[1, second, 0]] == pytest.approx([1, 1])


@pytest.mark.parametrize("players", [3, 4, 5, 8])
def test_hands_have_the_right_mean_and_equivalent_sets_count_multiply(players: int) -> None:
    weights = some_weights(players, players)[:, :, None]
    hands = [2] * players
    hands[0] += 20 - 2 * players
    factors = np.zeros((1, players))
    met, _ = fit_hand_sizes(weights, np.array([3.0, 2.0]), hands, factors)
    held = (
        holdings.holding_chances(met)[:, :, 0] * holdings.tables(len(weights)).counts[:, None, None]
    )
    assert (held.sum(axis=0) @ [3.0, 2.0]).tolist() == pytest.approx(hands, abs=0.05)
    separate, _ = fit_hand_sizes(weights[..., [0, 0, 0, 1, 1]], np.ones(5), hands, factors)
    np.testing.assert_allclose(separate[..., [0, 3]], met, rtol=1e-9)
