"""What the known strategies would have asked, with whatever the asker may hold.

A set is worth a *value* to an asker who holds some of its cards, and each strategy asks in the set
of the highest value. What it then asks for has a *share*. Both are worked out from what everybody
knows and from the asker's cards of that set; their other cards are left out of account.
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

HELD = 0.2
"""What a card already held of a set is worth to a reader: more than to `patient`."""

SHOWN = 0.05
"""What it gives up not to show that it holds a set."""

TELLING = 0.03
"""What it gives up to be refused by the next player: less than `patient`, as it knows more."""

_HELD = np.array([counting.HELD, counting.HELD, HELD])[:, None]
_SHOWN = np.array([counting.SHOWN, counting.SHOWN, SHOWN])[:, None]
_TELLING = np.array([counting.TELLING, counting.TELLING, TELLING])[:, None]
"""Of `patient`, of `patient` that takes nobody to hold what they asked for in vain, of a reader."""

NEVER = -9.0
"""The value of a set in which nothing is to be asked for."""

COMPLETES = 1.5
"""The value of a set that is sure as a whole."""

SHARP = 0.015
"""Differences of chances that a strategy may overlook: what is left out of account is about so
much."""


class Lacks(NamedTuple):
    """What an asker may lack of a set of one size.

    Attributes:
        masks: the number of holdings.
        card: `[card, 0]`, the numbers of the cards.
        lacks: `[card, case]`, all that an asker may lack together with a card, ascending.
        parts, rests: `[card, way]`, how that is split into what one other player has, the card
            included, and the rest have.
        sums: `[case, way]`, 1 for the ways of a case.
    """

    masks: int
    card: Integers
    lacks: Integers
    parts: Integers
    rests: Integers
    sums: Floats


@lru_cache
def lacks_of(masks: int) -> Lacks:
    """Return what may be lacked of sets with so many holdings; made once."""
    size, half = masks.bit_length() - 1, range(masks // 2)
    card = np.arange(size)[:, None]
    lacks = np.array(
        [[m % (1 << c) | (m >> c << c + 1) | 1 << c for m in half] for c in range(size)]
    )
    parts, rests, sums = parts_of(half)
    return Lacks(masks, card, lacks, lacks[:, parts], lacks[:, rests] & ~(1 << card), sums)


class Asking(NamedTuple):
    """How likely each strategy made a request: `value[strategy, set, mask]`.

    `share[strategy, mask]` is what is asked for in the asked set.
    """

    value: Floats
    share: Floats


def chances_by_lack(weights: Floats, asker: int) -> tuple[Floats, Floats]:
    """Return chances of who has what an asker lacks, by all that they lack, and of what they hold.

    From `weights[holding, player, ..., set]` to `[card, case, owner, ..., set]`, the cases as in
    `Lacks`, and `[holding, ..., set]`.
    """
    _, _, lacks, parts, rests, ways = lacks_of(len(weights))
    opponents = without(weights, asker)
    without_each = others(opponents)
    products = opponents.take(parts, axis=0)
    products *= without_each.take(rests, axis=0)
    sums = (ways @ products.reshape(*parts.shape, -1)).reshape(*lacks.shape, *opponents.shape[1:])
    whole = without_each[lacks, asker][:, :, None]
    chances: Floats = np.divide(sums, whole, out=np.zeros_like(sums), where=whole > 0)
    held = weights[:, asker] * without_each[::-1, asker]
    return chances, held / held.sum(axis=0)


def _over_cards(values: Floats, fill: float, among: Lacks) -> Floats:
    """Values `[card, case, ...]` as `[mask, card, ...]`, by the mask that is held, filled up."""
    masks, card, lacks, *_ = among
    table = np.full((masks, len(card), *values.shape[2:]), fill)
    table[masks - 1 - lacks, card] = values
    return table


def patients(
    chances: Floats, asker: int, following: int, shown: Floats, place: int, card: int, asked: int
) -> Asking:
    """Ask as `patient` does, by three kinds of chances.

    Args:
        chances: `[card, case, owner, strategy, set]`, see `chances_by_lack`: as counted, as counted
            if nobody holds what they asked for in vain, and as read by everybody.
        following: who is next on turn.
        shown: per set, 1.0 where it is known that the asker holds some of it.
        place: the row of the asked set.
    """
    lacked = lacks_of(2 * chances.shape[1])
    masks, lacks = lacked.masks, lacked.lacks
    attraction, bare = chances.copy(), chances[:, :, following]
    attraction[:, :, following] += _TELLING * ((bare > 1e-9) & (bare < 1 - 1e-9))
    most = attraction.max(axis=2)
    best = np.where(attraction[:, :, following] == most, bare, most)
    run = _over_cards(best, 1.0, lacked).prod(axis=1)
    value = run + _HELD * tables(masks).counts[:, None, None] - _SHOWN * (1 - shown)
    value = np.where(run > 1 - 1e-9, COMPLETES, value)
    value[[0, masks - 1]] = NEVER
    here = _over_cards(most[..., place], np.inf, lacked)
    least = np.minimum(here.min(axis=1, keepdims=True), 9.0)
    likely = np.exp((least - here) / SHARP)
    among = np.exp((attraction[card, ..., place] - most[card, :, None, :, place]) / SHARP)
    among[:, asker] = 0
    lacking = masks - 1 - lacks[card]
    share = likely[lacking, card] * among[:, asked]
    share /= likely[lacking].sum(axis=1) * among.sum(axis=1)
    return Asking(value.transpose(1, 2, 0), _by_mask(share, card, lacked))


def exacts(chances: Floats, asker: int, place: int, card: int, asked: int) -> Asking:
    """As `exact` asks: the likeliest card of all. `[card, case, owner, set]`, as for `patients`."""
    lacked = lacks_of(2 * chances.shape[1])
    masks, lacks = lacked.masks, lacked.lacks
    value = _over_cards(chances.max(axis=2), 0.0, lacked).max(axis=1)
    likely = np.exp((chances[..., place] - value[masks - 1 - lacks, None, place]) / SHARP)
    likely[:, :, asker] = 0
    whole = _over_cards(likely.sum(axis=2), 0.0, lacked).sum(axis=1)[masks - 1 - lacks[card]]
    share = likely[card, :, asked] / np.maximum(whole, 1e-300)
    value[[0, masks - 1]] = NEVER
    return Asking(value.T[None], _by_mask(share[:, None], card, lacked))


def _by_mask(share: Floats, card: int, lacked: Lacks) -> Floats:
    """Shares `[case, strategy]` as `[strategy, mask]`: whoever has the card, or none, asks not."""
    by_mask = np.zeros((share.shape[1], lacked.masks))
    by_mask[:, lacked.masks - 1 - lacked.lacks[card]] = share.T
    by_mask[:, 0] = 0
    return by_mask
