"""Model of the requests that the known strategies would have made, for each holding of the asker.

A set has a *value* for an asker who holds some of its cards, and each strategy asks in the set with
the highest value. Within that set, each possible request has a *share*. Both are computed from
public knowledge and from the asker's cards of that set. The asker's other cards are ignored.
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
"""Value to a reader of each card that it already holds of a set. The value is higher than for
`patient`."""

REVEAL_COST = 0.05
"""Chance that a reader gives up to avoid showing that it holds cards of a set."""

NEXT_PLAYER_BONUS = 0.03
"""Chance that a reader gives up so that the next player refuses. It is lower than for `patient`."""

_HELD_CARD_VALUES = np.array([counting.HELD_CARD_VALUE, counting.HELD_CARD_VALUE, HELD_CARD_VALUE])[
    :, None
]
_REVEAL_COSTS = np.array([counting.REVEAL_COST, counting.REVEAL_COST, REVEAL_COST])[:, None]
_NEXT_PLAYER_BONUSES = np.array(
    [counting.NEXT_PLAYER_BONUS, counting.NEXT_PLAYER_BONUS, NEXT_PLAYER_BONUS]
)[:, None]
"""For `patient`, for `patient` assuming that nobody holds what they failed to get, for a reader."""

NOTHING_TO_ASK = -9.0
"""Value of a set in which there is nothing to ask for."""

CERTAIN_SET_VALUE = 1.5
"""Value of a set whose missing cards are all certain."""

CHANCE_NOISE = 0.015
"""Size of the differences of chances that a strategy may overlook, since the model ignores about as
much."""


class MissingCards(NamedTuple):
    """What an asker may lack of a set of one size.

    Attributes:
        masks: the number of holdings.
        card: `[card, 0]`, the numbers of the cards.
        missing: `[card, case]`, the sets of cards that an asker may lack, each with the card,
            ascending.
        parts, rests: `[card, way]`, a split of such a set into what one other player has, including
            the card, and what the other players have.
        sums: `[case, way]`, 1 if the way belongs to the case.
    """

    masks: int
    card: Integers
    missing: Integers
    parts: Integers
    rests: Integers
    sums: Floats


@lru_cache
def missing_cards(masks: int) -> MissingCards:
    """Return the `MissingCards` of sets with this number of holdings, from a cache."""
    size, half = masks.bit_length() - 1, range(masks // 2)
    card = np.arange(size)[:, None]
    lacks = np.array(
        [[m % (1 << c) | (m >> c << c + 1) | 1 << c for m in half] for c in range(size)]
    )
    parts, rests, sums = parts_of(half)
    return MissingCards(masks, card, lacks, lacks[:, parts], lacks[:, rests] & ~(1 << card), sums)


class RequestModel(NamedTuple):
    """What each strategy would ask: `value[strategy, set, mask]` of each set and held mask.

    `share[strategy, mask]` is the share of the actual request in its set.
    """

    value: Floats
    share: Floats


def chances_by_lack(weights: Floats, asker: int) -> tuple[Floats, Floats]:
    """Return the chances of the owners of missing cards, and of the asker's holdings.

    The weights are `[holding, player, ..., set]`. The chances of owners depend on all that the
    asker lacks: `[card, case, owner, ..., set]`, with the cases of `MissingCards`. The chances of
    holdings are `[holding, ..., set]`.
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
    """Rearrange values `[card, case, ...]` as `[mask, card, ...]`, with `fill` elsewhere."""
    masks, card, lacks, *_ = lacked
    table = np.full((masks, len(card), *values.shape[2:]), fill)
    table[masks - 1 - lacks, card] = values
    return table


def model_patient(
    chances: Floats, asker: int, following: int, shown: Floats, place: int, card: int, asked: int
) -> RequestModel:
    """Compute what `patient` would ask, with three kinds of chances.

    Args:
        chances: `[card, case, owner, strategy, set]`, see `chances_by_lack`: counted; counted if
            nobody holds what they failed to get; and as every player can infer from the requests.
        following: the player whose turn comes next.
        shown: for each set, 1.0 if it is known that the asker holds cards of it.
        place: the index of the asked set.
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
    """Compute what `exact` would ask, from chances `[card, case, owner, set]`.

    See `model_patient`.
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
    """Rearrange shares `[case, strategy]` as `[strategy, mask]`, with 0 for other masks."""
    by_mask = np.zeros((share.shape[1], lacked.masks))
    by_mask[:, lacked.masks - 1 - lacked.missing[card]] = share.T
    by_mask[:, 0] = 0
    return by_mask
