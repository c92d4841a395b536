"""Model of the requests that the known strategies would make, for each possible hand of the asker.

A *holding* consists of the cards of one set that a player holds. With it, a strategy gives each set
a *value*, and asks for a card of the set with the highest value. Each request for a card of that
set has a *share*, the probability that the strategy chooses it. Both numbers depend on public
knowledge and on the asker's cards of that set. The model ignores the asker's other cards.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from quaternity.kwartet.strategies import counting
from quaternity.kwartet.strategies.reader.holdings import (
    Floats,
    Integers,
    others,
    parts_of,
    tables,
    without,
)

HELD_CARD_VALUE = 0.2
"""Amount by which the strategy `reader` raises the value of asking for a set, for each card of the
set in its hand. It is larger than the amount for the strategy `patient`."""

REVEAL_COST = 0.05
"""Amount by which the strategy `reader` lowers the value of asking for a set. It does so if no
opponent knows yet that the player holds a card of the set."""

NEXT_PLAYER_BONUS = 0.03
"""Amount that the strategy `reader` adds to the probability that the next player has a card, unless
the probability is 0 or 1. It is smaller than the amount for the strategy `patient`."""

_HELD_CARD_VALUES = np.array([counting.HELD_CARD_VALUE, counting.HELD_CARD_VALUE, HELD_CARD_VALUE])[
    :, None
]
_REVEAL_COSTS = np.array([counting.REVEAL_COST, counting.REVEAL_COST, REVEAL_COST])[:, None]
_NEXT_PLAYER_BONUSES = np.array(
    [counting.NEXT_PLAYER_BONUS, counting.NEXT_PLAYER_BONUS, NEXT_PLAYER_BONUS]
)[:, None]
"""`NEXT_PLAYER_BONUS` of three strategies, in this order: `patient`; `patient` under the assumption
that players never ask for a card that they hold; and `reader`."""

NOTHING_TO_ASK = -9.0
"""Value of asking for a set if the asker has none or all of its cards: too low to be chosen."""

CERTAIN_SET_VALUE = 1.5
"""Value of asking for a set if the owners of all its missing cards are certain."""

CHANCE_NOISE = 0.015
"""Scale of the random noise in the model of how other players choose requests. The noise is added
to probabilities and to values of sets. It is about as large as the model's error."""


class MissingCards(NamedTuple):
    """For each requested card, the cards of its set that the asker may lack.

    The missing cards are a bit mask of the cards of the set, which includes the requested card.
    They are divided into two parts in all ways: the first part, which includes the requested card,
    is held by one other player, and the second part by all remaining players together. In the
    arrays, a case is an index of a mask of missing cards, and a way is an index of a division.

    Attributes:
        masks: 2 to the power of the number of cards in a set.
        card: `[card, 0]`, the numbers of the cards.
        missing: `[card, case]`, the combinations for each requested card, in ascending order.
        parts, rests: `[card, way]`, the two parts of each division.
        sums: `[case, way]`, 1 if the way divides the combination of the case, otherwise 0.
    """

    masks: int
    card: Integers
    missing: Integers
    parts: Integers
    rests: Integers
    sums: Floats


@lru_cache
def missing_cards(masks: int) -> MissingCards:
    """Return which cards of its set the asker may lack, for each requested card.

    The result is for one set size, and `masks` is 2 to the power of this size.
    """
    size, half = masks.bit_length() - 1, range(masks // 2)
    card = np.arange(size)[:, None]
    lacks = np.array(
        [[m % (1 << c) | (m >> c << c + 1) | 1 << c for m in half] for c in range(size)]
    )
    parts, rests, sums = parts_of(half)
    return MissingCards(masks, card, lacks, lacks[:, parts], lacks[:, rests] & ~(1 << card), sums)


class RequestModel(NamedTuple):
    """Prediction of what some strategies would ask, for everything that the asker may hold.

    A holding is a bit mask of the cards of one set that the asker holds.

    Attributes:
        value: `[strategy, set, mask]`, the value of asking for the set if the asker has the holding
            `mask`. A strategy asks for the set with the highest value.
        share: `[strategy, mask]`, the probability of the actual request among all requests for
            cards of its set.
    """

    value: Floats
    share: Floats


def chances_by_lack(weights: Floats, asker: int) -> tuple[Floats, Floats]:
    """Return probabilities: who owns the cards that the asker lacks, and which cards the asker has.

    A holding is a bit mask of the cards of one set that a player holds. `weights` says how likely
    each holding is without regard to other players. Its axes are `[holding, player, ..., set]`. The
    first result contains the probability of each owner of a card, with the axes `[card, case,
    owner, ..., set]`. A case is a combination of cards that the asker lacks (see `MissingCards`).
    The second result contains the probability of each holding of the asker, with the axes
    `[holding, ..., set]`.
    """
    _, _, lacks, parts, rests, ways = missing_cards(len(weights))
    opponents = without(weights, asker)
    without_each = others(opponents)
    products = opponents.take(parts, axis=0)
    products *= without_each.take(rests, axis=0)
    sums = (ways @ products.reshape(*parts.shape, -1)).reshape(*lacks.shape, *opponents.shape[1:])
    total = without_each[lacks, asker][:, :, None]
    chances: Floats = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
    held = weights[:, asker] * without_each[::-1, asker]
    return chances, held / held.sum(axis=0)


def _over_cards(values: Floats, fill: float, lacked: MissingCards) -> Floats:
    """Convert an array `[card, case, ...]` (see `MissingCards`) to `[asker's mask, card, ...]`."""
    masks, card, lacks, *_ = lacked
    table = np.full((masks, len(card), *values.shape[2:]), fill)
    table[masks - 1 - lacks, card] = values
    return table


def model_patient(
    chances: Floats, asker: int, following: int, shown: Floats, place: int, card: int, asked: int
) -> RequestModel:
    """Predict what the strategy `patient` would ask, from three estimates of who has which card.

    Args:
        chances: `[card, case, owner, strategy, set]`, probabilities from `chances_by_lack`. The
            axis `strategy` has three estimates. The first considers all deals. The second considers
            only deals in which no player asked for a card that they hold. The third uses what
            everybody can infer from the requests.
        following: the player whose turn comes next.
        shown: for each set, 1.0 if everybody knows that the asker holds one of its cards, else 0.
        place, card, asked: the actual request: the set, the number of the card in it, and the
            player who is asked.
    """
    lacked = missing_cards(2 * chances.shape[1])
    masks, lacks = lacked.masks, lacked.missing
    attraction, bare = chances.copy(), chances[:, :, following]
    attraction[:, :, following] += _NEXT_PLAYER_BONUSES * ((bare > 1e-9) & (bare < 1 - 1e-9))
    highest = attraction.max(axis=2)
    best = np.where(attraction[:, :, following] == highest, bare, highest)
    run = _over_cards(best, 1.0, lacked).prod(axis=1)
    value = (
        run + _HELD_CARD_VALUES * tables(masks).counts[:, None, None] - _REVEAL_COSTS * (1 - shown)
    )
    value = np.where(run > 1 - 1e-9, CERTAIN_SET_VALUE, value)
    value[[0, masks - 1]] = NOTHING_TO_ASK
    asked_set = _over_cards(highest[..., place], np.inf, lacked)
    least = np.minimum(asked_set.min(axis=1, keepdims=True), 9.0)
    card_shares = np.exp((least - asked_set) / CHANCE_NOISE)
    owner_shares = np.exp(
        (attraction[card, ..., place] - highest[card, :, None, :, place]) / CHANCE_NOISE
    )
    owner_shares[:, asker] = 0
    lacking = masks - 1 - lacks[card]
    share = card_shares[lacking, card] * owner_shares[:, asked]
    share /= card_shares[lacking].sum(axis=1) * owner_shares.sum(axis=1)
    return RequestModel(value.transpose(1, 2, 0), _by_mask(share, card, lacked))


def model_exact(chances: Floats, asker: int, place: int, card: int, asked: int) -> RequestModel:
    """Predict what the strategy `exact` would ask.

    `chances` has the axes `[card, case, owner, set]`. See `model_patient` for the arguments.
    """
    lacked = missing_cards(2 * chances.shape[1])
    masks, lacks = lacked.masks, lacked.missing
    value = _over_cards(chances.max(axis=2), 0.0, lacked).max(axis=1)
    relative = np.exp((chances[..., place] - value[masks - 1 - lacks, None, place]) / CHANCE_NOISE)
    relative[:, :, asker] = 0
    total = _over_cards(relative.sum(axis=2), 0.0, lacked).sum(axis=1)[masks - 1 - lacks[card]]
    share = relative[card, :, asked] / np.maximum(total, 1e-300)
    value[[0, masks - 1]] = NOTHING_TO_ASK
    return RequestModel(value.T[None], _by_mask(share[:, None], card, lacked))


def _by_mask(share: Floats, card: int, lacked: MissingCards) -> Floats:
    """Convert an array `[case, strategy]` (see `MissingCards`) to `[strategy, asker's mask]`."""
    by_mask = np.zeros((share.shape[1], lacked.masks))
    by_mask[:, lacked.masks - 1 - lacked.missing[card]] = share.T
    by_mask[:, 0] = 0
    return by_mask
